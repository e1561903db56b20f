"""`make agents-llm`: what its recipe says runs, and leaves a page and a submission."""

import shlex
import subprocess
from pathlib import Path

from chat_server import ChatServer

from aiops_gym.cli import run
from aiops_gym.runs.regrade import regrade
from aiops_gym.runs.submission import read_submission

ROOT = Path(__file__).parents[2]


def test_the_recipe_leaves_a_page_and_a_submission_that_can_be_graded_again(tmp_path, monkeypatch):
    with ChatServer(lambda messages: '```\nsubmit("Yes")\n```') as server:
        given = ["MODEL=some/model", f"BASE_URL={server.url}", "LLM_ARGS=--task detection --sample 1 --seeds 1"]
        shown = subprocess.run(
            ["make", "-n", "agents-llm", *given], cwd=ROOT, capture_output=True, text=True, check=True
        )
        (line,) = [each for each in shown.stdout.replace("\\\n", " ").splitlines() if "aiops-gym evaluate" in each]
        monkeypatch.chdir(tmp_path)
        assert run([*shlex.split(line)[1:], "--workers", "0"]) == 0
    page = (tmp_path / "build/agents-llm/some_model.md").read_text(encoding="utf-8")
    assert "| chat | 1 |" in page
    assert "What the models used" in page
    (graded,) = regrade(read_submission(tmp_path / "build/agents-llm/some_model.jsonl.gz"))
    assert (graded.difference, graded.refused) == ("", "")

"""Fine-tuning from the first lesson to the last exam, with a model that is tiny and a run that is killed on its way."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys

os.environ |= {"HF_HUB_OFFLINE": "1", "TRL_EXPERIMENTAL_SILENCE": "1", "TOKENIZERS_PARALLELISM": "false"}

import pytest
import torch
from transformers import AutoTokenizer

from aiops_gym.envs.budget import count_high
from aiops_gym.errors import AiopsGymError
from aiops_gym.learning.language import lessons, report, rollouts
from aiops_gym.learning.language.run import Run, carry_out_all
from aiops_gym.learning.language.settings import Settings

SMALL = {"lessons": 6, "warm": 1, "warm_batch": 4, "steps": 1, "exams": 1, "exam": 1}
SMALL |= {"group": 2, "starts": 1, "batch": 2, "completion": 64, "turns": 1}

CHILD = """
import sys
from pathlib import Path
from aiops_gym.learning.language.run import Run
from aiops_gym.learning.language.settings import Settings
Run(Settings.of("tiny", {settings}), Path(sys.argv[1]), shown=lambda stage: print(stage, flush=True)).carry_out()
"""


@pytest.fixture(scope="module")
def out(tmp_path_factory):
    """A folder in which a run was killed when its warm-up was over."""
    folder = tmp_path_factory.mktemp("out")
    command = [sys.executable, "-c", CHILD.replace("{settings}", repr(SMALL)), str(folder)]
    child = subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
    )
    stages = []
    for line in child.stdout:
        stages.append(line.strip())
        if "exam-warm-up" in line:
            child.send_signal(signal.SIGKILL)
    assert child.wait() == -signal.SIGKILL
    assert stages == [f"seed 0: {name}" for name in ("lessons", "exam-start", "warm-up", "exam-warm-up")]
    return folder


def test_a_run_goes_on_after_a_kill_and_reports(out, tmp_path):
    torch.set_num_threads(1)
    settings = Settings.of("tiny", SMALL)
    before = {path: path.read_bytes() for path in (out / "seed-0" / "stages").glob("*.json")}
    (out / "seed-0" / "grpo" / "checkpoint-1").mkdir(parents=True)  # a half-written one is no checkpoint
    stages = []
    summary = Run(settings, out, shown=stages.append).carry_out()
    assert stages == [f"seed 0: {name}" for name in ("exam-warm-up", "grpo-1", "exam-grpo-1")]
    assert {path: path.read_bytes() for path in before} == before
    assert [exam["after"] for exam in summary["exams"]] == ["start", "warm-up", "grpo"]
    cases = sorted((row["problem"], row["seed"]) for row in rollouts.list_cases(settings))
    for exam in summary["exams"]:
        assert [(row["problem"], row["seed"]) for row in exam["rows"]] == cases
        assert {row["group"] for row in exam["rows"]} >= {"familiar", "novel"}
    (step,) = summary["grpo"]["log"]
    assert 0 <= step["reward"] <= 1
    assert Run(settings, out, shown=stages.append).carry_out() == summary  # and nothing is done twice
    assert len(stages) == 3
    text = "\n".join(report.describe([summary, summary]))
    assert f"{summary['warm']['parameters']:,} weights,\n2 seeds" in text
    assert "detection, unseen families" in text


def test_seeds_beside_each_other_share_the_lessons_and_each_has_its_folder(out):
    told = []
    settings = [Settings.of("tiny", {**SMALL, "seed": seed}) for seed in (0, 1)]
    first, second = carry_out_all(settings, out, 2, 0, None, told.append)
    assert first == Run(settings[0], out).carry_out()
    assert second["settings"]["seed"] == 1
    assert second["lessons"]["lessons"] == first["lessons"]["lessons"]
    assert [line for line in told if line.startswith("seed 0")] == []  # which was done before
    assert told[:2] == ["seed 1: lessons", "seed 1: exam-start"]


def test_the_model_reads_each_name_as_one_token_and_a_lesson_fits_the_budget(out):
    settings = Settings.of("tiny", SMALL)
    kinds = rollouts.make_environments(settings)
    tools = {task: rollouts.list_tools(kind) for task, kind in kinds.items()}
    shown = lessons.read_lessons(out / "lessons" / "lessons.jsonl", tools)
    tokens = AutoTokenizer.from_pretrained(out / "seed-0" / "start")
    for each in shown:
        text = tokens.apply_chat_template(each["messages"], tools=json.loads(each["tools"]), tokenize=False)
        assert tokens.decode(tokens(text)["input_ids"]) == text
        assert tokens(text)["input_ids"].count(tokens.eos_token_id) == text.count(tokens.eos_token)  # or it never ends
        assert len(tokens(text)["input_ids"]) <= count_high(text) < settings.budget
        calls = [message["tool_calls"] for message in each["messages"] if message.get("tool_calls")]
        assert [call[0]["function"]["name"] for call in calls] == ["exec_shell"] * len(lessons.LOOKS) + ["submit"]


def test_another_run_does_not_go_on_in_its_folder(out):
    with pytest.raises(AiopsGymError, match=r"another run: rate was 2e-05, is 0\.1"):
        Run(Settings.of("tiny", {**SMALL, "rate": 0.1}), out).carry_out()

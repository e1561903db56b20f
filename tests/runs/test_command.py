"""`aiops-gym evaluate`: what it takes, prints, writes and refuses."""

from __future__ import annotations

import json
import sys

import pytest

from aiops_gym.cli import run

PLAYED = ("evaluate", "--agent", "noop,restart", "--problem", "container_kill-detection", "--workers", "0")


@pytest.fixture
def cli(capsys):
    """Run a command in this process: exit code, stdout, stderr."""

    def called(*arguments):
        code = run([str(each) for each in arguments])
        return (code, *capsys.readouterr())

    return called


def test_it_prints_a_table_and_writes_a_page(cli, tmp_path):
    code, out, err = cli(*PLAYED, "--out", tmp_path / "a", "--markdown", tmp_path / "agents.md")
    assert (code, err) == (0, "")
    rows = [line.split() for line in out.splitlines() if line.startswith(("noop", "restart"))]
    assert [row[:3] for row in rows] == [["noop", "1", "0.00"], ["restart", "1", "1.00"], ["restart", "noop", "1"]]
    page = (tmp_path / "agents.md").read_text()
    assert "| restart | 1 | 1.00 (0.21-1.00) | 100 % (21-100) |" in page
    assert "| restart | noop | 1 | +1.00 (-0.59 to +1.00) |" in page
    again = cli("evaluate", "--report", tmp_path / "a", "--markdown", tmp_path / "again.md")
    assert again == (0, out, "")
    assert (tmp_path / "again.md").read_text() == page


def test_a_program_reads_the_summary_as_json(cli, tmp_path):
    code, out, _ = cli(*PLAYED, "--env-kwargs", '{"noise": false}', "--json", "--out", tmp_path)
    assert code == 0
    assert json.loads(out)["asked"][0]["env_kwargs"] == {"noise": False}
    assert json.loads(out) == json.loads((tmp_path / "summary.json").read_text())


@pytest.mark.parametrize(
    ("arguments", "code", "says"),
    [
        ((), 2, "--agent and --out are needed"),
        (("--agent", "oracle", "--out", "x"), 2, "no agent 'oracle'"),
        (("--agent", "noop", "--out", "x", "--task", "guessing"), 2, "no task 'guessing'"),
        (("--agent", "noop", "--out", "x", "--split", "exam"), 2, "no split 'exam'"),
        (("--agent", "noop", "--out", "x", "--problem", "nothing"), 2, "no problem 'nothing'"),
        (("--agent", "noop", "--out", "x", "--app", "nothing"), 2, "no app 'nothing'"),
        (("--agent", "noop", "--out", "x", "--agent-option", "a=1"), 2, "takes the option 'a'"),
        (("--agent", "noop", "--out", "x", "--tokenizer", "nothing"), 2, "no tokenizer 'nothing'"),
        (("--agent", "noop", "--out", "x", "--sample", "some"), 2, "not 'some'"),
        *(
            (("--agent", "noop", "--out", "x", f"--sample={sample}"), 2, f"not '{sample}'")
            for sample in ("2.5", "0", "0%", "-1", "-5%", "nan", "inf", "200%", "0.0")
        ),
        (("--agent", "noop", "--out", "x", "--env-kwargs", "{"), 2, "no JSON"),
        (("--agent", "noop", "--out", "x", "--env-kwargs", "[]"), 2, "JSON object"),
        (
            ("--agent", "noop", "--out", "x", "--env-kwargs", '{"colour": 1}', "--task", "openrca_bank"),
            2,
            "cannot be made",
        ),
        (
            ("--agent", "noop", "--out", "x", "--env-kwargs", '{"evaluation": "kind"}'),
            2,
            "must be one of strict, aiops",
        ),
        (("--agent", "noop", "--out", "x", "--workers", "-1"), 2, "--workers"),
        (("--agent", "noop", "--out", "x", "--seeds", "0"), 2, "--seeds"),
        (("--report", "nowhere"), 1, "holds no evaluation"),
        (("--agent", "noop", "--out", "x", "--tasks", "detection"), 2, "--task"),
        (("--agent", "noop", "--out", "x", "--limit", "0"), 2, "above 0"),
        (("--agent", "noop", "--out", "x", "--limit", "nan"), 2, "above 0"),
        (("--agent", "noop", "--out", "x", "--limit", "9", "--workers", "0"), 2, "a limit needs workers, 1 or more"),
    ],
)
def test_mistakes_are_one_plain_line_and_leave_nothing_behind(cli, tmp_path, monkeypatch, arguments, code, says):
    monkeypatch.chdir(tmp_path)
    got, out, err = cli("evaluate", *arguments)
    assert (got, out) == (code, "")
    assert says in err
    assert err.count("\n") == 1
    assert not list(tmp_path.iterdir())


def test_an_agent_of_yours_lies_in_the_folder_that_you_are_in(cli, tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.chdir(tmp_path)
    code = "class Mine:\n    def __call__(self, observation):\n        return '```\\nsubmit(\"Yes\")\\n```'\n"
    (tmp_path / "one_of_mine.py").write_text(code)
    problem = ("--problem", "container_kill-detection")
    code, out, err = cli("evaluate", "--agent", "one_of_mine:Mine", *problem, "--workers", "0", "--out", "a")
    assert (code, err) == (0, "")
    assert "one_of_mine:Mine  1         1.00" in out
    code, out, _ = cli("run", "--agent", "one_of_mine:Mine", *problem)
    assert code == 0
    assert "solved  reward 1.00" in out


def test_episodes_without_a_verdict_are_said_with_their_reason(cli, tmp_path):
    arguments = ("--agent", "noop,rules", "--problem", "container_kill-detection", "--workers", "0", "--out", tmp_path)
    code, out, err = cli("evaluate", *arguments)
    assert code == 1
    (row,) = [line for line in out.splitlines() if line.startswith("rules ")][:1]
    assert row.split("  ")[0] == "rules"
    assert "0 of 1" in row
    assert "-, 0.00 with 1 error as 0" in row
    assert row.rstrip().endswith("1 agent")
    assert "1 of 2 episodes have no verdict" in err
    assert "rules (agent): CatalogError: " in err
    assert err.count("\n") == 1

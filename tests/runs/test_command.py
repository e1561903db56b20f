"""`aiops-gym evaluate`: what it takes, prints, writes and refuses."""

from __future__ import annotations

import json

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
    assert [row[:3] for row in rows] == [["noop", "1", "0.00"], ["restart", "1", "1.00"]]
    page = (tmp_path / "agents.md").read_text()
    assert "| restart | 1 | 1.00 (1.00-1.00) | 100 % (21-100) |" in page
    again = cli("evaluate", "--report", tmp_path / "a", "--markdown", tmp_path / "again.md")
    assert again == (0, out, "")
    assert (tmp_path / "again.md").read_text() == page


def test_a_program_reads_the_summary_as_json(cli, tmp_path):
    code, out, _ = cli(*PLAYED, "--env-kwargs", '{"noise": false}', "--json", "--out", tmp_path)
    assert code == 0
    assert json.loads(out)["arguments"]["env_kwargs"] == {"noise": False}
    assert json.loads(out) == json.loads((tmp_path / "summary.json").read_text())


@pytest.mark.parametrize(
    ("arguments", "code", "says"),
    [
        ((), 2, "--agent and --out are needed"),
        (("--agent", "oracle", "--out", "x"), 1, "no agent 'oracle'"),
        (("--agent", "noop", "--out", "x", "--task", "guessing"), 1, "no task 'guessing'"),
        (("--agent", "noop", "--out", "x", "--sample", "some"), 2, "not 'some'"),
        (("--agent", "noop", "--out", "x", "--sample", "2.5"), 2, "not '2.5'"),
        (("--agent", "noop", "--out", "x", "--env-kwargs", "{"), 2, "no JSON"),
        (("--agent", "noop", "--out", "x", "--env-kwargs", "[]"), 2, "JSON object"),
        (
            ("--agent", "noop", "--out", "x", "--env-kwargs", '{"colour": 1}', "--task", "openrca_bank"),
            1,
            "cannot be made",
        ),
        (("--report", "nowhere"), 1, "holds no evaluation"),
    ],
)
def test_mistakes_are_one_plain_line_and_leave_nothing_behind(cli, tmp_path, monkeypatch, arguments, code, says):
    monkeypatch.chdir(tmp_path)
    got, out, err = cli("evaluate", *arguments)
    assert (got, out) == (code, "")
    assert says in err
    assert err.count("\n") == 1
    assert not list(tmp_path.iterdir())

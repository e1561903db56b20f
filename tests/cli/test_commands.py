"""What each command prints, and with which code it ends."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

import aiops_gym
from aiops_gym.agents.base import Fixed
from aiops_gym.cli import run
from aiops_gym.cli.common import shorten
from aiops_gym.cli.typing import Completer
from aiops_gym.runs import Episode
from aiops_gym.types import Call

PROBLEM = "container_kill-detection"


@pytest.fixture
def cli(capsys):
    """Run a command in this process: exit code, stdout, stderr."""

    def called(*arguments):
        code = run(arguments)
        return (code, *capsys.readouterr())

    return called


def test_the_version_is_one_line(cli):
    assert cli("--version") == (0, f"aiops_gym {aiops_gym.__version__}\n", "")


def test_help_names_every_command(cli):
    code, out, _ = cli("--help")
    assert code == 0
    for name in ("bench", "demo", "doctor", "list", "play", "run"):
        assert f" {name} " in out


def test_problems_are_listed_and_filtered(cli):
    code, out, _ = cli("list", "--task", "mitigation")
    assert code == 0
    first, *ids = [line.split()[0] for line in out.splitlines()]
    assert first == "id"
    assert "revoke_auth_mongodb-mitigation-1" in ids
    assert "revoke_auth_mongodb-detection-1" not in out
    assert "storage_user" in cli("list", "--answers")[1]
    lines = cli("list", "--task", "openrca_bank")[1].splitlines()
    assert all(line.startswith(("id ", "Bank-task_")) for line in lines)  # a program reads a problem a line


def test_a_program_reads_the_list_as_json(cli):
    code, out, _ = cli("list", "--json")
    assert code == 0
    assert {each["task"] for each in json.loads(out)} == {"detection", "localization", "analysis", "mitigation"}


@pytest.mark.parametrize(
    ("arguments", "code", "says"),
    [
        (["list", "--task", "cooking"], 2, "no task 'cooking'"),
        (["list", "--app", "cooking"], 2, "no app 'cooking'"),
        (["bench", "cooking"], 2, "called 'cooking'"),
        (["play", "--problem", "cooking"], 2, "no problem 'cooking'"),
        (["serve", "--problem", "cooking"], 2, "no problem 'cooking'"),
        (["admission", "--app", "cooking"], 2, "no app 'cooking'"),
        (["admission", "--fault", "cooking"], 2, "no fault 'cooking'"),
        (["openrca", "info", "nowhere"], 1, "is no folder"),
        (["run", "--agent", "restart", "--agent-option", "times=2"], 2, "'restart' has no option 'times'"),
        (["run", "--episodes", "0"], 2, "--episodes"),
        (["list", "--task", "openrca_bank", "--split", "tests"], 2, "train and test"),
        (["list", "--task", "openrca_bank", "--app", "hotel_reservation"], 2, "no --app"),
        (["export", ".", "--out", "x.jsonl", "--task", "cooking"], 2, "not 'cooking'"),
        (["run", "--problem", "container_kil-detection"], 2, "did you mean container_kill-detection"),
        (["run", "--problem", PROBLEM, "--agent", "oracle"], 2, "no agent 'oracle'"),
        (["run", "--problem", PROBLEM, "--task", "analysis"], 2, "not of analysis"),
        (["run", "--problem", PROBLEM, "--evaluation", "kind"], 2, "strict, aiopslab"),
        (["run", "--task", "cooking"], 2, "no task 'cooking'"),
        (["run", "--env-kwargs", "tools=all"], 2, "no JSON"),
        (["run", "--env-kwargs", '{"colour": "red"}'], 2, "cannot be made with"),
        (["run", "--env-kwargs", f'{{"problem": "{PROBLEM}"}}'], 2, "--problem does"),
        (["run", "--problem", "Bank-task_9-0"], 2, "row 0 of query.csv is Bank-task_"),
        (["run", "--task", "openrca_bank", "--agent", "rules"], 2, '--env-kwargs \'{"tools": "all"}\''),
        (["run", "--sed", "1"], 2, "No such option"),
        (["run", "--seed", "x"], 2, "Invalid value"),
        (["cook"], 2, "No such command"),
        (["pley"], 2, "Did you mean 'play'?"),
        (["run", "--agent", "Runbok"], 2, "did you mean runbook?"),
        (["run", "--task", "openrca_banc"], 2, "did you mean openrca_bank or"),
        (["play", "--app", "hotel"], 2, "no app 'hotel': "),
        (["play", "--split", "tset"], 2, "did you mean test?"),
        (["play", "--problem", PROBLEM, "--split", "test"], 2, "say which are drawn"),
        (["run", "--task", "openrca_bank", "--app", "social_network"], 2, "no --app"),
    ],
)
def test_an_error_is_one_plain_line_and_a_code(cli, arguments, code, says):
    got, out, err = cli(*arguments)
    assert got == code
    assert out == ""
    assert err.startswith("aiops-gym: ")
    assert says in err
    assert err.count("\n") == 1


@pytest.mark.parametrize("task", ["detection", "localization", "analysis", "mitigation"])
def test_the_reference_agent_solves_a_drawn_problem_of_each_task(cli, task):
    code, out, _ = cli("run", "--task", task, "--agent", "reference", "--seed", "3")
    assert code == 0
    assert "  reference  solved  reward 1.00  " in out


def test_a_run_is_saved_and_printed_as_json(cli, tmp_path):
    path = tmp_path / "a.json"
    code, out, _ = cli("run", "--problem", PROBLEM, "--agent", "noop", "--save", str(path), "--json")
    assert code == 0
    assert Episode(**json.loads(out)) == Episode.load(path)
    assert Episode.load(path).success is False


def test_an_agent_that_reads_summaries_gets_them_where_the_environment_is_asked_for_them(cli):
    given = ("--agent", "rules", "--seed", "1", "--env-kwargs", '{"tools": "all"}', "--json")
    code, out, _ = cli("run", "--task", "openrca_bank", *given)
    episode = json.loads(out)
    assert (code, episode["env_kwargs"]["tools"], episode["data"]) == (0, "all", "synthetic")
    assert "largest_deviations" in {step["tool"] for step in episode["steps"]}
    problem = f"Market-{episode['problem_id']}"  # another system's id, of a row that is not there
    assert cli("run", "--problem", problem, *given)[0] == 2


def test_a_person_plays_to_the_end(cli, monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    lines = iter(["echo hello there", "submit('Yes')"])
    monkeypatch.setattr("builtins.input", lambda ask: next(lines))
    code, out, _ = cli("play", "--problem", PROBLEM, "--seed", "1")
    assert code == 0
    assert "\nhello there\n" in out
    assert "solved, reward 1.00" in out


def test_a_person_may_leave(cli, monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))

    def nothing(ask):
        raise EOFError

    monkeypatch.setattr("builtins.input", nothing)
    code, out, _ = cli("play", "--problem", PROBLEM)
    assert code == 0
    assert "left without a submission" in out


def test_completion_knows_calls_and_commands():
    complete = Completer(["get_logs(", "get", "kubectl"])
    assert [complete("get", at) for at in range(3)] == ["get_logs(", "get", None]


def test_the_demo_shows_four_tasks_solved(cli):
    code, out, _ = cli("demo", "--lines", "5")
    assert code == 0
    for task in ("Detection", "Localization", "Analysis", "Mitigation"):
        assert f"===== {task}: revoke_auth_mongodb-{task.lower()}-1 =====" in out
    assert out.endswith("All four tasks solved: rewards 1.0, 1.0, 1.0, 1.0.\n")


def test_the_doctor_finds_everything_well(cli):
    code, out, _ = cli("doctor", "--json")
    report = json.loads(out)
    assert (code, set(report["checks"].values())) == (0, {""})
    assert "missing" not in report["versions"].values()


@pytest.mark.full
def test_the_benchmark_measures_everything(cli):
    code, out, _ = cli("bench", "--rounds", "2", "--envs", "3", "--worlds", "1", "--json")
    report = json.loads(out)
    assert code == 0
    assert report["steps a second, mix of 20 commands"] > 0
    assert len(report["commands, ms"]) == 20
    assert report["resets to drawn problems, %"]["traffic and network"] > 5
    assert report["Social Network, reset a deployment, in those of Hotel Reservation"] < 4


def test_the_console_script_is_installed():
    done = subprocess.run(
        [sys.executable, "-c", "from aiops_gym.cli import main; main()", "list", "--task", "cooking"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (2, "")


def test_a_long_text_keeps_its_ends():
    text = "\n".join(map(str, range(100)))
    assert shorten(text, 6).splitlines() == ["0", "1", "2", "3", "... (94 lines)", "98", "99"]
    assert shorten("a\nb", 6) == "a\nb"


def test_calls_are_written_without_stray_quotes():
    assert str(Fixed([str(Call("submit"))]).act("")) == "```\nsubmit()\n```"


def test_the_module_is_the_command():
    done = subprocess.run([sys.executable, "-m", "aiops_gym", "nothing"], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr.startswith("aiops-gym: No such command 'nothing'")

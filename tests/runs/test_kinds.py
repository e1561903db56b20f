"""Agents of yours by their names: what a module may hold, on the command line and in processes."""

from __future__ import annotations

import json

import pytest
from evaluations import PROBLEM, play, total
from toy_world import ToyEnv

from aiops_gym.agents import base
from aiops_gym.cli import run
from aiops_gym.errors import ArgumentError
from aiops_gym.runs import Episode, run_episode

pytestmark = pytest.mark.usefixtures("odd_agents")

NAMES = ("Lab", "ready", "thinking", "plain", "Bare", "Closing")


@pytest.mark.parametrize("name", NAMES)
def test_a_name_is_of_a_class_an_agent_or_a_function_of_text_or_of_what_makes_one(name):
    agent = base.make(f"odd_agents:{name}", ToyEnv())
    assert run_episode(ToyEnv(problem=PROBLEM), agent, 1).reward == 1.0


def test_each_episode_has_a_copy_of_an_agent_that_is_there():
    first, second = (base.make("odd_agents:ready", ToyEnv()) for _ in range(2))
    assert first is not second


def test_options_of_a_class_are_not_taken_for_an_environment():
    assert base.make("odd_agents:Lab", ToyEnv()).answer == "Yes"
    assert base.make("odd_agents:Lab", ToyEnv(), answer="No").answer == "No"
    assert base.make("odd_agents:Needing", ToyEnv(), answer="No").answer == "No"
    assert base.list_options("odd_agents:Lab") == ("answer", "times")
    assert base.list_options("odd_agents:told") == ("answer",)


@pytest.mark.parametrize(
    ("name", "options", "says"),
    [
        ("odd_agents:asking", {}, "and init_context(problem_desc, instructions, apis) is missing"),
        ("odd_agents:maker", {}, "what makes an agent takes (env, seed), or neither"),
        ("odd_agents:Lab", {"anser": "No"}, "has no option 'anser': did you mean answer?"),
        ("odd_agents:plane", {}, "did you mean plain"),
        ("odd_agents:not_a_function", {}, "5 is neither an agent nor a function that makes one"),
        ("odd_agents:told", {}, "missing a required argument: 'answer'"),
        ("chat", {"modle": "m"}, "the agent 'chat' has no option 'modle': did you mean model?"),
        ("runbok", {}, "no agent 'runbok': did you mean runbook?"),
    ],
)
def test_what_cannot_be_made_is_refused_with_what_may_be_meant(name, options, says):
    with pytest.raises(ArgumentError if name != "chat" else Exception) as refused:
        base.make(name, ToyEnv(), **options)
    assert says in str(refused.value)


def test_the_command_plays_them_and_says_where_one_raised(tmp_path, capsys):
    arguments = ["run", "--problem", PROBLEM, "--agent", "odd_agents:Lab", "--save", str(tmp_path / "a.json")]
    assert run(arguments) == 0
    assert "  lab  solved  reward 1.00" in capsys.readouterr().out
    assert run([*arguments, "--agent-option", "answer=raise"]) == 1
    out, err = capsys.readouterr()
    assert "  lab  gave up  " in out
    frames, last = err.splitlines()[:-1], err.splitlines()[-1]
    assert last.startswith("aiops-gym: LookupError: no idea (odd_agents.py, line ")
    assert "odd_agents.py" in frames[0]
    assert Episode.load(tmp_path / "a.json").agent_error == last.removeprefix("aiops-gym: ")
    assert run(["run", "--problem", PROBLEM, "--agent", "odd_agents:asking"]) == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_processes_play_them_and_keep_what_one_raised(tmp_path):
    summary = play(tmp_path, ["odd_agents:Lab", "odd_agents:thinking"], seeds=2, workers=1)
    assert {row.agent: row.reward for row in summary.find("all")} == {"odd_agents:Lab": 1.0, "odd_agents:thinking": 1.0}


def test_an_evaluation_keeps_the_episode_so_far_and_the_frames(tmp_path):
    row = total(play(tmp_path, "odd_agents:Lab", seeds=1, workers=0, agent_options={"answer": "raise"}))
    assert (row.episodes, row.agent_errors, row.infra_errors) == (0, 1, 0)
    unfinished, noted = sorted((tmp_path / "errors").glob("*.json"), key=lambda path: "unfinished" not in path.name)
    assert Episode.load(unfinished).agent_error.startswith("LookupError: no idea (odd_agents.py")
    data = json.loads(noted.read_text())
    assert data["kind"] == "agent"
    assert "in get_action" in data["traceback"]
    assert "aiops_gym/runs" not in data["traceback"]

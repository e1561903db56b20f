"""What models were asked for: summed over an agent's episodes, wherever the evaluation was interrupted."""

from __future__ import annotations

import json
import os
import signal
import time

import pytest
from chat_server import ChatServer, Say, Status, turn
from hypothesis import given
from hypothesis import strategies as st
from toy_world import block

from aiops_gym.cli import run
from aiops_gym.runs import evaluate
from aiops_gym.runs.usage import sum_usage

PROBLEM = "container_kill-detection"
LOOK = block("exec_shell('date')")
YES = block("submit('Yes')")
HEAD = "What the models used"


def model(messages):
    """Two requests an episode."""
    return YES if turn(messages) else LOOK


def play(out, server, agents=("chat", "noop"), **options):
    given = {"model": "m", "base_url": server.url, "prices": {"m": [1, 2]}, **options}
    return evaluate(agents, out=out, problems=[PROBLEM], seeds=2, workers=0, signals=False, agent_options=given)


@pytest.mark.slow
def test_an_agent_with_a_model_has_sums_and_others_have_none(tmp_path):
    with ChatServer(model) as server:
        summary = play(tmp_path / "one", server)
        (sums,) = summary.usage
        assert play(tmp_path / "free", server, prices={}).usage[0].cost is None
    assert (sums.agent, sums.episodes, sums.requests, sums.estimated) == ("chat", 2, 4, 0)
    assert (sums.prompt_tokens, sums.completion_tokens, sums.cost) == (400, 40, 0.00048)
    (saved,) = json.loads((tmp_path / "one" / "summary.json").read_text())["usage"]
    assert saved["cost"] == 0.00048


def test_tokens_that_a_server_does_not_count_are_estimated_and_said_to_be(tmp_path):
    with ChatServer(lambda messages: Say(model(messages), usage=None)) as server:
        (sums,) = play(tmp_path, server).usage
    assert sums.estimated == sums.requests == 4
    assert sums.prompt_tokens > 1_000
    assert sums.completion_tokens > 10


def test_who_gave_up_has_used_something_too_and_an_episode_is_counted_once(tmp_path):
    sick = True

    def answer(messages):
        return Status(401, "no") if sick and turn(messages) and len(server.requests) > 2 else model(messages)

    with ChatServer(answer) as server:
        (half,) = play(tmp_path, server).usage
        sick = False
        (whole,) = play(tmp_path, server).usage
    assert (half.episodes, half.requests, half.prompt_tokens) == (2, 4, 300)  # the last one was refused
    assert (whole.episodes, whole.requests, whole.prompt_tokens) == (2, 4, 400)


@pytest.fixture
def heard():
    """An interrupt is heard: shells start what runs in their background with a deaf ear for it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.slow
@pytest.mark.usefixtures("heard")
def test_an_interrupted_evaluation_shows_the_sums_of_what_is_kept_and_a_resumed_one_of_all(tmp_path, capsys):
    def answer(messages):
        if len(server.requests) == 3:
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(0.05)
        return model(messages)

    with ChatServer(answer) as server:
        chosen = ["--agent", "noop,chat", "--model", "m", "--base-url", server.url, "--seeds", "2", "--workers", "0"]
        asked = ["evaluate", *chosen, "--problem", PROBLEM, "--agent-option", 'prices={"m": [1, 2]}']
        assert run([*asked, "--out", str(tmp_path)]) == 130
        assert "3 of 4 episodes are kept; the same command continues. --report sums" in capsys.readouterr().err
        assert run(["evaluate", "--report", str(tmp_path)]) == 1
        assert used(capsys.readouterr().out) == [["chat", "1", "2", "200", "20", "0", "0.0002"]]
        assert run([*asked, "--out", str(tmp_path), "--markdown", str(tmp_path / "page.md")]) == 0
        assert used(capsys.readouterr().out) == [["chat", "2", "4", "400", "40", "0", "0.0005"]]
    assert "| chat | 2 | 4 | 400 | 40 | 0 | 0.0005 |" in (tmp_path / "page.md").read_text().partition(HEAD)[2]


def used(out):
    """The lines of the table."""
    lines = out.partition(HEAD)[2].strip().splitlines()
    assert lines[0].split() == ["agent", "episodes", "requests", "read", "written", "answers", "estimated", "cost"]
    return [line.split() for line in lines[1:]]


def test_where_no_model_was_asked_there_is_no_table(tmp_path, capsys):
    arguments = ["--problem", PROBLEM, "--workers", "0", "--out", str(tmp_path), "--markdown", str(tmp_path / "a.md")]
    assert run(["evaluate", "--agent", "noop", *arguments]) == 0
    assert HEAD not in capsys.readouterr().out + (tmp_path / "a.md").read_text()


@pytest.mark.slow
def test_several_episodes_of_one_command_have_a_line_of_sums(capsys):
    with ChatServer(model) as server:
        chosen = ["run", "--agent", "chat", "--model", "m", "--base-url", server.url, "--problem", PROBLEM]
        assert run([*chosen, "--episodes", "3"]) == 0
        assert capsys.readouterr().out.splitlines()[-1] == "3 episodes  6 requests, 600+60 tokens"
        assert run([*chosen, "--episodes", "3", "--json"]) == 0
        assert "3 episodes" not in capsys.readouterr().out
        assert run(chosen) == 0
        assert capsys.readouterr().out.count("requests") == 1


ANY = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 5) | st.just(10**400) | st.floats() | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=3), inner, max_size=2),
    max_leaves=4,
)
NAMES = ("requests", "prompt_tokens", "completion_tokens", "estimated", "cost")


@given(st.lists(st.one_of(ANY, st.fixed_dictionaries({}, optional=dict.fromkeys(NAMES, ANY))), max_size=4))
def test_whatever_an_agent_reports_is_no_error(found):
    sums = sum_usage("mine", [{"usage": each} for each in found])
    if sums is None:
        return
    assert 0 < sums.episodes <= len(found)
    assert min(sums.requests, sums.prompt_tokens, sums.completion_tokens, sums.estimated) >= 0
    json.dumps(sums.cost, allow_nan=False)


def test_the_order_of_episodes_does_not_matter_and_one_unknown_cost_makes_the_sum_unknown():
    told = [{"usage": {"prompt_tokens": 1, "completion_tokens": 1, "cost": cost}} for cost in (0.1, 0.2, 0.3, 1e9)]
    assert sum_usage("a", told) == sum_usage("a", told[::-1])
    assert sum_usage("a", [*told, {"usage": {"prompt_tokens": 1, "completion_tokens": 1}}]).cost is None
    assert sum_usage("a", [{"says": 1}]) is None

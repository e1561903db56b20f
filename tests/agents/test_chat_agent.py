"""The agent with a model behind it plays every task, and whatever the server does, what is done is kept."""

from __future__ import annotations

import json
import os
import signal
import time
from threading import Barrier, Event

import gymnasium as gym
import pytest
from chat_server import ChatServer, Drip, Hang, Raw, Say, Status, turn
from toy_world import ToyEnv, block

import aiops_gym  # noqa: F401  # Registers the environments.
from aiops_gym.agents.base import AgentError, make
from aiops_gym.agents.chat import Chat, Client, Options
from aiops_gym.agents.chat.history import estimate
from aiops_gym.cli import run
from aiops_gym.errors import CatalogError
from aiops_gym.runs import Episode, run_episode
from aiops_gym.runs.together import INTERRUPTED, run_episodes

KEY = "sk-very-secret"
LOOK = block("exec_shell('echo hi')")
YES = block("submit('Yes')")
PROBLEMS = {
    "Detection": "revoke_auth_mongodb-detection-1",
    "Localization": "user_unregistered_mongodb-localization-1",
    "Analysis": "misconfig_app_hotel_res-analysis-1",
    "Mitigation": "misconfig_app_hotel_res-mitigation-1",
    "OpenRCABank": None,
}


def chat(server, env=None, slept=None, **options):
    """An agent that never really waits."""
    chosen = Options.of({"model": "m", "base_url": server.url, **options})
    strict = env is not None and env.unwrapped.action_format == "strict"
    return Chat(chosen, Client(chosen, sleep=(slept if slept is not None else []).append), strict)


def knowing(env):
    """A model that has learned the solution by heart, and thinks aloud."""
    solution = env.unwrapped.reference_actions()
    return lambda messages: f"Thought: step {turn(messages)}.\n{solution[turn(messages)]}"


def choice(reason="stop", **message):
    """An answer that is whole, whether a stream was asked for or not."""
    found = {"choices": [{"message": {"role": "assistant", **message}, "finish_reason": reason}]}
    return Raw(json.dumps(found).encode())


@pytest.mark.parametrize("name", PROBLEMS)
def test_every_task_is_played_to_its_end(name):
    env = gym.make(f"aiops_gym/{name}-v0", problem=PROBLEMS[name], disable_env_checker=True)
    env.reset(seed=1)
    with ChatServer(knowing(env)) as server:
        episode = run_episode(env, make("chat", env, 1, model="m", base_url=server.url, api_key=KEY), seed=1)
    assert (episode.reward, episode.agent, episode.agent_error) == (1.0, "chat/m", "")
    first, last = server.requests[0]["messages"], server.requests[-1]["messages"]
    assert [message["role"] for message in first] == ["system", "user"]
    assert first[1]["content"] == episode.prompt
    heard = [step["observation"] for step in episode.steps[:-1]]
    assert [message["content"] for message in last[3::2]] == heard
    assert episode.agent_report["usage"] == {
        "requests": len(episode.steps),
        "retries": 0,
        "estimated": 0,
        "cost": None,
        "prompt_tokens": 100 * len(episode.steps),
        "completion_tokens": 10 * len(episode.steps),
    }


def test_a_saved_episode_names_the_model_and_its_usage_and_never_the_key(tmp_path):
    env = ToyEnv()
    with ChatServer([Status(500, KEY), LOOK, YES]) as server:
        agent = chat(server, api_key=KEY, prices={"m": [1.0, 2.0]}, temperature=0.7)
        path = run_episode(env, agent, seed=3).save(tmp_path / "episode.json")
    episode = Episode.load(path)
    assert episode.agent_report["model"] == "m"
    assert episode.agent_report["options"]["temperature"] == 0.7
    assert episode.agent_report["usage"]["cost"] == pytest.approx(240e-6)
    assert (episode.agent_report["usage"]["requests"], episode.agent_report["usage"]["retries"]) == (3, 1)
    assert KEY not in path.read_text()


def test_a_thought_is_asked_for_except_where_the_environment_refuses_one():
    with ChatServer([LOOK, YES, LOOK, YES]) as server:
        for env in (ToyEnv(), ToyEnv(action_format="strict")):
            run_episode(env, chat(server, env), seed=3)
        assert make("chat", env, model="m", tools="never").system == server.requests[2]["messages"][0]["content"]
    systems = [request["messages"][0]["content"] for request in server.requests]
    assert "Thought:" in systems[0]
    assert "Thought:" not in systems[2]


MALFORMED = {
    "nothing": ("", "no fenced block"),
    "blanks": (" \n ", "no fenced block"),
    "no text": (None, "no fenced block"),
    "no block": ("I would look at the pods.", "no fenced block"),
    "an open block": ("```\nexec_shell('echo hi')", "not closed"),
    "two blocks": (LOOK + "\nand\n" + LOOK, "exactly one fenced block"),
    "no call": (block("echo hi"), "Error parsing"),
    "a lone surrogate": ("\ud83d", "surrogate"),
}


@pytest.mark.parametrize("malformed", MALFORMED)
def test_the_environment_explains_what_is_wrong_with_an_answer(malformed):
    text, why = MALFORMED[malformed]
    with ChatServer([Say(text), YES]) as server:
        episode = run_episode(ToyEnv(), chat(server), seed=3)
    assert why in episode.steps[0]["observation"]
    assert episode.steps[0]["error"] == "parse"
    assert why in server.requests[1]["messages"][-1]["content"]
    assert server.requests[1]["messages"][-2]["content"].strip()
    assert episode.terminated


def test_a_model_that_never_makes_a_call_is_given_up():
    with ChatServer(lambda messages: "Well, let me think about it.") as server:
        episode = run_episode(ToyEnv(), chat(server, max_invalid=3), seed=3)
    assert len(episode.steps) == len(server.requests) == 3
    assert episode.agent_error == "m gave 3 answers in a row without a readable call"
    with ChatServer(lambda messages: LOOK if turn(messages) % 3 == 2 else "Hm.") as server:
        env = gym.wrappers.TimeLimit(ToyEnv(), 12)
        assert run_episode(env, chat(server, max_invalid=3), seed=3).agent_error == ""


FAULTS = {
    "busy": Status(429, headers={"Retry-After": "9"}),
    "broken": Status(500),
    "silent": Hang(),
    "dripping": Drip(),
    "cut": Raw(b'{"choices": [{"mess', missing=99),
    "no JSON": Raw(b"<html>Bad Gateway</html>"),
}


def patience(fault):
    """A slow machine may be too late for it with good answers too: these are asked for again."""
    return {"timeout": 0.5} if fault in ("silent", "dripping") else {}


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("fault", FAULTS)
def test_every_fault_ends_in_a_retry(fault, stream):
    failed = []

    def answer(messages):
        if turn(messages) == 1 and not failed:
            failed.append(messages)
            return FAULTS[fault]
        return YES if turn(messages) == 2 else LOOK

    with ChatServer(answer) as server:
        slept = []
        episode = run_episode(ToyEnv(), chat(server, slept=slept, stream=stream, **patience(fault)), seed=3)
    assert [step["tool"] for step in episode.steps] == ["exec_shell", "exec_shell", "submit"]
    assert episode.agent_report["usage"]["requests"] == 3 + len(slept) > 3
    first, second, *_ = (each for each in server.requests if turn(each["messages"]) == 1)
    assert first == second


@pytest.mark.parametrize("fault", FAULTS)
def test_or_in_one_clear_message_with_the_finished_steps_kept(fault):
    with ChatServer(lambda messages: FAULTS[fault] if turn(messages) == 2 else LOOK) as server:
        slept = []
        episode = run_episode(ToyEnv(), chat(server, slept=slept, max_retries=1, **patience(fault)), seed=3)
    assert len(episode.steps) == 2
    assert not episode.terminated
    assert not episode.success
    assert episode.agent_error.startswith(f"{server.url}/chat/completions failed 2 times, at last with ")
    assert "\n" not in episode.agent_error
    assert episode.agent_report["usage"]["requests"] == 3 + len(slept) > 3


def test_a_conversation_that_a_server_finds_too_long_is_shortened():
    refused = []

    def narrow(messages):
        if sum(len(message["content"]) for message in messages) > 16_000:
            refused.append(messages)
            return Status(400, "maximum context length exceeded")
        return YES if len(server.requests) > 6 else block(f"exec_shell({'echo ' + 'word ' * 1000!r})")

    with ChatServer(narrow) as server:
        episode = run_episode(ToyEnv(), chat(server), seed=3)
    assert episode.terminated
    assert 1 <= len(refused) <= 4
    assert "turns are left out" in server.requests[-1]["messages"][1]["content"]
    with ChatServer(lambda messages: Status(400, "maximum context length exceeded")) as server:
        assert "finds the prompt alone too long" in run_episode(ToyEnv(), chat(server), seed=3).agent_error


ODD = {
    "is empty": choice(content=None),
    "was cut off: it needs more max_tokens": choice("length", content="<think>```\nsubmit('Yes')\n```"),
    "calls a tool without its name": choice(content=None, tool_calls=[{"id": "1"}]),
}


@pytest.mark.parametrize("remark", ODD)
@pytest.mark.parametrize("stream", [False, True])
def test_who_gives_up_says_what_was_odd(remark, stream):
    with ChatServer([LOOK, *[ODD[remark]] * 2]) as server:
        episode = run_episode(ToyEnv(), chat(server, max_invalid=2, stream=stream), seed=3)
    assert [step["tool"] for step in episode.steps] == ["exec_shell", "", ""]
    assert episode.agent_error == f"m gave 2 answers in a row without a readable call; the last one {remark}"


def test_what_no_file_can_hold_costs_no_steps(tmp_path):
    with ChatServer([LOOK, Raw(b'{"error": "\\ud800"}', status=400)]) as server:
        episode = run_episode(ToyEnv(), chat(server), seed=3)
    assert len(Episode.load(episode.save(tmp_path / "one.json")).steps) == 1


def test_a_second_episode_begins_anew():
    with ChatServer(lambda messages: YES if turn(messages) else LOOK) as server:
        agent = chat(server, budget_tokens=220)
        reports = []
        for seed in range(2):
            assert run_episode(ToyEnv(), agent, seed).agent_error == ""
            reports.append(agent.report())
    assert reports[0] == reports[1]
    assert [len(request["messages"]) for request in server.requests] == [2, 4, 2, 4]


def test_episodes_that_are_played_at_once_share_nothing():
    def play(at_once):
        with ChatServer(
            lambda messages: YES if turn(messages) == 3 else block(f"exec_shell('echo {turn(messages)}')")
        ) as server:
            made = lambda env, seed: make("chat", env, seed, model="m", base_url=server.url)  # noqa: E731
            return list(run_episodes(ToyEnv, made, range(6), at_once=at_once)), server

    alone, _ = play(1)
    together, server = play(6)
    for one, other in zip(alone, together, strict=True):
        one.agent_report["options"]["base_url"] = other.agent_report["options"]["base_url"] = ""
        assert one == other
    assert sorted({request["seed"] for request in server.requests}) == list(range(6))


def test_they_wait_for_the_server_at_the_same_time():
    """All six must have asked before the first is answered."""
    barrier = Barrier(6, timeout=600)

    def answer(messages):
        barrier.wait()
        return YES

    with ChatServer(answer) as server:
        made = lambda env, seed: make("chat", env, seed, model="m", base_url=server.url)  # noqa: E731
        assert all(each.terminated for each in run_episodes(ToyEnv, made, range(6), at_once=6))


class Interrupted:
    """An agent that is interrupted at its second action, as by Ctrl-C, in the second episode."""

    def __init__(self, env, seed, first_done):
        self.seed, self.turns, self.first_done = seed, 0, first_done

    def reset(self, prompt):
        pass

    def act(self, observation):
        self.turns += 1
        if self.seed == 0 and self.turns == 2:
            self.first_done.set()
            return YES
        if self.seed == 1 and self.turns == 2:
            self.first_done.wait(600)
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(0.2)
        return LOOK if self.turns < 100 else YES


@pytest.fixture
def heard():
    """An interrupt is heard: shells start what runs in their background with a deaf ear for it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("heard")
@pytest.mark.parametrize("at_once", [1, 2])
def test_an_interrupt_keeps_what_was_done_and_begins_nothing_more(at_once):
    first_done, found = Event(), []
    with pytest.raises(KeyboardInterrupt):
        for episode in run_episodes(
            ToyEnv, lambda env, seed: Interrupted(env, seed, first_done), range(20), at_once=at_once
        ):
            found.append(episode)
    assert [episode.seed for episode in found] == list(range(len(found)))
    assert [(episode.agent_error, bool(episode.steps)) for episode in found[:2]] == [("", True), (INTERRUPTED, True)]
    assert 2 <= len(found) <= 1 + at_once


def test_options_are_for_agents_that_take_them():
    with pytest.raises(CatalogError, match="'noop' has no option 'model': there are none"):
        make("noop", ToyEnv(), 0, model="m")
    with pytest.raises(CatalogError, match="needs the name of a model"):
        make("chat", ToyEnv())


def test_without_httpx_it_says_what_to_install(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "httpx", None)
    with pytest.raises(AgentError, match=r"aiops_gym\[llm\]"):
        make("chat", ToyEnv(), model="m")


def test_a_report_is_json():
    with ChatServer([]) as server:
        agent = chat(server, stop=["END"], extra={"top_p": 0.5}, api_key=KEY)
    assert json.loads(json.dumps(agent.report()))["options"]["extra"] == {"top_p": 0.5}
    assert KEY not in json.dumps(agent.report())


@pytest.mark.slow
def test_the_command_line_plays_and_evaluates_it_and_no_file_holds_the_key(tmp_path, capsys):
    problem, kept = "container_kill-detection", []
    options = ["--problem", problem, "--agent-option", f"api_key={KEY}", "--agent-option", 'prices={"m": [1, 2]}']
    with ChatServer(lambda messages: YES if turn(messages) else block("exec_shell('kubectl get pods -A')")) as server:
        chosen = ["--agent", "chat", "--model", "m", "--base-url", server.url, *options]
        assert run(["run", *chosen, "--save", str(tmp_path / "one.json")]) == 0
        assert "chat/m  solved  reward 1.00  2 steps" in capsys.readouterr().out
        assert run(["run", *chosen, "--episodes", "3", "--save", str(tmp_path / "three")]) == 0
        assert capsys.readouterr().out.count("2 requests, 200+20 tokens, cost 0.0002") == 3
        assert run(["evaluate", *chosen, "--workers", "0", "--out", str(tmp_path / "runs")]) == 0
        chosen[1] = "noop,chat"
        assert run(["evaluate", *chosen, "--workers", "1", "--out", str(tmp_path / "both")]) == 0
    for path in (each for each in tmp_path.rglob("*") if each.is_file()):
        kept.append(path.name)
        assert KEY not in path.read_text(errors="replace")
    assert len([name for name in kept if name.startswith(problem)]) == 3 + 1 + 2
    assert {headers["Authorization"] for headers in server.headers} == {f"Bearer {KEY}"}


def test_the_command_line_says_why_an_agent_gave_up_and_keeps_what_it_did(tmp_path, capsys):
    with ChatServer([block("exec_shell('date')"), Status(401, f"bad key {KEY}")]) as server:
        chosen = ["--agent", "chat", "--model", "m", "--base-url", server.url, "--agent-option", f"api_key={KEY}"]
        code = run(["run", "--problem", "container_kill-detection", *chosen, "--save", str(tmp_path / "one.json")])
    out, error = capsys.readouterr()
    assert code == 1
    assert "gave up" in out
    assert error == f"aiops-gym: {server.url}/chat/completions refuses: status 401: bad key ***\n"
    assert len(Episode.load(tmp_path / "one.json").steps) == 1


def test_options_that_no_agent_takes_are_refused(tmp_path, capsys):
    assert run(["evaluate", "--agent", "noop", "--model", "m", "--out", str(tmp_path)]) == 2
    assert "none of the agents noop takes the option 'model'" in capsys.readouterr().err
    assert run(["run", "--agent", "noop", "--agent-option", "model"]) == 2


def test_the_window_is_kept_by_the_servers_count():
    def play(factor):
        def answer(messages):
            read = {"prompt_tokens": int(factor * estimate(messages)), "completion_tokens": 1}
            call = YES if len(server.requests) == 4 else block(f"exec_shell({'echo ' + 'w' * 600!r})")
            return Say(call, read if factor else None)

        with ChatServer(answer) as server:
            assert run_episode(ToyEnv(), chat(server, context_tokens=20_000), seed=3).terminated
        return str(server.requests[-1]["messages"])

    assert "left out" not in play(0)
    assert "left out" not in play(1)
    assert "left out" in play(9)

"""The agent with a model that calls tools by its server's own format, and with one whose server knows none."""

import json

import gymnasium as gym
import pytest
from chat_server import ChatServer, Events, Raw, Status
from toy_world import ToyEnv, block

import aiops_gym  # noqa: F401  # Registers the environments.
from aiops_gym.agents.base import make
from aiops_gym.agents.chat import Chat, Client, Options
from aiops_gym.agents.chat.agent import TOOLED
from aiops_gym.agents.chat.history import Called, History
from aiops_gym.runs import run_episode
from aiops_gym.tools import get_schemas

SCHEMAS = get_schemas("detection")
THOUGHT = "I look first."
ECHO = block("exec_shell(command='echo hi', timeout=5)")
SUBMIT = block("submit(has_anomaly='No')")


def chat(server, **options):
    chosen = Options.of({"model": "m", "base_url": server.url, **options})
    return Chat(chosen, Client(chosen, sleep=[].append), tools=SCHEMAS)


def calling(*calls, content=None):
    """A message that calls tools, each (name, arguments)."""
    made = [
        {"id": f"id-{number}", "type": "function", "function": {"name": name, "arguments": given}}
        for number, (name, given) in enumerate(calls)
    ]
    message = {"role": "assistant", "content": content, "tool_calls": made}
    return Raw(json.dumps({"choices": [{"message": message, "finish_reason": "tool_calls"}]}).encode())


LOOK = ("exec_shell", '{"command": "echo hi", "timeout": 5}')
DONE = ("submit", '{"has_anomaly": "No"}')


def test_calls_of_tools_are_played_as_the_same_calls_in_text_are():
    with ChatServer([calling(LOOK, content=THOUGHT), calling(DONE)]) as server:
        called = run_episode(ToyEnv(), chat(server), seed=3)
    texts = [f"{THOUGHT}\n{ECHO}", SUBMIT]
    with ChatServer(texts) as plain:
        written = run_episode(ToyEnv(), chat(plain, tools="never"), seed=3)
    assert [step["action"] for step in called.steps] == texts
    assert called.steps == written.steps
    assert "tools" not in plain.requests[0]
    assert [request["tools"] for request in server.requests] == 2 * [SCHEMAS]
    system, prompt, said, heard = server.requests[1]["messages"]
    assert (system["content"], prompt["role"]) == (TOOLED, "user")
    assert said["content"] == THOUGHT
    assert said["tool_calls"][0]["function"] == dict(zip(("name", "arguments"), LOOK, strict=True))
    assert heard == {"role": "tool", "content": called.steps[0]["observation"], "tool_call_id": "id-0"}


def test_a_call_comes_in_pieces_where_it_is_streamed():
    first = {"index": 0, "id": "a", "type": "function", "function": {"name": "submit", "arguments": ""}}
    deltas = [
        {"content": "Enough."},
        {"tool_calls": [first]},
        *({"tool_calls": [{"index": 0, "function": {"arguments": part}}]} for part in ('{"has_an', 'omaly": "No"}')),
        {"tool_calls": [{"index": 1, "id": "b", "function": {"name": "exec_shell", "arguments": "{}"}}]},
    ]
    events = [json.dumps({"choices": [{"delta": each, "finish_reason": None}]}) for each in deltas]
    with ChatServer([Events([*events, "[DONE]"])]) as server:
        episode = run_episode(ToyEnv(), chat(server, stream=True), seed=3)
    assert [step["action"] for step in episode.steps] == [f"Enough.\n{SUBMIT}"]


@pytest.mark.parametrize(("code", "why"), [(400, "m does not support tools"), (500, "tools param requires --jinja")])
def test_a_server_without_tools_is_asked_for_text(code, why):
    texts = [block("exec_shell('echo hi')"), block("submit('No')")]
    with ChatServer([Status(code, why), *texts]) as server:
        episode = run_episode(ToyEnv(), chat(server), seed=3)
    assert episode.success
    assert ["tools" in request for request in server.requests] == [True, False, False]
    systems = [request["messages"][0]["content"] for request in server.requests]
    assert systems[0] == TOOLED
    assert "```" in systems[1]
    with ChatServer([Status(code, why)]) as server:
        episode = run_episode(ToyEnv(), chat(server, tools="always"), seed=3)
    assert f"takes no tools: {why}" in episode.agent_error


ODD = {
    "arguments that are no JSON": (calling(("exec_shell", '{"command": echo}')), "must be literal values"),
    "arguments that are no object": (calling(("exec_shell", "[1, 2]")), "command must be text"),
    "an unknown tool": (calling(("look", "{}")), "Invalid action: look"),
    "a tool that is no name": (calling(("functions.look", "{}")), "holds no call"),
    "another argument": (calling(("exec_shell", '{"cmd": "ls"}')), "Write exec_shell(command: str"),
    "no arguments": (calling(("exec_shell", "")), "missing a required argument"),
    "arguments deep down": (calling(("submit", "[" * 50_000)), "nested more than"),
}


@pytest.mark.parametrize("odd", ODD)
def test_a_call_that_makes_no_sense_is_explained_to_the_tools_caller(odd):
    answer, why = ODD[odd]
    with ChatServer([answer, calling(DONE)]) as server:
        episode = run_episode(ToyEnv(), chat(server), seed=3)
    assert why in episode.steps[0]["observation"]
    assert server.requests[1]["messages"][3]["role"] == "tool"
    assert episode.success


def test_of_several_calls_the_first_is_carried_out_and_the_others_never_were():
    with ChatServer([calling(LOOK, DONE), calling(DONE)]) as server:
        episode = run_episode(ToyEnv(), chat(server), seed=3)
    assert [step["tool"] for step in episode.steps] == ["exec_shell", "submit"]
    assert len(server.requests[1]["messages"][2]["tool_calls"]) == 1


def test_a_thought_with_a_fence_of_its_own_hides_no_call():
    with ChatServer([calling(LOOK, content="As in\n```\nls\n```"), calling(DONE)]) as server:
        episode = run_episode(ToyEnv(), chat(server), seed=3)
    assert episode.steps[0]["action"] == ECHO


def test_text_is_an_action_too_and_a_call_that_nobody_asked_for():
    with ChatServer([block("exec_shell('echo hi')"), calling(DONE)]) as server:
        assert run_episode(ToyEnv(), chat(server), seed=3).success
    assert server.requests[1]["messages"][3]["role"] == "user"
    with ChatServer([calling(LOOK), calling(DONE)]) as server:
        assert run_episode(ToyEnv(), chat(server, tools="never"), seed=3).success
    assert [each["role"] for each in server.requests[1]["messages"]] == ["system", "user", "assistant", "user"]


def test_a_long_conversation_with_calls_is_shortened_and_keeps_its_pairs():
    history = History(system="s", prompt="p", room=1_000, beside=200)
    for number in range(40):
        history.add("", "x" * 500, Called("exec_shell", '{"command": "ls"}', f"id-{number}"))
    history.trim_to_window()
    assert history.size() <= 1_000
    messages = history.messages()[2:]
    assert messages
    for said, heard in zip(messages[::2], messages[1::2], strict=True):
        assert said["tool_calls"][0]["id"] == heard["tool_call_id"]


def test_a_registered_environment_offers_its_tools():
    with gym.make("aiops_gym/OpenRCABank-v0", disable_env_checker=True) as env:
        assert make("chat", env, model="m").tools == get_schemas("openrca_bank")

"""One completion: what is sent, what is read, and what becomes of every fault of a server."""

from __future__ import annotations

import json
import logging
import subprocess
import sys
from threading import Event, Thread

import pytest
from chat_server import ASK, KEY, ChatServer, Drip, Events, Hang, Raw, Say, Status, client_of

from aiops_gym.agents.base import AgentError
from aiops_gym.agents.chat import Client, Options
from aiops_gym.agents.chat.answers import Malformed, read_stream, read_whole
from aiops_gym.agents.chat.client import TooLong
from aiops_gym.errors import CatalogError


def test_a_request_holds_the_options_and_the_key_only_in_its_header():
    options = {"temperature": 0.3, "max_tokens": 50, "stop": ["END"], "api_key": KEY, "extra": {"top_p": 0.9}}
    with ChatServer(["well"]) as server:
        client, _ = client_of(server, seed=7, **options)
        assert client.complete(ASK).text == "well"
    (request,) = server.requests
    assert server.paths == ["/v1/chat/completions"]
    assert request == {
        "model": "m",
        "messages": ASK,
        "temperature": 0.3,
        "max_tokens": 50,
        "seed": 7,
        "stop": ["END"],
        "top_p": 0.9,
    }
    assert server.headers[0]["Authorization"] == f"Bearer {KEY}"


def test_what_is_set_to_nothing_is_not_sent(monkeypatch):
    for name in ("OPENAI_API_KEY", "AIOPS_GYM_LLM_KEY"):
        monkeypatch.delenv(name, raising=False)
    with ChatServer(["well"]) as server:
        client_of(server, temperature=None, max_tokens=None, send_seed=False)[0].complete(ASK)
    assert server.requests == [{"model": "m", "messages": ASK}]
    assert "Authorization" not in server.headers[0]


def test_the_key_comes_from_the_environment_and_our_variable_goes_first(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "theirs")
    with ChatServer(["well", "well"]) as server:
        client, _ = client_of(server)
        client.complete(ASK)
        monkeypatch.setenv("AIOPS_GYM_LLM_KEY", "ours")
        client.complete(ASK)
    assert [headers["Authorization"] for headers in server.headers] == ["Bearer theirs", "Bearer ours"]


def test_the_server_is_waited_for_as_long_as_it_asks():
    with ChatServer(
        [Status(429, headers={"Retry-After": "37"}), Status(503, headers={"retry-after": "0"}), "well"]
    ) as server:
        client, clock = client_of(server)
        assert client.complete(ASK).text == "well"
    assert clock.slept[0] == 37.0
    assert 1.0 <= clock.slept[1] <= 2.0
    assert (client.usage.requests, client.usage.retries) == (3, 2)


def test_pauses_grow_differ_by_seed_and_repeat_with_it():
    def pauses(seed):
        with ChatServer([Status(500)] * 7) as server:
            client, clock = client_of(server, seed=seed, max_wait=10)
            with pytest.raises(AgentError, match=r"chat/completions failed 7 times, at last with status 500: not now"):
                client.complete(ASK)
        return clock.slept

    first = pauses(1)
    assert len(first) == 6
    for pause, grown in zip(first, [1, 2, 4, 8, 10, 10], strict=True):
        assert grown / 2 <= pause <= grown
    assert pauses(1) == first != pauses(2)


FAULTS = {
    "no JSON": Raw(b"{ 'choices': "),
    "no object": Raw(b"[]"),
    "no choices": Raw(b"{}"),
    "no message": Raw(b'{"choices": [{}]}'),
    "an error that says it is well": Raw(b'{"error": {"message": "overloaded"}}'),
    "nothing": Raw(b""),
    "the end is missing": Raw(b'{"choices": [{"message": {"content": "half', missing=50),
    "bytes that are no text": Raw(b"\xff\xfe\x00"),
    "too many brackets": Raw(b"[" * 100_000),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_an_answer_that_is_none_is_asked_for_again(fault):
    with ChatServer([FAULTS[fault], "well"]) as server:
        client, clock = client_of(server)
        assert client.complete(ASK).text == "well"
    assert len(clock.slept) == client.usage.retries == 1


BROKEN_STREAMS = {
    "the connection is cut": Events(Say("half of it").events()[:2], whole=False),
    "it ends too early": Events(Say("half of it").events()[:2]),
    "an event is no JSON": Events(['{"choices": [{"del']),
    "an error comes in the middle": Events([*Say("half").events()[:1], '{"error": {"message": "out of memory"}}']),
    "nothing comes": Events([]),
}


@pytest.mark.parametrize("fault", BROKEN_STREAMS)
def test_a_broken_stream_is_asked_for_again(fault):
    with ChatServer([BROKEN_STREAMS[fault], Say("whole")]) as server:
        client, clock = client_of(server, stream=True)
        assert client.complete(ASK).text == "whole"
    assert len(clock.slept) == 1


def test_a_stream_says_the_same_as_a_whole_answer():
    text = "Größe: ✓ 한국어 \U0001f525\nline"
    with ChatServer([Say(text), Say(text)]) as server:
        whole, streamed = client_of(server)[0].complete(ASK), client_of(server, stream=True)[0].complete(ASK)
    assert whole == streamed
    assert (whole.text, whole.prompt_tokens, whole.completion_tokens) == (text, 100, 10)
    assert server.requests[1]["stream"] is True


def test_a_server_that_knows_no_streams_is_understood():
    with ChatServer([Raw(b'{"choices": [{"message": {"content": "whole"}}]}')]) as server:
        assert client_of(server, stream=True)[0].complete(ASK).text == "whole"


def test_a_silent_server_times_out():
    with ChatServer(lambda messages: Hang() if len(server.requests) == 1 else "well") as server:
        client, clock = client_of(server, timeout=0.5)
        assert client.complete(ASK).text == "well"
    assert len(clock.slept) == client.usage.retries >= 1


def test_a_server_that_drips_is_given_up_though_it_never_falls_silent():
    with ChatServer(lambda messages: Drip() if len(server.requests) == 1 else "well") as server:
        client, _ = client_of(server, timeout=0.5)
        assert client.complete(ASK).text == "well"
    assert client.usage.retries >= 1


def test_nobody_there_is_said_in_one_line():
    with ChatServer([]) as server:
        url = server.url
    client, _ = client_of(server, max_retries=1)
    with pytest.raises(AgentError, match=rf"{url}/chat/completions failed 2 times, at last with ConnectError"):
        client.complete(ASK)


@pytest.mark.parametrize("code", [301, 400, 401, 403, 404, 422, 501])
def test_what_no_retry_can_mend_is_said_at_once_without_the_key(code, caplog):
    with ChatServer([Status(code, f"bad key {KEY}"), Status(429, f"slow down, {KEY}"), "well"]) as server:
        client, clock = client_of(server, api_key=KEY)
        with caplog.at_level(logging.DEBUG), pytest.raises(AgentError) as raised:
            client.complete(ASK)
        assert clock.slept == []
        with caplog.at_level(logging.DEBUG):
            client.complete(ASK)
    assert f"refuses: status {code}: bad key ***" in str(raised.value)
    assert "slow down, ***" in caplog.text
    for text in (str(raised.value), caplog.text, repr(client.options), str(client.options.to_json())):
        assert KEY not in text


@pytest.mark.parametrize("words", ["This model's maximum context length is 10 tokens", "prompt is too long"])
def test_a_conversation_that_is_too_long_is_another_matter(words):
    with ChatServer([Status(400, words)]) as server, pytest.raises(TooLong):
        client_of(server)[0].complete(ASK)


def test_tokens_and_costs_are_summed_and_estimated_where_the_server_does_not_count():
    with ChatServer([Say("a" * 30), Say("a" * 30, usage=None)]) as server:
        client, _ = client_of(server, prices={"m": [2.0, 10.0]})
        client.complete(ASK)
        assert client.usage.cost == pytest.approx((100 * 2 + 10 * 10) / 1e6)
        client.complete(ASK)
    assert client.usage.completion_tokens == 10 + 10
    assert 100 < client.usage.prompt_tokens < 120
    assert client.usage.to_json()["estimated"] == 1


@pytest.mark.parametrize(
    "usage", [{"prompt_tokens": -1, "completion_tokens": None}, {"prompt_tokens": True}, {}, "many"]
)
def test_counts_that_make_no_sense_are_not_believed(usage):
    with ChatServer([Say("well", usage=usage)]) as server:
        client, _ = client_of(server)
        client.complete(ASK)
    assert client.usage.estimated == 1
    assert client.usage.prompt_tokens > 0


def test_budgets_end_it():
    with ChatServer(["well"] * 9) as server:
        for budget in ({"budget_tokens": 110}, {"budget_cost": 0.0003, "prices": {"m": [2, 10]}}):
            client, _ = client_of(server, **budget)
            client.complete(ASK)
            with pytest.raises(AgentError, match=r"budget of .* used up"):
                client.complete(ASK)
            client.reset()
            client.complete(ASK)


def test_a_budget_of_time_ends_retries_before_the_pause():
    with ChatServer([Status(429, headers={"Retry-After": "100"})]) as server:
        client, clock = client_of(server, budget_seconds=60)
        with pytest.raises(AgentError, match="budget of 60 s ends before a retry after status 429"):
            client.complete(ASK)
        assert clock.slept == []
        clock.now += 61
        with pytest.raises(AgentError, match="budget of 60 s is used up"):
            client.complete(ASK)


def test_an_answer_without_an_end_is_not_read_to_it(monkeypatch):
    monkeypatch.setattr("aiops_gym.agents.chat.client.BODY", 1_000)
    with ChatServer([Say("a" * 2_000), "well"]) as server:
        client, _ = client_of(server)
        assert client.complete(ASK).text == "well"
    assert client.usage.retries == 1


def test_a_connection_is_used_again_and_opened_again_after_it_was_closed():
    with ChatServer(["well"] * 3) as server:
        client, _ = client_of(server)
        client.complete(ASK)
        client.complete(ASK)
        client.close()
        client.complete(ASK)
    assert server.connections == 2


def test_nothing_is_loaded_before_it_is_needed():
    script = "import sys, aiops_gym.agents.chat; sys.exit('httpx' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", script], check=False).returncode == 0


def test_parts_of_a_message_are_joined_and_thoughts_between_tags_left_out():
    assert (
        read_whole(b'{"choices": [{"message": {"content": [{"type": "text", "text": "a"}, {"text": "b"}]}}]}').text
        == "ab"
    )
    assert read_whole(b'{"choices": [{"message": {"content": null, "refusal": "no"}}]}').text == ""
    assert read_whole(b'{"choices": [{"message": {"content": "<think>```\\nx\\n```</think>yes"}}]}').text == "yes"
    assert read_whole(b'{"choices": [{"message": {"content": "<think>```\\nx\\n```"}}]}').text == ""
    assert read_whole(b'{"choices": [{"message": {"content": "hm ```\\nx\\n``` hm</think> yes"}}]}').text == "yes"
    assert read_whole(b'{"choices": [{"message": {"content": "a<think>b</think>"}}]}').text == "a<think>b</think>"


def test_a_stream_ends_by_its_mark_or_by_a_reason():
    delta = 'data: {"choices": [{"delta": {"content": "yes"}}]}'
    assert read_stream([delta, "data: [DONE]", "data: never read"]).text == "yes"
    with pytest.raises(Malformed, match="breaks off"):
        read_stream([delta])


def test_a_stream_tells_what_is_odd_too():
    piece = {"choices": [{"delta": {"tool_calls": [{"index": 0}]}, "finish_reason": None}]}
    end = {"choices": [{"delta": {}, "finish_reason": "tool_calls"}]}
    assert "without its name" in read_stream([f"data: {json.dumps(piece)}", f"data: {json.dumps(end)}"]).remark
    end = {"choices": [{"delta": None, "finish_reason": "length"}]}
    assert "max_tokens" in read_stream([f"data: {json.dumps(end)}"]).remark


WRONG = {
    "no model": {"base_url": "http://h/v1"},
    "no such option": {"model": "m", "temprature": 1},
    "no number": {"model": "m", "temperature": "hot"},
    "no whole number": {"model": "m", "max_tokens": 1.5},
    "a truth": {"model": "m", "max_retries": True},
    "negative": {"model": "m", "timeout": -1},
    "a text for a list": {"model": "m", "stop": "END"},
    "no address": {"model": "m", "base_url": "localhost:8000"},
    "a password in the address": {"model": "m", "base_url": "http://me:secret@h/v1"},
    "a price of one number": {"model": "m", "prices": {"m": [1]}},
    "a budget of costs without a price": {"model": "m", "budget_cost": 1.0},
    "a time without an end": {"model": "m", "timeout": float("inf")},
    "a time that no clock knows": {"model": "m", "timeout": 1e12},
    "no number at all": {"model": "m", "wait": float("nan")},
    "a temperature that is no JSON": {"model": "m", "temperature": float("nan")},
    "a member that is no JSON": {"model": "m", "extra": {"x": float("nan")}},
    "a price that is no number": {"model": "m", "prices": {"m": [float("nan"), 1]}},
    "a port that there is not": {"model": "m", "base_url": "http://h:99999/v1"},
    "half an address": {"model": "m", "base_url": "http://[::1/v1"},
    "a blank in the address": {"model": "m", "base_url": "http://h h/v1"},
    "a line end in the address": {"model": "m", "base_url": "http://h/\nv1"},
    "a line end in the key": {"model": "m", "api_key": "very\nsecret"},
    "a key of another alphabet": {"model": "m", "api_key": "secret-ключ"},
    "a key that is a number": {"model": "m", "api_key": 5},
}


@pytest.mark.parametrize("wrong", WRONG)
def test_options_that_make_no_sense_are_refused(wrong):
    with pytest.raises(CatalogError) as raised:
        Options.of(WRONG[wrong])
    assert "secret" not in str(raised.value)


@pytest.mark.parametrize("reply", [Hang(), Status(500)])
def test_an_interrupt_ends_a_request_that_hangs_and_a_pause_until_the_next_episode(reply):
    asked = Event()

    def answer(messages):
        asked.set()
        return reply if len(server.requests) == 1 else "yes"

    with ChatServer(answer) as server:
        client = Client(Options.of({"model": "m", "base_url": server.url, "wait": 30.0, "max_wait": 30.0}))
        Thread(target=lambda: asked.wait(600) and client.interrupt()).start()
        for _ in range(2):
            with pytest.raises(AgentError, match="interrupted"):
                client.complete(ASK)
        assert len(server.requests) == 1
        client.reset()
        assert client.complete(ASK).text == "yes"

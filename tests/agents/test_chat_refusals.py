"""What servers and the ways to them do wrong that is neither silence nor half an answer."""

from __future__ import annotations

import json

import pytest
from chat_server import ASK, KEY, ChatServer, Events, Hang, Raw, Say, Status, client_of

from aiops_gym.agents.base import AgentError
from aiops_gym.agents.chat.client import TooLong

ANYWHERE = "http://model.invalid/v1"


def refused(reply, **options):
    """What is said of a reply, by a client that never tries again."""
    with ChatServer([reply]) as server:
        client, clock = client_of(server, max_retries=0, **options)
        with pytest.raises(AgentError) as raised:
            client.complete(ASK)
        assert clock.slept == []
    return str(raised.value).removeprefix(f"{server.url}/chat/completions ")


@pytest.mark.parametrize("code", [507, 521, 523, 530, 599])
def test_any_other_fault_of_the_server_itself_is_tried_again(code):
    with ChatServer([Status(code), "well"]) as server:
        assert client_of(server)[0].complete(ASK).text == "well"


@pytest.mark.parametrize("asked", ["86400", "1" + "0" * 200])
def test_a_server_that_asks_to_wait_for_hours_is_not_waited_for(asked):
    with ChatServer([Status(429, headers={"Retry-After": asked})]) as server:
        client, clock = client_of(server)
        with pytest.raises(AgentError, match="max_retry_after is 600 s: status 429: not now") as raised:
            client.complete(ASK)
    assert clock.slept == []
    assert f"asks to wait {float(asked):g} s" in str(raised.value)


def test_a_quota_that_is_spent_is_not_waited_for():
    body = json.dumps({"error": {"message": "check your plan", "code": "insufficient_quota"}}).encode()
    with ChatServer([Raw(body, status=429)]) as server:
        client, clock = client_of(server)
        with pytest.raises(AgentError, match="refuses: status 429: check your plan"):
            client.complete(ASK)
    assert clock.slept == []


TOO_LONG = {
    "by its code": Raw(b'{"error": {"message": "bad request", "code": "context_length_exceeded"}}', status=400),
    "in other words": Raw(b'{"error": {"message": "the request exceeds the available context size"}}', status=400),
    "by its status": Raw(b"<html>Request Entity Too Large</html>", status=413),
}


@pytest.mark.parametrize("how", TOO_LONG)
def test_a_conversation_is_too_long(how):
    with ChatServer([TOO_LONG[how]]) as server, pytest.raises(TooLong):
        client_of(server)[0].complete(ASK)


def test_a_wrong_address_is_told_from_a_fault():
    assert refused(Raw(b"", status=307, headers={"Location": "https://elsewhere/v1"})) == (
        "refuses: status 307, moved to https://elsewhere/v1"
    )
    assert refused(Raw(b" <html>Welcome</html>")).endswith("an answer that is no JSON but a page: is base_url right?")
    with ChatServer([Status(404, "Not Found")]) as server:
        server.url = server.url.removesuffix("/v1")
        with pytest.raises(AgentError, match="Not Found; most servers want a base_url that ends in /v1"):
            client_of(server)[0].complete(ASK)


@pytest.mark.parametrize("end", ["", "/", "/chat/completions", "/chat/completions/", " ", "\n"])
def test_the_address_may_be_that_of_the_completions_too(end):
    with ChatServer(["well"]) as server:
        server.url += end
        client_of(server)[0].complete(ASK)
    assert server.paths == ["/v1/chat/completions"]


def test_a_stream_that_nobody_asked_for_is_read():
    with ChatServer([Events(Say("well").events())]) as server:
        assert client_of(server)[0].complete(ASK).text == "well"


def test_what_a_server_says_is_one_line_that_any_file_takes():
    said = refused(Raw(b'{"error": {"message": "bad\\n \\ud800\\u001b[31m thing"}}', status=400))
    assert said == "refuses: status 400: bad [31m thing"


def test_half_a_key_is_not_said_either():
    said = refused(Status(401, "x" * (300 - 5) + KEY), api_key=KEY)
    assert "***" in said
    assert KEY[:4] not in said


def test_a_key_that_a_model_repeats_is_not_kept_but_a_word_is():
    long = "sk-" + "0123456789abcdef"
    with ChatServer([f"it is {long}", "the value is EMPTY"]) as server:
        assert client_of(server, api_key=long)[0].complete(ASK).text == "it is ***"
        assert client_of(server, api_key="EMPTY")[0].complete(ASK).text == "the value is EMPTY"


def test_line_ends_around_a_key_are_those_of_its_file(monkeypatch):
    monkeypatch.setenv("AIOPS_GYM_LLM_KEY", f"{KEY}\n")
    with ChatServer(["well"]) as server:
        client_of(server)[0].complete(ASK)
    assert server.headers[0]["Authorization"] == f"Bearer {KEY}"


@pytest.mark.parametrize("proxy", ["http://127.0.0.1:9", "socks5://127.0.0.1:9", "foo:bar"])
def test_no_proxy_is_asked_for_a_server_on_this_machine(proxy, monkeypatch):
    for name in ("HTTP_PROXY", "ALL_PROXY"):
        monkeypatch.setenv(name, proxy)
    with ChatServer(["well"]) as server:
        assert client_of(server)[0].complete(ASK).text == "well"


def test_a_proxy_that_cannot_be_used_is_said_in_one_line(monkeypatch):
    monkeypatch.setenv("HTTP_PROXY", "foo:bar")
    with ChatServer([]) as server, pytest.raises(AgentError, match=r"a proxy or certificate .* is of no use: Invalid"):
        client_of(server, base_url=ANYWHERE)[0].complete(ASK)


class DripHead:
    """Headers without an end: no byte is late, and yet nothing comes."""

    def send(self, handler, request):
        handler.wfile.write(b"HTTP/1.1 200 OK\r\n")
        while not handler.server.closing.wait(0.03):
            handler.wfile.write(b"X-More: yes\r\n")


class DripBody:
    """A body of half a minute: a byte before each time-out for silence."""

    def send(self, handler, request):
        handler.begin(200, {"Content-Length": "100"})
        for _ in range(100):
            if not handler.server.closing.wait(0.3):
                handler.wfile.write(b" ")


@pytest.mark.parametrize("fault", [DripHead, DripBody, Hang])
def test_a_request_ends_with_its_time_out_wherever_it_hangs(fault):
    """What would hold it up goes on until the server closes: that it comes back at all is the promise."""
    with ChatServer(lambda messages: fault() if len(server.requests) == 1 else "well") as server:
        client, _ = client_of(server, timeout=0.4, max_retries=0)
        with pytest.raises(AgentError, match=r"no answer in 0\.4 s"):
            client.complete(ASK)
        client, _ = client_of(server)
        assert client.complete(ASK).text == "well"

"""A server that speaks OpenAI's chat completions on the loopback, and misbehaves as it is told.

A script is a list, one item a request, or a function of the messages. An item is the text of an answer, or a reply
below.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from aiops_gym.agents.chat import Client, Options

ASK = [{"role": "user", "content": "How do you do?"}]
KEY = "sk-very-secret"
USAGE = {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110}


@dataclass
class Say:
    """An answer; streamed in `pieces` when the client asks for a stream."""

    text: Any
    usage: dict[str, Any] | None = field(default_factory=lambda: dict(USAGE))
    pieces: int = 3

    def send(self, handler: Handler, request: dict[str, Any]) -> None:
        if request.get("stream"):
            handler.events(self.events(), whole=True)
            return
        choice = {"index": 0, "message": {"role": "assistant", "content": self.text}, "finish_reason": "stop"}
        body = {"id": "1", "object": "chat.completion", "choices": [choice]}
        handler.whole(200, json.dumps(body | ({"usage": self.usage} if self.usage else {})).encode())

    def events(self) -> list[str]:
        size = -(-len(self.text) // self.pieces) or 1
        parts = [self.text[at : at + size] for at in range(0, len(self.text), size)]
        found = [{"choices": [{"index": 0, "delta": {"content": part}, "finish_reason": None}]} for part in parts]
        found.append({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]})
        if self.usage:
            found.append({"choices": [], "usage": self.usage})
        return [json.dumps(each, ensure_ascii=False) for each in found] + ["[DONE]"]


@dataclass
class Status:
    """An error."""

    code: int
    message: str = "not now"
    headers: dict[str, str] = field(default_factory=dict)

    def send(self, handler: Handler, request: dict[str, Any]) -> None:
        handler.whole(self.code, json.dumps({"error": {"message": self.message}}).encode(), self.headers)


@dataclass
class Raw:
    """Any bytes in place of an answer; `missing` more are promised and never sent."""

    body: bytes
    missing: int = 0
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)

    def send(self, handler: Handler, request: dict[str, Any]) -> None:
        handler.whole(self.status, self.body, self.headers, self.missing)


@dataclass
class Events:
    """Events as given; without `whole` the connection is cut after them."""

    data: Sequence[str]
    whole: bool = True

    def send(self, handler: Handler, request: dict[str, Any]) -> None:
        handler.events(self.data, self.whole)


class Hang:
    """Says nothing until the server closes."""

    def send(self, handler: Handler, request: dict[str, Any]) -> None:
        handler.server.closing.wait(600)  # type: ignore[attr-defined]
        handler.close_connection = True


@dataclass
class Drip:
    """An answer byte by byte, without an end."""

    def send(self, handler: Handler, request: dict[str, Any]) -> None:
        handler.begin(200, {"Content-Length": "1000000"})
        while not handler.server.closing.wait(0.002):  # type: ignore[attr-defined]
            handler.wfile.write(b" ")


Reply = str | Say | Status | Raw | Events | Hang | Drip


class Handler(BaseHTTPRequestHandler):
    """One connection."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def log_message(self, *arguments: Any) -> None:
        """Quiet."""

    def handle(self) -> None:
        with self.server.owner.lock:  # type: ignore[attr-defined]
            self.server.owner.connections += 1  # type: ignore[attr-defined]
        try:
            super().handle()
        except ConnectionError:
            self.close_connection = True

    def do_POST(self) -> None:
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        reply = self.server.owner.reply(request, dict(self.headers), self.path)  # type: ignore[attr-defined]
        (Say(reply) if isinstance(reply, str) else reply).send(self, request)

    def begin(self, code: int, headers: dict[str, str], kind: str = "application/json") -> None:
        self.send_response(code)
        for name, value in {"Content-Type": kind, **headers}.items():
            self.send_header(name, value)
        self.end_headers()

    def whole(self, code: int, body: bytes, headers: dict[str, str] | None = None, missing: int = 0) -> None:
        self.begin(code, {"Content-Length": str(len(body) + missing), **(headers or {})})
        self.wfile.write(body)
        self.close_connection = self.close_connection or bool(missing)

    def events(self, data: Sequence[str], whole: bool) -> None:
        self.begin(200, {"Transfer-Encoding": "chunked"}, "text/event-stream")
        text = ": keep alive\r\n\r\n" + "".join(f"data: {each}\n\n" for each in data)
        body = text.encode()
        for at in range(0, len(body), 7):  # letters of several bytes are cut too
            piece = body[at : at + 7]
            self.wfile.write(b"%x\r\n%s\r\n" % (len(piece), piece))
        if whole:
            self.wfile.write(b"0\r\n\r\n")
        self.close_connection = self.close_connection or not whole


class ChatServer:
    """Answers by a script. `requests` are the bodies that came, `headers` their headers, `paths` their paths."""

    def __init__(self, script: Sequence[Reply] | Callable[[list[dict[str, str]]], Reply]) -> None:
        self.script = script
        self.requests: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.paths: list[str] = []
        self.connections = 0
        self.lock = threading.Lock()
        self.http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.http.daemon_threads = True
        self.http.owner = self  # type: ignore[attr-defined]
        self.http.closing = threading.Event()  # type: ignore[attr-defined]
        self.url = f"http://127.0.0.1:{self.http.server_port}/v1"

    def reply(self, request: dict[str, Any], headers: dict[str, str], path: str) -> Reply:
        with self.lock:
            at = len(self.requests)
            self.requests.append(request)
            self.headers.append(headers)
            self.paths.append(path)
        return self.script(request["messages"]) if callable(self.script) else self.script[at]

    def __enter__(self) -> ChatServer:
        threading.Thread(target=self.http.serve_forever, args=(0.01,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self.http.closing.set()  # type: ignore[attr-defined]
        self.http.shutdown()
        self.http.server_close()


def turn(messages: Sequence[dict[str, str]]) -> int:
    """How many answers there are already."""
    return sum(message["role"] == "assistant" for message in messages)


class Clock:
    """Time that passes by sleeping only."""

    def __init__(self) -> None:
        self.now = 0.0
        self.slept: list[float] = []

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds

    def __call__(self) -> float:
        return self.now


def client_of(server: ChatServer, seed: int = 0, **options: Any) -> tuple[Client, Clock]:
    """A client that never really waits between its requests."""
    clock = Clock()
    made = Client(Options.of({"model": "m", "base_url": server.url, **options}), seed, clock.sleep, clock)
    return made, clock

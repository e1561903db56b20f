"""Who stands at the door and sees what is asked and what is answered, as bytes, as they pass.

Discovery is passed over: it says nothing of this cluster.
"""

from __future__ import annotations

import shlex
from collections.abc import Awaitable, Callable
from urllib.parse import parse_qs, unquote

import orjson
from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from aiops_gym.serve import readable
from aiops_gym.serve.behind import is_server
from aiops_gym.serve.dialog import ERROR, STDIN
from aiops_gym.serve.paths import find_target, split_path

MOST_BYTES = 4 * 1024 * 1024
"""Of a request or an answer that are kept while it lasts: a stream has no end."""


LONGEST_NAME = 80
"""Characters of what a client calls itself."""


class Exchange:
    """A request and its answer.

    Attributes:
        tool: the command that asked, as kubectl says it, or else the name of the client: never that of a tool of ours,
            which a client might call itself.
    """

    def __init__(self, scope: Scope) -> None:
        headers = Headers(scope=scope)
        command, client = headers.get("kubectl-command", ""), headers.get("user-agent", "").partition("/")[0]
        self.tool = (command if command.startswith("kubectl ") else f"client {client}")[:LONGEST_NAME]
        self.method = str(scope.get("method", "GET"))
        self._path, self._query = scope["path"], scope["query_string"].decode("ascii", "replace")
        self._given, self._media = headers.get("content-type", ""), "text/plain"
        self._sent, self._got = bytearray(), bytearray()

    @property
    def asked(self) -> str:
        """The request, the words of a command or the body with it."""
        words = parse_qs(self._query).get("command", [])
        after = f" -- {shlex.join(words)}" if words else f"?{unquote(self._query)}" if self._query else ""
        body = self._sent.decode("utf-8", "replace") if words else self._body()
        return f"{self.method} {self._path}{after}\n{body}".rstrip()

    @property
    def answered(self) -> str:
        """The answer."""
        return readable.format_answer(bytes(self._got), self._media)

    def hear(self, message: Message) -> None:
        """Something came from the client."""
        self._add(self._sent, message.get("body") or _typed(message))

    def say(self, message: Message) -> None:
        """Something goes to the client."""
        if message["type"].endswith("response.start"):
            self._media = Headers(raw=message["headers"]).get("content-type", "")
        self._add(self._got, message.get("body") or _output(message))

    def _body(self) -> str:
        return readable.format_request(bytes(self._sent), self._given, self.method)

    @staticmethod
    def _add(kept: bytearray, more: bytes) -> None:
        kept += more[: MOST_BYTES - len(kept)]


class Witness:
    """An application in front of another one, which it changes in nothing.

    Args:
        app: the API.
        seen: is told of each exchange about objects or telemetry when it is over.
    """

    def __init__(self, app: ASGIApp, seen: Callable[[Exchange], Awaitable[None]]) -> None:
        self.app, self.seen = app, seen

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Hand all on, both ways."""
        parts = split_path(scope["raw_path"].decode("ascii", "replace"))
        if find_target(parts) is None and not is_server(parts):
            await self.app(scope, receive, send)
            return
        exchange = Exchange(scope)

        async def heard() -> Message:
            message = await receive()
            exchange.hear(message)
            return message

        async def said(message: Message) -> None:
            exchange.say(message)
            await send(message)

        try:
            await self.app(scope, heard, said)
        finally:
            await self.seen(exchange)


def _typed(message: Message) -> bytes:
    """What a message of a command's conversation brings to the command."""
    data: bytes = message.get("bytes") or b""
    return data[1:] if data[:1] == bytes([STDIN]) else b""


def _output(message: Message) -> bytes:
    """What a command printed, or, in the last message, how it failed."""
    data: bytes = message.get("bytes") or b""
    if data[:1] != bytes([ERROR]):
        return data[1:]
    status = orjson.loads(data[1:])
    return str(status.get("message", "")).encode()

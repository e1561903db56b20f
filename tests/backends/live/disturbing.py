"""A proxy between a backend and its cluster that plays what goes wrong there; it sees every request."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import orjson
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from aiops_gym.serve.keeper import Keeper

Wanted = Callable[[str, str], bool]
"""(method, path with its query) -> whether this request is disturbed."""


class Proxy:
    """What stands between, as `Around` of a door.

    Attributes:
        seen: (method, path, user's token) of all requests.
        answers: disturbances that are left: which requests, how many of them, the answer; the first one is played.
        gone_until: Unix seconds of the cluster's clock until which nobody answers.
    """

    def __init__(self) -> None:
        self.seen: list[tuple[str, str, str]] = []
        self.answers: list[list[Any]] = []
        self.gone_until = 0.0

    def __call__(self, keeper: Keeper, app: ASGIApp) -> ASGIApp:
        async def disturbed(scope: Scope, receive: Receive, send: Send) -> None:
            if scope["type"] != "http":
                await app(scope, receive, send)
                return
            path = scope["raw_path"].decode() + (f"?{scope['query_string'].decode()}" if scope["query_string"] else "")
            token = dict(scope["headers"]).get(b"authorization", b"").decode()
            self.seen.append((scope["method"], path, token))
            if keeper.now / 1000 < self.gone_until:
                head = {"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"9")]}
                await send(head)  # and nothing after it: the server hangs up
                return
            for row in self.answers:
                if row[1] > 0 and row[0](scope["method"], path):
                    row[1] -= 1
                    await _answer(send, *row[2:])
                    return
            await app(scope, receive, send)

        return disturbed

    def play(self, wanted: Wanted, times: int, code: int, reason: str, **headers: str) -> None:
        """Answer so many fitting requests with a refusal."""
        self.answers.append([wanted, times, code, reason, headers])

    def broken(self, wanted: Wanted, times: int, lines: bytes) -> None:
        """Answer so many fitting watches with a stream that ends early."""
        self.answers.append([wanted, times, 200, lines, {}])


async def _answer(send: Send, code: int, said: str | bytes, headers: dict[str, str]) -> None:
    status = {"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure", "message": f"{said} (played)"}
    body = said if isinstance(said, bytes) else orjson.dumps({**status, "reason": said, "code": code})
    named = {"content-type": "application/json", **{k.replace("_", "-"): v for k, v in headers.items()}}
    start: Message = {"type": "http.response.start", "status": code}
    await send({**start, "headers": [(k.encode(), v.encode()) for k, v in named.items()]})
    await send({"type": "http.response.body", "body": body})

"""Answers without an end: their headers go out at once, and they stop when the client is gone."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing

from starlette.responses import Response
from starlette.types import Receive, Scope, Send


class Stream(Response):
    """An answer whose body comes piece by piece.

    Args:
        pieces: of the body.
        media: type of the body.
    """

    def __init__(self, pieces: AsyncGenerator[bytes, None], media: str) -> None:
        super().__init__(None, 200, {"cache-control": "no-cache, private"}, media)
        del self.headers["content-length"]
        self.pieces = pieces

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send until the body or the client's patience ends."""
        await send({"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers})
        pump, gone = asyncio.create_task(self._pump(send)), asyncio.create_task(_gone(receive))
        try:
            await asyncio.wait((pump, gone), return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in (pump, gone):
                task.cancel()
            results = await asyncio.gather(pump, gone, return_exceptions=True)
        if isinstance(results[0], Exception):
            raise results[0]

    async def _pump(self, send: Send) -> None:
        async with aclosing(self.pieces) as pieces:  # a client who leaves while a piece is sent ends them, too
            async for piece in pieces:
                await send({"type": "http.response.body", "body": piece, "more_body": True})
            await send({"type": "http.response.body", "body": b"", "more_body": False})


async def _gone(receive: Receive) -> None:
    """Return when the client has left."""
    while (await receive())["type"] != "http.disconnect":
        pass

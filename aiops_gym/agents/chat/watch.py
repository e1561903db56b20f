"""A time-out for all of a request: those of httpx begin anew with each byte that arrives."""

from __future__ import annotations

import contextlib
import socket
import threading
from collections.abc import Iterator
from typing import Any


class Watch:
    """Cuts a connection when its request takes too long, wherever that hangs.

    One for each client, since a connection is used by one request after another.

    Attributes:
        over: the time of the newest request was over before its end.
    """

    def __init__(self) -> None:
        self.over = False
        self._socket: socket.socket | None = None

    @contextlib.contextmanager
    def within(self, seconds: float) -> Iterator[None]:
        """A request that has so many seconds."""
        self.over = False
        timer = threading.Timer(seconds, self._cut)
        timer.daemon = True
        timer.start()
        try:
            yield
        finally:
            timer.cancel()

    def trace(self, event: str, info: dict[str, Any]) -> None:
        """What httpx tells while it works, its extension `trace`: here is where a new connection is seen."""
        if event.endswith((".connect_tcp.complete", ".start_tls.complete")):
            self._socket = info["return_value"].get_extra_info("socket")
            if self.over:
                self._cut()

    def _cut(self) -> None:
        self.over = True
        if self._socket is not None:
            with contextlib.suppress(OSError):  # closed already
                socket.socket.shutdown(self._socket, socket.SHUT_RDWR)

"""An end for all of a request, by time or by another thread: the time-outs of httpx begin anew with each byte."""

from __future__ import annotations

import contextlib
import socket
import threading
from collections.abc import Iterator
from typing import Any


class Watch:
    """Cuts a connection when its request takes too long or is not wanted any more, wherever that hangs.

    One for each client, since a connection is used by one request after another.

    Attributes:
        over: the newest request was cut before its end.
        ended: no request is wanted any more.
    """

    def __init__(self) -> None:
        self.over = False
        self.ended = threading.Event()
        self._socket: socket.socket | None = None

    def end(self) -> None:
        """Cut the request that is running, and each that begins. Any thread may ask for this."""
        self.ended.set()
        self._cut()

    @contextlib.contextmanager
    def within(self, seconds: float) -> Iterator[None]:
        """A request that has so many seconds."""
        self.over = False
        timer = threading.Timer(seconds, self._cut)
        timer.daemon = True
        timer.start()
        if self.ended.is_set():
            self._cut()
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

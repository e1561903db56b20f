"""The one clock that a real cluster's backend waits by: that of the wall, or that of a served world.

Nothing else in this room waits or looks at the time, so whoever gives another clock decides how long anything takes.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, Protocol

from aiops_gym.errors import BackendError
from aiops_gym.sim.kernel.times import millis


class Clock(Protocol):
    """What tells the time, and lets it pass."""

    def now(self) -> float:
        """Unix seconds."""

    def wait(self, seconds: float) -> None:
        """Let so much time pass."""

    def close(self) -> None:
        """End its connections, if it has any."""


class WallClock:
    """The time of this machine, which is near enough to that of a cluster."""

    def now(self) -> float:
        """Unix seconds."""
        return time.time()  # noqa: TID251  # a real cluster lives on the wall's time

    def wait(self, seconds: float) -> None:
        """Sleep."""
        time.sleep(seconds)  # noqa: TID251

    def close(self) -> None:
        """Nothing to do."""


class ServedClock:
    """The clock of a world behind a door of ours, moved by requests that carry the control's token.

    Args:
        url: of the control address, see `serve.control`.
        token: that was printed beside it.
    """

    LONGEST = 3_600.0
    """Seconds that one request may skip."""

    def __init__(self, url: str, token: str) -> None:
        import httpx  # noqa: PLC0415  # heavy, and of this room alone

        self._client = httpx.Client(base_url=url, headers={"Authorization": f"Bearer {token}"}, timeout=600.0)
        self._broken = httpx.HTTPError
        self._now = _read(self._ask(lambda: self._client.get("/status")))

    def now(self) -> float:
        """Unix seconds, as the world said last: it moves by `wait` alone."""
        return self._now

    def wait(self, seconds: float) -> None:
        """Have the world move on."""
        while seconds > 0:
            step = min(seconds, self.LONGEST)
            self._now = _read(self._ask(lambda step=step: self._client.post("/advance", json={"seconds": step})))  # type: ignore[misc]
            seconds -= step

    def close(self) -> None:
        """End its connection."""
        self._client.close()

    def _ask(self, send: Callable[[], Any]) -> Any:
        try:
            answer = send()
        except self._broken as error:
            raise BackendError(f"the clock of the served world does not answer: {error}") from error
        if answer.status_code >= 400:
            raise BackendError(f"the clock of the served world refuses: {answer.text.strip()}")
        return answer.json()


def _read(status: Any) -> float:
    """The time in a status, with the milliseconds that a timestamp of Kubernetes leaves out where it is told them."""
    return float(status["ms"] if "ms" in status else millis(status["now"])) / 1000.0


def until(clock: Clock, done: Callable[[], bool], seconds: float, step: float = 2.0) -> bool:
    """Look again and again until something is so; whether it became so in time."""
    end = clock.now() + seconds
    while not done():
        if clock.now() >= end:
            return False
        clock.wait(step)
    return True

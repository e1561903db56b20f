"""The virtual clock beside the one on the wall: the only code that looks at the latter.

People and their programs live in wall time, so a served world moves by itself: `speed` virtual seconds a second, in
small steps between which requests are answered. A world that cannot keep up falls behind; it is not rushed later.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable

from aiops_gym.serve.keeper import Keeper
from aiops_gym.sim.kernel.world import World

TICK = 0.05
"""Wall seconds between two steps."""

LARGEST_STEP = 5_000
"""Virtual milliseconds that are worked off at once; requests may come in between."""

MOST_BEHIND = 1.0
"""Wall seconds of lag that are made up for."""


def wall_ms() -> int:
    """Milliseconds since 1970 on the wall."""
    return time.time_ns() // 1_000_000


class Clock:
    """Moves a kept world.

    Attributes:
        speed: virtual seconds a second; 0 holds the clock still.
        watched_speed: the speed while a client waits for a change, if that is more.
    """

    def __init__(self, keeper: Keeper, speed: float = 1.0, watched_speed: float = 0.0) -> None:
        self.keeper = keeper
        self.speed = speed
        self.watched_speed = watched_speed

    async def run(self) -> None:
        """Move the world until cancelled."""
        before, owed = time.monotonic(), 0.0
        while True:
            await asyncio.sleep(TICK)
            now = time.monotonic()
            speed = max(self.speed, self.watched_speed if self.keeper.watched else 0.0)
            owed = min(owed + (now - before) * speed, MOST_BEHIND * speed)
            before = now
            for step in split_steps(int(owed * 1000)):
                await self.move(step)
                owed -= step / 1000

    async def move(self, ms: int) -> None:
        """Move the world by so many milliseconds.

        What raises meanwhile is told and left undone, as a controller that panics is started again.
        """
        try:
            await self.keeper.ask(make_move(ms))
        except Exception as error:  # noqa: BLE001 - whatever it is, it is a mistake of ours, and told
            self.keeper.note_trouble(error)

    def advance(self, seconds: float) -> None:
        """Move the world by so many virtual seconds at once, from another thread than the event loop's."""
        for step in split_steps(round(seconds * 1000)):
            self.keeper.call(make_move(step))


def make_move(ms: int) -> Callable[[World], None]:
    """What moves a world by so many milliseconds."""
    return lambda world: world.run(ms)


def split_steps(ms: int) -> list[int]:
    """A span as small steps.

    >>> split_steps(12_000)
    [5000, 5000, 2000]
    """
    whole, rest = divmod(max(0, ms), LARGEST_STEP)
    return [LARGEST_STEP] * whole + ([rest] if rest else [])

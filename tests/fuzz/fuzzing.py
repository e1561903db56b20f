"""Rounds of writes, an hour, and a look at everything; what raises or hangs is told as the actions that lead there."""

from __future__ import annotations

import signal
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache, partial
from pathlib import Path
from typing import Any, NamedTuple, cast

import gymnasium as gym
import readings
import small_shop
from readings import shell
from values import Dice
from writes import Writer

import aiops_gym
from aiops_gym.envs.live import LiveEnv

ROOT = Path(aiops_gym.__file__).parent
PROBLEMS = ("revoke_auth_mongodb-mitigation-1", "scale_pod_zero_social_net-mitigation-1")
"""One of each application."""

PATIENCE = 30
"""Seconds of CPU after which an action hangs: the slowest takes a hundredth."""

STEP = 25
"""Writes in one action."""


class Hangs(BaseException):
    """An action that does not end; no `except` of the package catches it."""


class Failure(NamedTuple):
    """What went wrong, where, and the actions from `reset` on that lead there."""

    sign: str
    trace: str
    scripts: tuple[str, ...]
    last: str

    def __str__(self) -> str:
        told = "\n--- the next action\n".join(self.scripts)
        return f"{self.sign}\n{self.trace}\nafter these actions of exec_shell:\n{told}\n--- raised by\n{self.last}"


@lru_cache(maxsize=2)
def start(problem: str) -> LiveEnv:
    """An episode with something of every kind in its cluster, some minutes old; never to be changed."""
    env = cast("LiveEnv", gym.make("aiops_gym/Mitigation-v0", problem=problem).unwrapped)
    env.reset(seed=5)
    env.step(shell(f"cat > all.json <<'EOF'\n{small_shop.manifest()}\nEOF\nkubectl apply -f all.json"))
    env.step(shell("sleep 120"))
    return env


@contextmanager
def patience(seconds: float) -> Iterator[None]:
    """Raise Hangs where what is inside takes more seconds of CPU than this."""

    def over(*_: object) -> None:
        raise Hangs(f"{seconds} s of CPU")

    before = signal.signal(signal.SIGVTALRM, over)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


def tried(what: Callable[[], Any], scripts: Sequence[str], last: str) -> Failure | None:
    """Do something; what it raises, if it does. Every exception is of interest here: that is the promise."""
    try:
        with patience(PATIENCE):
            what()
    except (Exception, Hangs) as error:  # noqa: BLE001  # nothing that an agent does may raise, whatever it is
        frames = [f for f in traceback.extract_tb(error.__traceback__) if f.filename.startswith(str(ROOT))]
        place = " < ".join(f"{Path(f.filename).relative_to(ROOT)}:{f.lineno}" for f in frames[:-4:-1])
        sign = f"{type(error).__name__}: {str(error)[:80]} at {place}"
        return Failure(sign, "".join(traceback.format_exception(error, limit=-6)), tuple(scripts), last)
    return None


class Round:
    """One episode in which some hundred fields are written.

    Args:
        problem: whose episode it is.
        seed: of all that is drawn.
        writes: how many.
        many: objects of a kind that are looked at one by one.
        minutes: that pass after the last write; some pass between them.

    Attributes:
        scripts: what was typed so far: together with the problem they lead to the same state again.
    """

    def __init__(self, problem: str, seed: int, writes: int, many: int = 2, minutes: int = 60) -> None:
        self.problem, self.seed, self.writes, self.many, self.minutes = problem, seed, writes, many, minutes
        self.env = start(problem).fork()[0]
        self.scripts: list[str] = []
        self.written = 0
        self.dice = Dice(seed)
        self.writer = Writer(self.env._running()[1].world, self.dice)

    def play(self) -> list[Failure]:
        """What went wrong: the first of the actions that raised, or all readings that did."""
        while self.written < self.writes:
            many = min(STEP, self.writes - self.written)
            self.written += many
            failure = self._act("\n".join(self.writer.line() for _ in range(many)))
            if failure is None and self.dice.odds(0.3):
                failure = self._act(f"sleep {self.dice.of((1, 10, 60))}")
            if failure is not None:
                return [failure]
        for _ in range(self.minutes // 10):
            failure = self._act("sleep 600")
            if failure is not None:
                return [failure]
        return [*self._read()]

    def _act(self, script: str) -> Failure | None:
        failure = tried(lambda: self.env.step(shell(script)), self.scripts, script)
        self.scripts.append(script)
        return failure

    def _read(self) -> Iterator[Failure]:
        reader = self.env.fork()[0]
        for action in readings.actions(reader, self.seed, self.many):
            failure = tried(partial(reader.fork()[0].step, action), self.scripts, action)
            if failure is not None:
                yield failure
        for name, ask in readings.trainer(self.env):
            failure = tried(ask, self.scripts, name)
            if failure is not None:
                yield failure

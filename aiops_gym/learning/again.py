"""Several episodes from each start: a fork costs a fraction of a reset."""

from __future__ import annotations

from typing import Any

import gymnasium as gym
from gymnasium.utils import RecordConstructorArgs

from aiops_gym.envs.branching import Remembering

Turn = tuple[str, float, bool, bool, dict[str, Any]]


class Again(Remembering, RecordConstructorArgs):
    """Begins each episode so many times, on forks of its start, before the next one is drawn.

    A learner that plays the same start several times sees what each of several actions leads to, as in a group of
    rollouts, and waits less: drawing a start simulates minutes of a cluster, and forking it copies some references. A
    reset with a seed or with options always draws.

    Args:
        env: unwrapped, so that limits of steps stand around this.
        times: episodes from each start; 1 for none again.

    >>> import aiops_gym
    >>> env = Again(gym.make("aiops_gym/Detection-v0").unwrapped, times=2)
    >>> begun = [env.reset(seed=1)] + [env.reset() for _ in range(3)]
    >>> seeds = [info["episode_seed"] for _, info in begun]
    >>> seeds[0] == seeds[1], seeds[1] == seeds[2], seeds[2] == seeds[3]
    (True, False, True)
    """

    MEMORY = ("start", "_left", "_begun")

    def __init__(self, env: gym.Env[str, str], times: int = 4) -> None:
        RecordConstructorArgs.__init__(self, times=times)
        Remembering.__init__(self, env)
        if times < 1:
            raise ValueError("times must be 1 or more")
        self.start: Any = env
        self.times, self._left = times, 0
        self._begun: tuple[str, dict[str, Any]] = ("", {})

    @property
    def left(self) -> int:
        """Episodes that still begin from the same start."""
        return self._left

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[str, dict[str, Any]]:
        """Begin the same episode once more, or the next one."""
        if seed is not None or options or not self._left:
            self._begun = self.start.reset(seed=seed, options=options)
            self._left = self.times
        self._left -= 1
        self.env = self.start.fork()[0]
        self._tell()
        text, info = self._begun
        return text, {**info, "reward_components": {}, "results": {}}

    def step(self, action: str) -> Turn:
        """One turn in the fork."""
        return self.env.step(action)  # type: ignore[return-value]  # Rewards of the suite are floats.

    def recall(self) -> dict[str, Any]:
        """What it remembers: the start that others still begin from."""
        return {**super().recall(), "start": self.start.snapshot() if self._begun[0] else b""}

    def remember(self, memory: dict[str, Any]) -> None:
        """Go on from the same start, in a fork that is nobody else's."""
        start, data = self.start, memory["start"]
        if data:
            start.go_on(data)
        super().remember({**memory, "start": start})
        self.env = start.fork()[0]
        self._tell()

"""Prices and progress beside the verdict, for learners that need more than one number at the end."""

from __future__ import annotations

from typing import Any

from gymnasium.utils import RecordConstructorArgs

from aiops_gym.wrappers.reading.turns import Env, Reading, Turn


class RewardShaping(Reading, RecordConstructorArgs):
    """Takes prices from the reward, and adds a potential for trouble found and gone. Each is off (0) by default.

    The potential changes no optimal policy: what it adds in a step is `gamma * potential(after) - potential(before)`,
    and it is 0 at the start and after termination, so that over a whole episode it adds nothing (Ng, Harada and
    Russell, "Policy invariance under reward transformations", 1999); a truncated episode keeps its potential, for
    learners that bootstrap there. This needs the learner's own `gamma`. Prices do change what is best; that is what
    they are for. The infos tell the parts under `shaping`.

    Args:
        env: a live incident whose texts can be read.
        step: price of each action.
        time: price of a minute of the world's time.
        invalid: price of an action that is refused.
        collateral: price, at a verdict of Mitigation, of each object that was changed without need, left or damaged.
        error_minutes: price, at a verdict of Mitigation, of each minute of requests that failed.
        progress: weight of the potential, which is between 0 and 1: signs of trouble seen, and no longer there.
        gamma: discount of the learner, for the potential.

    >>> import gymnasium, aiops_gym
    >>> env = RewardShaping(gymnasium.make("aiops_gym/Detection-v0"), step=0.01, time=0.12, invalid=0.1)
    >>> _ = env.reset(seed=1)
    >>> _, reward, _, _, info = env.step("hello")
    >>> round(reward, 3), info["shaping"]["invalid"]
    (-0.12, -0.1)
    """

    MEMORY = (*Reading.MEMORY, "_time", "_potential")

    def __init__(
        self,
        env: Env,
        step: float = 0.0,
        time: float = 0.0,
        invalid: float = 0.0,
        collateral: float = 0.0,
        error_minutes: float = 0.0,
        progress: float = 0.0,
        gamma: float = 0.99,
    ) -> None:
        prices = {"step": step, "time": time, "invalid": invalid, "collateral": collateral}
        prices |= {"error_minutes": error_minutes}
        RecordConstructorArgs.__init__(self, progress=progress, gamma=gamma, **prices)  # type: ignore[arg-type]
        Reading.__init__(self, env)
        if not 0 <= gamma <= 1 or min(*prices.values(), progress) < 0:
            raise ValueError("gamma must be from 0 to 1, prices and the weight of progress 0 or more")
        self.prices, self.progress, self.gamma = prices, progress, gamma
        self._time, self._potential = 0.0, 0.0

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Begin an episode."""
        observation, info = super().reset(seed=seed, options=options)
        self._time, self._potential = 0.0, 0.0
        return observation, {**info, "shaping": dict.fromkeys((*self.prices, "progress"), 0.0)}

    def step(self, action: Any) -> Turn:
        """One turn at its price."""
        observation, reward, terminated, truncated, info = super().step(action)
        parts = self._parts(info, terminated)
        return observation, reward + sum(parts.values()), terminated, truncated, {**info, "shaping": parts}

    def _parts(self, info: dict[str, Any], terminated: bool) -> dict[str, float]:
        passed, self._time = info["time"] - self._time, info["time"]
        verdict = info["reward_components"]
        amounts = {
            "step": 1.0,
            "time": passed / 60,
            "invalid": float(not info["valid_action"]),
            "collateral": sum(verdict.get(part, 0.0) for part in ("collateral", "left", "damage")),
            "error_minutes": verdict.get("error_minutes", 0.0),
        }
        # `0.0 -` and not `-`: a price of nothing is 0.0, and never -0.0.
        parts = {name: 0.0 - price * amounts[name] for name, price in self.prices.items()}
        return {**parts, "progress": self.progress * self._moved(terminated)}

    def _moved(self, terminated: bool) -> float:
        before = self._potential
        self._potential = 0.0 if terminated else self.seen.progress()
        return self.gamma * self._potential - before

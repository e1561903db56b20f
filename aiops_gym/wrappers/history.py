"""What a policy without memory needs to know of the episode so far."""

from __future__ import annotations

from typing import Any

import gymnasium as gym
import numpy as np
from gymnasium.utils import RecordConstructorArgs
from numpy.typing import NDArray

from aiops_gym.envs.branching import Remembering
from aiops_gym.wrappers.reading.turns import Env, Turn, as_dict, make_box, split_parts

ERRORS = ("", "parse", "unknown_api", "arguments", "blocked", "timeout", "submission")
"""Why a call may be refused, as infos have it; the agent reads the same in the observation."""

STEPS = 30


class History(Remembering, RecordConstructorArgs):
    """Puts beside the features which actions were taken, how the last ones went, and how much of the budget is left.

    The observation is a `Dict` of boxes: `features` (or the parts of a `Dict` inside), `used` (a number for each
    action, 1 where what it now stands for was done before), `last` (the last actions, newest first: a number for each
    action), `results` (for each of them: one of `ERRORS`, and whether it printed the same as the one before) and
    `budget` (the share of the steps that is left).

    Args:
        env: with discrete actions and numbers as observations.
        last: how many of the last actions are told apart.
        steps: of an episode; None for those of the registration.

    Raises:
        TypeError: other spaces.

    >>> import aiops_gym
    >>> from aiops_gym.wrappers.hashed_text import HashedText
    >>> from aiops_gym.wrappers.macro_actions import MacroActions
    >>> env = History(HashedText(MacroActions(gym.make("aiops_gym/Detection-v0"), slots=4), size=16))
    >>> seen, _ = env.reset(seed=1)
    >>> seen = env.step(0)[0]
    >>> sorted(seen), seen["used"][:3].tolist(), round(float(seen["budget"][0]), 3)
    (['budget', 'features', 'last', 'results', 'used'], [1.0, 0.0, 0.0], 0.967)
    """

    MEMORY = ("_taken", "_time", "_text", "_turns")

    def __init__(self, env: Env, last: int = 1, steps: int | None = None) -> None:
        RecordConstructorArgs.__init__(self, last=last, steps=steps)
        Remembering.__init__(self, env)
        inside = as_dict(env.observation_space, "features")
        if not isinstance(env.action_space, gym.spaces.Discrete):
            raise TypeError(f"History counts discrete actions, and {env.action_space} is none: put it further outside")
        if not all(isinstance(space, gym.spaces.Box) for space in inside.values()):
            raise TypeError(f"History needs numbers, and {env.observation_space} is none: put it further outside")
        if last < 0:
            raise ValueError("last must be 0 or more")
        registered = env.spec.max_episode_steps if env.spec else None
        self.actions, self.last = int(env.action_space.n), last
        self.steps = steps or registered or STEPS
        sizes = {"used": self.actions, "budget": 1}
        sizes |= {"last": last * self.actions, "results": last * (len(ERRORS) + 1)} if last else {}
        own = {name: make_box(0.0, 1.0, size) for name, size in sizes.items()}
        self.observation_space = gym.spaces.Dict({**inside, **own})
        self._taken = np.zeros(self.actions, np.float32)
        self._time, self._text = 0, ""
        self._turns: list[tuple[int, str, bool]] = []

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Begin an episode without a history."""
        observation, info = super().reset(seed=seed, options=options)
        self._taken = np.zeros(self.actions, np.float32)
        self._time, self._text, self._turns = 0, "", []
        return self._beside(observation), info

    def step(self, action: Any) -> Turn:
        """One turn, remembered."""
        observation, reward, terminated, truncated, info = self.env.step(action)
        self._taken[int(action)] = 1.0
        self._time += 1
        text = str(self.env.get_wrapper_attr("heard")) if self.env.has_wrapper_attr("heard") else ""
        same = bool(text) and text == self._text
        self._text = text
        self._turns = [(int(action), str(info.get("error", "")), same), *self._turns][: self.last]
        return self._beside(observation), float(reward), terminated, truncated, info

    def _beside(self, observation: Any) -> dict[str, Any]:
        more = {"used": self._used(), "budget": np.array([max(0.0, 1 - self._time / self.steps)], np.float32)}
        if self.last:
            more |= {"last": self._last(), "results": self._results()}
        return {**split_parts(observation, "features"), **more}

    def _used(self) -> NDArray[np.float32]:
        """By what the actions stand for now, where they can say so: their slots may hold other names than before."""
        if self.env.has_wrapper_attr("used_actions"):
            return np.asarray(self.env.get_wrapper_attr("used_actions")(), np.float32)
        return self._taken.copy()

    def _last(self) -> NDArray[np.float32]:
        rows = np.zeros((self.last, self.actions), np.float32)
        for i, (action, _, _) in enumerate(self._turns):
            rows[i, action] = 1.0
        return rows.ravel()

    def _results(self) -> NDArray[np.float32]:
        rows = np.zeros((self.last, len(ERRORS) + 1), np.float32)
        for i, (_, error, same) in enumerate(self._turns):
            rows[i, ERRORS.index(error) if error in ERRORS else 1] = 1.0
            rows[i, -1] = float(same)
        return rows.ravel()

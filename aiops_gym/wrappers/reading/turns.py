"""What wrappers share: the texts of a turn wherever they stand in a stack, and one record of what was seen."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, TypeAlias

import gymnasium as gym
import numpy as np

from aiops_gym.envs.branching import Remembering
from aiops_gym.wrappers.reading.entity import Other
from aiops_gym.wrappers.reading.reader import Reader
from aiops_gym.wrappers.reading.seen import Seen

Env: TypeAlias = gym.Env[Any, Any]
Turn: TypeAlias = tuple[Any, float, bool, bool, dict[str, Any]]
Wrapper: TypeAlias = gym.Wrapper[Any, Any, Any, Any]

SLOTS, OTHER_SLOTS = 32, 20
"""Components, and other objects, that have slots where nothing else is asked for: more than a lived-in cluster has."""


def hear_observation(env: Env, observation: Any) -> str:
    """The text of an observation of `env`, or the text that a wrapper in `env` made it from."""
    return observation if isinstance(observation, str) else str(env.get_wrapper_attr("heard"))


def read_action(env: Env, action: Any) -> str:
    """The text of an action given to `env`, or the text that a wrapper in `env` made from it; odd ones as `repr`."""
    if isinstance(action, str):
        return action
    return str(env.get_wrapper_attr("spoken")) if env.has_wrapper_attr("spoken") else repr(action)


def needs_text(env: Env, name: str) -> None:
    """Raises TypeError where no text is to be had: a wrapper that hides it must keep it as `heard`."""
    if not isinstance(env.observation_space, gym.spaces.Text) and not env.has_wrapper_attr("heard"):
        raise TypeError(f"{name} reads text, and {env.observation_space} is none: put it further inside")


def as_dict(space: gym.Space[Any], name: str) -> dict[str, gym.Space[Any]]:
    """The parts of an observation space that more is put beside: its own, or the whole under a name."""
    return dict(space.spaces) if isinstance(space, gym.spaces.Dict) else {name: space}


def split_parts(observation: Any, name: str) -> dict[str, Any]:
    """The parts of an observation, as `as_dict` has them."""
    return dict(observation) if isinstance(observation, Mapping) else {name: observation}


class Reading(Remembering):
    """Keeps what has been seen, or shares it with a wrapper inside that does already.

    Args:
        env: observes text, or keeps it as `heard`.
    """

    MEMORY: ClassVar[tuple[str, ...]] = ("_own",)

    def __init__(self, env: Env) -> None:
        Remembering.__init__(self, env)
        needs_text(env, type(self).__name__)
        self._own: Reader | None = None if env.has_wrapper_attr("seen") else Reader()

    @property
    def seen(self) -> Seen:
        """What has been seen in this episode. Read it, never change it."""
        seen: Seen = self.env.get_wrapper_attr("seen") if self._own is None else self._own
        return seen

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Begin an episode, with nothing seen but its prompt."""
        observation, info = super().reset(seed=seed, options=options)
        if self._own is not None:
            self._own = Reader()
            self._own.read("", hear_observation(self.env, observation))
        return observation, info

    def step(self, action: Any) -> Turn:
        """One turn, read."""
        observation, reward, terminated, truncated, info = self.env.step(action)
        if self._own is not None:
            self._own.read(read_action(self.env, action), hear_observation(self.env, observation))
        return observation, float(reward), terminated, truncated, info

    def recall(self) -> dict[str, Any]:
        """What it remembers; what was seen as the turns that it was read from."""
        return {**super().recall(), "_own": None if self._own is None else list(self._own.turns)}

    def remember(self, memory: dict[str, Any]) -> None:
        """Read the turns again: what is seen is a function of them."""
        turns = memory["_own"]
        super().remember({**memory, "_own": None if turns is None else Reader()})
        for action, text in turns or ():
            assert self._own is not None
            self._own.read(action, text)


class Slotted(Reading):
    """Gives components and other objects slots, in the order in which they were first seen; no name ever moves.

    Args:
        env: observes text, or keeps it as `heard`.
        slots: components that have slots; None for as many as the wrapper inside has, or 32.
        other_slots: other objects; None likewise, or 20.

    Raises:
        ValueError: another number than the wrapper inside has, or none.
    """

    def __init__(self, env: Env, slots: int | None, other_slots: int | None) -> None:
        Reading.__init__(self, env)
        inside = env.has_wrapper_attr("slots")
        there = (env.get_wrapper_attr("slots"), env.get_wrapper_attr("other_slots")) if inside else (SLOTS, OTHER_SLOTS)
        self.slots = int(there[0] if slots is None else slots)
        self.other_slots = int(there[1] if other_slots is None else other_slots)
        if inside and (self.slots, self.other_slots) != there:
            raise ValueError(f"slots must be those of the wrapper inside, {there[0]} and {there[1]}")
        if self.slots < 1 or self.other_slots < 1:
            raise ValueError("slots must be 1 or more")

    def named(self) -> list[str]:
        """Names of the components that have slots now, in the order of the slots."""
        return list(self.seen.components)[: self.slots]

    def others(self) -> list[tuple[str, Other]]:
        """Names of the other objects that have slots now, and what is known of them."""
        return [(name, other) for (_, name), other in self.seen.others.items()][: self.other_slots]


def make_box(low: float, high: float, size: int) -> gym.spaces.Box:
    """A row of so many numbers."""
    return gym.spaces.Box(low, high, (size,), np.float32)

"""Whether the actions of a task are enough: repairs by number are tried on forks until one is right.

It knows where the fault is, which no agent does, and nothing of how it is mended: so what it finds tells of the actions
that there are, and what it does not find no policy over them can learn.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import gymnasium as gym

from aiops_gym.catalog import registry
from aiops_gym.wrappers import fork
from aiops_gym.wrappers.reading.macros import EVERYWHERE

Env = gym.Env[Any, Any]

SUBMIT = "submit repaired"

OFFERED = ("wait", SUBMIT, "logs", "previous logs")
"""Actions about a focus, or about nothing, that repair nothing."""


def look_around(env: Env) -> Iterator[int]:
    """The numbers of all looks that can be taken now, one after the other: each is to be taken before the next."""
    names = env.get_wrapper_attr("macro_names")
    for look in EVERYWHERE:
        # What was cut is looked at again.
        while look in names and env.get_wrapper_attr("action_masks")()[names.index(look)]:
            yield names.index(look)


def find_repair(env: Env, most: int = 1) -> list[int] | None:
    """The numbers of actions that repair the current episode and say so; None where it finds none.

    Args:
        env: of `learning.stack.wrap`, after all looks. It is not moved.
        most: changes that are tried one after the other.
    """
    return next((found for tried in range(1, most + 1) for found in _repairs(env, tried, ())), None)


def _repairs(env: Env, changes: int, before: tuple[int, ...]) -> Iterator[list[int]]:
    """Sequences of so many changes that are worth all."""
    names: Sequence[str] = env.get_wrapper_attr("macro_names")
    for focus in _focuses(env):
        (looking,) = fork(env)
        looking.step(focus)
        for change in _changes(looking):
            (changed,) = fork(looking)
            over = any(changed.step(change)[2:4])
            done = (*before, focus, change)
            if over:
                continue
            if changes > 1:
                yield from _repairs(changed, changes - 1, done)
            elif changed.step(names.index(SUBMIT))[4]["is_success"]:
                yield [*done, names.index(SUBMIT)]


def _focuses(env: Env) -> list[int]:
    """What the fault is at, then all other objects, then what no service leads to."""
    names: Sequence[str] = env.get_wrapper_attr("macro_names")
    known: list[str] = env.get_wrapper_attr("named")()
    target = registry.find_problem(env.get_wrapper_attr("episode")[0]).target
    mask = env.get_wrapper_attr("action_masks")()
    wanted = [f"focus {known.index(name)}" for name in known if name == target]
    wanted += [f"focus other {at}" for at in range(len(env.get_wrapper_attr("others")()))]
    served = env.get_wrapper_attr("seen").services
    wanted += [f"focus {at}" for at, name in enumerate(known) if name != target and name not in served]
    return [names.index(name) for name in wanted if mask[names.index(name)]]


def _changes(env: Env) -> list[int]:
    """What can be changed now about what is in focus."""
    layout = env.get_wrapper_attr("layout")
    mask = env.get_wrapper_attr("action_masks")()
    looks = {*EVERYWHERE, *OFFERED}
    return [at for at, slot in enumerate(layout) if mask[at] and not slot.macro.over and slot.macro.name not in looks]

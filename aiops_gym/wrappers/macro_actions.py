"""Discrete actions: the commands of a runbook, with names that the agent has seen."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import gymnasium as gym
import numpy as np
from gymnasium.utils import RecordConstructorArgs
from numpy.typing import NDArray

from aiops_gym.wrappers.macros import OTHERS, Slot, layout
from aiops_gym.wrappers.reading import Env, Slotted, Turn
from aiops_gym.wrappers.seen import Seen

UNFILLED = "This action needs a name that has not been seen yet."
"""Sent for an action that is masked: the environment answers that it is no call."""


class MacroActions(Slotted, RecordConstructorArgs):
    """Acts by number: each action is a general command for one of the names in the observations so far.

    The action space is `Discrete`, of the same size in every episode of a task. Components stand in slots, the most
    suspicious first (or in the order in which they were first seen), so that "undo the rollout of slot 0" means the
    same in any application. Where more are seen than there are slots, the last in that order have none. `order="first"`
    never moves a name. A name that was not seen is in no action: such an action is masked, and taken nevertheless it is
    refused by the environment. The infos have the mask under `action_mask` (int8).

    Args:
        env: a live incident, wrapped or not, whose texts can be read.
        slots: components that have slots.
        order: `relevance` or `first`, see above.
        macros: names from `wrappers.macros.MACROS`, and command lines of one's own with `{component}`, `{namespace}`
            and other names in them; None for all.

    Raises:
        ValueError: a macro that there is not, or an environment that is no live incident.

    >>> import aiops_gym
    >>> env = MacroActions(gym.make("aiops_gym/Detection-v0"), slots=4)
    >>> _, info = env.reset(seed=1)
    >>> env.macro_names[0], env.meaning(0).splitlines()[1].split(" -n ")[0]
    ('pods', "exec_shell('kubectl get pods")
    >>> logs = env.macro_names.index("logs 0")
    >>> bool(env.action_masks()[logs]), env.meaning(logs) is None
    (False, True)
    >>> env.step(0)[4]["valid_action"], bool(env.action_masks()[logs])
    (True, True)
    """

    def __init__(
        self, env: Env, slots: int | None = None, order: str | None = None, macros: Sequence[str] | None = None
    ) -> None:
        chosen = None if macros is None else list(macros)
        RecordConstructorArgs.__init__(self, slots=slots, order=order, macros=chosen)
        Slotted.__init__(self, env, slots, order)
        self.layout = layout(str(env.get_wrapper_attr("task")), self.slots, None if chosen is None else tuple(chosen))
        self.action_space = gym.spaces.Discrete(len(self.layout))
        self.spoken = ""
        self._texts: list[str | None] = []

    @property
    def macro_names(self) -> tuple[str, ...]:
        """Name of each action, with the number of its slot: `pods`, `logs 0`, `logs 1`."""
        return tuple(f"{each.macro.name} {each.index}" if each.macro.over else each.macro.name for each in self.layout)

    def meaning(self, action: int) -> str | None:
        """The text that an action stands for now; None where it needs a name that was not seen."""
        return self.meanings()[int(action)]

    def meanings(self) -> list[str | None]:
        """The text that each action stands for now."""
        if not self._texts:
            named = Names(self.seen, self.ranked())
            self._texts = [
                slot.macro.text(names) if (names := named(slot)) is not None else None for slot in self.layout
            ]
        return self._texts

    def action_masks(self) -> NDArray[np.bool_]:
        """Which actions can be taken; all of them where none can, as before the first reset."""
        mask = np.array([text is not None for text in self.meanings()], np.bool_)
        return mask if mask.any() else np.ones_like(mask)

    def used_actions(self) -> NDArray[np.bool_]:
        """Which actions, as they are filled now, have been taken before in this episode."""
        said = self.seen.said
        return np.array([text in said for text in self.meanings()], np.bool_)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Begin an episode."""
        observation, info = super().reset(seed=seed, options=options)
        self._texts, self.spoken = [], ""
        return observation, {**info, "action_mask": self.action_masks().astype(np.int8)}

    def step(self, action: Any) -> Turn:
        """Carry out the command that the action stands for."""
        self.spoken = self.meaning(action) or UNFILLED
        observation, reward, terminated, truncated, info = super().step(self.spoken)
        self._texts = []
        info = {**info, "action_mask": self.action_masks().astype(np.int8)}
        return observation, reward, terminated, truncated, info


class Names:
    """Fills slots: what `{component}` and the other names are for each of them."""

    def __init__(self, seen: Seen, ranked: Sequence[str]) -> None:
        shared = {"namespace": seen.namespace, "traces": seen.traces, "released": released(seen)}
        self._shared = {key: value for key, value in shared.items() if value}
        self._rows: dict[tuple[str, int], Mapping[str, str]] = {("", 0): self._shared}
        for i, name in enumerate(ranked):
            component = seen.components[name]
            older = {"older_image": component.images[0]} if component.images else {}
            self._rows["component", i] = {**self._shared, **component.facts, **older, "component": name}
        for kind in OTHERS:
            for i, (name, facts) in enumerate(seen.others.get(kind, {}).items()):
                self._rows[kind, i] = {**self._shared, **facts, **_previous(facts), kind: name}

    def __call__(self, slot: Slot) -> Mapping[str, str] | None:
        """The names of a slot, None where it is empty."""
        return self._rows.get((slot.macro.over, slot.index))


def released(seen: Seen) -> str:
    """Volumes whose claims are gone, separated by blanks."""
    volumes = seen.others.get("volume", {})
    return " ".join(name for name, facts in volumes.items() if facts.get("status") == "Released")


def _previous(facts: Mapping[str, str]) -> Mapping[str, str]:
    """The revision before the one that was seen."""
    revision = facts.get("revision", "")
    return {"previous": str(int(revision) - 1)} if revision.isdecimal() and int(revision) > 1 else {}

"""Discrete actions: the commands of an operator, with names that the agent has seen."""

from __future__ import annotations

import operator
from collections.abc import Mapping, Sequence
from typing import Any

import gymnasium as gym
import numpy as np
from gymnasium.utils import RecordConstructorArgs
from numpy.typing import NDArray

from aiops_gym.sim.kernel.draws import draw
from aiops_gym.wrappers.reading import naming
from aiops_gym.wrappers.reading.macros import AROUND, NOTE, lay_out
from aiops_gym.wrappers.reading.turns import Env, Slotted, Turn

UNFILLED = "This action needs a name that has not been seen yet."
"""Sent for an action that is masked: the environment answers that it is no call."""


def find_offered(env: Env) -> str:
    """Which tools an environment offers, `basic` or `all`; basic where it does not say."""
    return str(env.get_wrapper_attr("offered")) if env.has_wrapper_attr("offered") else "basic"


class MacroActions(Slotted, RecordConstructorArgs):
    """Acts by number: each action is a general command for what is in focus, one of the names in the observations.

    The action space is `Discrete`, of the same size in every episode of a task. Each component that was seen has a
    slot, and so has each other object (a policy, a quota, a node, a release). The action `focus 3` looks at what
    stands in slot 3 and makes it the focus: `logs`, `restart` or `undo` are about it from then on. For each
    field that a manifest can have there are two changes: `match` makes it as in the components that are like the one
    in focus, `unset` takes it away; both need that the manifests were seen. What needs a name that was not seen is
    masked, and taken nevertheless it is refused by the environment; so are answers before all was looked at, as
    `looks_first` has it, and a repair is not submitted before something was changed. The infos have the mask under
    `action_mask` (int8). With `tools="all"` alerts and changes can be looked at as well, and an answer of Localization
    can name several: `suspect 3` makes a note of one, and `submit 5` names that and the one in slot 5.

    Args:
        env: a live incident, wrapped or not, whose texts can be read.
        slots: components that have slots.
        other_slots: other objects that have slots.
        macros: names from `wrappers.reading.macros.MACROS`, and command lines of one's own with `{component}`,
            `{namespace}` and other names in them, or `{slot}` for one action a component; None for all.
        looks_first: whether answers wait until all of `wrappers.reading.macros.AROUND` was looked at; or in what share
            of the episodes they do, drawn by the episode's seed. `look_first` changes it later.
        before_repairs: whether repairs wait with them, and the first of them is submitted as it is: somebody who tries
            repair after repair never learns which of them was right.

    Raises:
        TypeError: the environment takes no text.
        ValueError: a macro that there is not, or an environment that is no live incident; in a step, a number that is
            no action.

    >>> import aiops_gym
    >>> env = MacroActions(gym.make("aiops_gym/Detection-v0"), slots=4)
    >>> _, info = env.reset(seed=1)
    >>> env.macro_names[0], env.meaning(0).splitlines()[1].split(",")[0]
    ('status', "exec_shell('kubectl get deployments")
    >>> focus, logs = map(env.macro_names.index, ("focus 0", "logs"))
    >>> bool(env.action_masks()[focus]), env.step(0)[4]["valid_action"], bool(env.action_masks()[focus])
    (False, True, True)
    >>> bool(env.action_masks()[logs]), env.step(focus)[4]["valid_action"], bool(env.action_masks()[logs])
    (False, True, True)
    """

    MEMORY = (*Slotted.MEMORY, "spoken", "focus", "suspects", "_looks", "_texts", "_waits")

    def __init__(
        self,
        env: Env,
        slots: int | None = None,
        other_slots: int | None = None,
        macros: Sequence[str] | None = None,
        looks_first: bool | float = True,
        before_repairs: bool = False,
    ) -> None:
        chosen = None if macros is None else list(macros)
        waits: dict[str, Any] = {"looks_first": looks_first, "before_repairs": before_repairs}
        RecordConstructorArgs.__init__(self, slots=slots, other_slots=other_slots, macros=chosen, **waits)
        if not isinstance(env.action_space, gym.spaces.Text):
            raise TypeError(f"MacroActions acts by text, and {env.action_space} is none: put it further inside")
        Slotted.__init__(self, env, slots, other_slots)
        task = str(env.get_wrapper_attr("task"))
        names = None if chosen is None else tuple(chosen)
        self.layout = lay_out(task, self.slots, self.other_slots, names, find_offered(env))
        self.action_space = gym.spaces.Discrete(len(self.layout))
        self._answers = np.array([slot.macro.tool == "submit" for slot in self.layout], np.bool_)
        self.look_first(looks_first)
        self.before_repairs, self._waits = before_repairs, bool(looks_first)
        self.spoken = ""
        self.focus: tuple[str, str] = ("", "")
        self.suspects: tuple[str, ...] = ()
        self._looks: set[str] = set()
        self._texts: list[str | None] = []

    @property
    def macro_names(self) -> tuple[str, ...]:
        """Name of each action, with the number of its slot: `status`, `focus 0`, `focus 1`."""
        return tuple(f"{each.macro.name} {each.index}" if each.macro.over else each.macro.name for each in self.layout)

    def meaning(self, action: int) -> str | None:
        """The text that an action stands for now; None where it needs a name that was not seen. Raises ValueError."""
        return self.meanings()[self._number(action)]

    def meanings(self) -> list[str | None]:
        """The text that each action stands for now."""
        if not self._texts:
            names = self._names()
            self._texts = [
                slot.macro.text(names[slot.macro.over, slot.index]) if (slot.macro.over, slot.index) in names else None
                for slot in self.layout
            ]
        return self._texts

    def action_masks(self) -> NDArray[np.bool_]:
        """Which actions can be taken; all of them where none can, as before the first reset.

        What was done already is masked until something is changed or waited for: it would print the same again.
        """
        lately = self.seen.lately
        mask = np.array([text is not None and text not in lately for text in self.meanings()], np.bool_)
        if self._waits and self.before_repairs and self.seen.changed and (mask & self._answers).any():
            mask &= self._answers
        return mask if mask.any() else np.ones_like(mask)

    def used_actions(self) -> NDArray[np.bool_]:
        """Which actions, as they are filled now, have been taken before in this episode."""
        said = self.seen.said
        return np.array([text in said for text in self.meanings()], np.bool_)

    def look_first(self, share: float) -> None:
        """Let answers wait for the looks in another share of the episodes, from the next one on. Raises ValueError."""
        if not 0 <= share <= 1:
            raise ValueError(f"looks_first must be from 0 to 1, not {share!r}")
        self.looks_first = float(share)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Begin an episode."""
        observation, info = super().reset(seed=seed, options=options)
        self._texts, self.spoken, self.focus, self.suspects, self._looks = [], "", ("", ""), (), set()
        self._waits = draw(int(info["episode_seed"]), "looks first") < self.looks_first
        return observation, {**info, "action_mask": self.action_masks().astype(np.int8)}

    def step(self, action: Any) -> Turn:
        """Carry out the command that the action stands for."""
        self.spoken = self.meaning(action) or UNFILLED
        if self.spoken != UNFILLED:
            self._note(int(action))
        observation, reward, terminated, truncated, info = super().step(self.spoken)
        self._texts = []
        info = {**info, "action_mask": self.action_masks().astype(np.int8)}
        return observation, reward, terminated, truncated, info

    def _number(self, action: Any) -> int:
        """An action as a number. Raises ValueError for what is none of them: Python would count from the end."""
        try:
            number = operator.index(action)
        except TypeError:
            number = -1
        if not 0 <= number < len(self.layout):
            raise ValueError(f"an action is a whole number from 0 to {len(self.layout) - 1}, not {action!r}")
        return number

    def _note(self, action: int) -> None:
        slot = self.layout[action]
        self._looks.add(slot.macro.name)
        if slot.macro.command == NOTE:
            self.suspects = (*self.suspects, self.named()[slot.index])
        elif slot.macro.over == "component" and slot.macro.tool == "exec_shell":
            self.focus = ("component", self.named()[slot.index])
        elif slot.macro.over == "other":
            self.focus = ("other", self.others()[slot.index][0])

    def _around(self) -> dict[str, str]:
        """Names that are there once everything was looked at that can be, or need not be: for answers, for repairs."""
        free = {"surveyed": "surveyed"}
        if not self._waits:
            return {"looked": "looked", **free}
        offered = {slot.macro.name for slot in self.layout} & set(AROUND)
        # Where nothing was collected there is nothing to sum up.
        offered -= {"spans"} if not self.seen.traces else set()
        offered -= {"rates"} if not self.seen.metrics else set()
        if offered <= self._looks:
            return {"looked": "looked", **free}
        return {} if self.before_repairs else free

    def _names(self) -> dict[tuple[str, int], Mapping[str, str]]:
        """What the open names stand for, for actions without a slot and for those of each slot."""
        shared, kind, name = {**naming.name_whole(self.seen), **self._around()}, *self.focus
        rows: dict[tuple[str, int], Mapping[str, str]] = {}
        focus: dict[str, str] = {}
        for i, component in enumerate(self.named()):
            answer = naming.name_suspects(component, self.suspects)
            rows["component", i] = {**shared, **naming.name_slot(component), **answer, "component": component}
            if (kind, name) == ("component", component):
                focus = naming.name_component(self.seen, component)
        for i, (found, other) in enumerate(self.others()):
            rows["other", i] = {**shared, **naming.name_slot(found, other)}
            if (kind, name) == ("other", found):
                focus = naming.name_other(found, other)
        return {**rows, ("", 0): {**shared, **focus}}

"""Learning with something left out: what a result rests on is seen where it is missing."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import gymnasium as gym
import numpy as np
from gymnasium.utils import RecordConstructorArgs

from aiops_gym.envs.branching import Remembering
from aiops_gym.errors import ArgumentError
from aiops_gym.sim.kernel import draws
from aiops_gym.wrappers.reading.macros import EVERYWHERE, lay_out
from aiops_gym.wrappers.reading.turns import Turn
from aiops_gym.wrappers.symptoms import CHANGE, COMPONENT, OTHER, WHOLE

ROWS: Mapping[str, tuple[str, ...]] = {"components": COMPONENT, "others": OTHER, "whole": WHOLE, "changes": CHANGE}
"""Parts of what `Symptoms` shows, and what their columns are."""

TELEMETRY = frozenset({"traces", "spans", "metrics", "rates", "logs", "previous logs", "alerts"})
"""Looks at what the application tells of itself."""

ONE_LOOK = {"mitigation": "manifests"}
"""The look that is left, where it is not `status`: without manifests there is hardly a repair."""

ABLATIONS: Mapping[str, str] = {
    "shuffled": "the numbers of each row are mixed up anew in every step",
    "drift": "no row says in what a component differs from its peers; the mask still offers only what differs",
    "telemetry": "neither logs nor traces nor metrics nor alerts can be looked at",
    "looks": "one look alone can be taken, `status` (in Mitigation `manifests`)",
}
"""What can be left out."""

OF_FEATURES = ("shuffled", "drift")
"""Those that change what is shown; the others take looks away."""


def check_ablation(name: str) -> None:
    """Raises ArgumentError for what cannot be left out; "" leaves out nothing."""
    if name and name not in ABLATIONS:
        raise ArgumentError(f"nothing is called {name!r} that can be left out; there are {', '.join(ABLATIONS)}")


def list_macros(task: str, without: str, tools: str = "basic") -> list[str] | None:
    """Names of the macros that are left; None for all.

    >>> sorted(set(list_macros("detection", "")or ["all"])), "spans" in list_macros("detection", "telemetry")
    (['all'], False)
    """
    if without not in ("telemetry", "looks"):
        return None
    one = ONE_LOOK.get(task, "status")
    gone = TELEMETRY if without == "telemetry" else {*EVERYWHERE, *TELEMETRY} - {one}
    names = dict.fromkeys(slot.macro.name for slot in lay_out(task, 1, 1, tools=tools))
    return [name for name in names if name not in gone]


class Ablated(Remembering, RecordConstructorArgs):
    """Shows less of what `Symptoms` inside shows.

    Args:
        env: with `Symptoms` somewhere in it.
        without: `shuffled` or `drift`, see `ABLATIONS`; others are a matter of macros, and change nothing here.
    """

    MEMORY = ("_seed", "_step")

    def __init__(self, env: gym.Env[Any, Any], without: str) -> None:
        RecordConstructorArgs.__init__(self, without=without)
        Remembering.__init__(self, env)
        check_ablation(without)
        self.without, self._seed, self._step = without, 0, 0

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Begin an episode."""
        observation, info = super().reset(seed=seed, options=options)
        self._seed, self._step = int(info["episode_seed"]), 0
        return leave_out(self.without, observation, self._seed, self._step), info

    def step(self, action: Any) -> Turn:
        """One turn."""
        observation, reward, terminated, truncated, info = self.env.step(action)
        self._step += 1
        shown = leave_out(self.without, observation, self._seed, self._step)
        return shown, float(reward), terminated, truncated, info


def leave_out(without: str, seen: Mapping[str, Any], seed: int, step: int) -> dict[str, Any]:
    """What is left of one observation, or of many in rows.

    Args:
        without: one of `OF_FEATURES`; others leave all.
        seen: parts by their names, those of `ROWS` among them.
        seed: of the draw.
        step: likewise.
    """
    if without not in OF_FEATURES:
        return dict(seen)
    left = {name: seen[name].reshape(-1, len(ROWS[name])) for name in ROWS if name in seen}
    if without == "drift":
        left = {name: rows * _TELLS_NO_DRIFT[name] for name, rows in left.items()}
    else:
        left = {name: _mix(name, rows, draws.bulk(seed, "ablation", name, step)) for name, rows in left.items()}
    return {**seen, **{name: rows.reshape(seen[name].shape) for name, rows in left.items()}}


def _mix(name: str, rows: Any, chance: np.random.Generator) -> Any:
    """Each row with its numbers in another order; which rows are there is still to be seen."""
    mixed = rows.copy()
    first = 0 if name == "whole" else 1
    mixed[:, first:] = chance.permuted(rows[:, first:], axis=1)
    return mixed


def _tells_drift(name: str, column: str) -> bool:
    if name == "changes":
        return column != "change"
    return name == "components" and (column in ("drifts", "strange_settings") or " differs" in column)


_TELLS_NO_DRIFT = {
    name: np.array([not _tells_drift(name, column) for column in columns], np.float32) for name, columns in ROWS.items()
}

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
        return self._shown(observation), info

    def step(self, action: Any) -> Turn:
        """One turn."""
        observation, reward, terminated, truncated, info = self.env.step(action)
        self._step += 1
        return self._shown(observation), float(reward), terminated, truncated, info

    def _shown(self, observation: dict[str, Any]) -> dict[str, Any]:
        change = {"shuffled": self._mixed, "drift": _without_drift}.get(self.without)
        if change is None:
            return observation
        rows = {name: observation[name].reshape(-1, len(ROWS[name])) for name in ROWS if name in observation}
        return {**observation, **{name: change(name, row).ravel() for name, row in rows.items()}}

    def _mixed(self, name: str, rows: Any) -> Any:
        """Each row with its numbers in another order; which rows are there is still to be seen."""
        chance = draws.bulk(self._seed, "ablation", name, self._step)
        mixed = rows.copy()
        first = 0 if name == "whole" else 1
        mixed[:, first:] = chance.permuted(rows[:, first:], axis=1)
        return mixed


def _without_drift(name: str, rows: Any) -> Any:
    return rows * np.array([0.0 if _tells_drift(name, column) else 1.0 for column in ROWS[name]], np.float32)


def _tells_drift(name: str, column: str) -> bool:
    if name == "changes":
        return column != "change"
    return name == "components" and (column in ("drifts", "strange_settings") or " differs" in column)

"""Signs of trouble as numbers: what an experienced reader takes from the outputs so far."""

from __future__ import annotations

from typing import Any

import gymnasium as gym
import numpy as np
from gymnasium.utils import RecordConstructorArgs
from numpy.typing import NDArray

from aiops_gym.wrappers.reading.entity import AGES, TRAFFIC, Component, Other
from aiops_gym.wrappers.reading.fields import FIELDS
from aiops_gym.wrappers.reading.indicators import LOOKS, OF_OTHERS, SIGNS, STRONG
from aiops_gym.wrappers.reading.outliers import Drift
from aiops_gym.wrappers.reading.rates import STRAIN
from aiops_gym.wrappers.reading.table_readers import OTHERS
from aiops_gym.wrappers.reading.tables import KINDS
from aiops_gym.wrappers.reading.turns import Env, Slotted, Turn, as_dict, make_box, split_parts

PLACES = ("replicas", "container", "pod", "service")
"""Where a field may differ from those of the peers."""

COMPONENT = (
    "there", "focus", "suspected", *SIGNS, *LOOKS, *TRAFFIC, *AGES, *STRAIN,
    "edited", "older", "touched", "known", "served", *(f"{place} differs" for place in PLACES),
    *(f"{place} differs much" for place in PLACES),
)  # fmt: skip
"""What each number of a component's row is."""

OTHER = ("there", "focus", *OTHERS, *OF_OTHERS)
"""What each number of another object's row is."""

LISTED = (*KINDS, "manifests", "services", "settings", "spans", "rates", "alerts", "changes")
WHOLE = (*(f"listed {kind}" for kind in LISTED), *(f"fresh {kind}" for kind in LISTED), "focused", "namespace", "crowd")
"""What each number of the whole is."""

CHANGE = ("change", "strength", "odd", "empties")
"""What each number of an action's row is: a change of a field, how unlike its peers, and whether it takes it away."""

_AT = {name: i for i, name in enumerate(COMPONENT)}
_OTHER_AT = {name: i for i, name in enumerate(OTHER)}


class Symptoms(Slotted, RecordConstructorArgs):
    """Rows of numbers from 0 to 1 for all that was seen, in a `Dict` of boxes, each row after row.

    `components` has a row (`COMPONENT`) for each slot, `others` one (`OTHER`) for each other object, `whole` one
    (`WHOLE`) for all. Where `MacroActions` is inside, `changes` has a row (`CHANGE`) for each action. All come from the
    texts of this episode alone. A text inside is replaced by them; other features stand beside them as `features`.

    Args:
        env: whose texts can be read.
        slots: components that have slots; those of `MacroActions` where that is inside.
        other_slots: other objects; likewise.

    >>> import aiops_gym
    >>> env = Symptoms(gym.make("aiops_gym/Detection-v0"), slots=32)
    >>> _ = env.reset(seed=1, options={"problem": "scale_pod_zero_social_net-detection-1"})
    >>> command = "kubectl get deployments -n test-social-network"
    >>> rows = env.step(f'```\\nexec_shell("{command}")\\n```')[0]["components"].reshape(32, len(COMPONENT))
    >>> [env.named()[i] for i in rows[:, COMPONENT.index("scaled_to_zero")].nonzero()[0]]
    ['user-service']
    """

    MEMORY = (*Slotted.MEMORY, "heard")

    def __init__(self, env: Env, slots: int | None = None, other_slots: int | None = None) -> None:
        RecordConstructorArgs.__init__(self, slots=slots, other_slots=other_slots)
        Slotted.__init__(self, env, slots, other_slots)
        self.alone = isinstance(env.observation_space, gym.spaces.Text)
        self.heard = ""
        own = {
            "components": make_box(0.0, 1.0, self.slots * len(COMPONENT)),
            "others": make_box(0.0, 1.0, self.other_slots * len(OTHER)),
            "whole": make_box(0.0, 1.0, len(WHOLE)),
        }
        self._changes: list[tuple[int, str, str]] = []
        if env.has_wrapper_attr("layout"):
            layout = env.get_wrapper_attr("layout")
            named = ((i, slot.macro.name.partition(" ")) for i, slot in enumerate(layout))
            self._changes = [(i, way, field) for i, (way, _, field) in named if field in FIELDS]
            self._actions = len(layout)
            own["changes"] = make_box(0.0, 1.0, self._actions * len(CHANGE))
        inside = {} if self.alone else as_dict(env.observation_space, "features")
        self.observation_space = gym.spaces.Dict({**inside, **own})

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Begin an episode."""
        observation, info = super().reset(seed=seed, options=options)
        return self._observation(observation), info

    def step(self, action: Any) -> Turn:
        """One turn."""
        observation, reward, terminated, truncated, info = super().step(action)
        return self._observation(observation), reward, terminated, truncated, info

    def _observation(self, observation: Any) -> dict[str, Any]:
        self.heard = observation if isinstance(observation, str) else self.env.get_wrapper_attr("heard")
        focus = self.env.get_wrapper_attr("focus") if self.env.has_wrapper_attr("focus") else ("", "")
        own = {
            "components": self._components(focus),
            "others": self._others(focus),
            "whole": self._whole(focus),
        }
        if "changes" in self.observation_space.spaces:  # type: ignore[attr-defined]
            own["changes"] = self._changed(focus)
        return {**({} if self.alone else split_parts(observation, "features")), **own}

    def _components(self, focus: tuple[str, str]) -> NDArray[np.float32]:
        rows = np.zeros((self.slots, len(COMPONENT)), np.float32)
        seen = self.seen
        suspects = self.env.get_wrapper_attr("suspects") if self.env.has_wrapper_attr("suspects") else ()
        for row, name in zip(rows, self.named(), strict=False):
            _component(row, seen.components[name], seen.drifts(name))
            row[_AT["focus"]], row[_AT["suspected"]] = focus == ("component", name), name in suspects
            row[_AT["known"]], row[_AT["served"]] = name in seen.deployments, name in seen.services
        return rows.ravel()

    def _others(self, focus: tuple[str, str]) -> NDArray[np.float32]:
        rows = np.zeros((self.other_slots, len(OTHER)), np.float32)
        for row, (name, other) in zip(rows, self.others(), strict=False):
            _other(row, other)
            row[_OTHER_AT["focus"]] = focus == ("other", name)
        return rows.ravel()

    def _whole(self, focus: tuple[str, str]) -> NDArray[np.float32]:
        seen = self.seen
        fresh = [float(seen.listed.get(kind, False)) for kind in LISTED]
        last = [float(bool(focus[0])), float(bool(seen.namespace)), min(1.0, len(seen.components) / self.slots)]
        return np.array([*(float(kind in seen.listed) for kind in LISTED), *fresh, *last], np.float32)

    def _changed(self, focus: tuple[str, str]) -> NDArray[np.float32]:
        rows = np.zeros((self._actions, len(CHANGE)), np.float32)
        drifts = self.seen.drifts(focus[1]) if focus[0] == "component" else {}
        for at, way, field in self._changes:
            drift = drifts.get(field)
            strength = drift.strength if drift else 0.0
            empties = way == "unset" or (drift is not None and not drift.leaves)
            rows[at] = (1.0, strength, strength > STRONG, empties)
        return rows.ravel()


def _component(row: NDArray[np.float32], component: Component, drifts: Any) -> None:
    row[_AT["there"]] = 1.0
    for name in (*component.symptoms, *component.looks):
        row[_AT[name]] = 1.0
    for name, value in (*component.traffic.items(), *component.ages.items(), *component.strain.items()):
        row[_AT[name]] = value
    row[_AT["edited"]], row[_AT["older"]], row[_AT["touched"]] = component.edited, component.older, component.touched
    drift: Drift
    for field, drift in drifts.items():
        place = field.partition(" ")[0]
        row[_AT[f"{place} differs"]] = min(1.0, row[_AT[f"{place} differs"]] + drift.strength / 4)
        if drift.strength > STRONG:
            row[_AT[f"{place} differs much"]] = 1.0


def _other(row: NDArray[np.float32], other: Other) -> None:
    row[_OTHER_AT["there"]] = row[_OTHER_AT[other.kind]] = 1.0
    for symptom in other.symptoms:
        row[_OTHER_AT[symptom]] = 1.0

"""Signs of trouble as numbers: what an experienced reader takes from the outputs so far."""

from __future__ import annotations

from typing import Any

import gymnasium as gym
import numpy as np
from gymnasium.utils import RecordConstructorArgs
from numpy.typing import NDArray

from aiops_gym.wrappers.macro_actions import released
from aiops_gym.wrappers.reading import Env, Slotted, Turn, as_dict, box, parts
from aiops_gym.wrappers.seen import LOOKS
from aiops_gym.wrappers.signs import SIGNS
from aiops_gym.wrappers.tables import KINDS

FACTS = ("container", "image", "selector", "service", "service_port", "container_port", "target_port")
"""Facts of a component of which it counts only that they are known."""


class Symptoms(Slotted, RecordConstructorArgs):
    """One row of flags for each slot (`wrappers.signs`), and some of the whole: what was listed, how many show signs.

    Values are from 0 to 1, and come from the texts of this episode alone. Text is replaced by them; beside other
    features they stand in a `Dict` with the keys `features` and `symptoms`.

    Args:
        env: whose texts can be read.
        slots: components that have slots; those of `MacroActions` where that is inside.
        order: likewise.

    >>> import aiops_gym
    >>> env = Symptoms(gym.make("aiops_gym/Detection-v0"), slots=4)
    >>> row, _ = env.reset(seed=1, options={"problem": "scale_pod_zero_social_net-detection-1"})
    >>> command = "kubectl get deployments -n test-social-network"
    >>> row = env.step(f'```\\nexec_shell("{command}")\\n```')[0]
    >>> env.ranked()[0], float(row[env.columns.index("0 scaled_to_zero")])
    ('user-service', 1.0)
    """

    def __init__(self, env: Env, slots: int | None = None, order: str | None = None) -> None:
        RecordConstructorArgs.__init__(self, slots=slots, order=order)
        Slotted.__init__(self, env, slots, order)
        self.columns = columns(self.slots)
        own = box(0.0, 1.0, len(self.columns))
        self.alone = isinstance(env.observation_space, gym.spaces.Text)
        self.heard = ""
        self.observation_space: gym.Space[Any] = own
        if not self.alone:
            self.observation_space = gym.spaces.Dict({**as_dict(env.observation_space, "features"), "symptoms": own})

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Begin an episode."""
        observation, info = super().reset(seed=seed, options=options)
        return self._observation(observation), info

    def step(self, action: Any) -> Turn:
        """One turn."""
        observation, reward, terminated, truncated, info = super().step(action)
        return self._observation(observation), reward, terminated, truncated, info

    def _observation(self, observation: Any) -> Any:
        self.heard = observation if isinstance(observation, str) else self.env.get_wrapper_attr("heard")
        row = self._row()
        return row if self.alone else {**parts(observation, "features"), "symptoms": row}

    def _row(self) -> NDArray[np.float32]:
        seen, values = self.seen, list[float]()
        for name in self.ranked():
            component = seen.components[name]
            values += [float(sign in component.signs) for sign in SIGNS]
            values += [float(look in component.looks) for look in LOOKS]
            values += [float(fact in component.facts) for fact in FACTS] + [float(bool(component.images))]
        values += [0.0] * (len(self.columns) - len(values) - len(_whole(seen)))
        return np.array(values + _whole(seen), np.float32)


def columns(slots: int) -> tuple[str, ...]:
    """What each value is: `0 crashing` for slot 0, then those of the whole."""
    each = (*SIGNS, *LOOKS, *(f"knows {fact}" for fact in FACTS), "knows older_image")
    whole = (*(f"listed {kind}" for kind in KINDS), *(f"any {sign}" for sign in SIGNS))
    counts = ("policies", "quotas", "taints", "released", "suspects", "crowd")
    return tuple(f"{i} {name}" for i in range(slots) for name in each) + whole + counts


def _whole(seen: Any) -> list[float]:
    signs = [each.signs for each in seen.components.values()]
    several = max(len(signs), 1)
    taints = any("taint" in facts for facts in seen.others.get("node", {}).values())
    return [
        *(float(kind in seen.listed) for kind in KINDS),
        *(sum(sign in shown for shown in signs) / several for sign in SIGNS),
        float(bool(seen.others.get("policy"))),
        float(bool(seen.others.get("quota"))),
        float(taints),
        float(bool(released(seen))),
        sum(bool(shown) for shown in signs) / several,
        min(1.0, several / 50),
    ]

"""A short script on the very numbers that the networks read: what they learn has to be worth more than this."""

from __future__ import annotations

from typing import Any

import numpy as np

from aiops_gym.learning.agent import Env, Numbered
from aiops_gym.wrappers.reading.macros import EVERYWHERE
from aiops_gym.wrappers.symptoms import CHANGE, COMPONENT, OTHER

WEIGHTS = {
    "no_image": 9, "pending": 9, "not_started": 9, "crashing": 2, "scaled_to_zero": 15, "unavailable": 1, "unready": 2,
    "no_endpoints": 3, "refused_pod": 8, "crowded": 3, "strange_settings": 3, "restarted": 2, "probe": 2, "warned": 1,
    "strained": 2, "fails_itself": 3, "slow_itself": 2, "called_fails": 3, "called_slow": 2, "drifts": 1, "older": 0.5,
    "alerted": 1,
}  # fmt: skip
"""What a sign of a component counts."""

ENOUGH = 2.5
"""From here on a component is in trouble."""

OF_OTHERS = ("tainted", "exhausted", "blamed", "cordoned")
"""What makes another object suspect, the worst first."""

FIRST = ("untaint", "uncordon", "delete", "match settings", "remove")
"""Repairs that are tried before the fields, the most odd of which comes next."""


class Scripted(Numbered):
    """Looks at everything; answers by the sum of signs; repairs what is worst, until nothing is in trouble."""

    name = "script"

    def choose(self, seen: Any) -> int:
        """A look that is left, the answer, or a repair of what is in focus."""
        stack, names = self.stack, self.stack.get_wrapper_attr("macro_names")
        allowed = stack.get_wrapper_attr("action_masks")()
        new = allowed & ~stack.get_wrapper_attr("used_actions")()
        for look in EVERYWHERE:
            if look in names and new[names.index(look)]:
                return int(names.index(look))
        rows = seen["components"].reshape(-1, len(COMPONENT))
        score = rows @ np.array([WEIGHTS.get(name, 0) for name in COMPONENT])
        worst = int(score.argmax())
        if self.told.task == "detection":
            return int(names.index("submit yes" if score[worst] >= ENOUGH else "submit no"))
        if self.told.task == "localization":
            return int(names.index(f"submit {worst}" if score[worst] >= ENOUGH else "submit none"))
        return next(at for at in self._repairs(seen, score, names) if allowed[at])

    def _repairs(self, seen: Any, score: Any, names: Any) -> list[int]:
        """What may be done next, the best first: whatever the mask allows of it is done."""
        odd = seen["changes"].reshape(-1, len(CHANGE))[:, CHANGE.index("strength")]
        fields = [int(at) for at in (-odd).argsort(kind="stable") if odd[at] > 0]
        others = seen["others"].reshape(-1, len(OTHER))
        suspects = [f"focus other {at}" for sign in OF_OTHERS for at in np.flatnonzero(others[:, OTHER.index(sign)])]
        ill = [f"focus {at}" for at in (-score).argsort(kind="stable")]
        first = [names.index(name) for name in ("submit repaired", *FIRST)]
        return [*first, *fields, *(names.index(name) for name in ("undo", *suspects, *ill, "wait", "status"))]


def scripted(env: Env, seed: int = 0) -> Scripted:
    """The agent of the script; nothing of it is drawn."""
    return Scripted(env)

"""Which problem comes next, by how well the last ones of its kind went."""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium.utils import RecordConstructorArgs

from aiops_gym.catalog import registry
from aiops_gym.catalog.model import Problem
from aiops_gym.envs.branching import Remembering
from aiops_gym.errors import CatalogError
from aiops_gym.wrappers.reading.turns import Env, Turn

HEALTHY = ""
"""Key of the episodes in which nothing is wrong."""


class Curriculum(Remembering, RecordConstructorArgs):
    """Draws families of faults that are sometimes solved more often than those that always or never are.

    A family's weight is `floor + 4 p (1 - p)`, where p is its share of successes among its last episodes, and one half
    as long as there are none. Healthy episodes keep their share; within a family each problem is as likely. Problems
    come from the environment's `problem`, `split` and `tier`. An episode whose problem or seed is given in the options
    is played as asked, and so is one that a wrapper inside begins once more, as it says by `left`.

    `reset(seed=...)` begins anew: the draws are then a function of the seed and of how the episodes went. What it has
    learned so far can be kept as JSON data, by `curriculum` and `resume`; copies and pickles have it too.

    Args:
        env: a live incident, wrapped or not.
        window: episodes of a family that count.
        floor: weight of a family that is always or never solved.

    >>> import gymnasium as gym, aiops_gym
    >>> env = Curriculum(gym.make("aiops_gym/Detection-v0", split="train"))
    >>> _, info = env.reset(seed=1)
    >>> _ = env.step('```\\nsubmit("Yes")\\n```')
    >>> sum(map(len, env.curriculum()["outcomes"].values()))
    1
    """

    MEMORY = ("_family", "_counted", "_resumed", "_outcomes", "_chance")

    def __init__(self, env: Env, window: int = 20, floor: float = 0.2) -> None:
        RecordConstructorArgs.__init__(self, window=window, floor=floor)
        Remembering.__init__(self, env)
        if window < 1 or floor <= 0:
            raise ValueError("window must be 1 or more and floor above 0")
        self.window, self.floor = window, floor
        self.families = _families(env)
        self._family, self._counted, self._resumed = HEALTHY, True, False
        self._outcomes: dict[str, list[bool]] = {}
        self._chance = np.random.default_rng()

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Begin an episode of a problem that the curriculum draws, or of the one in the options."""
        if seed is not None and not self._resumed:
            self._outcomes, self._chance = {}, np.random.default_rng(seed)
        self._resumed = False
        asked = dict(options or {})
        if not asked.keys() & {"problem", "episode_seed"} and (seed is not None or not self._left()):
            asked["problem"] = self._draw()
        observation, info = super().reset(seed=seed, options=asked or None)
        self._family = registry.find_problem(info["problem"]).fault or HEALTHY
        self._counted = False
        return observation, info

    def step(self, action: Any) -> Turn:
        """One turn; the outcome of an episode counts once."""
        observation, reward, terminated, truncated, info = self.env.step(action)
        if (terminated or truncated) and not self._counted and not info["infra_error"]:
            self._counted = True
            outcomes = self._outcomes.setdefault(self._family, [])
            self._outcomes[self._family] = [*outcomes, bool(info["is_success"])][-self.window :]
        return observation, float(reward), terminated, truncated, info

    def weights(self) -> dict[str, float]:
        """The weight of each family with a fault."""
        return {family: self._weight(family) for family in self.families if family != HEALTHY}

    def curriculum(self) -> dict[str, Any]:
        """What it has learned, as JSON data: the outcomes of each family, and its random stream."""
        outcomes = {family: list(each) for family, each in sorted(self._outcomes.items())}
        return {"outcomes": outcomes, "random": self._chance.bit_generator.state}

    def resume(self, data: dict[str, Any]) -> None:
        """Go on from what `curriculum` returned; the next reset keeps it, whatever its seed."""
        self._outcomes = {family: [bool(each) for each in outcomes] for family, outcomes in data["outcomes"].items()}
        self._chance = np.random.default_rng(0)
        self._chance.bit_generator.state = data["random"]
        self._resumed = True

    def _left(self) -> int:
        """Episodes that still begin from the start that was drawn last, where a wrapper inside plays it again."""
        return int(self.env.get_wrapper_attr("left")) if self.env.has_wrapper_attr("left") else 0

    def _weight(self, family: str) -> float:
        outcomes = self._outcomes.get(family) or [True, False]
        share = sum(outcomes) / len(outcomes)
        return self.floor + 4 * share * (1 - share)

    def _draw(self) -> str:
        weights = self.weights()
        healthy, total = self.families.get(HEALTHY, ()), sum(weights.values())
        share = registry.HEALTHY_SHARE.get(str(self.env.get_wrapper_attr("task")), 0.0) if weights else 1.0
        if healthy and self._chance.random() < share:
            return str(healthy[int(self._chance.integers(len(healthy)))])
        names = list(weights)
        family = names[int(self._chance.choice(len(names), p=[weights[name] / total for name in names]))]
        problems = self.families[family]
        return problems[int(self._chance.integers(len(problems)))]


def _families(env: Env) -> dict[str, tuple[str, ...]]:
    """Ids of the problems that an environment poses, by their fault. Raises CatalogError where it poses none."""
    if not env.has_wrapper_attr("choice"):
        raise CatalogError("a curriculum is for live incidents, such as Mitigation-v0")
    choice, task = env.get_wrapper_attr("choice"), env.get_wrapper_attr("task")
    posed: list[Problem] = [registry.find_problem(each) for each in choice.ids]
    if not posed:
        faulty = (each for each in registry.problems(task, split=choice.split, tier=choice.tier) if each.fault)
        posed = [*registry.list_healthy(task, choice.split, choice.tier), *faulty]
    families: dict[str, list[str]] = {}
    for problem in posed:
        families.setdefault(problem.fault or HEALTHY, []).append(problem.id)
    return {family: tuple(ids) for family, ids in sorted(families.items())}

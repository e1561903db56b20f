"""Episodes that show how far a policy is: always the same ones, with each action the likeliest, and drawn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import gymnasium as gym

from aiops_gym.catalog import registry
from aiops_gym.envs.naming import ENVS
from aiops_gym.learning.policies import Policy
from aiops_gym.learning.settings import Settings
from aiops_gym.runs import choice
from aiops_gym.sim.kernel import draws

FAMILIAR, NOVEL, HEALTHY = "familiar", "novel", "healthy"
"""Faults of families that training shows, on targets that it does not; of families that it does not; no fault."""

MODES = ("deterministic", "sampled")
"""Always taking the likeliest action, and drawing by the probabilities."""

SHARE = {"detection": 0.5, "localization": 0.15, "analysis": 0.15, "mitigation": 0.0}
"""Share of healthy episodes in a test, for each task."""


@dataclass(frozen=True, kw_only=True)
class Case:
    """One episode of a test."""

    problem: str
    seed: int
    group: str


def draw_cases(task: str, groups: Sequence[str], count: int, tier: str | None = None) -> list[Case]:
    """Problems of the test split, chosen by the hash of their ids, with one seed each.

    Args:
        task: `detection`, ...
        groups: some of `familiar` and `novel`; healthy ones come beside the familiar.
        count: problems with a fault of each group; all of them where there are fewer.
        tier: how hard they are; None for all but the hard ones.
    """
    known = {each.fault for each in registry.problems(task, split="train", tier=tier)}
    test = [each for each in registry.problems(task, split="test", tier=tier) if each.fault]
    found = []
    for group in groups:
        ids = [each.id for each in test if (each.fault in known) == (group == FAMILIAR)]
        found += [Case(problem=each, seed=0, group=group) for each in choice.take_sample(ids, min(count, len(ids)))]
    familiar = sum(case.group == FAMILIAR for case in found)
    return found + healthy(task, round(familiar * SHARE[task] / (1 - SHARE[task])), tier)


def healthy(task: str, count: int, tier: str | None = None) -> list[Case]:
    """So many episodes in which nothing is wrong, of each application in turn."""
    calm = [each.id for each in registry.list_healthy(task, "test", tier)]
    many = range(count if calm else 0)
    return [Case(problem=calm[i % len(calm)], seed=i // len(calm), group=HEALTHY) for i in many]


def of(settings: Settings) -> list[Case]:
    """The episodes of a run's own evaluations: of the test split, or of its problems with seeds of their own."""
    if settings.recorded and not settings.problems:
        return _questions(settings)
    if not settings.problems:
        return draw_cases(settings.task, (FAMILIAR,), settings.sample, settings.tier)
    many = range(settings.sample)
    return [Case(problem=settings.problems[i % len(settings.problems)], seed=i, group=FAMILIAR) for i in many]


def _questions(settings: Settings) -> list[Case]:
    """Questions of the test split about recorded telemetry, chosen by the hash of their ids."""
    env = gym.make(f"aiops_gym:{ENVS[settings.task]}", root=settings.root or None, profile=settings.profile)
    known = env.get_wrapper_attr("problems").values()
    ids = [each.id for each in known if each.split == "test"]
    chosen = choice.take_sample(ids, min(settings.sample, len(ids)))
    return [Case(problem=each, seed=0, group=FAMILIAR) for each in chosen]


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """How an episode of a test went.

    Attributes:
        success: full marks.
        reward: return, with the prices of the stack.
        steps: actions.
        refused: those of them that were no valid call.
    """

    success: bool
    reward: float
    steps: int
    refused: int


def play(env: gym.Env[Any, Any], policy: Policy, case: Case, sampled: bool, again: bool = False) -> Outcome:
    """Play one episode.

    Args:
        env: one of `learning.worlds.make_world`.
        sampled: with drawn actions, and not always the likeliest.
        again: from the start that was just played, which the environment must have been made for.
    """
    seen, info = env.reset() if again else env.reset(seed=case.seed, options={"problem": case.problem})
    total, steps, refused, over = 0.0, 0, 0, False
    while not over:
        seen, reward, terminated, truncated, info = env.step(policy.choose(env, seen, sampled))
        total, steps, over = total + float(reward), steps + 1, terminated or truncated
        refused += not info["valid_action"]
    return Outcome(success=info["is_success"], reward=total, steps=steps, refused=refused)


def evaluate_policy(env: gym.Env[Any, Any], learner: Any, settings: Settings, steps: int) -> dict[str, Any]:
    """A row of a run's evaluations: mean success, return and length in both modes.

    Args:
        env: made for two episodes from each start.
    """
    import torch  # noqa: PLC0415

    torch.manual_seed(draws.bits(settings.seed, "evaluation", str(steps)))
    policy, played = Policy(learner), of(settings)
    pairs = [(play(env, policy, case, False), play(env, policy, case, True, again=True)) for case in played]
    modes = zip(MODES, zip(*pairs, strict=True), strict=True)
    return {"steps": steps, "episodes": len(played), **{mode: _means(outcomes) for mode, outcomes in modes}}


def _means(outcomes: Sequence[Outcome]) -> dict[str, float]:
    n = len(outcomes)
    return {
        "success": sum(each.success for each in outcomes) / n,
        "return": round(sum(each.reward for each in outcomes) / n, 6),
        "steps": sum(each.steps for each in outcomes) / n,
    }

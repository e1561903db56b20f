"""How far the actions of Mitigation reach: in how many tests some of them, taken one after the other, repair it."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass

from aiops_gym.catalog import registry
from aiops_gym.learning import trial, worlds
from aiops_gym.learning.oracle import find_repair, look_around
from aiops_gym.learning.study import Shown, Study
from aiops_gym.learning.trial import FAMILIAR, NOVEL

TASK = "mitigation"


@dataclass(frozen=True, kw_only=True)
class Reach:
    """One episode, and the actions that repair it.

    Attributes:
        group: `familiar` or `novel`.
        actions: their names; empty where none were found.
    """

    problem: str
    fault: str
    group: str
    actions: tuple[str, ...]


def try_actions(study: Study, shown: Shown) -> list[Reach]:
    """Try what is not tried yet, and collect all; nothing where the study leaves the task out."""
    if TASK not in study.tasks:
        return []
    cases = trial.draw_cases(TASK, (FAMILIAR, NOVEL), study.sample or 10_000, study.tier)
    env = worlds.make_world(study.settings(TASK, 0))
    found = []
    for at, case in enumerate(cases):
        shown("mitigation, what actions can do", at, len(cases))
        file = study.out / TASK / "actions" / f"{case.problem}.json"
        if not file.exists():
            file.parent.mkdir(parents=True, exist_ok=True)
            half = file.with_name(f".{file.name}.half")
            half.write_text(json.dumps(asdict(_tried(env, case))) + "\n", encoding="utf-8")
            half.replace(file)
        data = json.loads(file.read_text(encoding="utf-8"))
        found.append(Reach(**{**data, "actions": tuple(data["actions"])}))
    return found


def _tried(env: worlds.Env, case: trial.Case) -> Reach:
    env.reset(seed=case.seed, options={"problem": case.problem})
    names = env.get_wrapper_attr("macro_names")
    for look in look_around(env):
        env.step(look)
    actions = tuple(names[action] for action in find_repair(env) or ())
    fault = registry.find_problem(case.problem).fault or ""
    return Reach(problem=case.problem, fault=fault, group=case.group, actions=actions)

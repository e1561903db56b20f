"""Problems that are computed and never listed: each fault on each component where it makes sense, as each task.

Ids are `{fault}_{app}-{task}-{target}`. What AIOpsLab poses keeps its own id and is not posed twice.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from aiops_gym.catalog.model import INCIDENT, App, Fault, Problem
from aiops_gym.catalog.splits import split_of
from aiops_gym.catalog.tiers import find_tier
from aiops_gym.catalog.traits import Component, fits

Pair = tuple[str, str, str]
"""(app, fault, target)"""

AFTER_LOOKS = {"mitigation": 2, INCIDENT: 5}
"""Actions after the looks: a repair and the submission; what is declared before it and said after it."""


def pair_targets(
    apps: Mapping[str, App], faults: Mapping[str, Fault], known: Mapping[str, Mapping[str, Component]]
) -> Iterator[tuple[App, Fault, str]]:
    """Each fault with each component that has the traits it asks for."""
    for fault in faults.values():
        for app in apps.values():
            for target, component in known[app.id].items():
                if fits(component, fault.targets):
                    yield app, fault, target


def compute_problems(
    apps: Mapping[str, App],
    faults: Mapping[str, Fault],
    known: Mapping[str, Mapping[str, Component]],
    fixed: Collection[Problem],
) -> Iterator[Problem]:
    """The problems of all pairs but those that are among the fixed ones."""
    listed = {(p.app, p.fault, p.target, p.task) for p in fixed}
    upstream = {each[:3] for each in listed}
    for app, fault, target in pair_targets(apps, faults, known):
        split = split_of(
            app.id, fault.id, target, held_out=fault.held_out, fixed=(app.id, fault.id, target) in upstream
        )
        for task in tasks_of(fault):
            if (app.id, fault.id, target, task) not in listed:
                yield Problem(
                    id=f"{fault.id}_{app.id}-{task}-{target}",
                    task=task,
                    app=app.id,
                    fault=fault.id,
                    target=target,
                    split=split,
                    rate=app.rate,
                    distance=known[app.id][target].distance,
                    steps=steps_of(fault, task),
                    tier=find_tier((fault,), known[app.id][target].distance),
                )


def tasks_of(fault: Fault) -> tuple[str, ...]:
    """The tasks that a computed problem of a fault is posed as; what can be repaired is an incident too."""
    return pose_whole(tuple(task for task in fault.tasks if task != "mitigation" or fault.fixes))


def pose_whole(tasks: tuple[str, ...]) -> tuple[str, ...]:
    """Tasks, with that of the whole incident where a repair is among them.

    >>> pose_whole(("detection", "mitigation"))
    ('detection', 'mitigation', 'incident')
    """
    return (*tasks, INCIDENT) if "mitigation" in tasks else tasks


def steps_of(fault: Fault | None, task: str) -> int:
    """Actions of the reference: its looks, a repair where one is asked, and the submission."""
    looks = len(fault.looks) if fault else 2
    return looks + (AFTER_LOOKS.get(task, 1) if fault else 1)

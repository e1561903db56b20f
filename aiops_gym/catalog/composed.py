"""Incidents of several faults, which are computed and never listed: each pair of the grid begins one of them.

Ids are `{how}_{app}-{task}-{target}.{fault}--{target}.{fault}`, so that an id rebuilds a drawn incident. What a pair is
joined by is a draw of its names: no other pair shifts it. Only families without features take part.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from aiops_gym.catalog import grid
from aiops_gym.catalog.model import App, Fault, Patch, Problem, Restart
from aiops_gym.catalog.splits import hash_to_fraction, split_of
from aiops_gym.catalog.tiers import find_tier
from aiops_gym.catalog.traits import Component

THIRD = 0.3
"""Share of incidents of independent faults in which there are three of them."""

SPREAD = 3
"""Further components that lose their pods where a fault spreads."""

STOPS = ("assign_to_non_existent_node", "missing_image_tag", "oversized_request", "scale_pods_to_zero", "wrong_command")
"""Faults after which a component asks nobody for anything any more."""

HASTY = (
    "failing_liveness_probe",
    "failing_readiness_probe",
    "missing_image_tag",
    "oversized_request",
    "scale_pods_to_zero",
)
"""What a hasty repair leaves behind: a probe that was to restart it, a release to go back to that was never pushed,
far more memory, and a workload that was stopped and not started again."""

AWAIT = "kubectl rollout status deployment/{name} -n {namespace} --timeout=60s\nsleep 5"
"""Between two repairs: the second may have to be done inside a pod that the first one brings back.

A pod that nothing probes is ready as soon as its process runs; a database listens a second or two later.
"""


@dataclass(frozen=True)
class Pair:
    """A fault on a component.

    Attributes:
        about: components that it or its repair concerns.
        callers: components that ask its target.
        fields: where it writes in the deployment of its target.
        split: of its own problems.
    """

    fault: Fault
    target: str
    about: frozenset[str]
    callers: frozenset[str]
    split: str
    fields: frozenset[str]

    @property
    def cause(self) -> tuple[str, str]:
        """(fault, target)"""
        return self.fault.id, self.target

    @property
    def wide(self) -> bool:
        """Whether it lies in no component, and befalls whatever needs a new pod."""
        return "localization" not in self.fault.tasks


def _independent(first: Pair, other: Pair) -> bool:
    """Two faults that have nothing to do with one another."""
    return not (first.wide or other.wide or first.about & other.about or first.fault is other.fault)


def _hidden(first: Pair, other: Pair) -> bool:
    """The only one who asks the first component is stopped: nothing of the first fault shows until it is back."""
    return other.fault.id in STOPS and {other.target} == first.callers and not first.wide


def _failed_repair(first: Pair, other: Pair) -> bool:
    """Somebody tried to repair it, and the component has a second fault for it."""
    if other.target != first.target or other.fault.id not in HASTY or first.wide:
        return False
    if any("rollout undo" in fix for fix in first.fault.fixes):  # what is written last leaves no older revision
        return False
    return not any(a.startswith(b) or b.startswith(a) for a in first.fields for b in other.fields)


def _cascade(first: Pair, other: Pair) -> bool:
    """What lies in no component befalls further ones when they lose their pods; there is one cause."""
    return first.wide and first is other


HOW: Mapping[str, Callable[[Pair, Pair], bool]] = {
    "independent": _independent,
    "hidden": _hidden,
    "failed_repair": _failed_repair,
    "cascade": _cascade,
}
"""By the name of a composition: whether it can be made of a pair and another one, which comes after it."""


def compose_problems(
    apps: Mapping[str, App],
    faults: Mapping[str, Fault],
    known: Mapping[str, Mapping[str, Component]],
    fixed: Collection[Problem],
) -> Iterator[Problem]:
    """The incident that each pair of the grid begins, as each task that all of its faults are posed as."""
    upstream = {(p.app, p.fault, p.target) for p in fixed}
    begun = set[tuple[str, str, frozenset[tuple[str, str]]]]()
    pairs: dict[str, list[Pair]] = {}
    for app, fault, target in grid.pair_targets(apps, faults, known):
        if fault.fixes and not fault.features:
            pairs.setdefault(app.id, []).append(_pair(app, fault, target, known[app.id][target], upstream))
    for app_id, every in pairs.items():
        for first in every:
            how, parts = _choose(app_id, first, every)
            same = (app_id, how, frozenset(part.cause for part in parts))
            if how and same not in begun:
                begun.add(same)
                yield from _pose(apps[app_id], how, parts, known[app_id])


def _pair(
    app: App, fault: Fault, target: str, component: Component, upstream: Collection[tuple[str, str, str]]
) -> Pair:
    about = frozenset({target, component.names.get("service", ""), component.names.get("cache", "")} - {""})
    fixed = (app.id, fault.id, target) in upstream
    split = split_of(app.id, fault.id, target, held_out=fault.held_out, fixed=fixed)
    patches = (each for each in fault.changes if isinstance(each, Patch) and each.resource == "deployments.apps")
    written = frozenset(str(op["path"]) for each in patches for op in each.ops)
    return Pair(fault, target, about, component.callers, split, written)


def _choose(app: str, first: Pair, every: Sequence[Pair]) -> tuple[str, tuple[Pair, ...]]:
    """A composition that a pair can begin, and its parts; "" where it begins none."""
    fitting = {how: [each for each in every if is_so(first, each)] for how, is_so in HOW.items()}
    possible = [how for how, others in fitting.items() if others]
    if not possible:
        return "", (first,)
    how = min(possible, key=lambda each: hash_to_fraction("composed", app, *first.cause, each))
    if how == "cascade":
        return how, (first,)
    ranked = sorted(fitting[how], key=lambda each: hash_to_fraction("composed", app, *first.cause, how, *each.cause))
    parts: tuple[Pair, ...] = (first, ranked[0])
    if how == "independent" and hash_to_fraction("third", app, *first.cause) < THIRD:
        parts += tuple(each for each in ranked if _independent(parts[1], each))[:1]
    return how, parts


def _pose(app: App, how: str, parts: Sequence[Pair], known: Mapping[str, Component]) -> Iterator[Problem]:
    split = "test" if any(part.split == "test" for part in parts) else "train"
    distance = max(known[part.target].distance for part in parts)
    name = "--".join(f"{part.target}.{part.fault.id}" for part in parts)
    asked = [set(grid.tasks_of(part.fault)) for part in parts]
    for task in (task for task in grid.tasks_of(parts[0].fault) if all(task in each for each in asked)):
        looks = len(dict.fromkeys(look for part in parts for look in part.fault.looks))
        yield Problem(
            id=f"{how}_{app.id}-{task}-{name}",
            task=task,
            app=app.id,
            fault=parts[0].fault.id,
            target=parts[0].target,
            split=split,
            rate=app.rate,
            distance=distance,
            steps=looks + grid.AFTER_LOOKS.get(task, 1),
            tier=find_tier([part.fault for part in parts], distance, how),
            how=how,
            others=tuple(part.cause for part in parts[1:]),
        )


def merge(parts: Sequence[Fault], namespace: str, spread: Sequence[str] = ()) -> Fault:
    """Several faults as one: all of their changes, and repairs that mend all of them, what came last first.

    Args:
        parts: the faults as they befall a world, in their order.
        namespace: of the app.
        spread: components that lose their pods in the end, where they have not lost them already.
    """
    gone = {name for part in parts for each in part.changes if isinstance(each, Restart) for name in each.components}
    lost = [name for name in spread if name not in gone]
    changes = [change for part in parts for change in part.changes]
    return replace(
        parts[0],
        changes=(*changes, *(Restart(components=(name,)) for name in lost)),
        wait=max(part.wait for part in parts),
        fixes=tuple(_join(each, parts, namespace, lost) for each in zip(*(part.fixes for part in parts), strict=False)),
        mends=tuple(dict.fromkeys(place for part in parts for place in part.mends)),
        looks=tuple(dict.fromkeys(look for part in parts for look in part.looks)),
        tasks=tuple(task for task in parts[0].tasks if all(task in part.tasks for part in parts)),
        parts=tuple(parts) if len(parts) > 1 else (),
    )


def _join(fixes: Sequence[str], parts: Sequence[Fault], namespace: str, lost: Sequence[str]) -> str:
    said: list[str] = []
    for fix, part in reversed(list(zip(fixes, parts, strict=True))):
        said += [fix, AWAIT.format(name=part.cause.component, namespace=namespace) if part.cause else ""]
    again = f"kubectl rollout restart deployment {' '.join(lost)} -n {namespace}"  # a ReplicaSet may be in its back-off
    return "\n".join(said[:-1] + [again] * bool(lost))


def choose_spread(problem: Problem, known: Mapping[str, Component]) -> tuple[str, ...]:
    """Further components that lose their pods in a cascade: those that users need, drawn by its name; else none."""
    if problem.how != "cascade":
        return ()
    needed = [name for name, each in known.items() if "needed" in each.traits and name != problem.target]
    rank = {name: hash_to_fraction("spread", problem.app, *problem.causes[0], name) for name in needed}
    return tuple(sorted(needed, key=rank.__getitem__)[:SPREAD])

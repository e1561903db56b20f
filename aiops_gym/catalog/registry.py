"""Finding apps, faults and problems: each folder of the catalogue is scanned, one thing a file.

Fixed problems are those of AIOpsLab; computed ones, which have a split, are each fault on each sensible component.

>>> len(problems(app="hotel_reservation")), sum(p.registered_upstream for p in problems(app="hotel_reservation"))
(43, 38)
>>> find_problem("redeploy_without_PV-mitigation-1").fault
'redeploy_without_pv'
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import fields, is_dataclass, replace
from functools import cache
from typing import Any, TypeVar

from aiops_gym.catalog import composed, grid, traits
from aiops_gym.catalog.model import INCIDENT, POSED, TASKS, TIERS, App, Fault, Incident, Manifest, Problem
from aiops_gym.catalog.names import find_deployment, name_new, read_flags, read_names, size_limits
from aiops_gym.catalog.splits import SPLITS, hash_to_fraction
from aiops_gym.catalog.tiers import blames_change, find_tier
from aiops_gym.catalog.variables import read_variable
from aiops_gym.errors import ArgumentError, unknown
from aiops_gym.scan import scan, scan_one

T = TypeVar("T")

HEALTHY_SHARE = {"detection": 0.4, "localization": 0.15, "analysis": 0.15, "mitigation": 0.0, INCIDENT: 0.2}

WHERE = " (`aiops-gym list`)"

MAY_BE_HEALTHY = (*TASKS[:3], INCIDENT)
"""Tasks whose answer may be that nothing is wrong."""


@cache
def apps() -> Mapping[str, App]:
    """All applications that run in the cluster, by id; what runs in Docker has AIOpsLab's incidents alone."""
    return {id_: app for id_, app in _written().items() if app.project is None}


@cache
def _written() -> Mapping[str, App]:
    return scan("aiops_gym.catalog.apps", "app")


@cache
def faults() -> Mapping[str, Fault]:
    """All faults by id."""
    return scan("aiops_gym.catalog.faults", "fault")


@cache
def _incidents() -> tuple[Incident, ...]:
    return tuple(row for rows in scan("aiops_gym.catalog.problems", "incidents").values() for row in rows)


@cache
def _fixed() -> Mapping[str, Problem]:
    """The problems of the catalogue: each incident as each task it is posed as."""
    rows = _incidents()
    return {p.id: p for row in rows for p in (_posed(row, task) for task in grid.pose_whole(row.tasks))}


@cache
def _healthy() -> Mapping[str, Problem]:
    """Healthy episodes of each app, for the tasks whose answer may be that nothing is wrong.

    Where there are no components, nobody can be asked for one.
    """
    rows = [row for row in _incidents() if not row.fault]
    tasks = {row.app: MAY_BE_HEALTHY if _written()[row.app].components else MAY_BE_HEALTHY[:1] for row in rows}
    return {p.id: p for p in (_posed(row, task) for row in rows for task in tasks[row.app])}


def _posed(row: Incident, task: str) -> Problem:
    target, fault = find_components(row.app).get(row.target), faults().get(row.fault)
    distance = target.distance if target else 0
    return Problem(
        id=row.name.format(task=task),
        task=task,
        app=row.app,
        fault=row.fault,
        target=row.target,
        split=row.split,
        rate=row.rate,
        distance=distance,
        steps=grid.steps_of(fault, task),
        tier=find_tier((fault,) if fault else (), distance),
        registered_upstream=row.registered and task in row.tasks,
    )


@cache
def find_components(app_id: str) -> Mapping[str, traits.Component]:
    """What is known of the components of an app, by name."""
    return traits.find_components(find_app(app_id))


@cache
def _computed() -> Mapping[str, Problem]:
    """The problems of the grid by id."""
    known = {id_: find_components(id_) for id_ in apps()}
    return {p.id: p for p in grid.compute_problems(apps(), faults(), known, _fixed().values())}


@cache
def _composed() -> Mapping[str, Problem]:
    """The incidents of several faults by id."""
    known = {id_: find_components(id_) for id_ in apps()}
    return {p.id: p for p in composed.compose_problems(apps(), faults(), known, _fixed().values())}


@cache
def _lived_in() -> Mapping[str, Problem]:
    """Healthy episodes in worlds like those of the computed problems, in which people have decided things."""
    rows = [(app, task, word) for word in ALL_OF for app in apps().values() for task in MAY_BE_HEALTHY]
    found = (
        Problem(id=f"noop_{app.id}-{task}-{word}", task=task, app=app.id, fault="", target="", rate=app.rate, tier=tier)
        for app, task, word in rows
        for tier in (ALL_OF[word],)
    )
    return {p.id: replace(p, steps=grid.steps_of(None, p.task)) for p in found}


ALL_OF = {"all": "basic", "hard": "hard"}
"""The last word of the id of a healthy episode in a lived-in world, by which tier it has; basic is standard, too."""


def is_lived_in(problem_: Problem) -> bool:
    """Whether a problem's world is one in which people have decided things: those of AIOpsLab stay as it has them."""
    return bool(problem_.how) or any(problem_.id in known for known in (_computed(), _lived_in()))


@cache
def _split(split: str | None, *, several: bool) -> tuple[Problem, ...]:
    """All problems of a split, or of both: AIOpsLab's are for training, healthy ones of lived-in worlds for both.

    What runs in Docker is in none: its commands are not those of a cluster, and there are but two incidents to learn.
    """
    given = [p for p in _fixed().values() if p.fault and p.app in apps() and split in (None, p.split)]
    usual = [p for p in _healthy().values() if p.app in apps()]
    calm = [*(usual if given else ()), *_lived_in().values()]
    every = (*_computed().values(), *(_composed().values() if several else ()))
    computed = (p for p in every if split in (None, p.split))
    return (*given, *computed, *(replace(p, split=split or p.split) for p in calm))


def problems(
    task: str | None = None, app: str | None = None, split: str | None = None, tier: str | None = None
) -> tuple[Problem, ...]:
    """The problems of AIOpsLab, or with a split or a tier all of that, filtered.

    Args:
        task: `detection`, `localization`, `analysis` or `mitigation`; or `incident`, which poses those that can be
            repaired once more, from the page to the report, and is left out where no task is named.
        app: id of an app, `hotel_reservation`.
        split: None, or `train` or `test` for the computed problems, of which `train` holds AIOpsLab's too.
        tier: how hard they are, see `catalog.tiers`; None for all that are not `hard`. A tier without a split is of
            both.

    Raises:
        CatalogError: a filter that names nothing.
    """
    _known("task", task, POSED)
    if app is not None:
        find_app(app)
    _known("split", split, SPLITS)
    _known("tier", tier, TIERS)
    wanted = {"task": task, "app": app}
    given = split is None and tier is None
    found: Iterable[Problem]
    found = _fixed().values() if given else _split(split, several=tier == "hard")
    found = (p for p in found if (task is not None or p.task != INCIDENT) and _is_of(p, tier))
    return tuple(p for p in found if all(value is None or getattr(p, key) == value for key, value in wanted.items()))


def _is_of(problem_: Problem, tier: str | None) -> bool:
    """Whether a problem is of a tier, None for all but the hard ones; nothing wrong is basic as well as standard."""
    hard = problem_.tier == "hard"
    if tier is None or (not problem_.fault and tier != "hard"):
        return not hard
    return problem_.tier == tier


def draw(task: str, seed: int, split: str | None = None, app: str | None = None, tier: str | None = None) -> Problem:
    """The problem that a seed draws for a task, healthy episodes included; a pure function of its arguments.

    Raises CatalogError where the split, or the app or the tier in it, has no problem with a fault.

    Healthy are 40 % of Detection, 15 % of Localization and Analysis and 20 % of Incident, each app as often as it has
    faults; a mitigation has something to mend. Of a split or a tier each family of faults is drawn as often, then each
    app, then each target: no family dominates for its many targets. Of Analysis the answer is drawn before that, first
    its kind and then its layer: most families share one label, and whoever always gave it would be right most of the
    time.
    """
    blamed = None if tier != "hard" else hash_to_fraction(seed, "blamed") >= BLAMELESS
    faulty = _faulty(task, split, app, tier, blamed) or _faulty(task, split, app, tier)
    given = split is None and tier is None
    if not faulty:  # healthy episodes alone would make one answer always right
        where = f"{f' of {app}' if app else ''}{f' in tier {tier!r}' if tier else ''} in split {split!r}"
        raise ArgumentError(f"no {task} problem with a fault{where}")
    healthy = hash_to_fraction(seed, "healthy") < HEALTHY_SHARE[task]
    for key in (*(LABEL if task == "analysis" else ()), *(() if given else PLACE)):
        names = sorted({_said(p, key) for p in faulty})
        name = names[int(hash_to_fraction(seed, "problem", key) * len(names))]
        faulty = tuple(p for p in faulty if _said(p, key) == name)
    found = faulty[int(hash_to_fraction(seed, "problem") * len(faulty))]
    return _well(found) if healthy else found


BLAMELESS = 0.25
"""Share of hard incidents in which no change is to blame."""


def blames_any(problem_: Problem) -> bool:
    """Whether something that was written in the cluster is to blame for an incident."""
    return any(blames_change(faults()[fault]) for fault, _ in problem_.causes)


def _well(problem_: Problem) -> Problem:
    """The same app in the same kind of world with nothing wrong: neither tells whether something is."""
    same = _lived_in() if is_lived_in(problem_) else _healthy()
    like = (problem_.app, problem_.task)
    calm = next(p for p in same.values() if (p.app, p.task) == like and _is_of(p, problem_.tier))
    return replace(calm, split=problem_.split)


LABEL, PLACE = ("kind", "layer"), ("fault", "app", "target")
"""What is drawn one after another: the answer to Analysis, and the incident."""


def _said(problem: Problem, key: str) -> str:
    """What a problem is about, or one of the two words that answer it."""
    found: str = getattr(faults()[problem.fault] if key in LABEL else problem, key)
    return found


@cache
def _faulty(
    task: str, split: str | None, app: str | None, tier: str | None, blamed: bool | None = None
) -> tuple[Problem, ...]:
    """Problems with a fault, where it is asked those in which a change is to blame, or those in which none is."""
    found = (p for p in problems(task, app, split, tier) if p.fault)
    return tuple(p for p in found if blamed is None or blames_any(p) == blamed)


def list_healthy(task: str, split: str | None = None, tier: str | None = None) -> tuple[Problem, ...]:
    """Episodes of a task in which nothing is wrong, beside AIOpsLab's or those of a split; none for mitigation."""
    found = _lived_in() if split or tier else _healthy()
    return tuple(p for p in found.values() if p.task == task and _is_of(p, tier))


def find_problem(id_: str) -> Problem:
    """The problem with an id. Raises CatalogError with the nearest ids."""
    for known in (_fixed, _healthy, _computed, _lived_in, _composed):
        if id_ in known():
            return known()[id_]
    raise unknown("problem", id_, {**_fixed(), **_computed(), **_composed()}, WHERE)


def find_app(id_: str) -> App:
    """The app with an id, in Docker too. Raises CatalogError."""
    if id_ not in _written():
        raise unknown("app", id_, apps(), WHERE)
    return _written()[id_]


def find_fault(
    problem_: Problem, live: Sequence[Manifest] = (), seed: int | None = None, *, bare: bool = False
) -> Fault | None:
    """What breaks in a problem, with the names of its target filled in; None where nothing does.

    Args:
        problem_: the problem.
        live: objects of the app as they are at that moment, where they are not what its manifests say.
        seed: draws the names of what the fault makes; without one they are the first of their pools.
        bare: what breaks is enough, without looks and repairs.
    """
    parts = []
    for cause, target in problem_.causes:
        found, names = faults()[cause], find_names(replace(problem_, target=target), live, seed)
        parts.append(fill_in(replace(found, looks=(), fixes=()) if bare else found, names))
    return merge_faults(problem_, parts)


def find_names(problem_: Problem, live: Sequence[Manifest] = (), seed: int | None = None) -> dict[str, str]:
    """What the `{names}` of a fault stand for in a problem; arguments as in `find_fault`."""
    world, target = find_app(problem_.app), problem_.target
    names = {"namespace": world.namespace, "selector": world.selector, "target": target}
    known = find_components(world.id).get(target)
    as_it_is = read_names(world, target, live or world.manifests) if known else {}
    if known:
        pods = int(as_it_is.get("replicas", "1"))
        as_it_is |= size_limits(float(known.names["work"]), pods, problem_.rate, live)
        as_it_is |= read_variable(find_deployment(world, target, live), known.names)
    as_it_is |= read_flags(world, live)
    return {**names, **(known.names if known else {}), **as_it_is, **name_new(target, live, seed)}


def merge_faults(problem_: Problem, parts: Sequence[Fault]) -> Fault | None:
    """What breaks in a problem, from the faults that befall its world one by one; None where there is none."""
    if not problem_.how:
        return parts[0] if parts else None
    known = find_components(problem_.app)
    return composed.merge(parts, find_app(problem_.app).namespace, composed.choose_spread(problem_, known))


def describe_fault(fault_id: str) -> str:
    """What a fault is, in a sentence for people: the first line of its file.

    >>> describe_fault("misconfig_k8s").split(":")[0]
    'A Service forwards to a port on which its pods do not listen'
    """
    return (scan_one("aiops_gym.catalog.faults", fault_id, "__doc__") or fault_id).strip().splitlines()[0]


def fill_in(value: T, names: Mapping[str, str]) -> T:
    """A copy of data in which each `{name}` that `names` has is replaced, in all strings and keys; other braces stay.

    A string that is `#{name}` and nothing else becomes the data that the name stands for, written as JSON.

    >>> fill_in({"a": ["{target}-x", "{role: 'r'}"]}, {"target": "geo"})
    {'a': ['geo-x', "{role: 'r'}"]}
    """
    result: Any = value
    if isinstance(value, str) and (whole := re.fullmatch(r"#\{(\w+)\}", value)) and whole[1] in names:
        result = json.loads(names[whole[1]])
    elif isinstance(value, str):
        result = re.sub(r"\{(\w+)\}", lambda m: names.get(m[1], m[0]), value)
    elif isinstance(value, Mapping):
        result = {fill_in(key, names): fill_in(inner, names) for key, inner in value.items()}
    elif isinstance(value, list | tuple):
        result = type(value)(fill_in(inner, names) for inner in value)
    elif is_dataclass(value) and not isinstance(value, type):
        result = replace(value, **{f.name: fill_in(getattr(value, f.name), names) for f in fields(value)})
    return result  # type: ignore[no-any-return]


def _known(what: str, name: str | None, names: Collection[str]) -> None:
    if name is not None and name not in names:
        raise unknown(what, name, names, WHERE)

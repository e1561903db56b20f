"""Finding apps, faults and problems: each folder of the catalogue is scanned, one thing a file.

>>> len(problems(app="hotel_reservation"))
38
>>> problem("redeploy_without_PV-mitigation-1").fault
'redeploy_without_pv'
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass, replace
from functools import cache
from hashlib import blake2b
from importlib import import_module
from pkgutil import iter_modules
from typing import Any, TypeVar

from aiops_gym.catalog.model import TASKS, App, Fault, Incident, Problem
from aiops_gym.errors import CatalogError

T = TypeVar("T")

HEALTHY_SHARE = {"detection": 0.4, "localization": 0.15, "analysis": 0.15, "mitigation": 0.0}


def _scan(folder: str, attribute: str) -> dict[str, Any]:
    """The attribute of every module in a folder of the catalogue, by the module's name."""
    package = import_module(f"aiops_gym.catalog.{folder}")
    names = sorted(module.name for module in iter_modules(package.__path__))
    return {name: getattr(import_module(f"{package.__name__}.{name}"), attribute) for name in names}


@cache
def apps() -> Mapping[str, App]:
    """All applications by id."""
    return _scan("apps", "app")


@cache
def faults() -> Mapping[str, Fault]:
    """All faults by id."""
    return _scan("faults", "fault")


@cache
def _incidents() -> tuple[Incident, ...]:
    return tuple(row for rows in _scan("problems", "incidents").values() for row in rows)


@cache
def _fixed() -> Mapping[str, Problem]:
    """The problems of the catalogue: each incident as each task it is posed as."""
    return {p.id: p for row in _incidents() for p in (_posed(row, task) for task in row.tasks)}


@cache
def _healthy() -> Mapping[str, Problem]:
    """Healthy episodes of each app, for the tasks whose answer may be that nothing is wrong."""
    rows = [row for row in _incidents() if not row.fault]
    return {p.id: p for row in rows for p in (_posed(row, task) for task in TASKS[:3])}


def _posed(row: Incident, task: str) -> Problem:
    name = row.name.format(task=task)
    return Problem(id=name, task=task, app=row.app, fault=row.fault, target=row.target, split=row.split, rate=row.rate)


def problems(task: str | None = None, app: str | None = None, split: str | None = None) -> tuple[Problem, ...]:
    """The fixed problems, filtered.

    Args:
        task: `detection`, `localization`, `analysis` or `mitigation`.
        app: id of an app, `hotel_reservation`.
        split: `train` or `test`.

    Raises:
        CatalogError: a filter that names nothing.
    """
    _known("task", task, TASKS)
    _known("app", app, apps())
    _known("split", split, ("train", "test"))
    wanted = {"task": task, "app": app, "split": split}
    return tuple(
        p for p in _fixed().values() if all(value is None or getattr(p, key) == value for key, value in wanted.items())
    )


def draw(task: str, seed: int, split: str | None = None) -> Problem:
    """The problem that a seed draws for a task, healthy episodes included; a pure function of its arguments.

    Raises CatalogError where the split has no problem with a fault.

    Healthy are 40 % of Detection and 15 % of Localization and Analysis; a mitigation has something to mend.
    """
    calm, faulty = healthy(task), tuple(p for p in problems(task, split=split) if p.fault)
    if not faulty:  # healthy episodes alone would make one answer always right
        raise CatalogError(f"no {task} problem with a fault in split {split!r}")
    pool = calm if calm and _number(seed, "healthy") < HEALTHY_SHARE[task] else faulty
    return pool[int(_number(seed, "problem") * len(pool))]


def _number(seed: int, purpose: str) -> float:
    """A number in [0, 1) that depends on its arguments only."""
    digest = blake2b(f"{seed} {purpose}".encode(), digest_size=8).digest()
    return (int.from_bytes(digest, "big") >> 11) * 2.0**-53


def healthy(task: str) -> tuple[Problem, ...]:
    """Episodes of a task in which nothing is wrong; none for mitigation."""
    return tuple(p for p in _healthy().values() if p.task == task)


def problem(id_: str) -> Problem:
    """The problem with an id. Raises CatalogError with the nearest ids."""
    found = _fixed().get(id_) or _healthy().get(id_)
    if found is None:
        _known("problem", id_, _fixed())
    assert found is not None
    return found


def app(id_: str) -> App:
    """The app with an id. Raises CatalogError."""
    _known("app", id_, apps())
    return apps()[id_]


def fault(problem_: Problem) -> Fault | None:
    """What breaks in a problem, with the names of its target filled in; None where nothing does."""
    if not problem_.fault:
        return None
    world, target = app(problem_.app), problem_.target
    names = {"namespace": world.namespace, "selector": world.selector, "target": target}
    return filled(faults()[problem_.fault], {**names, **world.parameters.get(target, {})})


def filled(value: T, names: Mapping[str, str]) -> T:
    """A copy of data in which each `{name}` that `names` has is replaced, in all strings; other braces stay.

    >>> filled({"a": ["{target}-x", "{role: 'r'}"]}, {"target": "geo"})
    {'a': ['geo-x', "{role: 'r'}"]}
    """
    result: Any = value
    if isinstance(value, str):
        result = re.sub(r"\{(\w+)\}", lambda m: names.get(m[1], m[0]), value)
    elif isinstance(value, Mapping):
        result = {key: filled(inner, names) for key, inner in value.items()}
    elif isinstance(value, list | tuple):
        result = type(value)(filled(inner, names) for inner in value)
    elif is_dataclass(value) and not isinstance(value, type):
        result = replace(value, **{f.name: filled(getattr(value, f.name), names) for f in fields(value)})
    return result  # type: ignore[no-any-return]


def _known(what: str, name: str | None, names: Sequence[str] | Mapping[str, Any]) -> None:
    if name is None or name in names:
        return
    near = difflib.get_close_matches(name, names, n=3, cutoff=0.4)
    hint = f"did you mean {' or '.join(near)}?" if near else f"there are: {', '.join(sorted(names))}"
    raise CatalogError(f"no {what} {name!r}: {hint}")

"""Families that say what stands in objects, a line each: `name | resource | labels | value | help`.

Paths go from the object, or with a dot before them from the item of a list. Among the labels, between blanks:

- `label=path`: the text at the path; `!label=path`: nothing is said where there is none;
- `label:A,B=path`: a series for each of these texts, 1 for the one that stands there and 0 for the others;
- `*path`: once for each item of this list; `?path=text`: only where this text stands at the path.

The value is a number, or what stands at a path: a number, a quantity, a time, or whether something is true. Where there
is nothing nothing is said, but for `path/0`, where it is 0 then, and `path?`, which tells whether something is there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

from aiops_gym.sim.kernel.objects import get, name_of, namespace_of
from aiops_gym.sim.kernel.times import millis
from aiops_gym.sim.telemetry.families import Family, Rows, Tell, tell
from aiops_gym.sim.traffic.quotas import parse_amount
from aiops_gym.types import Json

Object = Mapping[str, Json]
Reader = Callable[[Object, Object], Json]
"""(object, item of a list) -> what stands at a path."""

LABELS = {
    "pods": "pod",
    "services": "service",
    "nodes": "node",
    "namespaces": "namespace",
    "persistentvolumeclaims": "persistentvolumeclaim",
    "persistentvolumes": "persistentvolume",
    "resourcequotas": "resourcequota",
    "deployments.apps": "deployment",
    "replicasets.apps": "replicaset",
    "statefulsets.apps": "statefulset",
    "daemonsets.apps": "daemonset",
    "jobs.batch": "job_name",
    "cronjobs.batch": "cronjob",
    "horizontalpodautoscalers.autoscaling": "horizontalpodautoscaler",
}
"""The label that holds an object's name."""


class Statement(NamedTuple):
    """A line as it is read: where the items of a list stand, what must hold, labels, the choice, the value."""

    resource: str
    items: Sequence[str | int]
    where: Sequence[tuple[Reader, str]]
    labels: Sequence[tuple[str, Reader, bool]]
    choice: tuple[str, Sequence[str], Reader] | None
    value: Callable[[Object, Object], float | None]


def read_lines(text: str) -> tuple[Family, ...]:
    """The families of a table."""
    rows = [[part.strip() for part in line.split("|")] for line in text.strip().splitlines()]
    return tuple(
        tell(name, help_, resource, _teller(resource, labels, value), "counter" if name.endswith("_total") else "gauge")
        for name, resource, labels, value, help_ in rows
    )


def name_labels(resource: str, obj: Object) -> dict[str, str]:
    """Namespace and name of an object, and the uid of a pod."""
    found = {"namespace": namespace_of(obj)} if namespace_of(obj) else {}
    found[LABELS[resource]] = name_of(obj)
    return {**found, "uid": obj["metadata"]["uid"]} if resource == "pods" else found


def _teller(resource: str, labels: str, value: str) -> Tell:
    statement = Statement(resource, (), [], [], None, _value(value))
    for word in labels.split():
        statement = _with(statement, word)
    return lambda obj: _say(statement, obj)


def _with(statement: Statement, word: str) -> Statement:
    """A statement with one more word of its labels."""
    if word.startswith("*"):
        return statement._replace(items=_steps(word[1:]))
    label, _, path = word.partition("=")
    if word.startswith("?"):
        return statement._replace(where=[*statement.where, (_reader(label[1:]), path)])
    if ":" in label:
        name, _, texts = label.partition(":")
        return statement._replace(choice=(name, texts.split(","), _reader(path)))
    needed = label.startswith("!")
    return statement._replace(labels=[*statement.labels, (label.lstrip("!"), _reader(path), needed)])


def _say(statement: Statement, obj: Object) -> Rows:
    common = name_labels(statement.resource, obj)
    for item in get(obj, *statement.items, default=()) if statement.items else (obj,):
        if not all(_text(read(obj, item)) == text for read, text in statement.where):
            continue
        told = {label: _text(read(obj, item)) for label, read, _ in statement.labels}
        if all(told[label] for label, _, needed in statement.labels if needed):
            yield from _valued(statement, obj, item, {**common, **told})


def _valued(
    statement: Statement, obj: Object, item: Object, labels: dict[str, str]
) -> Iterator[tuple[dict[str, str], float]]:
    if statement.choice:
        label, texts, read = statement.choice
        found = _text(read(obj, item)).lower()
        for text in texts:
            yield {**labels, label: text}, float(found == text.lower())
        return
    value = statement.value(obj, item)
    if value is not None:
        yield labels, value


def _steps(path: str) -> Sequence[str | int]:
    return [int(step) if step.isdigit() else step for step in path.strip(".").split(".")]


def _reader(path: str) -> Reader:
    steps = _steps(path)
    return (lambda obj, item: get(item, *steps)) if path.startswith(".") else (lambda obj, item: get(obj, *steps))


def _text(value: Json) -> str:
    return "" if value is None else str(value).lower() if isinstance(value, bool) else str(value)


def _value(text: str) -> Callable[[Object, Object], float | None]:
    if text.isdigit():
        return lambda obj, item: float(text)
    path, _, otherwise = text.partition("/")
    there, read = path.endswith("?"), _reader(path.rstrip("?"))
    if there:
        return lambda obj, item: float(read(obj, item) is not None)

    def value(obj: Object, item: Object) -> float | None:
        found = read(obj, item)
        if found is None:
            return float(otherwise) if otherwise else None
        if isinstance(found, str):
            return millis(found) / 1000 if found.endswith("Z") else parse_amount(found)
        return float(found)

    return value

"""One change of one object, somewhere in the tree of its fields: what it becomes, and the patches that make it so."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from values import Dice, Values

from aiops_gym.sim.kube_api.schema import Field, fields, type_of

Json = Any
Path = tuple[str | int, ...]

OWN = ("apiVersion", "kind")
STEADY = ("name", "namespace", "uid", "resourceVersion", "creationTimestamp", "managedFields", "generation", "selfLink")
"""Metadata that a server refuses to change, or overrides: tried rarely."""


class Change(NamedTuple):
    """A value at a path; `gone` if the field is taken out."""

    path: Path
    value: Json
    gone: bool = False

    def applied(self, obj: Json) -> Json:
        """A copy of an object with this change."""
        return _applied(obj, self.path, self)

    def merged(self, obj: Json) -> Json:
        """The merge patch that makes it: lists are written as a whole."""
        path = self.path
        cut = next((i for i, step in enumerate(path) if isinstance(step, int)), len(path))
        value = None if self.gone else self.value
        if cut < len(path):
            value = _applied(_at(obj, path[:cut]), path[cut:], self)
        for step in reversed(path[:cut]):
            value = {step: value}
        return value

    def operation(self, obj: Json) -> Json:
        """The operation of a JSON patch that makes it."""
        pointer = "".join("/" + str(step).replace("~", "~0").replace("/", "~1") for step in self.path)
        if self.gone:
            return {"op": "remove", "path": pointer}
        there = _at(obj, self.path) is not None
        return {"op": "replace" if there else "add", "path": pointer, "value": self.value}


def draw(dice: Dice, values: Values, obj: Mapping[str, Any], within: str = "") -> Change:
    """A change somewhere in an object, in its status only if `within` says so."""
    kind = type_of(obj["apiVersion"], obj["kind"])
    path: Path = ()
    here: Json = obj
    if within:
        declared = fields(kind)[within]
        path, here, kind = (within,), obj.get(within) or {}, declared.type
    while True:
        name, declared = _field(dice, kind, here, path)
        path, inner = (*path, name), here.get(name)
        if declared.shape == "list" and isinstance(inner, list) and inner and dice.odds(0.8):
            index = dice.below(len(inner))
            path, inner = (*path, index), inner[index]
            if not (fields(declared.type) and isinstance(inner, dict) and dice.odds(0.85)):
                return _end(dice, values, name, Field(declared.type), path)
        elif declared.shape or not (fields(declared.type) and isinstance(inner, dict) and inner and dice.odds(0.85)):
            return _end(dice, values, name, declared, path)
        here, kind = inner, declared.type


def _field(dice: Dice, kind: str, here: Mapping[str, Any], path: Path) -> tuple[str, Field]:
    known = {name: declared for name, declared in fields(kind).items() if path or name not in OWN}
    if path == ("metadata",) and dice.odds(0.95):
        known = {name: declared for name, declared in known.items() if name not in STEADY}
    present = [name for name in known if name in here]
    name = dice.of(present if present and dice.odds(0.65) else [*known])
    return name, known[name]


def _end(dice: Dice, values: Values, name: str, declared: Field, path: Path) -> Change:
    if dice.odds(0.12):
        return Change(path, None, gone=True)
    return Change(path, values.of(name, declared))


def _at(obj: Json, path: Path) -> Json:
    for step in path:
        if isinstance(obj, Mapping):
            obj = obj.get(step)
        elif isinstance(obj, list) and isinstance(step, int) and step < len(obj):
            obj = obj[step]
        else:
            return None
    return obj


def _applied(here: Json, path: Path, change: Change) -> Json:
    if not path:
        return change.value
    step, rest = path[0], path[1:]
    if isinstance(step, int):
        if change.gone and not rest:
            return [item for i, item in enumerate(here) if i != step]
        return [_applied(item, rest, change) if i == step else item for i, item in enumerate(here)]
    here = here if isinstance(here, Mapping) else {}
    if change.gone and not rest:
        return {key: value for key, value in here.items() if key != step}
    return {**here, step: _applied(here.get(step), rest, change)}

"""`--sort-by`: the order of kubectl's table sorter."""

from __future__ import annotations

import re
from collections.abc import Sequence
from decimal import Decimal
from functools import cmp_to_key, lru_cache
from typing import Any, Final

from aiops_gym.shell.kubectl.errors import Failure
from aiops_gym.shell.kubectl.flags import go_quote
from aiops_gym.shell.kubectl.output.jsonpath import JsonPathError, Template, parse
from aiops_gym.sim.api import quantity
from aiops_gym.sim.objects import Obj

Json = Any
_RELAXED: Final = re.compile(r"\{\.?([^{}]+)\}\Z|\.?([^{}]+)\Z")
_TIME: Final = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ\Z")
_DIGITS: Final = re.compile(r"(\d+)")
_MISSING: Final = object()


def relaxed(path: str) -> str:
    """A path written loosely as a template: `.metadata.name`, `metadata.name` -> `{.metadata.name}`.

    Raises:
        Failure: for anything else.
    """
    if not path:
        return path
    found = _RELAXED.match(path)
    if found is None:
        raise Failure(
            "unexpected path string, expected a 'name1.name2' or '.name1.name2' or '{name1.name2}' or '{.name1.name2}'"
        )
    return "{." + (found[1] or found[2]) + "}"


def order(objects: Sequence[Json], field: str, table: bool = True) -> list[int]:
    """The positions of objects in the order of a field; equal ones keep their order.

    Raises:
        Failure: the path is none, or no object has the field.
    """
    template = _template(field, table)
    slot = f"kubectl.sort {field}"
    values = [_value(obj, slot, template) for obj in objects]
    if objects and all(value is _MISSING for value in values):
        raise Failure(f"couldn't find any field with path {go_quote(_path(field, table))} in the list of objects")
    return sorted(range(len(values)), key=_keys(values).__getitem__)


def _path(field: str, table: bool) -> str:
    try:
        return relaxed(field)
    except Failure:
        if not table:
            raise
        return field


def _template(field: str, table: bool) -> Template:
    try:
        return parse(_path(field, table))
    except JsonPathError as error:
        raise Failure(f"sorting error: {error}" if table else str(error)) from None


def _value(obj: Json, slot: str, template: Template) -> Any:
    """The first value of the field, kept in the object's memo."""
    if not isinstance(obj, Obj):
        return _first(obj, template)
    memo = obj.memo
    found = memo.get(slot, memo)
    if found is memo:
        found = memo[slot] = _first(obj, template)
    return found


def _first(obj: Json, template: Template) -> Any:
    try:
        results = template.find(obj)
    except JsonPathError as error:
        raise Failure(str(error)) from None
    return results[0][0] if results and results[0] else _MISSING


def _keys(values: Sequence[Any]) -> list[Any]:
    """Sort keys: missing first, then null, then by kind: numbers by value, quantities by size, texts naturally."""
    present = [value for value in values if value is not _MISSING and value is not None]
    if all(isinstance(value, str) for value in present):
        if all(map(_TIME.match, present)):
            return [_ranked(value, value) for value in values]
        return _mixed(values)
    if all(isinstance(value, int | float) and not isinstance(value, bool) for value in present):
        return [_ranked(value, value) for value in values]
    kind = next(value for value in present if not isinstance(value, str | int | float) or isinstance(value, bool))
    raise Failure(f"Field is an unsortable type: {type(kind).__name__}")


def _ranked(value: Any, key: Any) -> tuple[int, Any]:
    return (0, 0) if value is _MISSING else (1, 0) if value is None else (2, key)


def _mixed(values: Sequence[Any]) -> list[Any]:
    """Keys of texts, which compare as quantities where both are, naturally otherwise."""
    return [_ranked(value, _by_rule(value)) for value in values]


def _compare(a: str, b: str) -> int:
    x, y = _quantity(a), _quantity(b)
    if x is not None and y is not None:
        return int(x > y) - int(x < y)
    return natural(a, b)


_by_rule = cmp_to_key(_compare)


@lru_cache(maxsize=4096)
def _quantity(text: str) -> Decimal | None:
    try:
        return quantity.parse(text)
    except ValueError:
        return None


def natural(a: str, b: str) -> int:
    """Natural order: runs of digits compare as numbers.

    >>> sorted(["pod-10", "pod-9", "pod-1"], key=cmp_to_key(natural))
    ['pod-1', 'pod-9', 'pod-10']
    """
    for x, y in zip(_DIGITS.split(a), _DIGITS.split(b), strict=False):
        if x == y:
            continue
        if x.isdigit() and y.isdigit():
            m, n = x.lstrip("0"), y.lstrip("0")
            if m != n:
                return -1 if (len(m), m) < (len(n), n) else 1
            if len(x) != len(y):
                return -1 if len(x) < len(y) else 1
        else:
            return -1 if x < y else 1
    return (len(a) > len(b)) - (len(a) < len(b))

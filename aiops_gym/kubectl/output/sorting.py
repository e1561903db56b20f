"""`--sort-by`: the order of kubectl's table sorter."""

from __future__ import annotations

import re
from collections.abc import Sequence
from decimal import Decimal
from functools import cmp_to_key
from typing import Any, Final

from aiops_gym import caches
from aiops_gym.clients.gosort import go_sort
from aiops_gym.kubectl.errors import Failure
from aiops_gym.kubectl.output.jsonpath import JsonPathError, Template, parse
from aiops_gym.sim.golang.literals import go_quote
from aiops_gym.sim.kernel import quantity
from aiops_gym.sim.kernel.objects import Obj
from aiops_gym.types import Json

_SORTED = caches.slot(f"{__name__}.sorted", "looking up what objects are sorted by", key="the stored object, the path")

_RELAXED: Final = re.compile(r"\{\.?([^{}]+)\}\Z|\.?([^{}]+)\Z")
_TIME: Final = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ\Z")
_MISSING: Final = object()


def relax_path(path: str) -> str:
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


def order(objects: Sequence[Json], field: str) -> list[int]:
    """The positions of objects in the order of a field, equal ones where Go's sort leaves them.

    Raises:
        Failure: the path is none, or no object has the field.
    """
    template = _template(field)
    values = [_value(obj, (_SORTED, field), template) for obj in objects]
    if objects and all(value is _MISSING for value in values):
        raise Failure(f"couldn't find any field with path {go_quote(relax_path(field))} in the list of objects")
    keys = _keys(values)
    return go_sort(range(len(values)), lambda a, b: values[a] is _MISSING or keys[a] < keys[b])


def _template(field: str) -> Template:
    try:
        return parse(relax_path(field))
    except JsonPathError as error:
        raise Failure(str(error)) from None


def _value(obj: Json, slot: caches.Slot, template: Template) -> Any:
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
    """Sort keys: missing first, then null, then by kind: numbers by value, quantities by size, texts as they are."""
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
    """Keys of texts, which compare as quantities where both are."""
    return [_ranked(value, _by_rule(value)) for value in values]


def _compare(a: str, b: str) -> int:
    x, y = _quantity(a), _quantity(b)
    if x is not None and y is not None:
        return int(x > y) - int(x < y)
    return int(a > b) - int(a < b)


_by_rule = cmp_to_key(_compare)


@caches.function(4096, "parsing a quantity to sort by")
def _quantity(text: str) -> Decimal | None:
    try:
        return quantity.parse(text)
    except ValueError:
        return None

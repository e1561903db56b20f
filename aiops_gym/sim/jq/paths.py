"""Parts of values: looked up, replaced and removed. Nothing is changed: what differs is made anew."""

from __future__ import annotations

from collections.abc import Sequence

from aiops_gym.sim.jq.errors import JqError, OutOfWork
from aiops_gym.sim.jq.values import equal, kind, shown, sort_key
from aiops_gym.types import Json

LONGEST = 1_000_000
"""Places of an array that setting one may make."""

Numbers = (int, float)


def is_number(value: Json) -> bool:
    """Whether a value is a number."""
    return isinstance(value, Numbers) and not isinstance(value, bool)


def look_up(value: Json, key: Json) -> Json:
    """`value[key]`. Raises JqError."""
    if type(key) is str:
        if type(value) is dict:
            return value.get(key)
        if value is None:
            return None
    elif isinstance(key, dict):
        return _slice(value, key)
    elif is_number(key):
        if isinstance(value, list):
            at = _floor(key) if key == key // 1 else None  # jq 1.6 finds nothing at 1.5
            return value[at] if at is not None and -len(value) <= at < len(value) else None
        if value is None:
            return None
    elif isinstance(key, list) and isinstance(value, list):
        return indices(value, key)
    elif value is None and key is None:
        return None
    raise JqError(f"Cannot index {kind(value)} with {_called(key)}")


def _called(key: Json) -> str:
    return f'string "{key}"' if isinstance(key, str) else kind(key)


def _floor(number: float) -> int | None:
    return None if number != number or abs(number) > 1e18 else int(number // 1)  # noqa: PLR0124


def indices(value: list[Json], key: list[Json]) -> Json:
    """Where an array is found inside another one."""
    size = len(key)
    if not size:
        return None
    return [at for at in range(len(value) - size + 1) if all(map(equal, value[at : at + size], key))]


def bounds(size: int, key: dict[str, Json]) -> tuple[int, int]:
    """From where to where a slice reaches. Raises JqError."""
    start, end = key.get("start"), key.get("end")
    if not all(each is None or is_number(each) for each in (start, end)):
        raise JqError("Start and end indices of an array slice must be numbers")
    low = 0.0 if start is None else float(start)
    high = float(size) if end is None else float(end)
    low = low + size if low < 0 else low
    high = high + size if high < 0 else high
    low = min(max(low, 0.0), size) if low == low else 0.0  # noqa: PLR0124
    high = min(max(high, low), size) if high == high else size  # noqa: PLR0124
    first, last = int(low // 1), int(-(-high // 1))
    return first, max(first, last)


def _slice(value: Json, key: dict[str, Json]) -> Json:
    if value is None:
        return None
    if not isinstance(value, list | str):
        raise JqError(f"Cannot index {kind(value)} with object")
    first, last = bounds(len(value), key)
    return value[first:last]


def get_path(value: Json, path: Sequence[Json]) -> Json:
    """What is at a path, null where there is nothing. Raises JqError."""
    for key in path:
        if value is None:
            return None
        value = look_up(value, key)
    return value


def put(value: Json, key: Json, new: Json) -> Json:
    """`value` with `new` at `key`. Raises JqError."""
    if isinstance(key, str) and (value is None or isinstance(value, dict)):
        return {**(value or {}), key: new}
    if isinstance(key, dict):
        return _put_slice(value, key, new)
    if is_number(key) and (value is None or isinstance(value, list)):
        items = list(value or ())
        at = _floor(key) or 0
        if at < 0:
            at += len(items)
        if at < 0:
            raise JqError("Out of bounds negative array index")
        if at >= LONGEST:
            raise OutOfWork
        items += [None] * (at + 1 - len(items))
        items[at] = new
        return items
    if isinstance(key, list):
        raise JqError(f"Cannot update field at array index of {kind(value)}")
    raise JqError(f"Cannot index {kind(value)} with {_called(key)}")


def _put_slice(value: Json, key: dict[str, Json], new: Json) -> Json:
    if value is not None and not isinstance(value, list):
        raise JqError(f"Cannot update field at object index of {kind(value)}")
    if not isinstance(new, list):
        raise JqError("A slice of an array can only be assigned another array")
    items = list(value or ())
    first, last = bounds(len(items), key)
    return [*items[:first], *new, *items[last:]]


def set_path(value: Json, path: Sequence[Json], new: Json) -> Json:
    """`value` with `new` at a path. Raises JqError."""
    above: list[Json] = []
    for key in path:
        above.append(value)
        value = None if value is None else look_up(value, key)
    for key, each in zip(reversed(path), reversed(above), strict=True):
        new = put(each, key, new)
    return new


def delete_paths(value: Json, paths: Json) -> Json:
    """`value` without what is at some paths. Raises JqError."""
    if not isinstance(paths, list):
        raise JqError("Paths must be specified as an array")
    for path in sorted(paths, key=sort_key, reverse=True):
        if not isinstance(path, list):
            raise JqError("Path must be specified as an array")
        value = _delete_path(value, path)
    return value


def _delete_path(value: Json, path: Sequence[Json]) -> Json:
    if not path or value is None:
        return None
    if len(path) == 1:
        return _delete(value, path[0])
    inner = look_up(value, path[0])
    return value if inner is None else put(value, path[0], _delete_path(inner, path[1:]))


def _delete(value: Json, key: Json) -> Json:
    if value is None:
        return None
    if isinstance(value, list) and is_number(key):
        at = _floor(key)
        if at is None or not -len(value) <= at < len(value):
            return value
        at %= len(value)
        return value[:at] + value[at + 1 :]
    if isinstance(value, list) and isinstance(key, dict):
        first, last = bounds(len(value), key)
        return value[:first] + value[last:]
    if isinstance(value, dict) and isinstance(key, str):
        return {name: each for name, each in value.items() if name != key}
    whole = "array" if isinstance(value, list) else "object"
    if isinstance(value, list | dict):
        raise JqError(f"Cannot delete field at {_place(key)} index of {whole}")
    raise JqError(f"Cannot delete field at {_place(key)} index of {kind(value)}")


def _place(key: Json) -> str:
    return {"string": "object", "number": "array"}.get(kind(key), kind(key))


def invalid(value: Json, how: str = "") -> JqError:
    """What is no part of the input was to be followed as if it were, or changed."""
    how = f"near attempt to {how}" if how else "with result"
    return JqError(f"Invalid path expression {how} {shown(value, 29)}")

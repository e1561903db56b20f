"""What a wrapper remembers, as JSON data and back, bit for bit. Never pickle: no class is looked up by its name."""

from __future__ import annotations

import base64
import math
from collections import deque
from typing import Any

import numpy as np

from aiops_gym.envs import saved
from aiops_gym.errors import SnapshotError

_KIND = "as"
"""Key of what is no plain value of JSON: it names what the rest of the object stands for."""

_LARGEST = 2**53
"""Whole numbers from here on are written as text."""


def encode(value: Any) -> Any:
    """A value as JSON data.

    Raises:
        TypeError: it is of a kind that cannot be written down.

    >>> encode({"steps": 3, "seen": {"b", "a"}})
    {'as': 'dict', 'items': [['steps', 3], ['seen', {'as': 'set', 'items': ['a', 'b']}]]}
    """
    if value is None or type(value) in (bool, str):
        return value
    if type(value) is int:
        return value if abs(value) < _LARGEST else {_KIND: "int", "text": str(value)}
    if type(value) is float:
        return value if math.isfinite(value) else {_KIND: "float", "text": repr(value)}
    if isinstance(value, np.ndarray | np.generic) and value.dtype != object:
        return _array(value)
    if isinstance(value, np.random.Generator):
        return {_KIND: "generator", "state": saved.generator_to_json(value)}
    if isinstance(value, bytes):
        return {_KIND: "bytes", "text": base64.b64encode(value).decode()}
    return _gathered(value)


def _array(value: Any) -> dict[str, Any]:
    kind = "array" if isinstance(value, np.ndarray) else "number"
    data = base64.b64encode(np.ascontiguousarray(value).tobytes()).decode()
    return {_KIND: kind, "dtype": value.dtype.str, "shape": list(value.shape), "data": data}


def _gathered(value: Any) -> Any:
    """Something that holds other values."""
    if type(value) in (list, tuple):
        items = [encode(each) for each in value]
        return items if type(value) is list else {_KIND: "tuple", "items": items}
    if type(value) in (set, frozenset):
        return {_KIND: type(value).__name__, "items": [encode(each) for each in sorted(value, key=repr)]}
    if type(value) is dict:
        return {_KIND: "dict", "items": [[encode(key), encode(each)] for key, each in value.items()]}
    if type(value) is deque:
        return {_KIND: "deque", "items": [encode(each) for each in value], "longest": value.maxlen}
    parts = getattr(value, "__dict__", None)
    if parts is None or callable(value) or isinstance(value, type):
        raise TypeError(f"a {type(value).__name__} cannot be written down")
    return {_KIND: "object", "of": _named(value), "parts": encode(dict(parts))}


def _named(value: Any) -> str:
    return f"{type(value).__module__}.{type(value).__qualname__}"


def decode(data: Any, before: Any = None) -> Any:
    """The value again.

    Args:
        before: what stands in its place now: an object of a class of its own is made like this one.

    Raises:
        SnapshotError: the data stands for nothing, or for another kind of object than is there.

    >>> decode(encode((1, {2: b"x"}, float("inf"))))
    (1, {2: b'x'}, inf)
    """
    if isinstance(data, list):
        return [decode(each) for each in data]
    if not isinstance(data, dict):
        return data
    try:
        return _decoded(data[_KIND], data, before)
    except (KeyError, TypeError, ValueError) as error:
        raise SnapshotError(f"the snapshot is damaged: {error!r}") from None


def _decoded(kind: str, data: dict[str, Any], before: Any) -> Any:
    if kind in ("int", "float"):
        return {"int": int, "float": float}[kind](data["text"])
    if kind in ("array", "number"):
        found = np.frombuffer(base64.b64decode(data["data"]), np.dtype(data["dtype"])).reshape(data["shape"]).copy()
        return found if kind == "array" else found[()]
    if kind == "generator":
        return saved.generator_from_json(data["state"])
    if kind == "bytes":
        return base64.b64decode(data["text"])
    if kind == "object":
        return _like(data, before)
    items = data["items"]
    if kind == "dict":
        return {decode(key): decode(each) for key, each in items}
    if kind == "deque":
        return deque(map(decode, items), data["longest"])
    return {"tuple": tuple, "set": set, "frozenset": frozenset}[kind](map(decode, items))


def _like(data: dict[str, Any], before: Any) -> Any:
    if before is None or _named(before) != data["of"]:
        raise SnapshotError(f"the snapshot holds a {data['of']}, and here is a {_named(before)}")
    found = object.__new__(type(before))
    parts = {key: decode(each, vars(before).get(key)) for key, each in data["parts"]["items"]}
    found.__dict__.update(parts)
    return found

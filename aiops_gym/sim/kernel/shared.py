"""Equal data as one object: what worlds have in common is in memory once, and in a file once.

A world that is read has ten thousand dicts and lists, and others have nine in ten of them as well: templates,
environments, nodes of call graphs. Stored values never change, so nobody can tell.
"""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import blake2b
from sys import intern

import orjson

from aiops_gym.caches import Cache, Entry
from aiops_gym.types import Json

DIGEST = 12
"""Bytes that tell one value from all others, types of numbers and order of keys included."""

_values: Cache[Json] = Cache(
    Entry(f"{__name__}.values", "memory: equal dicts and lists are one object", key="digest of its JSON", bound=20_000)
)


def share(value: Json) -> Json:
    """The dict or list that is equal to this one and that others have as well."""
    return _values.get(_digest(value), lambda: value)


def fold(value: Json) -> Json:
    """A dict or list as data in which each that is in it stands once: a part is a list with the place of another one.

    >>> fold({"a": {"ms": 2.0}, "b": [{"ms": 2.0}, 1]})["parts"]
    [{'ms': 2.0}, [[0], 1], {'a': [0], 'b': [1]}]
    """
    places: dict[bytes, int] = {}
    parts: list[Json] = []

    def put(value: Json) -> Json:
        if not isinstance(value, dict | list | tuple):
            return value
        digest = _digest(value)
        if digest not in places:
            part = {k: put(each) for k, each in value.items()} if isinstance(value, dict) else [*map(put, value)]
            places[digest] = len(parts)
            parts.append(part)
        return [places[digest]]

    put(value)
    return {"parts": parts, "digests": b"".join(places).hex()}


def unfold(folded: Json) -> Json:
    """What was folded; what is equal in it and in others that were read is one object.

    Raises ValueError, TypeError or LookupError where it is no such data.

    >>> unfold(fold({"a": {"ms": 2.0}, "b": [{"ms": 2.0}, 1]}))
    {'a': {'ms': 2.0}, 'b': [{'ms': 2.0}, 1]}
    """
    found: list[Json] = []
    for digest, part in zip(_split(bytes.fromhex(folded["digests"])), folded["parts"], strict=True):
        value = _values.seen(digest)
        if value is None:
            value = _join(part, found)
            _values.put(digest, value)
        found.append(value)
    return found[-1]


def _join(part: Json, found: list[Json]) -> Json:
    pairs = part.items() if isinstance(part, dict) else enumerate(part)
    for key, each in pairs:
        if type(each) is list:
            part[key] = found[each[0]]
        elif type(each) is str:
            part[key] = intern(each)
    return part


def _split(digests: bytes) -> Iterator[bytes]:
    return (digests[at : at + DIGEST] for at in range(0, len(digests), DIGEST))


def _digest(value: Json) -> bytes:
    return blake2b(orjson.dumps(value), digest_size=DIGEST).digest()

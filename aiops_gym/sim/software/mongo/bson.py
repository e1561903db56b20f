"""How a MongoDB server writes a document into its errors and logs, and how documents are compared.

Documents are JSON; what JSON lacks is written as in MongoDB's extended JSON: `$oid`, `$date`, `$numberLong`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from aiops_gym.types import Json


def text(value: Json) -> str:
    """A value as in `not authorized on geo-db to execute command { ... }`.

    >>> text({"count": "geo", "query": {"id": 1, "tags": []}, "$db": "geo-db"})
    '{ count: "geo", query: { id: 1, tags: [] }, $db: "geo-db" }'
    """
    if isinstance(value, Mapping):
        if (special := _special(value)) is not None:
            return special
        return "{ " + ", ".join(f"{k}: {text(v)}" for k, v in value.items()) + " }" if value else "{}"
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, Sequence):
        return "[ " + ", ".join(text(v) for v in value) + " ]" if value else "[]"
    return json.dumps(value)


def _special(value: Mapping[str, Json]) -> str | None:
    if len(value) != 1:
        return None
    ((kind, inner),) = value.items()
    if kind == "$oid":
        return f"ObjectId('{inner}')"
    if kind == "$uuid":
        return f'UUID("{inner}")'
    if kind == "$date":
        return f"new Date({inner})"
    return str(inner) if kind in ("$numberLong", "$numberInt") else None


RANKS = {"null": 1, "number": 2, "string": 3, "object": 4, "array": 5, "oid": 7, "bool": 8, "date": 9}


def make_sort_key(value: Json) -> tuple[int, Any]:
    """A key that sorts values of any type as MongoDB does: by type first."""
    if value is None:
        return RANKS["null"], 0
    if isinstance(value, bool):
        return RANKS["bool"], value
    if isinstance(value, int | float):
        return RANKS["number"], value
    if isinstance(value, str):
        return RANKS["string"], value
    if isinstance(value, Mapping):
        if "$numberLong" in value:
            return RANKS["number"], int(value["$numberLong"])
        if "$oid" in value:
            return RANKS["oid"], value["$oid"]
        if "$date" in value:
            return RANKS["date"], str(value["$date"])
        return RANKS["object"], [(k, make_sort_key(v)) for k, v in value.items()]
    return RANKS["array"], [make_sort_key(v) for v in value]


def is_equal(a: Json, b: Json) -> bool:
    """Equality as MongoDB sees it: 1 is 1.0, but never true."""
    if isinstance(a, str) and isinstance(b, str):
        return a == b
    return make_sort_key(a) == make_sort_key(b)

"""Which documents a filter means, and what an update makes of one: the operators in daily use."""

from __future__ import annotations

import re
from collections.abc import Mapping

from aiops_gym.sim.kernel.digits import is_natural
from aiops_gym.sim.software.mongo import bson
from aiops_gym.sim.software.mongo.errors import MongoError
from aiops_gym.types import Json

Document = dict[str, Json]
MISSING = object()


def matches(document: Mapping[str, Json], query: Mapping[str, Json]) -> bool:
    """Whether a document meets a filter. Raises MongoError for an unknown operator.

    >>> matches({"a": {"b": [1, 2]}, "n": 3}, {"a.b": 2, "n": {"$gte": 3, "$lt": 4}})
    True
    """
    for key, wanted in query.items():
        if key == "$and":
            met = all(matches(document, q) for q in wanted)
        elif key == "$or":
            met = any(matches(document, q) for q in wanted)
        elif key == "$nor":
            met = not any(matches(document, q) for q in wanted)
        elif key.startswith("$") and key != "$comment":
            raise MongoError(2, f"unknown top level operator: {key}")
        else:
            met = _meets(find_values(document, key), wanted)
        if not met:
            return False
    return True


def find_values(document: Json, path: str) -> list[Json]:
    """All values at a dotted path; arrays on the way are looked into."""
    head, _, rest = path.partition(".")
    if isinstance(document, list):
        inner = [v for item in document if isinstance(item, Mapping) for v in find_values(item, path)]
        return inner + (
            find_values(document[int(head)], rest) if rest and is_natural(head) and int(head) < len(document) else []
        )
    if not isinstance(document, Mapping) or head not in document:
        return []
    return find_values(document[head], rest) if rest else [document[head]]


def _meets(found: list[Json], wanted: Json) -> bool:
    if isinstance(wanted, str):
        return wanted in found or any(isinstance(v, list) and wanted in v for v in found)
    if isinstance(wanted, Mapping) and any(k.startswith("$") for k in wanted) and not _is_value(wanted):
        return all(_operator(found, name, operand, wanted) for name, operand in wanted.items())
    if isinstance(wanted, Mapping) and "$regularExpression" in wanted:
        return _regex(found, wanted["$regularExpression"]["pattern"], wanted["$regularExpression"]["options"])
    if wanted is None:
        return not found or any(v is None for v in found)
    return any(
        bson.is_equal(v, wanted) or (isinstance(v, list) and any(bson.is_equal(i, wanted) for i in v)) for v in found
    )


def _is_value(wanted: Mapping[str, Json]) -> bool:
    return len(wanted) == 1 and next(iter(wanted)) in ("$oid", "$date", "$numberLong", "$uuid", "$regularExpression")


def _flat(found: list[Json]) -> list[Json]:
    return [item for v in found for item in (v if isinstance(v, list) else [v])]


def _operator(found: list[Json], name: str, operand: Json, whole: Mapping[str, Json]) -> bool:
    if name in ("$gt", "$gte", "$lt", "$lte"):
        return any(_compare(v, name, operand) for v in _flat(found))
    if name == "$eq":
        return _meets(found, operand)
    if name == "$ne":
        return not _meets(found, operand)
    if name in ("$in", "$nin"):
        return any(_meets(found, item) for item in operand) == (name == "$in")
    if name == "$exists":
        return bool(found) == bool(operand)
    if name == "$not":
        return not _meets(found, operand)
    if name == "$size":
        return any(isinstance(v, list) and len(v) == operand for v in found)
    if name == "$all":
        return all(_meets(found, item) for item in operand)
    if name == "$elemMatch":
        return any(
            isinstance(v, list) and any(isinstance(i, Mapping) and matches(i, operand) for i in v) for v in found
        )
    if name == "$regex":
        return _regex(found, operand, whole.get("$options", ""))
    if name == "$options":
        return True
    raise MongoError(2, f"unknown operator: {name}")


def _compare(value: Json, name: str, operand: Json) -> bool:
    a, b = bson.make_sort_key(value), bson.make_sort_key(operand)
    if a[0] != b[0]:
        return False
    return bool(a > b if name == "$gt" else a >= b if name == "$gte" else a < b if name == "$lt" else a <= b)


NESTED = re.compile(r"[*+?}|][^()]*\)\s*[*+{]|\)\)+[*+{]")
"""A repeated group with a repetition or a choice in it: on some texts it takes time without end."""

MOST_REPETITIONS = 3
LONGEST_TEXT = 300


def _regex(found: list[Json], pattern: str, options: str) -> bool:
    text = str(pattern)
    if len(text) > 200 or NESTED.search(text) or sum(map(text.count, "*+{")) > MOST_REPETITIONS:
        raise MongoError(51091, "Regular expression is invalid: match limit exceeded")
    try:
        compiled = re.compile(text, re.IGNORECASE if "i" in options else 0)
    except re.error as error:
        raise MongoError(51091, f"Regular expression is invalid: {error}") from error
    return any(isinstance(v, str) and compiled.search(v[:LONGEST_TEXT]) is not None for v in _flat(found))


def update(document: Mapping[str, Json], change: Mapping[str, Json], inserting: bool = False) -> Document:
    """A changed copy of a document. Raises MongoError for an unknown operator.

    >>> update({"_id": 1, "n": 1}, {"$inc": {"n": 2}, "$set": {"a.b": "x"}})
    {'_id': 1, 'n': 3, 'a': {'b': 'x'}}
    """
    if not any(key.startswith("$") for key in change):
        return {**({"_id": document["_id"]} if "_id" in document else {}), **change}
    result: Document = dict(document)
    for name, fields in change.items():
        for path, operand in fields.items():
            if name == "$setOnInsert" and not inserting:
                continue
            result = _changed(result, path.split("."), name, operand)
    return result


def _changed(document: Json, path: list[str], name: str, operand: Json) -> Json:
    base: Json = document if isinstance(document, list | dict) else {}
    if isinstance(base, list):
        at = int(path[0]) if is_natural(path[0]) else -1
        return [_applied(v, path[1:], name, operand) if i == at else v for i, v in enumerate(base)]
    old = base.get(path[0], MISSING)
    new = _applied(old, path[1:], name, operand)
    if new is MISSING:
        return {k: v for k, v in base.items() if k != path[0]}
    return {**base, path[0]: new}


def _applied(old: Json, rest: list[str], name: str, operand: Json) -> Json:
    if rest:
        return _changed({} if old is MISSING else old, rest, name, operand)
    current = None if old is MISSING else old
    if name in ("$set", "$setOnInsert"):
        return operand
    if name == "$unset":
        return MISSING
    if name in ("$inc", "$mul"):
        number = current or 0
        if not isinstance(number, int | float) or not isinstance(operand, int | float):
            raise MongoError(14, f"Cannot apply {name} to a value of non-numeric type.")
        return number + operand if name == "$inc" else number * operand
    if name in ("$min", "$max"):
        smaller = bson.make_sort_key(operand) < bson.make_sort_key(current)
        return operand if old is MISSING or smaller == (name == "$min") else current
    return _array(list(current or []), name, operand)


def _array(items: list[Json], name: str, operand: Json) -> list[Json]:
    many = operand["$each"] if isinstance(operand, Mapping) and "$each" in operand else [operand]
    if name == "$push":
        return items + many
    if name == "$addToSet":
        return items + [v for v in many if not any(bson.is_equal(v, i) for i in items)]
    if name == "$pull":
        return [i for i in items if not _meets([i], operand)]
    if name == "$pop":
        return items[:-1] if operand == 1 else items[1:]
    raise MongoError(
        9, f"Unknown modifier: {name}. Expected a valid update modifier or pipeline-style update specified as an array"
    )


def project(document: Mapping[str, Json], projection: Mapping[str, Json]) -> Document:
    """Only the wanted top-level fields of a document, or all but the unwanted."""
    shown = {k.partition(".")[0] for k, v in projection.items() if v and k != "_id"}
    hidden = {k for k, v in projection.items() if not v}
    if shown:
        return {k: v for k, v in document.items() if k in shown or (k == "_id" and "_id" not in hidden)}
    return {k: v for k, v in document.items() if k not in hidden}


def sort_documents(documents: list[Document], sort: Mapping[str, Json]) -> list[Document]:
    """Documents in the order that a sort document asks for; equal ones stay as they were."""
    for key, direction in reversed(list(sort.items())):
        documents = sorted(
            documents,
            key=lambda d: bson.make_sort_key((find_values(d, key) or [None])[0]),
            reverse=bool(direction == -1),
        )
    return documents

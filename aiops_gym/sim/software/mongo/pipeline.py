"""Aggregation pipelines, the stages in daily use: match, group, sort, limit, skip, project, count, unwind."""

from __future__ import annotations

from collections.abc import Mapping

from aiops_gym.sim.software.mongo import bson, query
from aiops_gym.sim.software.mongo.errors import MongoError
from aiops_gym.types import Json

Document = dict[str, Json]


def run(documents: list[Document], stages: list[Mapping[str, Json]]) -> list[Document]:
    """The documents that come out at the end. Raises MongoError for an unknown stage.

    >>> run([{"a": 1}, {"a": 2}], [{"$group": {"_id": None, "n": {"$sum": "$a"}}}])
    [{'_id': None, 'n': 3}]
    """
    for stage in stages:
        ((name, value),) = stage.items()
        documents = _stage(documents, name, value)
    return documents


def _stage(documents: list[Document], name: str, value: Json) -> list[Document]:
    if name == "$match":
        return [d for d in documents if query.matches(d, value)]
    if name == "$sort":
        return query.sort_documents(documents, value)
    if name == "$limit":
        return documents[: int(value)]
    if name == "$skip":
        return documents[int(value) :]
    if name == "$project":
        return [_project(d, value) for d in documents]
    if name == "$count":
        return [{str(value): len(documents)}] if documents else []
    if name == "$group":
        return _group(documents, value)
    if name == "$unwind":
        path = str(value["path"] if isinstance(value, Mapping) else value).removeprefix("$")
        return [{**d, path: item} for d in documents for item in (d.get(path) or [])]
    raise MongoError(40324, f"Unrecognized pipeline stage name: '{name}'")


def _project(document: Document, value: Mapping[str, Json]) -> Document:
    computed = {k: _value(document, v) for k, v in value.items() if isinstance(v, str | Mapping)}
    plain = {k: v for k, v in value.items() if k not in computed}
    return {**query.project(document, plain or {"_id": 1}), **computed}


def _value(document: Document, expression: Json) -> Json:
    if isinstance(expression, str) and expression.startswith("$"):
        return (query.find_values(document, expression[1:]) or [None])[0]
    if isinstance(expression, Mapping) and not any(k.startswith("$") for k in expression):
        return {k: _value(document, v) for k, v in expression.items()}
    return expression


def _group(documents: list[Document], value: Mapping[str, Json]) -> list[Document]:
    groups: dict[str, tuple[Json, list[Document]]] = {}
    for document in documents:
        key = _value(document, value["_id"])
        groups.setdefault(str(bson.make_sort_key(key)), (key, []))[1].append(document)
    fields = {k: v for k, v in value.items() if k != "_id"}
    return [{"_id": key, **{k: _accumulate(members, v) for k, v in fields.items()}} for key, members in groups.values()]


def _accumulate(members: list[Document], accumulator: Mapping[str, Json]) -> Json:
    ((name, expression),) = accumulator.items()
    found = [_value(d, expression) for d in members]
    numbers = [v for v in found if isinstance(v, int | float) and not isinstance(v, bool)]
    if name == "$sum":
        return sum(numbers)
    if name == "$avg":
        return sum(numbers) / len(numbers) if numbers else None
    if name in ("$min", "$max"):
        return (min if name == "$min" else max)(found, key=bson.make_sort_key, default=None)
    if name in ("$first", "$last"):
        return found[0 if name == "$first" else -1]
    if name == "$push":
        return found
    if name == "$addToSet":
        return [v for i, v in enumerate(found) if not any(bson.is_equal(v, w) for w in found[:i])]
    raise MongoError(15952, f"unknown group operator '{name}'")

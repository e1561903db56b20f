"""Documents, collections and indexes."""

from __future__ import annotations

from collections.abc import Mapping

from aiops_gym.sim.kernel import draws
from aiops_gym.sim.software.mongo import bson, pipeline, query
from aiops_gym.sim.software.mongo.errors import MongoError
from aiops_gym.sim.software.mongo.server import Session
from aiops_gym.types import Json

Reply = dict[str, Json]

LIMIT = 100_000
"""Documents in one collection, so that a test of patience cannot fill the memory."""


def _documents(session: Session, database: str, name: Json) -> list[Reply]:
    if not isinstance(name, str) or not name or "$" in name:
        raise MongoError(73, f"Invalid namespace specified '{database}.{name}'")
    return session.server.data.documents(database, name)


def _find(session: Session, database: str, command: Mapping[str, Json]) -> Reply:
    session.authorize(database, "find", command)
    found = [d for d in _documents(session, database, command["find"]) if query.matches(d, command.get("filter") or {})]
    if sort := command.get("sort"):
        found = query.sort_documents(found, sort)
    found = found[int(command.get("skip") or 0) :]
    if limit := abs(int(command.get("limit") or 0)):
        found = found[:limit]
    if projection := command.get("projection"):
        found = [query.project(d, projection) for d in found]
    return _cursor(database, command["find"], found)


def _cursor(database: str, name: str, documents: list[Reply]) -> Reply:
    return {"cursor": {"firstBatch": documents, "id": {"$numberLong": "0"}, "ns": f"{database}.{name}"}}


def _count(session: Session, database: str, command: Mapping[str, Json]) -> Reply:
    session.authorize(database, "find", command)
    documents = _documents(session, database, command["count"])
    n = sum(query.matches(d, command.get("query") or {}) for d in documents)
    n = max(0, n - int(command.get("skip") or 0))
    limit = int(command.get("limit") or 0)
    return {"n": min(n, limit) if limit else n}


def _distinct(session: Session, database: str, command: Mapping[str, Json]) -> Reply:
    session.authorize(database, "find", command)
    found: list[Json] = []
    for document in _documents(session, database, command["distinct"]):
        if query.matches(document, command.get("query") or {}):
            for value in query.find_values(document, command["key"]):
                found += [
                    v
                    for v in (value if isinstance(value, list) else [value])
                    if not any(bson.is_equal(v, f) for f in found)
                ]
    return {"values": sorted(found, key=bson.make_sort_key)}


def _insert(session: Session, database: str, command: Mapping[str, Json]) -> Reply:
    session.authorize(database, "insert", command)
    name = command["insert"]
    documents = list(_documents(session, database, name))
    if len(documents) + len(command["documents"]) > LIMIT:
        raise MongoError(14031, "OutOfDiskSpace: available disk space is too low")
    ids = {str(bson.make_sort_key(d["_id"])) for d in documents}
    errors: list[Reply] = []
    inserted = 0
    for index, given in enumerate(command["documents"]):
        document = given if "_id" in given else {"_id": _object_id(session), **given}
        if (identity := str(bson.make_sort_key(document["_id"]))) in ids:
            key = bson.text({"_id": document["_id"]})
            message = f"E11000 duplicate key error collection: {database}.{name} index: _id_ dup key: {key}"
            errors.append({"index": index, "code": 11000, "errmsg": message})
            if command.get("ordered", True):
                break
            continue
        ids.add(identity)
        documents.append(document)
        inserted += 1
    session.server.data.write(database, name, documents)
    return {"n": inserted, **({"writeErrors": errors} if errors else {})}


def _object_id(session: Session) -> Reply:
    world = session.server.world
    number = int(session.server.container.state.get("oids", 0)) + 1
    session.server.container.remember(oids=number)
    return {
        "$oid": f"{world.now // 1000:08x}{draws.hexes(10, world.seed, 'oid', session.server.container.key)}{number:06x}"
    }


def _update(session: Session, database: str, command: Mapping[str, Json]) -> Reply:
    session.authorize(database, "update", command)
    name = command["update"]
    documents = list(_documents(session, database, name))
    matched = modified = 0
    upserted: list[Reply] = []
    for index, step in enumerate(command["updates"]):
        if isinstance(step["u"], list):
            raise MongoError(9, "pipeline-style updates are not supported")
        hit = False
        for at, document in enumerate(documents):
            if not query.matches(document, step["q"]):
                continue
            hit = True
            matched += 1
            changed = query.update(document, step["u"])
            modified += changed != document
            documents[at] = changed
            if not step.get("multi"):
                break
        if not hit and step.get("upsert"):
            plain = {k: v for k, v in step["q"].items() if not k.startswith("$") and not _operators(v)}
            new = query.update(plain, step["u"], inserting=True)
            new = new if "_id" in new else {"_id": _object_id(session), **new}
            documents.append(new)
            upserted.append({"index": index, "_id": new["_id"]})
    if documents or session.server.data.exists(database, name):
        session.server.data.write(database, name, documents)
    return {"n": matched + len(upserted), "nModified": modified, **({"upserted": upserted} if upserted else {})}


def _operators(value: Json) -> bool:
    return isinstance(value, Mapping) and any(k.startswith("$") and k != "$oid" for k in value)


def _delete(session: Session, database: str, command: Mapping[str, Json]) -> Reply:
    session.authorize(database, "remove", command)
    name = command["delete"]
    documents = list(_documents(session, database, name))
    before = len(documents)
    for step in command["deletes"]:
        hits = [i for i, d in enumerate(documents) if query.matches(d, step["q"])]
        gone = set(hits[: step["limit"]] if step.get("limit") else hits)
        documents = [d for i, d in enumerate(documents) if i not in gone]
    if before != len(documents):
        session.server.data.write(database, name, documents)
    return {"n": before - len(documents)}


def _find_and_modify(session: Session, database: str, command: Mapping[str, Json]) -> Reply:
    name = command.get("findAndModify") or command.get("findandmodify")
    session.authorize(database, "remove" if command.get("remove") else "update", command)
    found = [d for d in _documents(session, database, name) if query.matches(d, command.get("query") or {})]
    found = query.sort_documents(found, command["sort"]) if command.get("sort") else found
    if not found:
        return {"value": None, "lastErrorObject": {"n": 0, "updatedExisting": False}}
    old = found[0]
    documents = session.server.data.documents(database, str(name))
    if command.get("remove"):
        session.server.data.write(database, str(name), [d for d in documents if d is not old])
        return {"value": old, "lastErrorObject": {"n": 1}}
    new = query.update(old, command.get("update") or {})
    session.server.data.write(database, str(name), [new if d is old else d for d in documents])
    return {"value": new if command.get("new") else old, "lastErrorObject": {"n": 1, "updatedExisting": True}}


def _aggregate(session: Session, database: str, command: Mapping[str, Json]) -> Reply:
    session.authorize(database, "find", command)
    name = command["aggregate"]
    documents = _documents(session, database, name) if isinstance(name, str) else []
    return _cursor(database, str(name), pipeline.run(documents, command.get("pipeline") or []))


def _create(session: Session, database: str, command: Mapping[str, Json]) -> Reply:
    session.authorize(database, "createCollection", command)
    name = str(command["create"])
    if session.server.data.exists(database, name):
        raise MongoError(48, f"Collection already exists. NS: {database}.{name}")
    session.server.data.write(database, name, [])
    return {}


def _drop(session: Session, database: str, command: Mapping[str, Json]) -> Reply:
    session.authorize(database, "dropCollection", command)
    name = str(command["drop"])
    if not session.server.data.exists(database, name):
        raise MongoError(26, "ns not found")
    count = len(session.server.data.indexes(database, name)) + 1
    session.server.data.drop(database, name)
    return {"nIndexesWas": count, "ns": f"{database}.{name}"}


def _drop_database(session: Session, database: str, command: Mapping[str, Json]) -> Reply:
    session.authorize(database, "dropDatabase", command)
    names = [n for n in session.server.data.collections(database) if not n.startswith("system.")]
    for name in names:
        session.server.data.drop(database, name)
    return {"dropped": database} if names else {}


def _create_indexes(session: Session, database: str, command: Mapping[str, Json]) -> Reply:
    session.authorize(database, "createIndex", command)
    name = str(command["createIndexes"])
    data = session.server.data
    created = not data.exists(database, name)
    before = data.indexes(database, name)
    known = {i["name"]: i for i in before}
    for spec in command["indexes"]:
        _check_conflict(known.get(spec["name"]), {"v": 2, **spec})
    new = [{"v": 2, **spec} for spec in command["indexes"] if spec["name"] not in known]
    data.write(database, name, data.documents(database, name), [*before, *new])
    counts = {"numIndexesBefore": len(before) + 1, "numIndexesAfter": len(before) + len(new) + 1}
    return {
        "createdCollectionAutomatically": created,
        **counts,
        **({} if new else {"note": "all indexes already exist"}),
    }


OPTIONS = ("unique", "sparse", "expireAfterSeconds", "partialFilterExpression", "collation")
"""Of an index: those with which another one of its name is another one."""


def _check_conflict(known: Json, spec: Json) -> None:
    """Two indexes of a name are one (`IndexCatalogImpl::_doesSpecConflictWithExisting` of 4.4). Raises MongoError."""
    if known is None:
        return
    if known["key"] != spec["key"]:
        existing, asked = (bson.text({"v": i["v"], "key": i["key"], "name": i["name"]}) for i in (known, spec))
        head = f"Index must have unique name.The existing index: {existing}"
        raise MongoError(86, f"{head} has the same name as the requested index: {asked}")
    if any((known.get(name) or None) != (spec.get(name) or None) for name in OPTIONS):
        raise MongoError(85, f"Index with name: {spec['name']} already exists with different options")


def _drop_indexes(session: Session, database: str, command: Mapping[str, Json]) -> Reply:
    session.authorize(database, "dropIndex", command)
    name, index = str(command["dropIndexes"]), command.get("index", "*")
    data = session.server.data
    before = data.indexes(database, name)
    kept = [] if index == "*" else [i for i in before if index not in (i["name"], i["key"])]
    if len(kept) == len(before) and index != "*":
        raise MongoError(27, f"index not found with name [{index}]")
    data.write(database, name, data.documents(database, name), kept)
    return {"nIndexesWas": len(before) + 1}


def _list_indexes(session: Session, database: str, command: Mapping[str, Json]) -> Reply:
    session.authorize(database, "listIndexes", command)
    name = str(command["listIndexes"])
    if not session.server.data.exists(database, name):
        raise MongoError(26, f"ns does not exist: {database}.{name}")
    indexes = [{"v": 2, "key": {"_id": 1}, "name": "_id_"}, *session.server.data.indexes(database, name)]
    return _cursor(database, name, indexes)


def _list_collections(session: Session, database: str, command: Mapping[str, Json]) -> Reply:
    session.authorize(database, "listCollections", command)
    names = session.server.data.collections(database)
    return _cursor(database, "$cmd.listCollections", [{"name": n, "type": "collection", "options": {}} for n in names])


COMMANDS = {
    "aggregate": _aggregate,
    "count": _count,
    "create": _create,
    "createIndexes": _create_indexes,
    "delete": _delete,
    "distinct": _distinct,
    "drop": _drop,
    "dropDatabase": _drop_database,
    "dropIndexes": _drop_indexes,
    "find": _find,
    "findAndModify": _find_and_modify,
    "insert": _insert,
    "listCollections": _list_collections,
    "listIndexes": _list_indexes,
    "update": _update,
}

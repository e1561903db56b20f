"""The server itself: what it is, how it does, and how to stop it."""

from __future__ import annotations

import json
from collections.abc import Mapping

from aiops_gym.sim.kernel.times import iso_micro
from aiops_gym.sim.software.mongo import roles, settings
from aiops_gym.sim.software.mongo.errors import MongoError
from aiops_gym.sim.software.mongo.server import Session
from aiops_gym.types import Json

Reply = dict[str, Json]

DOCUMENT_BYTES = 96
"""What a document takes on the disk, about; sizes need only be plausible and follow from the counts."""

BLOCK = 4_096
"""Bytes by which WiredTiger's files grow."""


def _ping(session: Session, database: str, command: Mapping[str, Json]) -> Reply:
    return {}


def _hello(session: Session, database: str, command: Mapping[str, Json]) -> Reply:
    return {
        "ismaster": True,
        "topologyVersion": {"processId": {"$oid": session.server.container.process["id"][:24]}, "counter": 0},
        "maxBsonObjectSize": 16777216,
        "maxMessageSizeBytes": 48000000,
        "maxWriteBatchSize": 100000,
        "localTime": {"$date": iso_micro(session.server.world.now)[:-4] + "Z"},
        "logicalSessionTimeoutMinutes": 30,
        "connectionId": session.number,
        "minWireVersion": 0,
        "maxWireVersion": 9,
        "readOnly": False,
    }


def _build_info(session: Session, database: str, command: Mapping[str, Json]) -> Reply:
    version = session.server.version
    numbers = [int(part) for part in version.split(".")]
    return {
        "version": version,
        "gitVersion": "72e66213c2c3eab37d9358d5e78ad7f5c1d0d0d7",
        "modules": [],
        "allocator": "tcmalloc",
        "javascriptEngine": "mozjs",
        "versionArray": [*numbers, 0],
        "bits": 64,
        "debug": False,
        "maxBsonObjectSize": 16777216,
        "storageEngines": ["biggie", "devnull", "ephemeralForTest", "wiredTiger"],
    }


def _status(session: Session, database: str, command: Mapping[str, Json]) -> Reply:
    session.authorize(database, "serverStatus", command)
    process = session.server.container.process
    uptime = (session.server.world.now - process["started"]) // 1000
    state = session.server.container.state
    return {
        "host": session.server.container.hostname,
        "version": session.server.version,
        "process": "mongod",
        "pid": {"$numberLong": "1"},
        "uptime": uptime,
        "uptimeMillis": {"$numberLong": str(uptime * 1000)},
        "connections": {
            "current": int(state.get("open", 0)),
            "available": 838860 - int(state.get("open", 0)),
            "totalCreated": int(state.get("connections", 0)),
            "active": 1,
        },
        "storageEngine": {"name": "wiredTiger", "supportsCommittedReads": True, "persistent": True, "readOnly": False},
    }


def _list_databases(session: Session, database: str, command: Mapping[str, Json]) -> Reply:
    data = session.server.data
    names = data.databases()
    if not session.may("", "listDatabases"):
        if session.user is None:
            session.authorize("", "listDatabases", command)
        names = roles.list_readable(session.roles(), names, data.roles())
    found: list[Reply] = []
    for name in names:
        count = sum(len(data.documents(name, c)) for c in data.collections(name))
        size = BLOCK * (10 + 9 * len(data.collections(name))) + BLOCK * (count * DOCUMENT_BYTES // BLOCK)
        found.append({"name": name, "sizeOnDisk": size, "empty": False})
    if command.get("nameOnly"):
        return {"databases": [{"name": d["name"]} for d in found]}
    return {"databases": found, "totalSize": sum(d["sizeOnDisk"] for d in found)}


def _collection_stats(session: Session, database: str, command: Mapping[str, Json]) -> Reply:
    session.authorize(database, "collStats", command)
    name = str(next(iter(command.values())))
    documents = session.server.data.documents(database, name)
    size = sum(len(json.dumps(d)) for d in documents)
    indexes = {"_id_": 20480, **{i["name"]: 20480 for i in session.server.data.indexes(database, name)}}
    return {
        "ns": f"{database}.{name}",
        "size": size,
        "count": len(documents),
        **({"avgObjSize": size // len(documents)} if documents else {}),
        "storageSize": BLOCK * (1 + size // BLOCK),
        "freeStorageSize": 0,
        "capped": False,
        "nindexes": len(indexes),
        "indexBuilds": [],
        "totalIndexSize": sum(indexes.values()),
        "totalSize": BLOCK * (1 + size // BLOCK) + sum(indexes.values()),
        "indexSizes": indexes,
        "scaleFactor": 1,
    }


def _database_stats(session: Session, database: str, command: Mapping[str, Json]) -> Reply:
    session.authorize(database, "dbStats", command)
    data = session.server.data
    names = data.collections(database)
    documents = [d for name in names for d in data.documents(database, name)]
    size = sum(len(json.dumps(d)) for d in documents)
    indexes = sum(1 + len(data.indexes(database, name)) for name in names)
    return {
        "db": database,
        "collections": len(names),
        "views": 0,
        "objects": len(documents),
        "avgObjSize": size / len(documents) if documents else 0,
        "dataSize": size,
        "storageSize": BLOCK * (len(names) + size // BLOCK),
        "indexes": indexes,
        "indexSize": 20480 * indexes,
        "totalSize": BLOCK * (len(names) + size // BLOCK) + 20480 * indexes,
        "scaleFactor": 1,
        "fsUsedSize": 38654705664,
        "fsTotalSize": 103865303040,
    }


def _options(session: Session, database: str, command: Mapping[str, Json]) -> Reply:
    session.authorize("", "getCmdLineOpts", command)
    argv = list(session.server.container.state.get("argv", session.server.container.argv))
    return {"argv": argv, "parsed": settings.describe_settings(session.server.container.state)}


def _parameter(session: Session, database: str, command: Mapping[str, Json]) -> Reply:
    session.authorize("", "getParameter", command)
    known: Reply = {
        "featureCompatibilityVersion": {"version": "4.4"},
        "authenticationMechanisms": ["MONGODB-X509", "SCRAM-SHA-1", "SCRAM-SHA-256"],
        "enableLocalhostAuthBypass": True,
        "logLevel": 0,
    }
    asked = [k for k in command if k not in ("getParameter", "$db", "lsid")]
    found = known if command["getParameter"] == "*" else {k: known[k] for k in asked if k in known}
    if not found:
        raise MongoError(72, "no option found to get")
    return found


def _current(session: Session, database: str, command: Mapping[str, Json]) -> Reply:
    session.authorize("", "inprog", command)
    return {"inprog": []}


def _replica_status(session: Session, database: str, command: Mapping[str, Json]) -> Reply:
    session.authorize("", "replSetGetStatus", command)
    raise MongoError(76, "not running with --replSet")


def _log(session: Session, database: str, command: Mapping[str, Json]) -> Reply:
    session.authorize("", "getLog", command)
    lines = [line for _, line in session.server.container.process["log"]]
    if command["getLog"] == "*":
        return {"names": ["global", "startupWarnings"]}
    if command["getLog"] == "startupWarnings":
        lines = [line for line in lines if '"s":"W"' in line]
    return {"totalLinesWritten": len(lines), "log": lines}


def _shutdown(session: Session, database: str, command: Mapping[str, Json]) -> Reply:
    if database != "admin":
        raise MongoError(13, "shutdown may only be run against the admin database.")
    session.authorize("", "shutdown", command)
    session.server.container.exit(0)
    return {}


COMMANDS = {
    "buildInfo": _build_info,
    "collStats": _collection_stats,
    "currentOp": _current,
    "dbStats": _database_stats,
    "getCmdLineOpts": _options,
    "getLog": _log,
    "getParameter": _parameter,
    "hello": _hello,
    "isMaster": _hello,
    "listDatabases": _list_databases,
    "ping": _ping,
    "replSetGetStatus": _replica_status,
    "serverStatus": _status,
    "shutdown": _shutdown,
}

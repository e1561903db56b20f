"""Built-in roles and what they allow."""

from __future__ import annotations

from collections.abc import Iterable, Mapping


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


READ = _words("find listCollections listIndexes collStats dbStats dbHash killCursors")
WRITE = READ | _words(
    "insert update remove createCollection dropCollection createIndex dropIndex convertToCapped renameCollection"
)
DB_ADMIN = _words(
    "listCollections listIndexes collStats dbStats createCollection dropCollection dropDatabase createIndex dropIndex "
    "collMod compact validate enableProfiler reIndex renameCollection"
)
USER_ADMIN = _words(
    "createUser dropUser grantRole revokeRole viewUser viewRole createRole dropRole changePassword changeCustomData "
    "setAuthenticationRestriction"
)
MONITOR = _words(
    "serverStatus listDatabases getParameter getCmdLineOpts getLog hostInfo inprog replSetGetStatus top connPoolStats "
    "listSessions"
)
HOST = _words("shutdown killop setParameter fsync logRotate invalidateUserCache")
CLUSTER = MONITOR | HOST | _words("dropDatabase replSetConfigure addShard removeShard")

DATABASE_ROLES: Mapping[str, frozenset[str]] = {
    "read": READ,
    "readWrite": WRITE,
    "dbAdmin": DB_ADMIN,
    "userAdmin": USER_ADMIN,
    "dbOwner": WRITE | DB_ADMIN | USER_ADMIN,
    "enableSharding": frozenset(),
}
"""Roles that any database has, and what they allow on it."""

ADMIN_ROLES: Mapping[str, tuple[frozenset[str], frozenset[str]]] = {
    "readAnyDatabase": (READ, frozenset({"listDatabases"})),
    "readWriteAnyDatabase": (WRITE, frozenset({"listDatabases"})),
    "dbAdminAnyDatabase": (DB_ADMIN, frozenset({"listDatabases"})),
    "userAdminAnyDatabase": (USER_ADMIN, frozenset({"listDatabases", "invalidateUserCache"})),
    "clusterMonitor": (frozenset({"collStats", "dbStats"}), MONITOR),
    "clusterManager": (frozenset(), MONITOR),
    "hostManager": (frozenset(), HOST),
    "clusterAdmin": (frozenset({"dropDatabase", "collStats", "dbStats"}), CLUSTER),
    "backup": (READ, frozenset({"listDatabases", "serverStatus"})),
    "restore": (WRITE, frozenset({"listDatabases"})),
    "root": (WRITE | DB_ADMIN | USER_ADMIN, CLUSTER),
    "__system": (WRITE | DB_ADMIN | USER_ADMIN, CLUSTER),
}
"""Roles of database `admin` only: what they allow on every database, and on the server."""

ACTIONS = WRITE | DB_ADMIN | USER_ADMIN | CLUSTER
"""All that a role may allow."""

SERVER_ACTIONS = CLUSTER - {"dropDatabase"}
"""Actions on the server, not on a database."""


def exists(role: str, database: str) -> bool:
    """Whether a database has this built-in role."""
    return role in DATABASE_ROLES or (database == "admin" and role in ADMIN_ROLES)


def is_allowed(roles: Iterable[Mapping[str, str]], database: str, action: str) -> bool:
    """Whether a user with these roles may do an action on a database (`""`: on the server).

    >>> is_allowed([{"role": "readWrite", "db": "geo-db"}], "geo-db", "insert")
    True
    >>> is_allowed([{"role": "userAdminAnyDatabase", "db": "admin"}], "geo-db", "find")
    False
    """
    for entry in roles:
        role, db = entry["role"], entry["db"]
        if db == database and action in DATABASE_ROLES.get(role, frozenset()):
            return True
        if db == "admin" and role in ADMIN_ROLES:
            anywhere, server = ADMIN_ROLES[role]
            if action in (server if action in SERVER_ACTIONS else anywhere):
                return True
    return False


def list_readable(roles: Iterable[Mapping[str, str]], databases: Iterable[str]) -> list[str]:
    """Those databases that a user may look into."""
    held = list(roles)
    return [db for db in databases if is_allowed(held, db, "find") or is_allowed(held, db, "listCollections")]

"""Built-in roles and what they allow."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from aiops_gym.types import Json


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


READ = _words("find listCollections listIndexes collStats dbStats dbHash killCursors")
WRITE = READ | _words(
    "insert update remove createCollection dropCollection createIndex dropIndex convertToCapped renameCollectionSameDB"
)
DB_ADMIN = _words(
    "listCollections listIndexes collStats dbStats createCollection dropCollection dropDatabase createIndex dropIndex "
    "collMod compact validate enableProfiler reIndex renameCollectionSameDB"
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

COLLECTION_ACTIONS = (WRITE | DB_ADMIN) - _words("listCollections dbStats dropDatabase enableProfiler")
"""Actions on a collection, which a privilege may name."""

OTHER_ACTIONS = _words(
    "anyAction bypassDocumentValidation changeStream checkFreeMonitoringStatus cleanupOrphaned closeAllDatabases "
    "changeOwnPassword changeOwnCustomData connPoolSync enableSharding "
    "flushRouterConfig forceUUID getShardVersion impersonate indexStats internal killAnyCursor killAnySession "
    "listCursors listShards moveChunk netstat planCacheIndexFilter planCacheRead planCacheWrite "
    "repairDatabase replSetGetConfig replSetHeartbeat replSetResizeOplog replSetStateChange resync "
    "setFreeMonitoring shardingState splitChunk splitVector storageDetails touch trafficRecord unlock "
    "useUUID"
)
"""Actions that the server knows and of which nothing here depends."""

Reference = Mapping[str, str]
Definition = Mapping[str, Json]
"""A role that somebody made: `role`, `db`, `privileges` ([{"resource", "actions"}]) and `roles` that it inherits."""


def exists(role: str, database: str) -> bool:
    """Whether a database has this built-in role."""
    return role in DATABASE_ROLES or (database == "admin" and role in ADMIN_ROLES)


def expand(roles: Iterable[Reference], made: Sequence[Definition] = ()) -> tuple[list[Reference], list[Definition]]:
    """All roles that these come to with what they inherit: the built-in ones, and those that somebody made."""
    known = {(each["role"], each["db"]): each for each in made}
    held: dict[tuple[str, str], Reference] = {}
    waiting = list(roles)
    for entry in waiting:
        at = entry["role"], entry["db"]
        if at not in held:
            held[at] = entry
            waiting += known[at].get("roles") or () if at in known and not exists(*at) else ()
    return [held[at] for at in held if exists(*at)], [known[at] for at in held if at in known and not exists(*at)]


def is_allowed(
    roles: Iterable[Reference], database: str, action: str, made: Sequence[Definition] = (), collection: str = ""
) -> bool:
    """Whether a user with these roles may do an action on a database (`""`: on the server).

    Args:
        roles: those of the user.
        database: on which it is done.
        action: what is done.
        made: roles of the server besides the built-in ones.
        collection: to which it is done, if to one alone.

    >>> is_allowed([{"role": "readWrite", "db": "geo-db"}], "geo-db", "insert")
    True
    >>> is_allowed([{"role": "userAdminAnyDatabase", "db": "admin"}], "geo-db", "find")
    False
    """
    built_in, others = expand(roles, made)
    if any(_allows(entry, database, action) for entry in built_in):
        return True
    privileges = [privilege for each in others for privilege in each.get("privileges") or ()]
    return any(_covers(privilege, database, action, collection) for privilege in privileges)


def _allows(entry: Reference, database: str, action: str) -> bool:
    role, db = entry["role"], entry["db"]
    if db == database and action in DATABASE_ROLES.get(role, frozenset()):
        return True
    if db == "admin" and role in ADMIN_ROLES:
        anywhere, server = ADMIN_ROLES[role]
        return action in (server if action in SERVER_ACTIONS else anywhere)
    return False


def _covers(privilege: Mapping[str, Json], database: str, action: str, collection: str) -> bool:
    """Whether a privilege allows an action: on the server, on any resource, or on the database and collection."""
    actions = privilege.get("actions") or ()
    if action not in actions and "anyAction" not in actions:
        return False
    resource: Mapping[str, Json] = privilege.get("resource") or {}
    if resource.get("anyResource"):
        return True
    if action in SERVER_ACTIONS:
        return bool(resource.get("cluster"))
    if resource.get("cluster") or resource.get("db", "") not in ("", database):
        return False
    named = resource.get("collection", "")
    if not named:
        return not collection.startswith("system.")
    return named == collection and action in COLLECTION_ACTIONS


def list_readable(roles: Iterable[Reference], databases: Iterable[str], made: Sequence[Definition] = ()) -> list[str]:
    """Those databases that a user may look into."""
    held = list(roles)
    looks = ("find", "listCollections")
    return [db for db in databases if any(is_allowed(held, db, action, made) for action in looks)]

"""Users and their roles."""

from __future__ import annotations

from collections.abc import Mapping

from aiops_gym.sim.kernel import draws
from aiops_gym.sim.software.mongo import roles
from aiops_gym.sim.software.mongo.data import hash_password
from aiops_gym.sim.software.mongo.errors import MongoError
from aiops_gym.sim.software.mongo.server import Session
from aiops_gym.types import Json

Reply = dict[str, Json]


def _create(session: Session, database: str, command: Mapping[str, Json]) -> Reply:
    session.authorize(database, "createUser", command)
    name = read_name(command, "createUser")
    if "pwd" not in command and database != "$external":
        raise MongoError(
            2,
            "Must provide a 'pwd' field for all user documents, except those with '$external' as the user's source db",
        )
    granted = read_roles(session, database, command, "roles", "grantRole")
    if session.server.data.user(name, database) is not None:
        raise MongoError(51003, f'User "{name}@{database}" already exists')
    user = {"user": name, "db": database, "secret": hash_password(name, str(command["pwd"])), "roles": granted}
    if "customData" in command:
        user["customData"] = command["customData"]
    session.server.data.put_user(user)
    session.server.world.touch()
    return {}


def _drop(session: Session, database: str, command: Mapping[str, Json]) -> Reply:
    session.authorize(database, "dropUser", command)
    user = _find(session, database, read_name(command, "dropUser"))
    session.server.data.remove_user(user["user"], database)
    session.server.world.touch()
    return {}


def _drop_all(session: Session, database: str, command: Mapping[str, Json]) -> Reply:
    session.authorize(database, "dropUser", command)
    gone = [u["user"] for u in session.server.data.users() if u["db"] == database]
    for name in gone:
        session.server.data.remove_user(name, database)
    session.server.world.touch()
    return {"n": len(gone)}


def _update(session: Session, database: str, command: Mapping[str, Json]) -> Reply:
    own = session.user == (command.get("updateUser"), database)
    if not (own and set(command) <= {"updateUser", "pwd", "customData", "$db", "lsid"} and not roles_only(command)):
        session.authorize(database, "changePassword", command)
    user = _find(session, database, read_name(command, "updateUser"))
    changes: Reply = {}
    if "pwd" in command:
        changes["secret"] = hash_password(user["user"], str(command["pwd"]))
    if "roles" in command:
        changes["roles"] = read_roles(session, database, command, "roles", "grantRole")
    if "customData" in command:
        changes["customData"] = command["customData"]
    if not changes:
        raise MongoError(2, "Must specify at least one field to update in updateUser")
    session.server.data.put_user({**user, **changes})
    session.server.world.touch()
    return {}


def roles_only(command: Mapping[str, Json]) -> bool:
    """Whether an update touches roles, which nobody may do to themselves without the right to."""
    return "roles" in command


def _grant(session: Session, database: str, command: Mapping[str, Json]) -> Reply:
    granted = read_roles(session, database, command, "roles", "grantRole")
    user = _find(session, database, read_name(command, "grantRolesToUser"))
    kept = [role for role in user["roles"] if role not in granted]
    session.server.data.put_user({**user, "roles": kept + granted})
    session.server.world.touch()
    return {}


def _revoke(session: Session, database: str, command: Mapping[str, Json]) -> Reply:
    revoked = read_roles(session, database, command, "roles", "revokeRole")
    user = _find(session, database, read_name(command, "revokeRolesFromUser"))
    session.server.data.put_user({**user, "roles": [role for role in user["roles"] if role not in revoked]})
    session.server.world.touch()
    return {}


def _info(session: Session, database: str, command: Mapping[str, Json]) -> Reply:
    wanted = command["usersInfo"]
    own = session.user is not None and wanted in (session.user[0], {"user": session.user[0], "db": session.user[1]})
    if not own:
        session.authorize(database, "viewUser", command)
    users = session.server.data.users()
    if isinstance(wanted, Mapping) and wanted.get("forAllDBs"):
        picked = users
    elif isinstance(wanted, int | float):
        picked = [u for u in users if u["db"] == database]
    else:
        names = [read_reference(w, database) for w in (wanted if isinstance(wanted, list) else [wanted])]
        picked = [u for u in users if (u["user"], u["db"]) in names]
    picked = sorted(picked, key=lambda u: (u["db"], u["user"]))
    return {"users": [_shown(session, user) for user in picked]}


def _status(session: Session, database: str, command: Mapping[str, Json]) -> Reply:
    users = [{"user": session.user[0], "db": session.user[1]}] if session.user else []
    return {"authInfo": {"authenticatedUsers": users, "authenticatedUserRoles": session.roles()}}


def _log_in(session: Session, database: str, command: Mapping[str, Json]) -> Reply:
    session.authenticate(str(command.get("user", "")), str(command.get("pwd", "")), database)
    return {}


def _log_out(session: Session, database: str, command: Mapping[str, Json]) -> Reply:
    session.user = None
    return {}


def read_name(command: Mapping[str, Json], key: str) -> str:
    """The name of a user or role. Raises MongoError."""
    value = command.get(key)
    if not isinstance(value, str):
        raise MongoError(14, f'"{key}" had the wrong type. Expected string, found {_bson_type(value)}')
    if not value:
        raise MongoError(
            2, "User document needs 'user' field to be non-empty" if "User" in key else "Role name must be non-empty"
        )
    return value


def _bson_type(value: Json) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "bool"
    return {int: "double", float: "double", dict: "object", list: "array"}.get(type(value), "undefined")


def _find(session: Session, database: str, name: str) -> Reply:
    user = session.server.data.user(name, database)
    if user is None:
        raise MongoError(11, f"User '{name}@{database}' not found")
    return user


def read_reference(value: Json, database: str, key: str = "user") -> tuple[str, str]:
    """(name, database) of a reference to a user or role: a name, or a document."""
    if isinstance(value, Mapping):
        return str(value.get(key, "")), str(value.get("db", database))
    return str(value), database


def read_roles(
    session: Session, database: str, command: Mapping[str, Json], key: str, action: str
) -> list[dict[str, str]]:
    """The roles that a command names, checked: they exist, and whoever asks may hand them out."""
    value = command.get(key)
    if not isinstance(value, list):
        raise (
            MongoError(2, f'"{key}" field must be an array')
            if value is not None
            else MongoError(2, f'Missing expected field "{key}"')
        )
    found: list[dict[str, str]] = []
    for entry in value:
        if isinstance(entry, Mapping) and not ("role" in entry and "db" in entry):
            missing = "role" if "role" not in entry else "db"
            raise MongoError(2, f'Missing expected field "{missing}"')
        name, db = read_reference(entry, database, "role")
        session.authorize(db, action, command)
        if not roles.exists(name, db) and session.server.data.role(name, db) is None:
            raise MongoError(31, f"No role named {name}@{db}")
        if {"role": name, "db": db} not in found:
            found.append({"role": name, "db": db})
    return found


def _shown(session: Session, user: Reply) -> Reply:
    identity = f"{user['db']}.{user['user']}"
    unique = draws.uuid(session.server.world.seed, "mongo/user", f"{session.server.container.key}/{identity}")
    shown = {"_id": identity, "userId": {"$uuid": unique}, "user": user["user"], "db": user["db"]}
    if "customData" in user:
        shown["customData"] = user["customData"]
    return {**shown, "roles": user["roles"], "mechanisms": ["SCRAM-SHA-1", "SCRAM-SHA-256"]}


COMMANDS = {
    "authenticate": _log_in,
    "connectionStatus": _status,
    "createUser": _create,
    "dropAllUsersFromDatabase": _drop_all,
    "dropUser": _drop,
    "grantRolesToUser": _grant,
    "logout": _log_out,
    "revokeRolesFromUser": _revoke,
    "updateUser": _update,
    "usersInfo": _info,
}

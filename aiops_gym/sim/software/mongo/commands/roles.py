"""Roles that somebody makes: what they allow, what they inherit, and what is shown of them."""

from __future__ import annotations

from collections.abc import Mapping

from aiops_gym.sim.software.mongo import roles
from aiops_gym.sim.software.mongo.commands.users import read_name, read_reference, read_roles
from aiops_gym.sim.software.mongo.errors import MongoError
from aiops_gym.sim.software.mongo.server import Session
from aiops_gym.types import Json

Reply = dict[str, Json]

ROLE_NOT_FOUND = 31
MODIFICATION = 80
"""Codes of errors."""


def _create(session: Session, database: str, command: Mapping[str, Json]) -> Reply:
    session.authorize(database, "createRole", command)
    name = read_name(command, "createRole")
    if database in ("local", "$external"):
        raise MongoError(2, f"Cannot create roles in the {database} database")
    if roles.exists(name, database):
        raise MongoError(2, "Cannot create roles with the same name as a built-in role")
    for field in ("roles", "privileges"):
        if not isinstance(command.get(field), list):
            raise MongoError(2, f'"createRole" command requires a "{field}" array')
    privileges = _privileges(session, database, command)
    inherited = _inherited(session, (name, database), command)
    if session.server.data.role(name, database) is not None:
        raise MongoError(51002, f'Role "{name}@{database}" already exists')
    _put(session, {"role": name, "db": database, "privileges": privileges, "roles": inherited})
    return {}


def _update(session: Session, database: str, command: Mapping[str, Json]) -> Reply:
    name = read_name(command, "updateRole")
    session.authorize(database, "revokeRole", command)
    if "privileges" not in command and "roles" not in command:
        raise MongoError(2, "updateRole command has no fields to update")
    found = _find(session, name, database)
    changes: Reply = {}
    if "privileges" in command:
        changes["privileges"] = _privileges(session, database, command)
    if "roles" in command:
        changes["roles"] = _inherited(session, (name, database), command)
    _put(session, {**found, **changes})
    return {}


def _drop(session: Session, database: str, command: Mapping[str, Json]) -> Reply:
    session.authorize(database, "dropRole", command)
    found = _find(session, read_name(command, "dropRole"), database)
    session.server.data.remove_role(found["role"], database)
    session.server.world.touch()
    return {}


def _drop_all(session: Session, database: str, command: Mapping[str, Json]) -> Reply:
    session.authorize(database, "dropRole", command)
    gone = [role["role"] for role in session.server.data.roles() if role["db"] == database]
    for name in gone:
        session.server.data.remove_role(name, database)
    session.server.world.touch()
    return {"n": len(gone)}


def _grant_privileges(session: Session, database: str, command: Mapping[str, Json]) -> Reply:
    granted = _privileges(session, database, command)
    found = _find(session, read_name(command, "grantPrivilegesToRole"), database)
    _put(session, {**found, "privileges": _merge([*found["privileges"], *granted])})
    return {}


def _revoke_privileges(session: Session, database: str, command: Mapping[str, Json]) -> Reply:
    revoked = _privileges(session, database, command, "revokeRole")
    found = _find(session, read_name(command, "revokePrivilegesFromRole"), database)
    left = []
    for privilege in found["privileges"]:
        taken = {a for each in revoked if each["resource"] == privilege["resource"] for a in each["actions"]}
        if actions := [action for action in privilege["actions"] if action not in taken]:
            left.append({**privilege, "actions": actions})
    _put(session, {**found, "privileges": left})
    return {}


def _grant_roles(session: Session, database: str, command: Mapping[str, Json]) -> Reply:
    name = read_name(command, "grantRolesToRole")
    found = _find(session, name, database)
    granted = _inherited(session, (name, database), command)
    kept = [role for role in found["roles"] if role not in granted]
    _put(session, {**found, "roles": kept + granted})
    return {}


def _revoke_roles(session: Session, database: str, command: Mapping[str, Json]) -> Reply:
    found = _find(session, read_name(command, "revokeRolesFromRole"), database)
    revoked = read_roles(session, database, command, "roles", "revokeRole")
    _put(session, {**found, "roles": [role for role in found["roles"] if role not in revoked]})
    return {}


def _info(session: Session, database: str, command: Mapping[str, Json]) -> Reply:
    wanted, made = command["rolesInfo"], session.server.data.roles()
    if isinstance(wanted, int | float):
        session.authorize(database, "viewRole", command)
        names = sorted(role["role"] for role in made if role["db"] == database)
        if command.get("showBuiltinRoles"):
            names += sorted([*roles.DATABASE_ROLES, *(roles.ADMIN_ROLES if database == "admin" else ())])
        asked = [(name, database) for name in names]
    else:
        asked = [read_reference(each, database, "role") for each in (wanted if isinstance(wanted, list) else [wanted])]
        for _, db in asked:
            session.authorize(db, "viewRole", command)
    known = {(role["role"], role["db"]) for role in made}
    shown = [_shown(session, at, command) for at in asked if at in known or roles.exists(*at)]
    return {"roles": shown}


def _shown(session: Session, at: tuple[str, str], command: Mapping[str, Json]) -> Reply:
    made, reference = session.server.data.roles(), {"role": at[0], "db": at[1]}
    role: Mapping[str, Json] = session.server.data.role(*at) or {}
    built_in, others = roles.expand(role.get("roles") or (), made)
    inherited = [*built_in, *({"role": each["role"], "db": each["db"]} for each in others)]
    found: Reply = {**reference, "isBuiltin": roles.exists(*at), "roles": list(role.get("roles") or ())}
    found["inheritedRoles"] = inherited
    if command.get("showPrivileges"):
        _, all_made = roles.expand([reference], made)
        found["privileges"] = list(role.get("privileges") or ())
        found["inheritedPrivileges"] = _merge([each for some in all_made for each in some["privileges"]])
    return found


def _find(session: Session, name: str, database: str) -> Reply:
    if roles.exists(name, database):
        raise MongoError(MODIFICATION, f"{name}@{database} is a built-in role and cannot be modified.")
    found = session.server.data.role(name, database)
    if found is None:
        raise MongoError(ROLE_NOT_FOUND, f"No role named {name}@{database}")
    return found


def _put(session: Session, role: Reply) -> None:
    session.server.data.put_role(role)
    session.server.world.touch()


def _merge(privileges: list[Json]) -> list[Json]:
    """One privilege for each resource."""
    found: list[Reply] = []
    for privilege in privileges:
        same = next((each for each in found if each["resource"] == privilege["resource"]), None)
        if same is None:
            found.append({"resource": privilege["resource"], "actions": list(dict.fromkeys(privilege["actions"]))})
        else:
            same["actions"] = list(dict.fromkeys([*same["actions"], *privilege["actions"]]))
    return found


def _privileges(session: Session, database: str, command: Mapping[str, Json], action: str = "grantRole") -> list[Json]:
    """The privileges that a command names, checked: what they are about, and whether whoever asks may give them."""
    value = command.get("privileges")
    if not isinstance(value, list):
        raise MongoError(2, '"privileges" field must be an array')
    for each in value:
        _check(each)
    known = roles.ACTIONS | roles.OTHER_ACTIONS
    strange = [word for each in value for word in each["actions"] if word not in known]
    if strange:
        raise MongoError(9, f"Unrecognized action privilege strings: {','.join(strange)}")
    for each in value:
        target = str(each["resource"].get("db", ""))
        if database not in ("admin", target):
            kind = f"Roles on the '{database}' database cannot be granted privileges"
            raise MongoError(MODIFICATION, f"{kind} that target other databases or the cluster")
        session.authorize(target or "admin", action, command)
    return _merge(value)


def _check(privilege: Json) -> None:
    if not isinstance(privilege, Mapping):
        raise MongoError(2, "Elements in privilege arrays must be objects")
    for field, kind in (("resource", Mapping), ("actions", list)):
        if not isinstance(privilege.get(field), kind):
            raise MongoError(9, f"missing {field} field")
    if not privilege["actions"]:
        raise MongoError(9, "actions field is not set properly")
    resource = privilege["resource"]
    whole, place = {"cluster", "anyResource"} & set(resource), {"db", "collection"} & set(resource)
    if len(whole) > 1 or (whole and place) or (not whole and len(place) < 2):
        raise MongoError(9, "resource must set 'db' and 'collection', 'cluster' or 'anyResource'")


def _inherited(session: Session, own: tuple[str, str], command: Mapping[str, Json]) -> list[dict[str, str]]:
    """The roles that one shall inherit, checked."""
    given = command.get("roles")
    if isinstance(given, list) and own in [read_reference(each, own[1], "role") for each in given]:
        raise MongoError(MODIFICATION, f"Cannot grant role {own[0]}@{own[1]} to itself.")
    try:
        found = read_roles(session, own[1], command, "roles", "grantRole")
    except MongoError as error:
        if error.code != ROLE_NOT_FOUND:
            raise
        raise MongoError(
            ROLE_NOT_FOUND, error.message.replace("No role named", "Cannot grant nonexistent role")
        ) from None
    for role in found:
        name = f"{role['role']}@{role['db']}"
        if own[1] not in ("admin", role["db"]):
            raise MongoError(
                MODIFICATION, f"Roles on the '{own[1]}' database cannot be granted roles from other databases"
            )
        _, others = roles.expand([role], session.server.data.roles())
        if any((each["role"], each["db"]) == own for each in others):
            text = f"Granting {name} to {own[0]}@{own[1]} would introduce a cycle in the role graph"
            raise MongoError(MODIFICATION, text)
    return found


COMMANDS = {
    "createRole": _create,
    "dropAllRolesFromDatabase": _drop_all,
    "dropRole": _drop,
    "grantPrivilegesToRole": _grant_privileges,
    "grantRolesToRole": _grant_roles,
    "revokePrivilegesFromRole": _revoke_privileges,
    "revokeRolesFromRole": _revoke_roles,
    "rolesInfo": _info,
    "updateRole": _update,
}

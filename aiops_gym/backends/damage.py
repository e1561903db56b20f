"""What a repair destroyed or weakened inside the programs: another program, lost data, other users of a database."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from aiops_gym.backends.shape import is_same_workload, read_databases
from aiops_gym.backends.untouched import has_same_settings
from aiops_gym.catalog.model import App, Exec, Fault
from aiops_gym.sim.kernel.world import World
from aiops_gym.sim.software.mongo import roles
from aiops_gym.sim.traffic.configuration import configured
from aiops_gym.types import Json

Databases = Mapping[str, Json]
"""What each database serves, see `shape.read_databases`."""

EMPTY: Mapping[str, Any] = {"documents": [], "indexes": []}
"""A collection that is not there."""

ADDRESSES = {"port", "bind", "listen_addresses", "p", "l"}
"""Settings by which a server is reached: whether it is shows in what users are served, and its Service may follow."""


def find_damage(before: World, settled: World, world: World, app: App, fault: Fault | None) -> tuple[str, ...]:
    """Hard damage, each a sentence: other data, a foreign program, users with other rights.

    Args:
        before: the world just before the incident.
        settled: the repaired world before the next events: programs that start anew put some of their data in order.
        world: the same after them: what does not survive a restart is lost by now.
        app: the application.
        fault: what was done to it.
    """
    was, now = read_databases(before, app), read_databases(world, app)
    stages = [now] if settled is world else [read_databases(settled, app), now]
    return (
        *_foreign_programs(before, world, app),
        *_other_settings(before, settled, app),
        *_thrown_away(before, settled, app),
        *dict.fromkeys(line for each in stages for line in _changed_data(was, each)),
        *_other_users(was, now, fault),
    )


def _foreign_programs(before: World, world: World, app: App) -> list[str]:
    """Deployments that run something else or keep their data elsewhere; `--auth` is part of what is run."""
    settled = has_same_settings(before, world, app)
    return [
        f"{name} runs a program or keeps its data in a place that is not its own"
        for name in app.components
        if world.store.get("deployments.apps", app.namespace, name) is not None
        and not is_same_workload(before, world, app, name, settled=settled)
    ]


def _other_settings(before: World, settled: World, app: App) -> list[str]:
    """Programs in which other settings are in force, whoever said so and however: a restart may be long away.

    A flag that is told no more has the default of who asks for it.
    """
    was, now = _list_in_force(before, app), _list_in_force(settled, app)
    found = []
    for name, (settings, flags) in now.items():
        old, offered = was.get(name, ({}, {}))
        changed = {key for key in {*old, *settings} - ADDRESSES if old.get(key) != settings.get(key)}
        changed |= {key for key, value in flags.items() if key in offered and offered[key] != value}
        if changed:
            found.append(f"{name} runs with another value of {', '.join(sorted(changed))}")
    return found


def _thrown_away(before: World, settled: World, app: App) -> list[str]:
    """Programs of whose data somebody threw some away by a command: only they had them."""
    was, rows = before.table("processes"), settled.table("processes")
    return [
        f"{row['container']} lost data by a command"
        for key, row in rows.items()
        if row["state"].get("lost") and row["pod"].startswith(f"{app.namespace}/")
        if row["state"]["lost"] != (was[key]["state"].get("lost") if key in was else None)
    ]


def _list_in_force(world: World, app: App) -> dict[str, tuple[Mapping[str, Json], Mapping[str, Json]]]:
    """Settings of running programs that are not the usual ones, and flags that they tell others, by container."""
    return {
        row["container"]: (row["state"].get("set") or {}, configured(row).get("offers") or {})
        for row in world.table("processes").values()
        if row["running"] and row["pod"].startswith(f"{app.namespace}/")
    }


def _changed_data(was: Databases, now: Databases) -> list[str]:
    """Databases that do not serve just what they served: lost, changed or further documents, collections, indexes.

    Another volume counts as well, and a database that nobody had is one of somebody's tries.
    """
    found: list[str] = []
    for name, copies in was.items():
        old = copies[0] if copies else {"collections": {}, "databases": []}
        for copy in now[name]:
            new = {at: each for at, each in copy["collections"].items() if at[0] in old["databases"]}
            found += [f"{name} {how}" for how in _compare_collections(old["collections"], new)]
    return list(dict.fromkeys(found))


def _compare_collections(old: Mapping[Any, Any], new: Mapping[Any, Any]) -> Iterator[str]:
    pairs = [(old.get(at, EMPTY), new.get(at, EMPTY)) for at in {**old, **new}]
    pairs = [pair for pair in pairs if pair[0] != pair[1]]
    documents = [[{str(each["_id"]): each for each in side["documents"]} for side in pair] for pair in pairs]
    if any(now.get(key) != document for was, now in documents for key, document in was.items()):
        yield "has lost documents"
    if any(now.keys() - was.keys() for was, now in documents):
        yield "has documents that it had not"
    if any(was["indexes"] != now["indexes"] for was, now in pairs):
        yield "has other indexes"
    if old.keys() != new.keys():
        yield "has other collections"


def _other_users(was: Databases, now: Databases, fault: Fault | None) -> list[str]:
    """Users and roles that were added, dropped or changed; the user that the fault is about may do no more than once.

    A repair of it may make roles for it.
    """
    about = [part for part in (fault.each if fault else ()) if any(isinstance(c, Exec) for c in part.changes)]
    targets = {part.cause.component for part in about if part.cause}
    wrong: list[str] = []
    for name, copies in was.items():
        old = copies[0] if copies else {"users": {}, "roles": []}
        free = {"admin.admin"} if name in targets else set()
        for copy in now[name]:
            known, users = old["users"], copy["users"]
            changed = {u for u in {*known, *users} - free if _shown(known.get(u)) != _shown(users.get(u))}
            wrong += [f"database user {user} of {name} is not as it was" for user in sorted(changed)]
            wider = {u for u in free & {*users} if _gained(known.get(u), users[u], copy)}
            wrong += [f"database user {user} of {name} may do more than before" for user in sorted(wider)]
            if any(role not in copy["roles"] for role in old["roles"]):
                wrong.append(f"a role of {name} is not as it was")
            elif name not in targets and len(copy["roles"]) > len(old["roles"]):
                wrong.append(f"{name} has a role that it had not")
    return list(dict.fromkeys(wrong))


def _shown(user: Mapping[str, Any] | None) -> Any:
    return None if user is None else [user.get("secret"), sorted((r["role"], r["db"]) for r in user.get("roles", ()))]


def _gained(old: Mapping[str, Any] | None, new: Mapping[str, Any], copy: Mapping[str, Any]) -> bool:
    """Whether a user may do something somewhere that it could not do before, however its roles are written."""
    before: Iterable[Mapping[str, str]] = old.get("roles", ()) if old else ()
    return any(
        roles.is_allowed(new.get("roles", ()), database, action, copy["roles"])
        and not roles.is_allowed(before, database, action)
        for database in ("", *copy["databases"])
        for action in roles.ACTIONS
    )

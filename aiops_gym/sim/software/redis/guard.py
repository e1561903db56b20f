"""What a server's settings mean to others: who reaches it, whom it lets in, and whose writes it takes.

It is kept as `configured`, see `sim.traffic.configuration`: `auth` and `local`; `late`, where a password was set while
it ran: whoever was connected goes on, and who began later is told no (`unseated` of the client); `oom`, where it takes
no writes. State `guarded` is when that password was set, `set` all settings that are not the image's.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from aiops_gym.sim.machine.container import Container
from aiops_gym.sim.software.redis import info, settings
from aiops_gym.sim.traffic.configuration import configured
from aiops_gym.types import Json

if TYPE_CHECKING:
    from aiops_gym.sim.kernel.tables import Process
    from aiops_gym.sim.kernel.world import World

NOAUTH = "NOAUTH Authentication required."
OOM = "OOM command not allowed when used memory > 'maxmemory'."
GROWING = frozenset(("set", "zadd", "hset", "hmset", "incr", "lpush", "rpush", "sadd", "append", "setex"))
"""Commands that may need memory."""

SOON, LATER = 100, 2_000
"""Milliseconds until it looks again for new clients, and at its memory."""


def apply(c: Container) -> None:
    """Let the settings in force have their effect."""
    found, told = settings.Settings(c.state["settings"], ""), dict[str, Json]()
    if found.values["requirepass"]:
        told |= {"auth": True, **({"late": True} if c.state.get("guarded") else {})}
    if found.local:
        told["local"] = [found.port]
    if is_full(c):
        told["oom"] = True
    if told != configured(c.process):
        c.world.touch()
    _keep(c, configured=told, set=found.changed)


def change(c: Container, name: str, value: str) -> None:
    """CONFIG SET of a value that makes sense."""
    before = c.state["settings"]
    if name == "requirepass" and not (before[name] and value):
        _keep(c, guarded=c.now if value else 0)
    c.remember(settings={**before, name: value})
    if name == "port":
        c.remember(port=int(value))
        c.close(int(before[name]))
        if int(value):
            c.listen(int(value))
    apply(c)
    turn_away(c.world)
    watch(c)


def watch(c: Container, due: bool = False) -> None:
    """Look at memory and clients when it is `due`, from now on as long as the settings ask for it."""
    limited, late = c.state["settings"]["maxmemory"] != "0", bool(configured(c.process).get("late"))
    if due:
        apply(c)
        turn_away(c.world)
    if due or "watching" not in c.state:
        _keep(c, watching=limited or late)
        if limited or late:
            c.after(SOON if late else LATER, "look")


def is_full(c: Container) -> bool:
    """Whether it takes no writes for want of memory."""
    limit = settings.parse_size(c.state["settings"]["maxmemory"])
    evicts = c.state["settings"]["maxmemory-policy"].startswith("allkeys")
    return bool(limit) and (limit < info.BASE or (not evicts and info.measure_used(c) > limit))


def refuse(row: Process, call: Mapping[str, Json]) -> str:
    """Why a server says no to a call, "" if it does not; one that goes `to` nobody is a new connection."""
    told = configured(row)
    if told.get("auth") and not (told.get("late") and "to" in call):
        return NOAUTH
    writes = call.get("adds") or str(call.get("span", "")).lower() in GROWING
    return OOM if told.get("oom") and writes else ""


def turn_away(world: World) -> None:
    """Let clients that began after a password was set know that they are refused, and all others that they are not."""
    rows = world.table("processes")
    guarded = {key: at for key, row in rows.items() if row["running"] and (at := row["state"].get("guarded"))}
    first = min(guarded.values(), default=world.now + 1)
    for key, row in list(rows.items()):
        before = configured(row).get("unseated") or {}
        if row["running"] and (row["started"] >= first or NOAUTH in before.values()):
            now = {to: why for to, why in before.items() if why != NOAUTH}
            now |= dict.fromkeys(_list_closed(Container(world, key), guarded), NOAUTH)
            if now != before:
                told = {**configured(row), "unseated": now}
                Container(world, key).remember(configured={k: v for k, v in told.items() if v or k != "unseated"})
                world.touch()


def _list_closed(c: Container, guarded: Mapping[str, int]) -> list[str]:
    """Those whom a client calls at a server that asks for a password since before the client began."""
    handlers, found = (c.params.get("handlers") or {}).values(), []
    calls = [item for handler in handlers for item in handler.get("calls", ())]
    flat = [call for item in calls for call in (item if isinstance(item, list | tuple) else (item,))]
    for to in dict.fromkeys(call.get("to") for call in flat if call.get("kind") == "redis"):
        host, port = configured(c.process).get("addresses", {}).get(to, ("", 0))
        route = c.dial(str(host), int(port)) if guarded and host else None
        if route and any(c.process["started"] >= guarded.get(t.process, c.now + 1) for t in route.targets):
            found.append(to)
    return found


def _keep(c: Container, **changes: Json) -> None:
    """Remember what is something, and forget what is nothing, so that what was undone is as it was."""
    state = {name: value for name, value in {**c.state, **changes}.items() if value or name not in changes}
    if state != c.state:
        c.change(state=state)

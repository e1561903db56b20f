"""What requests leave behind for those that come later: callers that try again, caches that are cold.

A *strain* is a number between 0, where all is well, and 1: of a caller that tries again the share of its attempts that
failed lately, of one that gives up connections soon the share of those that it has not, of a cache the share of what is
asked for that is not in it. It makes the work of a request more, and it
follows the share `fails` of that work which comes to nothing: d strain / d time = (fails - strain) / tau. Where much
strain brings about much failure and little brings about little, both feed themselves, and what began the one may be
long over: a metastable state. Nothing ticks: a strain moves in steps, each when the closed form says that it is there,
and at a fixed point nothing is planned at all.

Table `strains`: name -> {level: steps, since: ms, ids: of the processes that remember, tau: ms in which it is forgotten
when nobody asks (0: never), next: step, due: ms}.
Table `caches`: host of a cache whose warmth counts -> {each: times the work of a question whose answers are not cached,
within: ms in which it must be answered for the answer to be kept, tau: ms}. Without rows and without programs that try
again, all is as if none of this existed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import log
from typing import NamedTuple

from aiops_gym.sim.kernel.tables import Process
from aiops_gym.sim.kernel.world import Handler, World
from aiops_gym.sim.traffic.configuration import configured
from aiops_gym.types import Json

STEPS = 10
"""In which a strain moves from 0 to 1."""

REST = 0.5 / STEPS
"""How near a strain must be to where it tends to stay where it is."""

NEAR = 0.25 / STEPS
"""How near it counts as there, in a course that never arrives."""

LATE = "rpc error: code = DeadlineExceeded desc = context deadline exceeded"
"""What a caller hears from its own library when an attempt has had its time."""

UNCONNECTED = (
    'rpc error: code = Unavailable desc = connection error: desc = "transport: Error while dialing: '
    'dial tcp: i/o timeout"'
)
"""The same when a connection has had its time."""

Levels = tuple[tuple[str, float], ...]
"""Names of strains and how large they are, sorted; those that are 0 are left out."""


class Work(NamedTuple):
    """What a strain makes of a call: the chance that it is made, attempts of each, work of each attempt."""

    share: float
    attempts: float
    each: float


def weigh(call: Mapping[str, Json], levels: Mapping[str, float]) -> Work:
    """What becomes of a call.

    >>> weigh({"p": 0.1, "strain": "a", "cold": {"each": 5.0}}, {"a": 1.0})
    Work(share=1.0, attempts=1.0, each=5.0)
    >>> round(weigh({"p": 1.0, "strain": "a", "retry": {"attempts": 3, "budget": None}}, {"a": 0.5}).attempts, 3)
    1.75
    """
    share = float(call["p"])
    level = levels.get(call["strain"], 0.0) if "strain" in call else 0.0
    if not level:
        return Work(share, 1.0, 1.0)
    if "cold" in call:
        return Work(share + (1.0 - share) * level, 1.0, 1.0 + (float(call["cold"]["each"]) - 1.0) * level)
    retry = call["retry"]
    again = level * find_allowed(retry, level)
    return Work(share, sum(again**number for number in range(int(retry["attempts"]))), 1.0)


def find_allowed(retry: Mapping[str, Json], level: float) -> float:
    """The chance that a budget allows to try again: it pays for so many further attempts of each call."""
    budget = retry["budget"]
    if budget is None or not level:
        return 1.0
    return min(1.0, float(budget) / ((1.0 + float(budget)) * level))


def read_levels(world: World) -> Levels:
    """All strains as they are."""
    rows = world.tables.get("strains")
    return tuple(sorted((name, row["level"] / STEPS) for name, row in rows.items() if row["level"])) if rows else ()


def declare(world: World, host: str, row: Mapping[str, Json]) -> None:
    """From now on it counts how warm the cache at a host is."""
    world.table("caches")[host] = dict(row)
    world.touch()


def list_caches(world: World) -> tuple[tuple[str, float, float, float], ...]:
    """Caches whose warmth counts: host, `each`, `within`, `tau`."""
    rows = world.tables.get("caches")
    return tuple([(host, row["each"], row["within"], row["tau"]) for host, row in rows.items()]) if rows else ()


def mark_cold(world: World, asked: Sequence[Mapping[str, Json]], made: Sequence[Json], nodes: Sequence[Json]) -> None:
    """Say in compiled calls which of them ask a database for what a cache before them has not.

    Args:
        world: in which they are made.
        asked: calls of a handler, as its program declares them.
        made: the same, compiled.
        nodes: of the graph.
    """
    caches, remembering = world.tables.get("caches"), ""
    holders: list[int] = []
    for call, ready in zip(asked, made, strict=True) if caches else ():
        if isinstance(call, list | tuple):
            mark_cold(world, call, ready, nodes)
        elif (host := str(call.get("host") or call.get("to"))) in (caches or {}):
            remembering, holders = host, [nodes[target[0]]["process"] for target in ready["to"] if target[0] >= 0]
        elif remembering and call["kind"] == "mongo" and ready["p"] < 1.0:
            ready |= {"strain": remembering, "cold": (caches or {})[remembering], "by": holders}


def mark_caller(process: Process, service: str, holders: Sequence[int]) -> dict[str, Json]:
    """What a program that tries again, or gives up a connection soon, adds to a call of a service.

    Args:
        process: that makes the call.
        service: that it calls.
        holders: positions of the processes to which it is connected.
    """
    told, name = configured(process), f"{process['params'].get('name', '')}>{service}"
    if retry := told.get("retry"):
        return {"strain": name, "retry": retry, "by": [], "timeout": retry["timeout"], "late": LATE}
    connect = told.get("connect")
    if not connect:
        return {}
    return {"strain": name, "cold": connect, "by": sorted(holders), "timeout": connect["within"], "late": UNCONNECTED}


def settle(world: World, outcome: Mapping[str, Json]) -> bool:
    """Take note of strains that are new, or lost with what remembered; whether that changes what was solved."""
    rows, changed = world.table("strains"), False
    for name, found in outcome.get("strains", {}).items():
        ids, row = [_identify(world, outcome["processes"][i]) for i in found["by"]], rows.get(name)
        if row is None:
            rows[name] = {"level": 0, "since": world.now, "ids": ids, "tau": 0 if found["by"] else found["tau"]}
        elif ids and row["ids"] != ids:
            level = max(row["level"], round(STEPS * sum(id_ not in row["ids"] for id_ in ids) / len(ids)))
            changed |= level != row["level"]
            rows[name] = _at(row, level, world.now) | {"ids": ids}
    return changed


def _at(row: Json, level: int, now: int) -> dict[str, Json]:
    """A row that has reached a level, without plans."""
    return {"level": level, "since": now, "ids": row["ids"], "tau": row["tau"]}


def _identify(world: World, process: str) -> str:
    row = world.table("processes").get(process)
    return str(row["id"]) if row is not None else ""


def plan(world: World, outcome: Mapping[str, Json]) -> None:
    """Schedule the next step of each strain, unless it is at rest."""
    rows, felt = world.tables.get("strains", {}), outcome.get("strains", {})
    for name, row in list(rows.items()):
        found = felt.get(name, {"fails": 0.0, "tau": row["tau"]})
        step, wait = find_step(row["level"], found["fails"], found["tau"]) if found["tau"] else (row["level"], 0)
        due = max(world.now, row["since"] + wait)
        if step == row["level"]:
            rows[name] = _at(row, step, row["since"])
        elif (row.get("next"), row.get("due")) != (step, due):
            rows[name] = {**row, "next": step, "due": due}
            world.schedule(due - world.now, "traffic.strain", name, step, due)


def find_step(level: int, fails: float, tau: float) -> tuple[int, int]:
    """The next step of a strain and ms until it is there; the same one where it rests.

    >>> find_step(0, 1.0, 5_000.0), find_step(10, 0.99, 5_000.0)
    ((1, 527), (10, 0))
    """
    now, to = level / STEPS, min(1.0, max(0.0, fails))
    if abs(to - now) < REST:
        return level, 0
    step = level + (1 if to > now else -1)
    left = (to - step / STEPS) * (1 if to > now else -1)
    return step, round(tau * log(abs(to - now) / max(left, NEAR)))


def _step(world: World, name: str, step: int, due: int) -> None:
    """A strain is where it was bound for, if nothing has changed since."""
    row = world.table("strains").get(name, {})
    if (row.get("next"), row.get("due")) == (step, due):
        world.table("strains")[name] = _at(row, step, world.now)
        world.touch()


def upset(world: World) -> None:
    """Make all strains as large as they can be, as when nobody was answered for some time."""
    rows = world.tables.get("strains", {})
    for name, row in list(rows.items()):
        rows[name] = _at(row, STEPS, world.now)
        world.touch()


def list_strained(nodes: Sequence[Json]) -> Iterator[tuple[int, Json]]:
    """The calls of a graph that feel a strain, with the number of the node that makes them."""
    for number, node in enumerate(nodes):
        for item in node["calls"]:
            for call in item if isinstance(item, list) else (item,):
                if "strain" in call:
                    yield number, call


HANDLERS: dict[str, Handler] = {"traffic.strain": _step}

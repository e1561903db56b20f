"""The page that wakes somebody: when it is sent, and what it says.

It is sent when an alert fires that did not fire before, as Alertmanager sends it. Where none does so in time, a user
has complained by then, about the operation that does worst. Nothing in its form says whether anything is wrong: where
nothing is, there was an incident that somebody has mended by now (`pass_trouble`), or somebody complains all the same.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from itertools import pairwise
from typing import Any, NamedTuple
from urllib.parse import urlencode

from aiops_gym.backends import leftovers, releases, shadows, steady
from aiops_gym.backends.cluster import SimulatedCluster
from aiops_gym.backends.inject import inject
from aiops_gym.backends.node_network import NodeNetwork
from aiops_gym.backends.promises import find_broken
from aiops_gym.backends.servers import ask_server
from aiops_gym.catalog.model import App, Fault
from aiops_gym.shell.sandbox import Sandbox
from aiops_gym.sim import traffic
from aiops_gym.sim.kernel import draws, jsontext
from aiops_gym.sim.kernel.times import HOUR, MINUTE, SECOND, iso
from aiops_gym.sim.kernel.world import World
from aiops_gym.types import Json

LONGEST = 11 * MINUTE
"""How long after the beginning an alert is waited for: ten minutes and what an incident takes to unfold."""

LOOK = 15 * SECOND
"""Between two looks at whether an alert fires."""

GROUP_WAIT = 10 * SECOND
"""How long Alertmanager waits for others of the group."""

SILENT = ("none",)
"""Severities of alerts that page nobody: the one that always fires."""

FLEETING = ("pod", "uid", "instance", "container", "node")
"""Labels that are others once a pod was made anew: the alert is the same."""

SHORTEST, SPAN = 150 * SECOND, 90 * SECOND
"""How long a trouble lasts at least until somebody mends it, and how much longer it may last."""

RECOVERY = 4 * MINUTE
"""How long it may take until all is well then."""

TRIES = 3
"""Troubles that are tried: one whose repair takes longer is none that passes."""

FIX_SECONDS = 120

Key = tuple[tuple[str, str], ...]


class Firing(NamedTuple):
    """What fires in some minutes to come.

    Attributes:
        chronic: alerts that fired just before the incident, or again and again.
        first: ms at which another one fires; None where none does.
    """

    chronic: frozenset[Key]
    first: int | None


def pass_trouble(world: World, before: World, app: App, seed: int) -> None:
    """Let an incident happen, and somebody mend it: nothing is wrong any more, and alerts take longer to know.

    Args:
        world: in which it happens.
        before: the healthy world.
        app: the application.
        seed: draws the trouble, as an incident is drawn.
    """
    for number in range(TRIES):
        chance = draws.bits(seed, "passing trouble", "", number)
        fault = shadows.draw_mendable(world, app, chance)
        tried = world.fork()
        if _passes(tried, before, app, fault, chance):
            _passes(world, before, app, fault, chance)
            leftovers.note_noise(world)
            return


def _passes(world: World, before: World, app: App, fault: Fault, seed: int) -> bool:
    """Whether all is well again once a fault has come and been mended."""
    inject(world, app, fault)
    world.run(SHORTEST + round(SPAN * draws.draw(seed, "passing trouble", "how long")))
    files = releases.collect_chart_files(app)
    shell = Sandbox(SimulatedCluster(world), seed, network=NodeNetwork(world), files=files)
    shell.run(fault.fixes[0], FIX_SECONDS)
    end = world.now + RECOVERY
    while steady.find_troubles(world, before, app):
        if world.now >= end:
            return False
        world.run(LOOK)
    return True


def await_page(world: World, before: World, app: App, seed: int) -> dict[str, Json]:
    """Let time pass until the page is sent, and say what it says, JSON data.

    Returns:
        `time`; `groups` of alerts that fire, each with `labels` and `alerts` (`labels`, `annotations`, `since`), as
        Alertmanager groups them; `ticket`: what a user says where none of them is new, else "".
    """
    ahead, end = world.fork(), max(world.now, before.now + LONGEST)
    ahead.run_until(end)
    firing = _follow(ahead, before.now, world.now)
    if firing.first is None:
        world.run_until(end)
    else:
        world.run_until(max(world.now, firing.first + GROUP_WAIT))
    groups = _ask_groups(world)
    while not (new := _has_new(groups, firing.chronic)) and world.now < end:
        # In hindsight less of the past is known, and so an alert may seem to have fired a little earlier than it does.
        world.run_until(min(end, world.now + MINUTE))
        groups = _ask_groups(world)
    shown = [{"labels": group["labels"], "alerts": [*map(_shown, _loud(group))]} for group in groups if _loud(group)]
    return {"time": iso(world.now), "groups": shown, "ticket": "" if new else _complain(world, before, app, seed)}


def _follow(world: World, since: int, now: int) -> Firing:
    """What fired in the hour before `since`, and when something else fires, `now` at the earliest."""
    query = 'ALERTS{alertstate="firing"}'
    asked = {"query": query, "start": (since - HOUR) / 1000, "end": world.now / 1000, "step": LOOK // SECOND}
    answer = _ask(world, "prometheus", f"/api/v1/query_range?{urlencode(asked)}")
    times: dict[Key, set[int]] = {}
    for series in answer["data"]["result"] if answer else ():
        if series["metric"].get("severity") not in SILENT:
            found = times.setdefault(_identify(series["metric"]), set())
            found |= {round(1000 * float(time)) for time, _ in series["values"]}
    chronic = frozenset(key for key, found in times.items() if _is_chronic(found, since))
    later = [time for key, found in times.items() if key not in chronic for time in found if time > since]
    return Firing(chronic, max(now, min(later)) if later else None)


def _is_chronic(times: Collection[int], since: int) -> bool:
    """Whether an alert fired just before the incident, or more than once in the hour before."""
    earlier = sorted(time for time in times if time <= since)
    begun = sum(later - time > LOOK for time, later in pairwise(earlier)) + bool(earlier)
    return begun > 1 or (bool(earlier) and earlier[-1] > since - LOOK)


def _identify(labels: Mapping[str, str]) -> Key:
    found = {name: value for name, value in labels.items() if name not in (*FLEETING, "__name__", "alertstate")}
    return tuple(sorted(found.items()))


def _has_new(groups: list[Json], chronic: frozenset[Key]) -> bool:
    return any(_identify(alert["labels"]) not in chronic for group in groups for alert in _loud(group))


def _ask_groups(world: World) -> list[Json]:
    found: list[Json] = _ask(world, "alertmanager", "/api/v2/alerts/groups") or []
    return found


def _loud(group: Json) -> list[Json]:
    return [alert for alert in group["alerts"] if alert["labels"].get("severity") not in SILENT]


def _shown(alert: Mapping[str, Any]) -> dict[str, Json]:
    since = f"{alert['startsAt'][:19]}Z"
    return {"labels": dict(alert["labels"]), "annotations": dict(alert["annotations"]), "since": since}


def _complain(world: World, before: World, app: App, seed: int) -> str:
    """What a user says of the operation that does worst, compared with before; where all do as well, of any of them."""
    success, latency = traffic.compute_success(world), traffic.compute_latency(world)
    usual, lasted = traffic.compute_success(before), traffic.compute_latency(before)

    def loss(name: str) -> tuple[float, float, float]:
        slower = latency[name] / lasted[name] if lasted[name] else 1.0
        return round(usual[name] - success[name], 2), round(slower, 1), draws.draw(seed, "complaint", name)

    worst = max(sorted(usual), key=loss)
    if loss(worst)[:2] <= (0.0, 1.0) and any(find_broken(world, before, app)):
        return "Somebody says that what should follow by itself does not get done, for some minutes now."
    return f"A user says that {worst} does not work as it should, for some minutes now."


def _ask(world: World, server: str, path: str) -> Any:
    """An answer's JSON; None where the server does not answer."""
    answer = ask_server(world, server, "GET", path)
    return jsontext.load(answer.body) if answer.status == 200 else None


def list_alerts(page: Mapping[str, Json]) -> Iterator[Mapping[str, Json]]:
    """The alerts on a page."""
    return (alert for group in page["groups"] for alert in group["alerts"])

"""The history of outcomes: which way requests went between two changes of the world.

Table `timeline` maps a time (`%013d` ms) to the digest of what held from then on; table `outcomes` maps a digest to the
outcome itself. A crash loop goes back and forth between a few outcomes, so the history stays small. Nothing in it ever
changes: what is derived from a past interval stays true.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from hashlib import blake2b
from typing import Any, NamedTuple

import orjson

from aiops_gym.sim.traffic import facts, graph, outcomes
from aiops_gym.sim.traffic.cache import Cache
from aiops_gym.sim.world import World

Json = Any

ENTRIES = 4_096
"""Changes kept; a crash loop makes some hundred in an hour."""

PACKET = 1_448.0
"""Bytes of payload in a packet."""


FORMS = 2_000
"""Facts whose outcome is known to all worlds of the process; several facts share one outcome."""

SOLVED = 200
"""Outcomes kept for those, some dozen kilobytes each."""

NAMINGS = 4
"""Sets of process keys for which each of them is kept."""

Named = tuple[str, Json]
"""Digest and outcome."""


class Form(NamedTuple):
    """What comes of equal facts, in whichever world, with positions in place of processes.

    Attributes:
        outcome: without the names in `processes`.
        processes: the position of each.
        told: what the registry said: position of who asked, service, answer.
        recalled: what those remembered that could not ask it, in the same way; another memory is another outcome.
        named: by the keys of the processes.
    """

    outcome: Json
    processes: list[int]
    told: list[tuple[int, str, Json]]
    recalled: list[tuple[int, str, Json]]
    named: Cache[Named]


_forms: Cache[Form] = Cache(FORMS, lambda form: 1)
_solved: Cache[Json] = Cache(SOLVED, lambda outcome: 1)
"""Outcomes without names of processes, by the text of the survey: many facts lead to few graphs."""


class Interval(NamedTuple):
    """A stretch of time in which nothing changed: [start, end) ms, and the outcome that held."""

    start: int
    end: int
    digest: str
    outcome: Mapping[str, Json]

    @property
    def success(self) -> Mapping[str, float]:
        """Probability of success of each operation."""
        found: Mapping[str, float] = self.outcome["success"]
        return found


def note(world: World) -> None:
    """Write down the present outcome, if it differs from the last one."""
    digest, outcome = _present(world)
    timeline, kept = world.table("timeline"), world.table("outcomes")
    if timeline and timeline[next(reversed(timeline))] == digest:
        return
    key = f"{world.now:013d}"
    timeline.pop(key, None)
    timeline[key] = digest
    if digest not in kept:
        kept[digest] = outcome
    if len(timeline) > ENTRIES:
        _forget(timeline, kept)


def intervals(world: World, start: int, end: int) -> list[Interval]:
    """The intervals that meet [start, end) ms, cut to it, in order. What is in the future is taken to stay as it is."""
    world.settle()
    timeline, kept = world.table("timeline"), world.table("outcomes")
    keys = list(timeline)
    first = max(0, bisect_right(keys, f"{start:013d}") - 1)
    found = []
    for i in range(first, len(keys)):
        begin = int(keys[i])
        if begin >= end:
            break
        until = min(end, int(keys[i + 1])) if i + 1 < len(keys) else end
        if until > start:
            digest = timeline[keys[i]]
            found.append(Interval(max(start, begin), until, digest, kept[digest]))
    return found


def current(world: World) -> Mapping[str, Json]:
    """The outcome that holds now."""
    world.settle()
    if not world.table("timeline"):
        note(world)
    return newest(world)[1]


def newest(world: World) -> tuple[str, Mapping[str, Json]]:
    """Digest and outcome of the last entry, whatever changed since it was noted."""
    timeline = world.table("timeline")
    digest = timeline[next(reversed(timeline))]
    return digest, world.table("outcomes")[digest]


def rate(world: World) -> float:
    """Requests per second of all operations together."""
    row = world.table("load").get("rate")
    return float(row["value"]) if row else world.blueprint.rate


def _present(world: World) -> Named:
    """Digest and outcome of the present state: as found before for equal facts, else worked out."""
    found = facts.gather(world, rate(world))
    keys = found.processes
    form = _forms.get(found.key, lambda: _form(world, keys))
    if any(graph.recall(world, keys[i], service) != answer for i, service, answer in form.recalled):
        form = _form(world, keys)
    graph.remember(world, {(keys[i], service): answer for i, service, answer in form.told})
    return form.named.get(keys, lambda: _named(form, keys))


def _named(form: Form, keys: Sequence[str]) -> Named:
    outcome = {**form.outcome, "processes": [keys[i] for i in form.processes]}
    return blake2b(orjson.dumps(outcome, option=orjson.OPT_SORT_KEYS), digest_size=12).hexdigest(), outcome


def _form(world: World, keys: Sequence[str]) -> Form:
    """Look into the world."""
    found = graph.survey(world)
    at = {key: i for i, key in enumerate(keys)}
    processes, told, recalled = found["processes"], found.pop("told"), found.pop("recalled")
    found["processes"] = [""] * len(processes)
    weights = {operation.name: operation.weight for operation in world.blueprint.operations}
    load = rate(world)
    text = orjson.dumps([found, load, weights])
    return Form(
        _solved.get(text, lambda: _outcome(found, load, weights)),
        [at[key] for key in processes],
        [(at[key], service, answer) for (key, service), answer in told.items()],
        [(at[key], service, answer) for (key, service), answer in recalled.items()],
        Cache(NAMINGS, lambda named: 1),
    )


def _outcome(found: Json, load: float, weights: Mapping[str, float]) -> Json:
    """The graph of calls and what comes of it under a load, as data; without the names of the processes."""
    solved = outcomes.solve(found, load, weights)
    traffic = _packets(found, solved["rps"])
    return {
        "rate": load,
        "weights": weights,
        "processes": found["processes"],
        "services": found["services"],
        "tracers": found["tracers"],
        "samples": found["samples"],
        "nodes": found["nodes"],
        "entry": found["entry"],
        "rps": _per_process(found, solved["rps"]),
        "cpu": _rounded(solved["cpu"]),
        "queues": _rounded(solved["queues"]),
        "received": _rounded(traffic[0]),
        "sent": _rounded(traffic[1]),
        "losses": found["losses"],
        "success": _rounded(solved["success"]),
        "latency": _rounded(solved["latency"]),
    }


def _per_process(found: Json, rps: list[float]) -> list[float]:
    total = [0.0] * len(found["processes"])
    for node, each in zip(found["nodes"], rps, strict=True):
        total[node["process"]] += each
    return [float(f"{value:.9g}") for value in total]


ASK, ANSWER = 420.0, 1_650.0
"""Mean bytes of a request and of an answer, headers included."""


def _packets(found: Json, rps: list[float]) -> tuple[list[float], list[float]]:
    """Bytes per second that each process receives and sends."""
    received, sent = [0.0] * len(found["processes"]), [0.0] * len(found["processes"])
    for node, each in zip(found["nodes"], rps, strict=True):
        received[node["process"]] += each * ASK
        sent[node["process"]] += each * ANSWER
        for item in node["calls"]:
            for call in item if isinstance(item, list) else [item]:
                share = sum(target[1] for target in call["to"] if target[0] >= 0)
                received[node["process"]] += each * call["p"] * share * ANSWER
                sent[node["process"]] += each * call["p"] * share * ASK
    return received, sent


def _rounded(value: Json) -> Json:
    """Nine digits, so that the order of additions cannot make two equal outcomes differ."""
    if isinstance(value, Mapping):
        return {key: _rounded(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [_rounded(inner) for inner in value]
    return float(f"{value:.9g}")


def _forget(timeline: dict[str, Json], kept: dict[str, Json]) -> None:
    """Drop the oldest half, and outcomes that no interval refers to."""
    for key in list(timeline)[: ENTRIES // 2]:
        del timeline[key]
    used = set(timeline.values())
    for digest in [d for d in kept if d not in used]:
        del kept[digest]

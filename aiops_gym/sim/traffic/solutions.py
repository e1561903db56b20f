"""What comes of inputs: outcomes, remembered for all worlds of the process.

Equal inputs have one solution. Those of one canonical form share the call graph, as text with placeholders for the
addresses, so that a pod that comes back under another address costs no look into the world. And graphs that differ by
addresses, at whatever load, share what was solved.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from hashlib import blake2b
from typing import NamedTuple

import orjson

from aiops_gym.caches import Cache, Entry
from aiops_gym.sim.kernel.shared import share
from aiops_gym.sim.kernel.world import World
from aiops_gym.sim.network import routes
from aiops_gym.sim.traffic import canonical, graph, load, outcomes, strain
from aiops_gym.sim.traffic.canonical import Canonical
from aiops_gym.sim.traffic.inputs import Inputs, mentions
from aiops_gym.types import Json

SOLUTIONS = 2_000
"""Inputs whose outcome is known to all worlds of the process; several share one outcome."""

GRAPHS = 24_000_000
"""Bytes of call graphs that are known by their canonical form, some dozen kilobytes each."""

READ = 300
"""Texts of call graphs that have been read, so that outcomes share them."""

SOLVED = 1_000
"""Solutions kept, a few kilobytes each."""

NAMINGS = 4
"""Sets of process keys for which each of them is kept."""

ADDRESS = re.compile(rb"\d+\.\d+\.\d+\.\d+")
"""What may be an address of the world. Only one with a number is cut out; what then still reads like an address must
stand in a text that all worlds of the form share, or the graph is of one world; see `Graph.general`."""

LOCAL = mentions(" ".join(routes.LOCAL).encode())
"""Means the same in every world."""

Named = tuple[str, Json]
"""Digest and outcome."""


class Solution(NamedTuple):
    """What comes of equal inputs, in whichever world, with positions in place of processes.

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


class Graph(NamedTuple):
    """A call graph without names and cores, with positions in the canonical form in place of processes.

    Attributes:
        pieces: its text between the placeholders.
        gaps: the number of the address that belongs into each.
        processes: the position of each.
        told: who was told about which service by the registry.
        recalled: what the registry is remembered to have said; only in graphs that are of one world.
        general: whether the pieces are the same in all worlds of the canonical form, as far as their texts tell.
    """

    pieces: Sequence[bytes]
    placeholders: Sequence[int]
    processes: Sequence[int]
    told: Sequence[tuple[int, str]]
    recalled: Sequence[tuple[int, str, Json]]
    general: bool


_solutions: Cache[Solution] = Cache(
    Entry(
        f"{__name__}.solutions",
        "all that comes of inputs",
        key="the inputs, see `traffic.inputs`; what processes remember of the registry is compared as well",
        bound=SOLUTIONS,
    )
)
_graphs: Cache[Graph] = Cache(
    Entry(
        f"{__name__}.graphs",
        "a look into the world for who calls whom",
        key="the inputs but for addresses, order, load and cores, see `traffic.canonical`",
        bound=GRAPHS,
        unit="bytes of text",
    ),
    lambda graph: sum(map(len, graph.pieces)),
)
_read: Cache[Json] = Cache(
    Entry(f"{__name__}.read", "parsing a call graph; equal ones are one object", key="its JSON text", bound=READ)
)
_solved: Cache[Json] = Cache(
    Entry(
        f"{__name__}.solved",
        "solving the queues of a call graph",
        key="digest of the graph's text without addresses, load, weights of the operations, cores, strains",
        bound=SOLVED,
    )
)
_NAMED = Entry(
    f"{__name__}.named", "writing an outcome with names, and its digest", key="keys of processes", bound=NAMINGS
)


def solve_present(world: World, found: Inputs, asked: float) -> Named:
    """Digest and outcome of a world with these inputs: as found before for equal ones, else worked out."""
    keys = found.processes
    solution = _solutions.get(found.key, lambda: look_up(world, found, asked))
    if any(graph.recall(world, keys[i], service) != answer for i, service, answer in solution.recalled):
        solution = look_up(world, found, asked)
    graph.remember(world, {(keys[i], service): answer for i, service, answer in solution.told})
    return solution.named.get(keys, lambda: name_processes(solution, keys))


def name_processes(solution: Solution, keys: Sequence[str]) -> Named:
    """The outcome with the names of the processes."""
    outcome = {**solution.outcome, "processes": [keys[i] for i in solution.processes]}
    return blake2b(orjson.dumps(outcome, option=orjson.OPT_SORT_KEYS), digest_size=12).hexdigest(), outcome


def look_up(world: World, found: Inputs, asked: float) -> Solution:
    """The solution of inputs: by their canonical form if that is known, else by a look into the world."""
    canon = canonical.make_canonical(world, found)
    if canon is None:
        canon = canonical.make_own(found)
        known = _survey(world, canon)
    else:
        seen = _graphs.seen(canon.key)
        known = _survey(world, canon) if seen is None else seen
        if seen is None and known.general and not known.recalled:
            _graphs.put(canon.key, known)
    at = {key: i for i, key in enumerate(found.processes)}
    places = [at[key] for key in canon.processes]
    answers = {service: graph.list_registered(world, service) for service in {service for _, service in known.told}}
    weights = load.share(world)
    return Solution(
        _outcome(known, canon, asked, weights, strain.read_levels(world)),
        [places[i] for i in known.processes],
        [(places[i], service, answers[service]) for i, service in known.told],
        [(places[i], service, answer) for i, service, answer in known.recalled],
        Cache(_NAMED),
    )


def _survey(world: World, canon: Canonical) -> Graph:
    """Look into the world."""
    found = graph.survey(world)
    at = {key: i for i, key in enumerate(canon.processes)}
    processes, told, recalled = found["processes"], found.pop("told"), found.pop("recalled")
    del found["cores"]
    found["processes"] = [""] * len(processes)
    pieces, placeholders, end, text = [], [], 0, orjson.dumps(found)
    for match in ADDRESS.finditer(text):
        number = canon.numbers.get(match[0].decode())
        if number is not None:
            pieces.append(text[end : match.start()])
            placeholders.append(number)
            end = match.end()
    pieces.append(text[end:])
    left = mentions(b" ".join(pieces))
    return Graph(
        pieces,
        placeholders,
        [at[key] for key in processes],
        [(at[key], service) for key, service in told],
        [(at[key], service, answer) for (key, service), answer in recalled.items()],
        left.isdisjoint(canon.numbers) and left <= canon.literal | LOCAL,
    )


def _outcome(known: Graph, canon: Canonical, asked: float, weights: Mapping[str, float], levels: strain.Levels) -> Json:
    """The graph of calls and what comes of it under a load, as data; without the names of the processes."""
    addresses = [address.encode() for address in canon.numbers]
    filled = [
        part
        for number, piece in zip(known.placeholders, known.pieces[1:], strict=True)
        for part in (addresses[number], piece)
    ]
    text = b"".join((known.pieces[0], *filled))
    found = _read.get(text, lambda: _loaded(text))
    digest = blake2b(b"\0".join(known.pieces), digest_size=16).digest()  # no address has a say in what is solved
    cores = [canon.cores[i] for i in known.processes]
    key = (digest, asked, tuple(weights.items()), tuple(cores), levels)
    solved = _solved.get(key, lambda: _solve({**found, "cores": cores}, asked, weights, dict(levels)))
    return {
        "rate": asked,
        "weights": weights,
        "processes": found["processes"],
        "services": found["services"],
        "tracers": found["tracers"],
        "samples": found["samples"],
        "nodes": found["nodes"],
        "entry": found["entry"],
        "rps": solved["rps"],
        "cpu": solved["cpu"],
        "queues": solved["queues"],
        "received": solved["received"],
        "sent": solved["sent"],
        "lookups": solved["lookups"],
        "losses": found["losses"],
        "success": solved["success"],
        "latency": solved["latency"],
        **_strained(solved, found["nodes"], dict(levels)),
    }


def _strained(solved: Json, nodes: Sequence[Json], levels: Mapping[str, float]) -> dict[str, Json]:
    """What only outcomes have in which a strain is felt; `by` are the positions of those who would forget it."""
    if "strains" not in solved:
        return {}
    holders = {call["strain"]: call["by"] for _, call in strain.list_strained(nodes)}
    rows = {k: {**row, "level": levels.get(k, 0.0), "by": holders[k]} for k, row in solved["strains"].items()}
    return {"strains": rows, **({"each": solved["each"]} if "each" in solved else {})}


def _loaded(text: bytes) -> Json:
    """A call graph from its text, made of nodes that others have as well."""
    found = orjson.loads(text)
    return {**found, "nodes": [share(node) for node in found["nodes"]]}


def _solve(found: Json, asked: float, weights: Mapping[str, float], levels: Mapping[str, float]) -> Json:
    """All numbers that a load brings about."""
    solved = outcomes.solve(found, asked, weights, levels)
    traffic = _packets(found, solved["rps"], levels)
    return {
        "rps": _per_process(found, solved["rps"]),
        "cpu": _rounded(solved["cpu"]),
        "queues": _rounded(solved["queues"]),
        "received": _rounded(traffic[0]),
        "sent": _rounded(traffic[1]),
        "lookups": _rounded(_count_lookups(found, solved["rps"])),
        "success": _rounded(solved["success"]),
        "latency": _rounded(solved["latency"]),
        **{key: _rounded(solved[key]) for key in ("strains", "each") if key in solved},
    }


def _per_process(found: Json, rps: list[float]) -> list[float]:
    total = [0.0] * len(found["processes"])
    for node, each in zip(found["nodes"], rps, strict=True):
        total[node["process"]] += each
    return [float(f"{value:.9g}") for value in total]


ASK, ANSWER = 420.0, 1_650.0
"""Mean bytes of a request and of an answer, headers included."""


def _packets(found: Json, rps: list[float], levels: Mapping[str, float]) -> tuple[list[float], list[float]]:
    """Bytes per second that each process receives and sends."""
    received, sent = [0.0] * len(found["processes"]), [0.0] * len(found["processes"])
    for node, each in zip(found["nodes"], rps, strict=True):
        received[node["process"]] += each * ASK
        sent[node["process"]] += each * ANSWER
        for item in node["calls"]:
            for call in item if isinstance(item, list) else [item]:
                share = sum(target[1] for target in call["to"] if target[0] >= 0)
                made = outcomes.count_attempts(call, levels)
                received[node["process"]] += each * made * share * ANSWER
                sent[node["process"]] += each * made * share * ASK
    return received, sent


def _count_lookups(found: Json, rps: list[float]) -> float:
    """Questions per second to which the cluster's name server says that there is no such name."""
    asked = 0.0
    for node, each in zip(found["nodes"], rps, strict=True):
        for item in node["calls"]:
            for call in item if isinstance(item, list) else [item]:
                asked += each * call["p"] * call.get("lookups", 0)
    return asked


def _rounded(value: Json) -> Json:
    """Nine digits, so that the order of additions cannot make two equal outcomes differ."""
    if isinstance(value, Mapping):
        return {key: _rounded(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [_rounded(inner) for inner in value]
    return float(f"{value:.9g}")

"""Calibration: scenarios recorded on a real cluster, played in a simulated one, and compared.

States of pods (phase, containers' states with reasons and messages, readiness, restarts, conditions) must come in the
recorded order, deployments must end as recorded, and events must be those recorded, with their counts; times within
10 % or 2 s. What differs between any two runs is masked: generated names, ids, addresses.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from aiops_gym.testing.calibration import deployments, events, pods
from aiops_gym.testing.calibration.masks import Parts
from aiops_gym.testing.calibration.play import play
from aiops_gym.testing.calibration.tolerance import late
from aiops_gym.types import Json

__all__ = ["replay"]

Row = tuple[float, str, Json]


RUNS = 16
"""A recording shows one course of many that the real cluster might have taken: at most so many runs are compared. Those
that were recorded needed seven at most; the more there are, the likelier one of them shows what came too late."""


def replay(manifest: Mapping[str, Json], recording: Mapping[str, Json], seed: int = 0) -> list[str]:
    """Play a recorded scenario in a fresh simulated cluster.

    Each workload of the manifest must take the recorded course in some run, from its first state to its last event;
    runs are added, with the seeds that follow, until each has.

    Args:
        manifest: `objects` applied at time 0, `seconds` it ran, `actions` taken while it ran (see `actions`), and
            `images` with how each image's pull ends and what it runs. Patches are strategic merges.
        recording: `ns`, `timeline`, `events` and `deployments` as seen on a real cluster.
        seed: of the first run.

    Returns:
        The differences, one a line, of the run that came nearest; empty if there are none.
    """
    nearest: dict[str, list[str]] = {}
    for number in range(RUNS):
        found: dict[str, list[str]] = {}
        for who, line in find_differences(manifest, recording, seed + number):
            found.setdefault(who.partition("/")[2].partition("#")[0].removesuffix("*"), []).append(f"{who}: {line}")
        for subject in {*found, *nearest} if number else found:
            lines = found.get(subject, [])
            if number == 0 or len(lines) < len(nearest.get(subject, [])):
                nearest[subject] = lines
        if not any(nearest.values()):
            return []
    return [line for subject in sorted(nearest) for line in nearest[subject]]


def find_differences(
    manifest: Mapping[str, Json], recording: Mapping[str, Json], seed: int
) -> Iterator[tuple[str, str]]:
    """What differs in one run: the object, `Kind/part`, and how."""
    rows = [(float(row[0]), str(row[1]), row[2]) for row in recording.get("timeline") or () if _of_pod(row)]
    seconds = float(manifest.get("seconds") or max([time for time, _, _ in rows], default=60.0))
    told = recording.get("events") or []
    namespace = str(recording.get("ns") or "recorded")
    seen = play(manifest, namespace, _nodes(manifest, rows, told), late(seconds), seed, events.find_begin(told))
    yield from (("Action/", line) for line in seen.problems)
    theirs = Parts(manifest, namespace, _names(rows, [e["obj"] for e in told]))
    ours = Parts(manifest, namespace, _names(seen.pods, [e["obj"] for _, _, e in seen.events]))
    end = late(seconds)
    rows, played = _alike(rows, seen.pods)
    yield from pods.compare(
        pods.trace_lives(rows, theirs, True, end), pods.trace_lives(played, ours, False, end), seconds
    )
    yield from events.compare(events.tally_recorded(told, theirs), events.group_played(seen.events, ours), seconds)
    yield from deployments.compare(recording.get("deployments") or [], theirs, seen.deployments, ours, seconds)


def _of_pod(row: Sequence[Json]) -> bool:
    """Whether a row of a timeline tells the state of a pod: others tell what was done."""
    return row[1] != "ACTION" and len(row) > 2 and isinstance(row[2], Mapping)


def _nodes(manifest: Mapping[str, Json], rows: Sequence[Row], told: Sequence[Mapping[str, Json]]) -> list[str]:
    """All nodes that are spoken of."""
    found = {state.get("node") for _, _, state in rows} | {event.get("host") for event in told}
    for node in manifest.get("nodes") or ():
        found.add(node if isinstance(node, str) else (node.get("metadata") or node).get("name"))
    for action in manifest.get("actions") or ():
        about = action.get("node") or (str(action.get("kind")).lower() in ("node", "kubelet") and action.get("name"))
        found |= {about} if isinstance(about, str) else set(about or ())
    return sorted(str(name) for name in found if name) or ["node-1"]


def _alike(recorded: Sequence[Row], played: Sequence[Row]) -> tuple[list[Row], list[Row]]:
    """Both with those fields only that both have: recorders differ in what they look at."""
    fields = [{field for _, _, state in rows for field in state} for rows in (recorded, played)]
    common = fields[0] & fields[1] if recorded and played else fields[0] | fields[1]

    def cut(rows: Sequence[Row]) -> list[Row]:
        return [(time, name, {k: v for k, v in state.items() if k in common}) for time, name, state in rows]

    return cut(recorded), cut(played)


def _names(rows: list[tuple[float, str, Json]], objects: list[str]) -> list[str]:
    """All objects seen: pods as they came up, then the rest."""
    return [*(f"Pod/{name}" for _, name, _ in rows), *objects]

"""Calibration: scenarios recorded on a real cluster, played in a simulated one, and compared.

States of pods (phase, containers' states with reasons and messages, readiness, restarts, conditions) must come in the
recorded order, deployments must end as recorded, and events must be those recorded, with their counts; times within
20 % or 2 s. What differs between any two runs is masked: generated names, ids, addresses.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from aiops_gym.testing.calibration import deployments, events, pods
from aiops_gym.testing.calibration.masks import Parts
from aiops_gym.testing.calibration.play import play
from aiops_gym.testing.calibration.tolerance import late

__all__ = ["replay"]

Json = Any


RUNS = 32
"""A recording shows one course of many that the real cluster might have taken: at most so many runs are compared."""


def replay(manifest: Mapping[str, Json], recording: Mapping[str, Json], seed: int = 0) -> list[str]:
    """Play a recorded scenario in a fresh simulated cluster.

    Each workload of the manifest must take the recorded course in some run, from its first state to its last event;
    runs are added, with the seeds that follow, until each has.

    Args:
        manifest: `objects` applied at time 0, `seconds` it ran, `actions` taken while it ran (`at`, `verb` scale, patch
            or delete, `kind`, `name` or `selector`, `first`), and `images` with how each image's pull ends and what it
            runs. Patches are strategic merges.
        recording: `ns`, `timeline`, `events` and `deployments` as seen on a real cluster.
        seed: of the first run.

    Returns:
        The differences, one a line, of the run that came nearest; empty if there are none.
    """
    nearest: dict[str, list[str]] = {}
    for number in range(RUNS):
        found: dict[str, list[str]] = {}
        for who, line in differences(manifest, recording, seed + number):
            found.setdefault(who.partition("/")[2].partition("#")[0].removesuffix("*"), []).append(f"{who}: {line}")
        for subject in {*found, *nearest} if number else found:
            lines = found.get(subject, [])
            if number == 0 or len(lines) < len(nearest.get(subject, [])):
                nearest[subject] = lines
        if not any(nearest.values()):
            return []
    return [line for subject in sorted(nearest) for line in nearest[subject]]


def differences(manifest: Mapping[str, Json], recording: Mapping[str, Json], seed: int) -> Iterator[tuple[str, str]]:
    """What differs in one run: the object, `Kind/part`, and how."""
    seconds = float(manifest["seconds"])
    namespace = str(recording.get("ns") or "recorded")
    rows = [(float(row[0]), str(row[1]), row[2]) for row in recording["timeline"] if row[1] != "ACTION"]
    nodes = {row[2]["node"] for row in rows} | {event.get("host") for event in recording["events"]}
    seen = play(manifest, namespace, sorted(filter(None, nodes)) or ["node-1"], late(seconds), seed)
    theirs = Parts(manifest, namespace, _names(rows, [e["obj"] for e in recording["events"]]))
    ours = Parts(manifest, namespace, _names(seen.pods, [e["obj"] for _, _, e in seen.events]))
    end = late(seconds)
    yield from pods.compare(pods.lives(rows, theirs, True, end), pods.lives(seen.pods, ours, False, end), seconds)
    yield from events.compare(events.recorded(recording["events"], theirs), events.played(seen.events, ours), seconds)
    yield from deployments.compare(recording.get("deployments") or [], theirs, seen.deployments, ours, seconds)


def _names(rows: list[tuple[float, str, Json]], objects: list[str]) -> list[str]:
    """All objects seen: pods as they came up, then the rest."""
    return [*(f"Pod/{name}" for _, name, _ in rows), *objects]

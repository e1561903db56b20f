"""Deployments at the end of a recording, and when it was played."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from aiops_gym.testing.calibration.masks import Parts
from aiops_gym.testing.calibration.tolerance import early, late
from aiops_gym.types import Json


def compare(
    recorded: Sequence[Mapping[str, Json]],
    their_parts: Parts,
    played: Sequence[tuple[float, str, Mapping[str, Json]]],
    our_parts: Parts,
    seconds: float,
) -> Iterator[tuple[str, str]]:
    """The differences: (deployment, in words). A state counts as reached if it was there near the recording's end."""
    for row in recorded:
        name = str(row["name"])
        wanted = _plain(their_parts.deep(row))
        states = [(time, _plain(our_parts.deep(state))) for time, other, state in played if other == name]
        before = [state for time, state in states if time <= early(seconds)][-1:]
        near = before + [state for time, state in states if early(seconds) < time <= late(seconds)]
        if wanted not in near:
            yield f"Deployment/{name}", f"recorded {wanted}, played {near[-1] if near else 'nothing'}"
    there = {str(row["name"]) for row in recorded}
    if recorded:
        names = dict.fromkeys(name for _, name, _ in played if name not in there)
        yield from ((f"Deployment/{name}", "played, not recorded") for name in names)


def _plain(row: Mapping[str, Json]) -> dict[str, Json]:
    conditions = {c[0]: list(c[1:]) for c in row["cond"]}
    return {"conditions": dict(sorted(conditions.items())), "status": {k: v or None for k, v in row["status"].items()}}

"""Whose network is slow: read from the calls between components."""

from __future__ import annotations

import math
import statistics
from collections import defaultdict
from collections.abc import Iterator, Sequence

from aiops_gym.agents.rules.indicators import MINUTE, OLDER, Evidence, Row, Wire, find_candidate, weigh
from aiops_gym.openrca import clock

SLOWER = 1.25
"""Times the usual mean from which a call is slow."""

CLOSELY = 7.0
"""What a close look at the slow calls says."""


def judge_calls(
    rows: Sequence[Row], wires: Sequence[Wire], components: Sequence[str], start: int
) -> Iterator[Evidence]:
    """What the rows of `slowest_spans` by call say of a whole window: whose network it is, not what ails it.

    A component's own network slows the calls to it and from it alike; one that has slow calls because of another has
    them to or from that one only.

    Args:
        start: of the window, Unix seconds.
    """
    reasons = dict.fromkeys(wire.reason for wire in wires)
    for component, calls in _touching(rows, components).items():
        slow = [row for row in calls if _slow(row)]
        if slow:
            time = min(clock.parse(row["first"]) for row in slow) // 1000
            score = sum(weigh(float(row["z"])) for row in slow) / math.sqrt(len(calls)) * (1 if time > start else OLDER)
            yield from (Evidence(component, reason, time + MINUTE, score, "calls") for reason in reasons)


def judge_minutes(rows: Sequence[Row], wires: Sequence[Wire], component: str, time: int) -> Iterator[Evidence]:
    """What they say of the minutes in which a component's network was slow."""
    slow = [row for row in rows if _slow(row)]
    wire = next((wire for wire in wires if slow and _fits(wire, slow)), None)
    if wire is not None:
        yield Evidence(component, wire.reason, time, CLOSELY, "calls closely")


def _touching(rows: Sequence[Row], components: Sequence[str]) -> dict[str, list[Row]]:
    """Calls from and to each candidate."""
    found: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        for end in ("caller", "called"):
            if (component := find_candidate(row[end], components)) is not None:
                found[component].append(row)
    return found


def _fits(wire: Wire, slow: Sequence[Row]) -> bool:
    count = sum(float(row["count"]) for row in slow)
    failed = sum(float(row["errors"]) - float(row["errors_before"]) for row in slow if row.get("errors"))
    slower = sum(float(row["count"]) * _more(row, "mean") for row in slow)
    uneven = statistics.median(_more(row, "p95") / _more(row, "mean") for row in slow)
    return failed >= wire.failed * count and slower >= wire.slower * count and uneven >= wire.uneven


def _slow(row: Row) -> bool:
    return bool(row["z"] and row["mean_before"]) and float(row["mean"]) > SLOWER * float(row["mean_before"])


def _more(row: Row, name: str) -> float:
    return max(0.0, float(row[name]) - float(row[f"{name}_before"] or 0))

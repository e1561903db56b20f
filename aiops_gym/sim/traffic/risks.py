"""Where an outcome leaves room for failure: known before any request is looked at; healthy time costs nothing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from aiops_gym.caches import Cache, Entry
from aiops_gym.types import Json

RARE = 1e-9
"""Chance of being lost in a queue below which nobody needs to look for it."""


SLOW = 200.0
"""Milliseconds of delay that cannot, even many times over, let a request run out of time."""


class Risks(NamedTuple):
    """What may go wrong in an outcome.

    Attributes:
        processes: keys of those that write a line about a request: they may see a call of theirs fail, turn somebody
            away, or say something of each request.
        operations: names of those in which that may happen.
        crashes: operations in which a failed call may end a process.
    """

    processes: frozenset[str]
    operations: frozenset[str]
    crashes: frozenset[str]


_known: Cache[Risks] = Cache(
    Entry(
        f"{__name__}.risks",
        "finding where an outcome leaves room for failure",
        key="digest of the outcome",
        bound=4_096,
    )
)


def assess(digest: str, outcome: Mapping[str, Json]) -> Risks:
    """The risks of an outcome, found once for each digest."""
    return _known.get(digest, lambda: _assess(outcome))


def find_crashing(digest: str, outcome: Mapping[str, Json]) -> frozenset[str]:
    """Operations in which a failed call may end a process: none, as is quickly seen, where no program panics."""
    if _known.seen(digest) is None and not any(call["on_error"] == "panic" for call in _calls(outcome)):
        return frozenset()
    return assess(digest, outcome).crashes


def _calls(outcome: Mapping[str, Json]) -> Iterator[Mapping[str, Json]]:
    for node in outcome["nodes"]:
        for item in node["calls"]:
            yield from item if isinstance(item, list) else (item,)


def _assess(outcome: Mapping[str, Json]) -> Risks:
    fails: list[bool] = []
    troubled: list[frozenset[int]] = []
    deadly: list[bool] = []
    for node in outcome["nodes"]:
        calls = [call for item in node["calls"] for call in (item if isinstance(item, list) else [item])]
        hit = [call for call in calls if _may_fail(call, outcome, fails)]
        fails.append(bool(node["error"]) or any(call["on_error"] != "ignore" for call in hit))
        below = [troubled[target] for call in calls for target in _targets(call)]
        telling = [node["process"]] if hit or "says" in node else []
        turning = [process for call in calls for process in call.get("turned_away", ())]
        turning += [process for call in calls for process, *_ in call.get("denied", ())]
        troubled.append(frozenset([*telling, *turning]).union(*below))
        deeper = any(deadly[target] for call in calls for target in _targets(call))
        deadly.append(deeper or any(call["on_error"] == "panic" for call in hit))
    entry = outcome["entry"]
    told = {name: frozenset[int]().union(*(troubled[t] for t in _targets(call))) for name, call in entry.items()}
    everyone = frozenset[int]().union(*told.values())
    return Risks(
        frozenset(outcome["processes"][i] for i in sorted(everyone)),
        frozenset(name for name, who in told.items() if who),
        frozenset(name for name, call in entry.items() if any(deadly[t] for t in _targets(call))),
    )


def _may_fail(call: Mapping[str, Json], outcome: Mapping[str, Json], fails: list[bool]) -> bool:
    if not call["to"]:
        return True
    for node, _, delay, loss, error in call["to"]:
        if node < 0 or error or delay > SLOW or loss or fails[node]:
            return True
        if outcome["queues"][outcome["nodes"][node]["process"]][2] > RARE:
            return True
    return False


def _targets(call: Mapping[str, Json]) -> list[int]:
    return [target[0] for target in call["to"] if target[0] >= 0]

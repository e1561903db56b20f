"""Events, recorded and played, laid side by side."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import NamedTuple

from aiops_gym.testing.calibration.cluster import START
from aiops_gym.testing.calibration.masks import Parts
from aiops_gym.testing.calibration.tolerance import compute_slack, early, late
from aiops_gym.types import Json

QUANTUM = 1.0
"""Times of events are cut to the second, and so is the first one of all, from which the others are counted."""


COMBINED = "(combined from similar events)"
"""How an event begins that stands for many messages; which of them was the last one is chance."""


class Kind(NamedTuple):
    """What makes two events the same but for names and times."""

    about: str
    field: str | None
    type: str
    reason: str
    message: str
    source: str | None
    host: str | None
    reporting: str | None
    action: str | None


class Sight(NamedTuple):
    """One writing of an event: seconds since the first of all events, which one it was, and its count then."""

    time: float
    event: str
    times: int


class Tally(NamedTuple):
    """What a recording says of a kind: how many events, occurrences, and the seconds of the first and last."""

    events: int
    times: int
    first: float
    last: float


def make_kind(event: Mapping[str, Json], parts: Parts) -> Kind:
    """The kind of an event."""
    fields: dict[str, Json] = {
        name: event.get(name) for name in ("field", "type", "reason", "source", "host", "reporting", "action")
    }
    message = str(event["message"])
    message = COMBINED if message.startswith(COMBINED) else parts.mask(message)
    return Kind(about=parts.of(event["obj"]), message=message, **fields)


def foreign(event: Mapping[str, Json]) -> bool:
    """Whether an event comes from what the recorded cluster has and upstream has not."""
    message = str(event["message"])
    token = event["reason"] == "FailedMount" and ("kube-api-access-" in message or "sync configmap cache" in message)
    return token or event["reason"] == "ProbeError" or "openshift" in message


def tally_recorded(events: Sequence[Mapping[str, Json]], parts: Parts) -> dict[Kind, Tally]:
    """The kinds of a recording's events."""
    events = [e for e in events if not foreign(e)]
    zero = min((_times(e)[0] for e in events), default=0.0)
    found: dict[Kind, Tally] = {}
    for event in events:
        first, last = (t - zero for t in _times(event))
        count = int(event.get("count") or event.get("series") or 1)
        key = make_kind(event, parts)
        old = found.get(key, Tally(0, 0, first, last))
        found[key] = Tally(old.events + 1, old.times + count, min(old.first, first), max(old.last, last))
    return found


def find_begin(events: Sequence[Mapping[str, Json]]) -> int:
    """When a recording began (ms by the clock): things that are done by the clock depend on it."""
    times = [time for event in events if not foreign(event) and (time := _times(event)[0]) > 0]
    return round(min(times) * 1000) if times else START


def _times(event: Mapping[str, Json]) -> tuple[float, float]:
    def seconds(text: Json) -> float | None:
        return None if text in (None, "None") else datetime.fromisoformat(str(text)).timestamp()

    first = seconds(event.get("first"))
    first = (seconds(event.get("event_time")) or 0.0) if first is None else first
    last = seconds(event.get("last"))
    return first, first if last is None else last


def group_played(rows: Sequence[tuple[float, str, Mapping[str, Json]]], parts: Parts) -> dict[Kind, list[Sight]]:
    """The kinds of the events that were written, each with its writings."""
    rows = [row for row in rows if not foreign(row[2])]
    zero = min((time for time, _, _ in rows), default=0.0)
    found: dict[Kind, list[Sight]] = {}
    for time, uid, event in rows:
        count = int(event["count"] or event["series"] or 1)
        found.setdefault(make_kind(event, parts), []).append(Sight(time - zero, uid, count))
    return found


def compare(
    theirs: Mapping[Kind, Tally], ours: Mapping[Kind, Sequence[Sight]], seconds: float
) -> Iterator[tuple[str, str]]:
    """The differences: (part of the object, in words)."""
    before: dict[str, tuple[float, float]] = {}
    for key, tally in sorted(theirs.items(), key=lambda item: item[1].first):
        sights = ours.get(key)
        if not sights:
            yield key.about, f"{_words(key)}: recorded x{tally.times} at {tally.first:.0f} s, never played"
            continue
        lag = sum(before.get(key.about, (0.0, 0.0)))
        yield from ((key.about, f"{_words(key)}: {line}") for line in _counts(key, tally, sights, seconds))
        yield from ((key.about, f"{_words(key)}: {line}") for line in _times_apart(key, tally, sights, seconds, lag))
        before[key.about] = (tally.first, -sights[0].time)
    for key, sights in ours.items():
        if key not in theirs and sights[0].time < early(seconds):
            count = _count(sights, seconds)[1]
            yield key.about, f"{_words(key)}: played x{count} from {sights[0].time:.1f} s on, never recorded"


def _counts(key: Kind, tally: Tally, sights: Sequence[Sight], seconds: float) -> Iterator[str]:
    if _elsewhere(key):
        return
    low, high = _count(sights, early(seconds)), _count(sights, late(seconds))
    if not low[0] - _leeway(tally.events) <= tally.events <= high[0] + _leeway(tally.events):
        yield f"recorded on {tally.events} objects, played on {low[0]} to {high[0]}"
    if not low[1] - _leeway(tally.times) <= tally.times <= high[1] + _leeway(tally.times):
        yield f"recorded x{tally.times}, played x{low[1]} to x{high[1]}"


def _times_apart(key: Kind, tally: Tally, sights: Sequence[Sight], seconds: float, lag: float) -> Iterator[str]:
    """First and last times; `lag` is how much later the object's event before came in the recording."""
    apart = min(abs(sights[0].time - tally.first), abs(sights[0].time + lag - tally.first))
    if apart > compute_slack(tally.first) + QUANTUM:
        yield f"first recorded at {tally.first:.0f} s, first played at {sights[0].time:.1f} s"
    if tally.times <= tally.events or _elsewhere(key):
        return
    pause = (tally.last - tally.first) / max(1, tally.times / tally.events - 1)
    times = [s.time for s in sights if s.time <= late(seconds)] or [sights[0].time]
    if min(abs(t - tally.last) for t in times) > compute_slack(tally.last) + QUANTUM + pause:
        yield f"last recorded at {tally.last:.0f} s, last played at {times[-1]:.1f} s"


def _elsewhere(key: Kind) -> bool:
    """Whether repeats depend on the rest of the cluster: the scheduler tries again whenever some pod is deleted."""
    return key.reason == "FailedScheduling"


def _leeway(count: int) -> int:
    """What a count of something repeated may be off by chance."""
    return round(count * 0.2) if count >= 5 else 0


def _count(sights: Sequence[Sight], time: float) -> tuple[int, int]:
    """(events, occurrences) that had been written by a time."""
    counts = {s.event: s.times for s in sights if s.time <= time}
    return len(counts), sum(counts.values())


def _words(key: Kind) -> str:
    where = f" {key.field}" if key.field else ""
    sender = "/".join(str(v) for v in (key.source or key.reporting, key.host) if v)
    return f"event {key.type} {key.reason}{where} from {sender}: {key.message}"

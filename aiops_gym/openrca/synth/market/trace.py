"""trace_span.csv: the caller's and the called service's span of each call.

The file is several shards one after the other, those of the night and those of the day; a span may be in any of its
time, so that most children are far from their parents.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from aiops_gym.openrca.domains.market import PODS
from aiops_gym.openrca.synth import ids
from aiops_gym.openrca.synth.calls import Spans, spans
from aiops_gym.openrca.synth.files import Coded
from aiops_gym.openrca.synth.market.pages import PAGES, Marks, operations, walk
from aiops_gym.openrca.synth.model import Block, Day

SLOT = "spans"
NIGHT = 8
"""Hour at which the shards change."""

SHARDS = 5
LATE = 1500.0
"""Milliseconds that a row may stand late in its shard."""

CODES = ("2", "4", "13", "1", "9")
LIKELY = (0.45, 0.3, 0.15, 0.07, 0.03)
"""Status codes of calls that fail, and how often each."""

SPOILED = ("0", "OK")
"""Usual status codes that a failure changes; answers of HTTP stay 200, as gRPC hides its code in the trailer."""

FINE = 0.2
"""Scale from which an hour is made at a time; below, more at once is faster."""

OPERATIONS = operations()
KINDS = tuple(
    dict.fromkeys(
        kind
        for each in OPERATIONS
        for call in walk(each.call)
        for marks in (Marks(*call.marks),)
        for kind in ((marks.asked_type, marks.asked), (marks.done_type, marks.done))
        if kind[1]
    )
)
"""Types and operations of spans."""

STATUSES = ("0", "200", "Ok", "OK", *CODES)


class _Piece(NamedTuple):
    """Some hours of spans by shard and time. Ids are rows of the tables at the end: a night is kept in memory whole."""

    shard: np.ndarray
    start: np.ndarray
    duration: np.ndarray
    pod: np.ndarray
    kind: np.ndarray
    status: np.ndarray
    span: np.ndarray
    parent: np.ndarray
    trace: np.ndarray
    spans: np.ndarray
    traces: np.ndarray


def rows(day: Day) -> Iterator[Block]:
    """The file's rows."""
    step = 1 if day.scale >= FINE else NIGHT
    for first, last in ((0, NIGHT), (NIGHT, 24)):
        pieces = [_piece(day, day.midnight + 3600 * hour, 3600 * step) for hour in range(first, last, step)]
        for shard in range(SHARDS):
            for piece in pieces:
                low, high = np.searchsorted(piece.shard, (shard, shard + 1))
                yield _written(piece, slice(low, high))


def _piece(day: Day, start: int, seconds: int) -> _Piece:
    """Both spans of each call, in the file's order, which is that of the calls had nothing failed."""
    made = spans(day, OPERATIONS, PAGES, start, start + seconds, SLOT)
    rng = day.chance(SLOT, "file", start)
    marks = [Marks(*call.marks) for call in made.places]
    asked = np.flatnonzero(np.array([bool(each.asked) for each in marks])[made.place])
    done = np.flatnonzero(np.array([bool(each.done) for each in marks])[made.place])
    n = len(asked) + len(done)
    wire = made.wire[asked]
    order = np.concatenate((made.order[asked] - 1, made.order[done])) + np.where(
        rng.random(n) < 0.1, LATE, 0
    ) * rng.random(n)
    shard = rng.integers(SHARDS, size=n).astype(np.int8)
    take = np.lexsort((order, shard))
    begun = np.concatenate((made.start[asked] - wire / 2, made.start[done]))
    lasted = np.concatenate((made.duration[asked] + wire, made.duration[done]))
    pods = np.array([PODS.index(name) if name in PODS else -1 for name in made.instances], np.int8)
    return _Piece(
        shard=shard[take],
        start=np.floor(begun[take]).astype(np.int64),
        duration=np.maximum(np.rint(lasted[take] * 1000), 1).astype(np.int64),
        pod=pods[np.concatenate((made.instance[made.parent[asked]], made.instance[done]))[take]],
        kind=np.concatenate((_kinds(marks, "asked")[made.place[asked]], _kinds(marks, "done")[made.place[done]]))[take],
        status=_statuses(made, marks, asked, done, rng)[take],
        span=np.concatenate((2 * asked, 2 * done + 1)).astype(np.int32)[take],
        parent=_parents(made, marks, asked, done)[take],
        trace=np.concatenate((made.trace[asked], made.trace[done])).astype(np.int32)[take],
        spans=ids.draw_hex(rng, 2 * made.count, 16),
        traces=ids.draw_hex(rng, int(made.trace.max(initial=-1)) + 1, 32),
    )


def _kinds(marks: list[Marks], side: str) -> np.ndarray:
    """Index of each place's type and operation."""
    kinds = [(each.asked_type, each.asked) if side == "asked" else (each.done_type, each.done) for each in marks]
    return np.array([KINDS.index(kind) if kind[1] else -1 for kind in kinds], np.int8)


def _statuses(
    made: Spans, marks: list[Marks], asked: np.ndarray, done: np.ndarray, rng: np.random.Generator
) -> np.ndarray:
    """The usual status of each span, or a code where the call failed, the same on both sides."""
    code = np.searchsorted(np.cumsum(LIKELY), rng.random(made.count)) + STATUSES.index(CODES[0])
    sides = []
    for take, names in ((asked, [each.asked_status for each in marks]), (done, [each.done_status for each in marks])):
        usual = np.array([STATUSES.index(name) for name in names], np.int8)[made.place[take]]
        spoiled = np.array([name in SPOILED for name in names])[made.place[take]] & made.failed[take]
        sides.append(np.where(spoiled, np.minimum(code[take], len(STATUSES) - 1), usual).astype(np.int8))
    return np.concatenate(sides)


def _parents(made: Spans, marks: list[Marks], asked: np.ndarray, done: np.ndarray) -> np.ndarray:
    """Of a caller's span that of the service it is in; of the called service's the caller's; -1 for roots."""
    known = np.array([bool(each.asked) for each in marks])[made.place[done]]
    above = np.where(known, 2 * done, -1)
    return np.concatenate((2 * made.parent[asked] + 1, above)).astype(np.int32)


def _written(piece: _Piece, part: slice) -> Block:
    parent = piece.parent[part]
    above = ids.strings(piece.spans[np.maximum(parent, 0)])
    return (
        piece.start[part],
        Coded(piece.pod[part], PODS),
        ids.strings(piece.spans[piece.span[part]]),
        ids.strings(piece.traces[piece.trace[part]]),
        piece.duration[part],
        Coded(piece.kind[part], [kind for kind, _ in KINDS]),
        Coded(piece.status[part], STATUSES),
        Coded(piece.kind[part], [operation for _, operation in KINDS]),
        pc.if_else(pa.array(parent >= 0), above, ""),
    )

"""Lines that requests make processes write, in columns: there are many of them, and few are ever read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from hashlib import blake2b
from itertools import chain, pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from aiops_gym.sim.traffic.arrivals import BUCKET, Arrivals, draw_uniform
from aiops_gym.sim.traffic.clients.client import parse_lines
from aiops_gym.sim.traffic.walk import Trouble, Walk

Ints = NDArray[np.int64]
Text = tuple[str, str, str, str]
"""(level, source, message, panic) of a line; see `Failure`."""

USER, USERS = 11, 962
"""Column of the draw of who makes a request, and how many users there are."""

AGAIN = 500
"""Milliseconds after which a database's client tries again to connect to a server that hung up."""

TURNED_AWAY = "turned away"
"""Level of a line about a client that a server hung up on; `source` is its address, the message what happened."""

TURNING_AWAY = ("accepted", "refused", "ended")

DENIED = "denied"
"""Level of the line of a server that refuses a question; the source is then the client's address."""

MOST_LINES = 16
"""Lines that one failed call may leave."""


class Failure(NamedTuple):
    """A line that a request leaves in the log of a process, mostly of the caller in a failed call.

    Attributes:
        ms: when the call failed.
        process: key of the caller.
        level, source, message: of the line.
        panic: the error that ends the caller's process; "" where the caller goes on.
        arrived: when the user's request came.
        order: among the lines of its ms, where a failed call leaves several; those stay together.
    """

    ms: int
    process: str
    level: str
    source: str
    message: str
    panic: str
    arrived: int
    order: int = 0


class Lines(NamedTuple):
    """Lines of one process; the attributes of `Failure` in columns, and few texts for many lines.

    Attributes:
        which: of the texts, for each line.
    """

    process: str
    ms: Ints
    arrived: Ints
    order: Ints
    which: Ints
    texts: Sequence[Text]

    @property
    def columns(self) -> tuple[Ints, Ints, Ints, Ints]:
        """What differs from line to line."""
        return self.ms, self.arrived, self.order, self.which

    def part(self, those: slice) -> Lines:
        """Some of them."""
        ms, arrived, order, which = (column[those] for column in self.columns)
        return Lines(self.process, ms, arrived, order, which, self.texts)

    def read(self, start: int, end: int, panics: bool = False) -> list[Failure]:
        """The lines of [start, end) ms whose call ends its caller's process, or those of all others."""
        chosen = (self.ms >= start) & (self.ms < end)
        wanted = [bool(panic) is panics for *_, panic in self.texts]
        if not all(wanted):
            chosen &= np.array(wanted)[self.which]
        at = np.flatnonzero(chosen)
        texts, key = self.texts, self.process
        rows: Iterator[tuple[int, int, int, int]] = zip(*(column[at].tolist() for column in self.columns), strict=True)
        return [Failure(ms, key, *texts[i], arrived, order) for ms, arrived, order, i in rows]


Told = tuple[Ints, Lines]
"""Lines, and for each the bucket in which its request arrived."""


def write_lines(keys: Sequence[str], came: Arrivals, walk: Walk) -> Iterator[tuple[int, Lines]]:
    """What requests made processes write, by the bucket in which they arrived.

    Args:
        keys: of the processes, by the numbers that the walk has for them.
        came: the requests.
        walk: what became of them.
    """
    for trouble in walk.troubles:
        every = chain(_said(keys, came, trouble), _turned_away(keys, came, trouble), _denied(keys, came, trouble))
        for buckets, written in every:
            yield from _by_bucket(buckets, written)
    for buckets, written in _sayings(keys, came, walk):
        yield from _by_bucket(buckets, written)


def _by_bucket(buckets: Ints, written: Lines) -> Iterator[tuple[int, Lines]]:
    """Neighbouring lines of one bucket together."""
    edges = [0, *(np.flatnonzero(np.diff(buckets)) + 1).tolist(), len(buckets)]
    for low, high in pairwise(edges):
        if low < high:
            yield int(buckets[low]), written.part(slice(low, high))


def _said(keys: Sequence[str], came: Arrivals, trouble: Trouble) -> Iterator[Told]:
    """What callers log of calls that failed."""
    call, shunned = trouble.call, trouble.call.get("shunned")
    panics = call["on_error"] == "panic"
    said = parse_lines(call["log"]) or ([["", "{error}", "error"]] if panics else [])
    if not (said or shunned):
        return
    what = list(zip(trouble.errors, trouble.reached.tolist(), strict=True))
    numbers = {kind: number for number, kind in enumerate(dict.fromkeys(what))}
    several = [_texts(said if reached or shunned is None else shunned, error, panics) for error, reached in numbers]
    kind = np.array([numbers[each] for each in what])
    call_, line, which = _spread(kind, [len(texts) for texts in several])
    chance = (came.keys[trouble.which] >> np.uint64(40)).astype(np.int64)
    alone = np.array([len(texts) == 1 for texts in several])[kind]
    order = np.where(alone, 0, MOST_LINES * chance)[call_] + np.where(alone[call_], 0, line + 1)
    ms, arrived = (times[call_] for times in _times(came, trouble))
    texts = [text for each in several for text in each]
    yield arrived // BUCKET, Lines(keys[trouble.process], ms, arrived, order, which, texts)


def _spread(kind: Ints, lengths: Sequence[int]) -> tuple[Ints, Ints, Ints]:
    """Lines of calls: of which call each is, which of its lines, and which of the texts of all kinds.

    >>> [column.tolist() for column in _spread(np.array([1, 0, 1]), [1, 2])]
    [[0, 0, 1, 2, 2], [0, 1, 0, 0, 1], [1, 2, 0, 1, 2]]
    """
    count = np.array(lengths)[kind]
    call = np.repeat(np.arange(len(kind)), count)
    line = np.arange(len(call)) - (np.cumsum(count) - count)[call]
    return call, line, np.cumsum([0, *lengths])[kind][call] + line


def _texts(several: Sequence[Sequence[str]], error: str, panics: bool) -> list[Text]:
    """The lines of one failed call."""
    return [(level, source, text.replace("{error}", error), error if panics else "") for source, text, level in several]


def _times(came: Arrivals, trouble: Trouble) -> tuple[Ints, Ints]:
    """When calls failed, and when their requests came."""
    arrived = came.ms[trouble.which]
    return (arrived + trouble.end).astype(np.int64), arrived.astype(np.int64)


def _turned_away(keys: Sequence[str], came: Arrivals, trouble: Trouble) -> Iterator[Told]:
    """What servers log that hang up on their clients: these try again after some time, however much is asked."""
    call = trouble.call
    for server in call.get("turned_away", ()):
        arrived = came.ms[trouble.which]
        times = (arrived + trouble.end - call["after"]).astype(np.int64)
        buckets, last = (arrived // BUCKET).astype(np.int64), (0, -AGAIN)
        kept: list[tuple[int, int]] = []
        for bucket, ms in sorted(zip(buckets.tolist(), times.tolist(), strict=True)):
            if bucket > last[0] or ms >= last[1] + AGAIN:
                last = (bucket, ms)
                kept.append(last)
        texts = [(TURNED_AWAY, str(call["remote"]), what, "") for what in TURNING_AWAY]
        own, ms = np.repeat(np.array(kept), len(texts), axis=0).T
        at = np.tile(np.arange(len(texts)), len(kept))
        yield own, Lines(keys[server], ms, ms, at + 1, at, texts)


def _denied(keys: Sequence[str], came: Arrivals, trouble: Trouble) -> Iterator[Told]:
    """What databases log of questions that whoever asks them has no right to."""
    refusing: Mapping[str, int] = {text: server for server, text in trouble.call.get("denied", ())}
    for error, server in refusing.items():
        row = np.array([at for at, text in enumerate(trouble.errors) if text == error], dtype=np.int64)
        ms, arrived = (times[row] for times in _times(came, trouble))
        zero = np.zeros(len(row), dtype=np.int64)
        texts = [(DENIED, str(trouble.call["remote"]), error, "")] if len(row) else []
        yield arrived // BUCKET, Lines(keys[server], ms, arrived, zero + 1, zero, texts)


def _sayings(keys: Sequence[str], came: Arrivals, walk: Walk) -> Iterator[Told]:
    """What handlers say of each request; `{user}` is who made it, `{uuid}` an identity that stands for that."""
    for saying in walk.sayings:
        arrived, each = came.ms[saying.which], len(saying.lines)
        users, of = np.unique(
            (draw_uniform(came.keys[saying.which], USER) * USERS).astype(np.int64), return_inverse=True
        )
        texts = [
            (level, source, _filled(message, user), "")
            for user in users.tolist()
            for source, message, level in saying.lines
        ]
        row, at = np.repeat(np.arange(len(arrived)), each), np.tile(np.arange(each), len(arrived))
        ms, began = (arrived + saying.at).astype(np.int64)[row], arrived.astype(np.int64)[row]
        yield began // BUCKET, Lines(keys[saying.process], ms, began, at + 1, of[row] * each + at, texts)


def _filled(message: str, user: int) -> str:
    """A line about a request of a user: its number, or an identity that stands for it."""
    if "{uuid}" in message:
        digits = blake2b(str(user).encode(), digest_size=16).hexdigest()
        parts = (digits[:8], digits[8:12], f"11f0{digits[16:20]}"[:4], digits[16:20], digits[20:])
        message = message.replace("{uuid}", "-".join(parts))
    return message.replace("{user}", str(user))

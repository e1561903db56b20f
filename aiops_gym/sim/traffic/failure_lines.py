"""Lines that requests make processes write, in columns: there are many of them, and few are ever read."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence, Set
from hashlib import blake2b
from itertools import chain, pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from aiops_gym.sim.kernel import draws
from aiops_gym.sim.traffic.arrivals import BUCKET, Arrivals, Keys, draw_uniform
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

CHOICE = re.compile(r"\{one of:([^{}]*)\}")
"""What stands in a line for one of several words, which each request draws."""


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
        keys: of the requests, from which the rest of the texts is drawn when somebody reads them; None where they are
            whole.
    """

    process: str
    ms: Ints
    arrived: Ints
    order: Ints
    which: Ints
    texts: Sequence[Text]
    keys: Keys | None = None

    @property
    def columns(self) -> tuple[Ints, Ints, Ints, Ints]:
        """What differs from line to line."""
        return self.ms, self.arrived, self.order, self.which

    def part(self, those: slice) -> Lines:
        """Some of them."""
        ms, arrived, order, which = (column[those] for column in self.columns)
        keys = self.keys if self.keys is None else self.keys[those]
        return Lines(self.process, ms, arrived, order, which, self.texts, keys)

    def read(self, start: int, end: int, panics: bool = False) -> list[Failure]:
        """The lines of [start, end) ms whose call ends its caller's process, or those of all others."""
        chosen = (self.ms >= start) & (self.ms < end)
        wanted = [bool(panic) is panics for *_, panic in self.texts]
        if not all(wanted):
            chosen &= np.array(wanted)[self.which]
        at = np.flatnonzero(chosen)
        texts, key = self.texts, self.process
        rows: Iterator[tuple[int, int, int, int]] = zip(*(column[at].tolist() for column in self.columns), strict=True)
        if self.keys is None:
            return [Failure(ms, key, *texts[i], arrived, order) for ms, arrived, order, i in rows]
        whose = zip(find_users(self.keys[at]).tolist(), self.keys[at].tolist(), strict=True)
        return [
            Failure(ms, key, *texts[i][:2], _filled(texts[i][2], *who), texts[i][3], arrived, order)
            for (ms, arrived, order, i), who in zip(rows, whose, strict=True)
        ]


Told = tuple[Ints, Lines]
"""Lines, and for each the bucket in which its request arrived."""


def write_lines(keys: Sequence[str], came: Arrivals, walk: Walk) -> Iterator[tuple[int, Lines]]:
    """What requests made processes write, by the bucket in which they arrived.

    Args:
        keys: of the processes, by the numbers that the walk has for them.
        came: the requests.
        walk: what became of them.
    """
    telling = {saying.process for saying in walk.sayings}
    for trouble in walk.troubles:
        every = chain(
            _said(keys, came, trouble, telling), _turned_away(keys, came, trouble), _denied(keys, came, trouble)
        )
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


def _said(keys: Sequence[str], came: Arrivals, trouble: Trouble, telling: Set[int]) -> Iterator[Told]:
    """What callers log of calls that failed: those that say something of each request do so before."""
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
    alone = np.array([len(texts) == 1 and trouble.process not in telling for texts in several])[kind]
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
    refusing = {heard: (server, said) for server, heard, said in trouble.call.get("denied", ())}
    for error, (server, said) in refusing.items():
        row = np.array([at for at, text in enumerate(trouble.errors) if text == error], dtype=np.int64)
        ms, arrived = (times[row] for times in _times(came, trouble))
        zero = np.zeros(len(row), dtype=np.int64)
        texts = [(DENIED, str(trouble.call["remote"]), said, "")] if len(row) else []
        yield arrived // BUCKET, Lines(keys[server], ms, arrived, zero + 1, zero, texts)


def _sayings(keys: Sequence[str], came: Arrivals, walk: Walk) -> Iterator[Told]:
    """What handlers say of each request, see `_filled`; a line that is 4 long comes so many ms later."""
    for saying in walk.sayings:
        arrived, each = came.ms[saying.which], len(saying.lines)
        texts = [(level, source, message, "") for source, message, level, *_ in saying.lines]
        row, at = np.repeat(np.arange(len(arrived)), each), np.tile(np.arange(each), len(arrived))
        late = np.array([sum(line[3:]) for line in saying.lines])
        ms, began = (arrived + saying.at).astype(np.int64)[row] + late[at], arrived.astype(np.int64)[row]
        asked = came.keys[saying.which][row] if any("{" in text for _, _, text, _ in texts) else None
        yield began // BUCKET, Lines(keys[saying.process], ms, began, at + 1, at, texts, asked)


def find_users(keys: Keys) -> Ints:
    """Who makes some requests: numbers below `USERS`."""
    return (draw_uniform(keys, USER) * USERS).astype(np.int64)


def _filled(message: str, user: int, key: int) -> str:
    """A line about a request: `{user}` and `{who}` stand for who made it, the rest for the request itself.

    >>> _filled("{user} likes {one of:tea}", 7, 1)
    '7 likes tea'
    """
    if "{" in message:
        for name, version, whose in (("{who}", 1, user), ("{uuid}", 1, key), ("{tracking}", 4, key)):
            if name in message:
                message = message.replace(name, _identify(f"{name}{whose}", version))
        message = CHOICE.sub(lambda found: _choose(found[1], key), message)
    return message.replace("{user}", str(user))


def _identify(what: str, version: int) -> str:
    """A UUID that belongs to something: of version 1 as those of one season are, or 4."""
    digits = blake2b(what.encode(), digest_size=16).hexdigest()
    third = "11f0" if version == 1 else f"4{digits[13:16]}"
    return f"{digits[:8]}-{digits[8:12]}-{third}-{'89ab'[int(digits[16], 16) % 4]}{digits[17:20]}-{digits[20:]}"


def _choose(words: str, key: int) -> str:
    """One of several words for a request: the same one wherever it has the choice between these."""
    several = words.split("|")
    return several[draws.pick(len(several), key, words)]

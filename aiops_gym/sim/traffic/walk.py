"""The way of many requests through one outcome, all at once: who was called when, for how long, and what failed.

Times are milliseconds since each request's arrival. What is drawn for a request depends on its key and the place in the
tree of calls, not on which other requests are walked with it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from aiops_gym.sim.traffic import clients, strain
from aiops_gym.sim.traffic.arrivals import Floats, Keys, derive_column, draw_uniform
from aiops_gym.sim.traffic.outcomes import HOP, RESEND
from aiops_gym.sim.traffic.queueing import PATIENCE, find_waits
from aiops_gym.types import Json

Index = NDArray[np.intp]
Codes = NDArray[np.int8]
Words = NDArray[np.int32]
"""Numbers of error texts in `Walk.texts`; 0 where nothing is said."""

End = tuple[Floats, Codes, Words]
"""When each of some requests was done with something, how, and the error that the caller hears."""

OK, CANCELED, UNKNOWN, LATE, UNIMPLEMENTED, UNAVAILABLE = 0, 1, 2, 4, 12, 14
"""gRPC status codes."""

CODES = {
    "Unavailable": UNAVAILABLE,
    "Unimplemented": UNIMPLEMENTED,
    "Canceled": CANCELED,
    "DeadlineExceeded": LATE,
    "NotFound": 5,
    "FailedPrecondition": 9,
    "Internal": 13,
}
"""Those that error texts name."""

AGAIN = 4_096
"""Number of the place of a second attempt below that of the first, so far from those of a handler's own calls."""

PANIC = 100
"""Within a handler: its process crashes. Whoever called it finds the connection closed."""

NEVER = 1e9
"""Milliseconds: an answer that does not come."""

LATEST = 1.5 * PATIENCE
"""Milliseconds after which nobody looks any more for what a program says of a request."""


class Visit(NamedTuple):
    """One place in the tree of calls, for all requests that came there.

    Attributes:
        side: `server`, `client` or `store` (a call of a database or cache), and `plain` or `nginx` for the spans of
            libraries that tag them otherwise.
        process: number of the process that reports it.
        name: of the operation.
        path: the place, `parent` that of the place above (0 for the root).
        which: numbers of the requests.
        begin, end: ms since their arrival.
        codes: gRPC status codes.
    """

    side: str
    process: int
    name: str
    path: int
    parent: int
    which: Index
    begin: Floats
    end: Floats
    codes: Codes


class Trouble(NamedTuple):
    """A call that failed for some requests, as its caller may log it; `reached` where it had a connection."""

    call: Mapping[str, Json]
    process: int
    which: Index
    end: Floats
    errors: list[str]
    reached: NDArray[np.bool_]


class Saying(NamedTuple):
    """Lines ([source, message, level]) that a handler leaves for some requests when all is well, and when."""

    process: int
    lines: Sequence[Sequence[Json]]
    which: Index
    at: Floats


class Walk:
    """Walks requests for one operation through an outcome.

    Args:
        outcome: see `timeline`.
        operation: name of the operation.
        keys: of the requests.

    Attributes:
        visits: in the order of the tree.
        troubles: calls that failed.
        sayings: what handlers said without trouble.
        texts: error texts by number.
        end: ms until each user had an answer, or gave up.
        ok: whether it was the right one.
    """

    def __init__(self, outcome: Mapping[str, Json], operation: str, keys: Keys) -> None:
        self.outcome, self.keys = outcome, keys
        self.levels = {name: row["level"] for name, row in outcome.get("strains", {}).items()}
        self.visits: list[Visit] = []
        self.troubles: list[Trouble] = []
        self.sayings: list[Saying] = []
        self.texts: list[str] = [""]
        every = np.arange(len(keys))
        call = outcome["entry"][operation]
        end, codes, _ = self._call(call, every, np.zeros(len(keys)), derive_column(0, 0), 0, -1)
        self.ok = (codes == OK) & (end < PATIENCE)
        self.end = np.minimum(end, PATIENCE)

    def _word(self, text: str) -> int:
        if text not in self.texts:
            self.texts.append(text)
        return self.texts.index(text)

    def _call(self, call: Mapping[str, Json], which: Index, begin: Floats, path: int, parent: int, caller: int) -> End:
        """When a call ended for each of `which`, and how."""
        end, codes = begin.copy(), np.zeros(len(which), dtype=np.int8)
        said = np.zeros(len(which), dtype=np.int32)
        gone = begin >= PATIENCE
        codes[gone] = CANCELED
        made = ~gone
        share = strain.weigh(call, self.levels).share if "cold" in call else call["p"]
        if share < 1.0:
            made &= draw_uniform(self.keys[which], derive_column(path, 1)) < share
        chosen = np.flatnonzero(made)
        if not len(chosen):
            return end, codes, said
        ends, found, words, reached = self._attempt(call, which[chosen], begin[chosen], path, parent, caller)
        if "retry" in call:
            self._try_again(call, which[chosen], (ends, found, words, reached), path, parent, caller)
        failed = np.flatnonzero(found != OK)
        if len(failed) and caller >= 0:
            texts = [self.texts[word] for word in words[failed]]
            self.troubles.append(Trouble(call, caller, which[chosen][failed], ends[failed], texts, reached[failed]))
        if call["on_error"] == "ignore":
            found = np.where(ends < PATIENCE, 0, found).astype(np.int8)
        if "throws" in call and (code := code_of(str(call["throws"]))) != UNKNOWN:
            found = np.where((found == OK) | (found == PANIC), found, code).astype(np.int8)
        end[chosen], codes[chosen] = ends, found
        said[chosen] = self._thrown(str(call["throws"]), words) if "throws" in call else words
        return end, codes, said

    def _thrown(self, text: str, words: Words) -> Words:
        """What a program tells its caller of a failed call: words of its own, or around those that it heard."""
        made = {word: self._word(text.replace("{error}", self.texts[word])) for word in np.unique(words).tolist()}
        return np.array([made[word] for word in words.tolist()], dtype=np.int32)

    def _attempt(
        self, call: Mapping[str, Json], which: Index, begin: Floats, path: int, parent: int, caller: int
    ) -> tuple[Floats, Codes, Words, NDArray[np.bool_]]:
        """Calls that are made, with the spans of those who make them; see `_travel`."""
        place = len(self.visits)
        ends, found, words, reached = self._travel(call, which, begin, path, parent, caller)
        if caller >= 0 and call["span"]:
            side = clients.find_by_name(call["kind"]).side
            told = np.where(ends < NEVER, ends, PATIENCE)
            self._note(Visit(side, caller, call["span"], path, parent, which, begin, told, found), place)
        return ends, found, words, reached

    def _try_again(
        self, call: Mapping[str, Json], which: Index, first: tuple[Any, ...], path: int, parent: int, caller: int
    ) -> None:
        """Further attempts of those whose first ones failed; what came of the last of each is written into `first`."""
        retry, (ends, found, *_) = call["retry"], first
        allowed = strain.find_allowed(retry, self.levels.get(call["strain"], 0.0))
        trying = np.ones(len(which), dtype=bool)
        for number in range(1, int(retry["attempts"])):
            trying &= (found != OK) & (ends + retry["backoff"] < PATIENCE)
            place = derive_column(path, AGAIN + number)
            if allowed < 1.0:
                trying &= draw_uniform(self.keys[which], derive_column(place, 3)) < allowed
            again = np.flatnonzero(trying)
            if not len(again):
                break
            later = self._attempt(call, which[again], ends[again] + retry["backoff"], place, parent, caller)
            for column, new in zip(first, later, strict=True):
                column[again] = new

    def _travel(
        self, call: Mapping[str, Json], which: Index, begin: Floats, path: int, parent: int, caller: int
    ) -> tuple[Floats, Codes, Words, NDArray[np.bool_]]:
        """Ends, codes and errors of calls that are made, and which of them had a connection."""
        words, reached = np.zeros(len(which), dtype=np.int32), np.ones(len(which), dtype=bool)
        if not call["to"]:
            codes = np.full(len(which), code_of(call["error"]), dtype=np.int8)
            words[:], reached[:] = self._word(str(call["error"])), False
            return *self._patient(call, begin, begin + call["after"], codes, words), reached
        above = path if caller >= 0 and call["span"] else parent
        if len(call["to"]) == 1:
            reached[:] = call["to"][0][0] >= 0
            found = self._target(call, call["to"][0], which, begin, derive_column(path, 16), above)
            return *self._patient(call, begin, *found), reached
        ends, codes = np.empty(len(which)), np.zeros(len(which), dtype=np.int8)
        shares = np.cumsum([target[1] for target in call["to"]])
        lot = np.searchsorted(shares, draw_uniform(self.keys[which], derive_column(path, 2)) * shares[-1], side="right")
        for number, target in enumerate(call["to"]):
            sub = np.flatnonzero(np.minimum(lot, len(shares) - 1) == number)
            if len(sub):
                place = derive_column(path, 16 + number)
                ends[sub], codes[sub], words[sub] = self._target(call, target, which[sub], begin[sub], place, above)
                reached[sub] = target[0] >= 0
        return *self._patient(call, begin, ends, codes, words), reached

    def _target(
        self, call: Mapping[str, Json], target: Sequence[Json], which: Index, begin: Floats, path: int, parent: int
    ) -> End:
        """Calls to one target: the way there and back, and what it does."""
        node, _, delay, loss, error = target
        keys = self.keys[which]
        hop = HOP * (0.5 + draw_uniform(keys, derive_column(path, 0)))
        if node < 0 or error:
            said = np.full(len(which), self._word(error), dtype=np.int32)
            return begin + hop, np.full(len(which), code_of(error), dtype=np.int8), said
        back = hop * 0.5 + delay
        if loss > 0.0:
            tries = (
                np.floor(np.log1p(-draw_uniform(keys, derive_column(path, 1))) / np.log(loss)) if loss < 1.0 else 16.0
            )
            back = back + RESEND * (2.0 ** np.minimum(tries, 16.0) - 1.0)
        ends, codes, words = self._handle(call, node, which, begin + hop * 0.5, path, parent)
        client = clients.find_by_name(call["kind"])
        own = self.outcome["nodes"][node]["error"] or client.inner
        if own:
            words = np.full(len(which), self._word(own), dtype=np.int32)
        if client.wraps and (codes != OK).any():
            heard = {word: self._word(client.wrap(self.texts[word])) for word in np.unique(words[codes != OK]).tolist()}
            words = np.array([heard.get(word, word) for word in words.tolist()], dtype=np.int32)
        return np.where(ends < NEVER, ends + back, ends), codes, words

    def _handle(
        self, call: Mapping[str, Json], number: int, which: Index, begin: Floats, path: int, parent: int
    ) -> End:
        """A handler: wait, work, its calls in order, and the rest of the work."""
        node = self.outcome["nodes"][number]
        codes, words = np.zeros(len(which), dtype=np.int8), np.zeros(len(which), dtype=np.int32)
        if node["error"]:
            codes[:] = code_of(node["error"])
            return begin + 0.05, codes, words
        place = len(self.visits)
        waits, work = self._work(node, self.keys[which], path)
        work = work * self.outcome["each"][number] if "each" in self.outcome else work
        time = begin + waits + 0.8 * work
        if "says" in node:
            self.sayings.append(Saying(node["process"], node["says"], which, time.copy()))
        inner = _innermost(node, path, parent)
        for position, item in enumerate(node["calls"]):
            on = np.flatnonzero((codes == OK) & (time < NEVER))
            if not len(on):
                break
            group = item if isinstance(item, list) else [item]
            ended = [
                self._call(
                    each, which[on], time[on], derive_column(path, 64 * (position + 1) + i), inner, node["process"]
                )
                for i, each in enumerate(group)
            ]
            if not group[0].get("apart"):
                time[on], codes[on], words[on] = _last(ended)
        time = np.where(time < NEVER, time + 0.2 * work, time)
        if clients.find_by_name(call["kind"]).handled:
            told = np.where((codes == OK) & (time > PATIENCE), CANCELED, codes).astype(np.int8)
            end = np.minimum(time, PATIENCE)
            self._serve(node, path, parent, which, begin, end, told, place)
        return time, np.where(codes == PANIC, UNAVAILABLE, codes).astype(np.int8), words

    def _serve(
        self,
        node: Mapping[str, Json],
        path: int,
        parent: int,
        which: Index,
        begin: Floats,
        end: Floats,
        codes: Codes,
        place: int,
    ) -> None:
        """The span of a handler; nginx sends one for the request and one for its location."""
        side, name = node.get("traced", "server"), node.get("span", node["name"])
        if not name:
            return
        if side == "nginx":
            inner = _innermost(node, path, parent)
            self._note(Visit(side, node["process"], name, inner, path, which, begin + 0.07, end, codes), place)
        self._note(Visit(side, node["process"], name, path, parent, which, begin, end, codes), place)

    def _note(self, visit: Visit, place: int) -> None:
        """Keep a visit; a process that crashes takes the span with it."""
        alive = np.flatnonzero(visit.codes != PANIC)
        if len(alive) < len(visit.which):
            visit = visit._replace(
                which=visit.which[alive], begin=visit.begin[alive], end=visit.end[alive], codes=visit.codes[alive]
            )
        self.visits.insert(place, visit)

    def _work(self, node: Mapping[str, Json], keys: Keys, path: int) -> tuple[Floats, Floats]:
        """Waiting for the processor (NEVER where it is never reached), and the work itself, ms."""
        wait, slack, loss = self.outcome["queues"][node["process"]]
        work = node["ms"] * (0.6 - 0.4 * np.log1p(-draw_uniform(keys, derive_column(path, 2))))
        if wait < 1e-6:
            return np.zeros(len(keys)), work
        waits = np.where(
            draw_uniform(keys, derive_column(path, 3)) < wait,
            find_waits(draw_uniform(keys, derive_column(path, 4)), slack),
            0.0,
        )
        return np.where(draw_uniform(keys, derive_column(path, 5)) < loss, NEVER, waits), work

    def _patient(self, call: Mapping[str, Json], begin: Floats, ends: Floats, codes: Codes, words: Words) -> End:
        """End calls that take longer than the client library waits, and those whose user has gone."""
        client = clients.find_by_name(call["kind"])
        limit, gives_up = np.full(len(begin), PATIENCE), call.get("late") or client.late
        if gives_up:
            limit = begin + call["timeout"]
        late = np.flatnonzero(ends > limit)
        if len(late):
            if not gives_up and not client.gone:  # it does not notice, and hears in time that there is nothing
                late = late[(codes[late] == OK) | (ends[late] > LATEST)]
            waited = ends[late] - begin[late] > call["timeout"]
            codes[late] = code_of(gives_up) if gives_up else CANCELED
            ends[late] = limit[late] if gives_up or client.gone else NEVER
            said = late[waited] if gives_up else late
            words[said] = self._word(gives_up or client.gone)
        if call["on_error"] == "panic":
            codes[codes != OK] = PANIC
        return ends, codes, words


def _innermost(node: Mapping[str, Json], path: int, parent: int) -> int:
    """The place below which a handler's own calls appear in a trace."""
    if node.get("span", node["name"]) == "":
        return parent
    return derive_column(path, 9) if node.get("traced") == "nginx" else path


def _last(ended: Sequence[End]) -> End:
    """Several calls at once: done with the last of them; what is heard is of the first of them that failed."""
    ends, codes, words = ended[-1]
    heard = np.where(codes != OK, words, 0)
    for end, code, words in reversed(ended[:-1]):
        ends, codes = np.maximum(ends, end), np.maximum(codes, code)
        heard = np.where(code != OK, words, heard)
    return ends, codes, heard.astype(np.int32)


def code_of(error: str) -> int:
    """The gRPC status code that an error text stands for.

    >>> code_of("rpc error: code = Unavailable desc = EOF"), code_of("EOF")
    (14, 2)
    """
    for name, code in CODES.items():
        if f"code = {name} " in error or error.startswith(f"{name}: "):
            return code
    return UNKNOWN

"""What is known of a client library: whom it understands, how long it waits, and what it says when a call fails."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from aiops_gym.sim.traffic.queueing import PATIENCE

Line = Sequence[str]
"""[source, message] or [source, message, level] of a log line."""


class Failed(NamedTuple):
    """A connection that could not be had.

    Attributes:
        outcome: `refused`, `timeout`, `no_host` or `no_answer`, as in `network.Route`; `closed` when the server hung up
            at once, `starved` when the pool of connections had none to give.
        host, port: that were asked for.
        address: the IP that the name stands for, or "".
        label: what the program calls this client.
        wait: milliseconds that it waited for its turn in a pool.
    """

    outcome: str
    host: str
    port: int
    address: str = ""
    label: str = ""
    wait: float = 0.0


Words = Callable[[Failed], tuple[str, float]]
"""What the library says of a failed connection, and after how many milliseconds."""


def _silent(failed: Failed) -> Sequence[Line]:
    return ()


def _as_told(told: str, failed: Failed) -> str:
    return told


class Client(NamedTuple):
    """A library for one kind of call.

    Attributes:
        name: of the library; unlike those of all others.
        unreachable: see `Words`.
        protocol: that it speaks, and who does not hangs up; "" where the handlers of whoever listens decide.
        side: how its calls appear in traces: `client`, `store` (with a span that says so) or `plain` (no tags).
        timeout: milliseconds that it waits for an answer.
        late: what it says then; "" when it lets the user's patience decide.
        hung_up: what it says when the server ends, or is not one.
        inner: what it says when the callee failed; "" when the callee's own words go up to its caller.
        gone: what it says when its own caller has gone meanwhile; "" when it does not notice, and waits on.
        unknown: what it says when the callee lacks the handler `{name}` of `{service}`.
        complaints: log lines that it writes itself for a failed connection.
        own_words: whether the lines that a program writes about a failed call leave out failed connections.
        wraps: the form in which it tells a gRPC status that a callee sent, with `{code}`, `{upper}`, `{number}` and
            `{message}`; "" where what the callee said goes up as it is.
        denied: what it says when a database refuses it, from the database's words behind `pq: `.
    """

    name: str
    unreachable: Words
    protocol: str = ""
    side: str = "plain"
    timeout: float = PATIENCE
    late: str = ""
    hung_up: str = ""
    inner: str = ""
    gone: str = ""
    unknown: str = ""
    complaints: Callable[[Failed], Sequence[Line]] = _silent
    own_words: bool = False
    wraps: str = ""
    denied: Callable[[str, Failed], str] = _as_told

    @property
    def handled(self) -> bool:
        """Whether the callee has a handler, which sends a span of its own."""
        return not self.protocol or self.protocol in HANDLING

    def wrap(self, told: str) -> str:
        """What it says of a status, `Internal: no such product`; of any other text, which is no status, Unknown."""
        name, colon, message = told.partition(": ")
        code = name if colon and name in STATUSES else "Unknown"
        message = message if code == name else told
        words = {"code": code, "upper": STATUSES[code][1], "number": str(STATUSES[code][0]), "message": message}
        return re.sub(r"\{(\w+)\}", lambda found: words[found[1]], self.wraps)


STATUSES = {
    "Canceled": (1, "CANCELLED"),
    "Unknown": (2, "UNKNOWN"),
    "DeadlineExceeded": (4, "DEADLINE_EXCEEDED"),
    "NotFound": (5, "NOT_FOUND"),
    "FailedPrecondition": (9, "FAILED_PRECONDITION"),
    "Unimplemented": (12, "UNIMPLEMENTED"),
    "Internal": (13, "INTERNAL"),
    "Unavailable": (14, "UNAVAILABLE"),
}
"""Statuses of gRPC by their name in Go: number, and name elsewhere."""


HANDLING = ("thrift",)
"""Protocols in which a handler is called, though it is not HTTP or gRPC."""


def parse_lines(log: Any) -> list[list[str]]:
    """Log lines of a call, however many: [source, message, level] each.

    >>> parse_lines(["geo.go:12", "no answer"])
    [['geo.go:12', 'no answer', 'error']]
    >>> parse_lines([["A.h:7:Get", "gone", "warning"]]), parse_lines(None)
    ([['A.h:7:Get', 'gone', 'warning']], [])
    """
    if not log:
        return []
    several = [log] if isinstance(log[0], str) else log
    return [[*line, "error"][:3] for line in several]

"""Log lines: templates filled in many at a time."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from aiops_gym.openrca import clock
from aiops_gym.openrca.synth import files, ids
from aiops_gym.openrca.synth.files import Coded
from aiops_gym.openrca.synth.hits import burst_hits, longer_hits
from aiops_gym.openrca.synth.model import Choice, Day, Field, Hex, Lines, Stamp, Whole


@dataclass(frozen=True, kw_only=True)
class Written:
    """Lines in near time order.

    Attributes:
        times: Unix seconds.
        added: lines that a failure added.
        noise: random bytes of each line, for its id.
    """

    times: np.ndarray
    component: Coded
    log: Coded
    values: pa.Array
    added: np.ndarray
    noise: np.ndarray

    def ids(self, width: int, alphabet: str = "hex") -> pa.Array:
        """An id for each line: `hex` digits, or `alnum`."""
        letters = ids.HEX if alphabet == "hex" else ids.ALNUM
        return ids.strings(letters[self.noise[:, :width] % len(letters)])


@dataclass(frozen=True, slots=True)
class _Part:
    """Lines of one kind."""

    kind: Lines
    times: np.ndarray
    at: np.ndarray
    values: pa.Array
    keys: np.ndarray
    noise: np.ndarray
    added: bool


def write(day: Day, kinds: Sequence[Lines], start: int, end: int, purpose: str, *, late: float = 0.0) -> Written:
    """The lines of [start, end), Unix seconds.

    Args:
        late: some lines stand up to this many seconds later in the file.
    """
    parts = [_usual(day, kind, start, end, (purpose, number, start), late) for number, kind in enumerate(kinds)]
    parts += _added(day, start, end, purpose, late)
    names = list(dict.fromkeys(name for part in parts for name in part.kind.at))
    logs = list(dict.fromkeys(part.kind.log for part in parts))
    number = {name: index for index, name in enumerate(names)}
    places = [np.array([number[name] for name in part.kind.at], np.int32)[part.at] for part in parts]
    kept = [np.full(len(part.times), logs.index(part.kind.log), np.int32) for part in parts]
    take = np.argsort(np.concatenate([part.keys for part in parts]), kind="stable")
    return Written(
        times=np.concatenate([part.times for part in parts])[take],
        component=Coded(np.concatenate(places)[take], names),
        log=Coded(np.concatenate(kept)[take], logs),
        values=pa.concat_arrays([part.values for part in parts]).take(pa.array(take)),
        added=np.repeat([part.added for part in parts], [len(part.times) for part in parts])[take],
        noise=np.concatenate([part.noise for part in parts])[take],
    )


def _usual(day: Day, kind: Lines, start: int, end: int, purpose: tuple[object, ...], late: float) -> _Part:
    rng = day.chance(*purpose)
    minutes = np.arange(start, end, 60)
    rate = kind.rate * (day.scale if kind.scaled else 1.0) * (day.load(minutes) if kind.load else np.ones(len(minutes)))
    numbers = rng.poisson(np.broadcast_to(rate, (len(kind.at), len(minutes))))
    at, minute = (np.repeat(which.ravel(), numbers.ravel()) for which in np.indices(numbers.shape))
    times = minutes[minute] + rng.integers(60, size=len(minute))
    return _filled(day, kind, at, times, rng, late, added=False)


def _added(day: Day, start: int, end: int, purpose: str, late: float) -> list[_Part]:
    found = []
    for number, (failure, burst, names) in enumerate(burst_hits(day)):
        first, last = max(failure.onset, start), min(failure.end, end)
        at = [index for index, name in enumerate(burst.lines.at) if name in names]
        if first >= last or not at:
            continue
        rng = day.chance(purpose, "burst", failure.component, failure.timestamp, failure.reason, number, start)
        scale = day.scale if burst.lines.scaled else 1.0
        n = int(rng.poisson(burst.lines.rate * scale * failure.intensity * len(at) * (last - first) / 60))
        times = np.sort(rng.integers(first, last, size=n))
        found.append(
            _filled(day, burst.lines, np.array(at)[rng.integers(len(at), size=n)], times, rng, late, added=True)
        )
    return found


def _filled(
    day: Day, kind: Lines, at: np.ndarray, times: np.ndarray, rng: np.random.Generator, late: float, *, added: bool
) -> _Part:
    n = len(times)
    noise = rng.integers(256, size=(n, 32), dtype=np.uint8)
    keys = times + rng.random(n) * 0.5 + np.where(rng.random(n) < 0.1, rng.random(n) * late, 0.0)
    slower = _slower(day, kind, at, times)
    fields = [_field(field, n, times, slower, rng) for field in kind.text]
    values = pc.binary_join_element_wise(*fields, "") if n else pa.array([], pa.string())
    return _Part(kind, times, at, values, keys, noise, added)


def _slower(day: Day, kind: Lines, at: np.ndarray, times: np.ndarray) -> np.ndarray:
    factor = np.ones(len(times))
    for failure, longer, names in longer_hits(day):
        if not re.fullmatch(".*".join(map(re.escape, longer.log.split("*"))), kind.log):
            continue
        here = np.array([name in names for name in kind.at], bool)[at]
        now = here & (times >= failure.onset) & (times < failure.end)
        factor[now] *= 1 + (longer.factor - 1) * failure.intensity
    return factor


def _field(field: Field, n: int, times: np.ndarray, slower: np.ndarray, rng: np.random.Generator) -> pa.Array:
    if isinstance(field, str):
        return pa.repeat(pa.scalar(field), n)
    if isinstance(field, Choice):
        shares = np.cumsum(field.weights or (1.0,) * len(field.of))
        return pa.array(field.of).take(pa.array(np.searchsorted(shares / shares[-1], rng.random(n), side="right")))
    if isinstance(field, Whole):
        numbers = rng.integers(field.low, field.high + 1, size=n)
        return ids.glue(ids.digits(numbers, field.width)) if field.width else pa.array(numbers).cast(pa.string())
    if isinstance(field, Hex):
        return ids.glue(ids.random_hex(rng, n, field.digits))
    if isinstance(field, Stamp):
        return _stamps(field, times)
    amounts = field.median * np.exp(field.spread * rng.standard_normal(n)) * (slower if field.slowed else 1.0)
    return (
        files.fixed(amounts, field.decimals) if field.decimals else pa.array(amounts.astype(np.int64)).cast(pa.string())
    )


def _stamps(field: Stamp, times: np.ndarray) -> pa.Array:
    """Each second is written once."""
    seconds, which = np.unique(times, return_inverse=True)
    texts = [datetime.fromtimestamp(second, clock.ZONE).strftime(field.format) for second in seconds.tolist()]
    return pa.array(texts, pa.string()).take(pa.array(which))

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
from aiops_gym.openrca.synth.hits import compute_weights, find_instead_hits, find_longer_hits
from aiops_gym.openrca.synth.model import Choice, Day, Field, Hex, Lines, Stamp, Uptime, Whole
from aiops_gym.openrca.synth.plan import find_touching

MOST = 0.9
"""Part of the lines that a failure takes at most."""


@dataclass(frozen=True, kw_only=True)
class Written:
    """Lines in near time order.

    Attributes:
        times: Unix seconds.
        noise: random bytes of each line, for its id.
    """

    times: np.ndarray
    component: Coded
    log: Coded
    values: pa.Array
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


def write(day: Day, kinds: Sequence[Lines], start: int, end: int, purpose: str, *, late: float = 0.0) -> Written:
    """The lines of [start, end), Unix seconds.

    Args:
        late: some lines stand up to this many seconds later in the file.
    """
    day = day.failing(find_touching(day.failures, start, end))
    parts = [_part(day, kind, start, end, (purpose, number, start), late) for number, kind in enumerate(kinds)]
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
        noise=np.concatenate([part.noise for part in parts])[take],
    )


def _part(day: Day, kind: Lines, start: int, end: int, purpose: tuple[object, ...], late: float) -> _Part:
    rng = day.chance(*purpose)
    minutes = np.arange(start, end, 60)
    rate = kind.rate * (day.scale if kind.scaled else 1.0) * (day.load(minutes) if kind.load else np.ones(len(minutes)))
    numbers = rng.poisson(np.broadcast_to(rate, (len(kind.at), len(minutes))))
    at, minute = (np.repeat(which.ravel(), numbers.ravel()) for which in np.indices(numbers.shape))
    n = len(minute)
    times = minutes[minute] + rng.integers(60, size=n)
    noise = rng.integers(256, size=(n, 32), dtype=np.uint8)
    keys = times + rng.random(n) * 0.5 + np.where(rng.random(n) < 0.1, rng.random(n) * late, 0.0)
    ages = None
    if day.hard:
        starts = np.array([day.unit("start", name) for name in kind.at])
        ages = times - (day.midnight - 86_400 * 40) + 86_400 * 30 * starts[at]
    usual = _texts(kind.text, times, _slower(day, kind, at, times), rng, ages)
    return _Part(kind, times, at, _replaced(day, kind, at, times, usual, purpose, ages), keys, noise)


def _replaced(
    day: Day,
    kind: Lines,
    at: np.ndarray,
    times: np.ndarray,
    usual: pa.Array,
    purpose: tuple[object, ...],
    ages: np.ndarray | None,
) -> pa.Array:
    """The texts, those of the day's failures in place of a part of the usual ones.

    Their draws are their own: the other lines are the same whatever fails.
    """
    values = usual
    for number, (failure, instead, names) in enumerate(find_instead_hits(day)):
        here = np.array([name in names for name in kind.at], bool)
        if instead.log != kind.log or not here.any():
            continue
        rng = day.chance(*purpose, "instead", number, failure.component, failure.timestamp, failure.reason)
        part = instead.part * failure.intensity * compute_weights(instead.shape, times, failure)
        taken = here[at] & (rng.random(len(times)) < np.minimum(part, MOST))
        old = None if ages is None else ages[taken]
        said = _texts(instead.text, times[taken], np.ones(int(taken.sum())), rng, old)
        values = pc.replace_with_mask(values, pa.array(taken), said)
    return values


def _texts(
    text: Sequence[Field],
    times: np.ndarray,
    slower: np.ndarray,
    rng: np.random.Generator,
    ages: np.ndarray | None = None,
) -> pa.Array:
    """The lines.

    Args:
        ages: seconds since the processes were started, where they are told; None where they are drawn.
    """
    n = len(times)
    fields = [
        files.fixed(ages + rng.random(n), field.decimals)
        if ages is not None and isinstance(field, Uptime)
        else _field(field, n, times, slower, rng)
        for field in text
    ]
    return pc.binary_join_element_wise(*fields, "") if n else pa.array([], pa.string())


def _slower(day: Day, kind: Lines, at: np.ndarray, times: np.ndarray) -> np.ndarray:
    factor = np.ones(len(times))
    for failure, longer, names in find_longer_hits(day):
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
        return ids.glue(ids.format_digits(numbers, field.width)) if field.width else pa.array(numbers).cast(pa.string())
    if isinstance(field, Hex):
        return ids.glue(ids.draw_hex(rng, n, field.digits))
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

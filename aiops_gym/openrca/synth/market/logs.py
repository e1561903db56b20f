"""log_service.csv and log_proxy.csv: lines in short runs that stand in no order, under the ids of Elasticsearch."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from aiops_gym.openrca.synth import ids
from aiops_gym.openrca.synth.files import Coded
from aiops_gym.openrca.synth.lines import Written, write
from aiops_gym.openrca.synth.market import proxy, words
from aiops_gym.openrca.synth.market.topology import deployment_of
from aiops_gym.openrca.synth.model import Block, Day, Lines

RUN = 200
"""Seconds of a run; 432 a day."""

PIECES = ((0.5, 1200), (0.1, 3600), (0.0, 21_600))
"""Scale from which so many seconds are made at a time: more at once is faster, and needs more memory."""

MIXED = 0.22
"""Share of the services' own lines that the file of the proxies has as well."""

LETTERS = np.frombuffer(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_", np.uint8)
WRITERS = np.array(
    [[0x0E, 0x25, 0x5C, 0x41, 0xF6, 0x70], [0x12, 0x8B, 0x40, 0x9A, 0x33, 0x1D], [0x0A, 0xF2, 0x77, 0xC8, 0x05, 0xB4]],
    np.uint8,
)
"""Hardware addresses of those that stored the lines, as they stand in the ids."""


def service_rows(day: Day) -> Iterator[Block]:
    """The rows of log_service.csv."""
    for start, made in _pieces(day, _service_kinds(), "service log"):
        own = np.array([name.endswith("application") for name in made.log.names])[made.log.codes]
        yield _written(day, start, made, own, "service log")


def proxy_rows(day: Day) -> Iterator[Block]:
    """The rows of log_proxy.csv."""
    for start, made in _pieces(day, _proxy_kinds(day.cloudbed), "proxy log"):
        yield _written(day, start, made, np.ones(len(made.times), bool), "proxy log")


@cache
def _service_kinds() -> tuple[Lines, ...]:
    return tuple(words.lines())


@cache
def _proxy_kinds(cloudbed: str) -> tuple[Lines, ...]:
    return (*proxy.lines(cloudbed), *words.lines(MIXED))


def _pieces(day: Day, kinds: Sequence[Lines], purpose: str) -> Iterator[tuple[int, Written]]:
    """The lines of a part of the day each, from a Unix second on, in shuffled order."""
    length = next(seconds for scale, seconds in PIECES if day.scale >= scale)
    for piece in day.chance(purpose, "pieces").permutation(86_400 // length).tolist():
        start = day.midnight + length * piece
        yield start, write(day, kinds, start, start + length, purpose)


def _written(day: Day, start: int, made: Written, kept: np.ndarray, purpose: str) -> Block:
    """A piece's lines in shuffled runs."""
    run = (made.times - start) // RUN
    place = day.chance(purpose, "runs", start).permutation(86_400 // RUN)
    take = np.argsort(place[run], kind="stable")
    take = take[kept[take]]
    names = made.component.names
    pods = made.component.codes[take]
    return (
        _ids(made.times[take], made.noise[take]),
        made.times[take],
        Coded(pods, names),
        Coded(made.log.codes[take], [name.partition(">")[0] for name in made.log.names]),
        _filled(made.values.take(pa.array(take)), pods, names, proxy.addresses(day.cloudbed)),
    )


def _filled(values: pa.Array, pods: np.ndarray, names: Sequence[str], addresses: dict[str, str]) -> pa.Array:
    """Texts with what depends on the pod that writes them: text between two marks is joined by it."""
    owns = pa.array([addresses[name] for name in names]).take(pa.array(pods))
    seconds = pa.array([deployment_of(name) for name in names]).take(pa.array(pods))
    values = pc.binary_join(pc.split_pattern(values, proxy.OWN), owns)
    values = pc.binary_join(pc.split_pattern(values, proxy.SECOND), seconds)
    return pc.replace_substring_regex(values, pattern=f"([0-9]+){proxy.AGAIN}", replacement=r"\1 \1")


def _ids(times: np.ndarray, noise: np.ndarray) -> pa.Array:
    """Ids of 20 characters, as Elasticsearch makes them: 15 bytes, of a counter, the moment of storing and the writer.

    >>> times, noise = np.array([1647705660]), np.zeros((1, 32), np.uint8)
    >>> _ids(times, noise).to_pylist()
    ['AADpon8BDiVcQfZwHgBI']
    """
    extra = noise.astype(np.int64)
    moment = 1000 * times + 1000 + (256 * extra[:, 4] + extra[:, 5]) * 3000 // 65_536
    raw = np.empty((len(times), 15), np.uint8)
    raw[:, 0:2] = noise[:, 0:2]
    for place, shift in ((2, 16), (3, 24), (4, 32), (5, 40), (12, 8), (14, 0)):
        raw[:, place] = (moment >> shift) & 255
    raw[:, 6:12] = WRITERS[noise[:, 3] % len(WRITERS)]
    raw[:, 13] = noise[:, 2]
    groups = raw.reshape(-1, 5, 3).astype(np.int32)
    whole = (groups[:, :, 0] << 16) | (groups[:, :, 1] << 8) | groups[:, :, 2]
    letters = np.stack([(whole >> shift) & 63 for shift in (18, 12, 6, 0)], axis=2).reshape(len(times), -1)
    return ids.strings(LETTERS[letters])

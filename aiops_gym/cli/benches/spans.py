"""A day of spans for measuring, random and seeded: Bank's in one nearly sorted piece, Market's in eight sorted ones."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv

from aiops_gym.openrca import clock
from aiops_gym.openrca.domains import market

SERVERS = ("IG01", "IG02", "Tomcat01", "Tomcat02", "Tomcat03", "Tomcat04", "MG01", "MG02")
BLOCK = 500_000


@dataclass(frozen=True, kw_only=True)
class Layout:
    """How a day's spans lie in their file.

    Attributes:
        folder: of the domain, below the root.
        day: as text.
        shards: pieces of the file, each of which has the whole day in order of time.
        columns: in the order of the file; of text with how many different values there are.
        component: one that is asked for.
    """

    domain: str
    folder: str
    day: str
    shards: int
    columns: Mapping[str, Any]
    component: str

    @property
    def texts(self) -> tuple[str, ...]:
        """Columns that are read as text."""
        return tuple(name for name in self.columns if name not in ("timestamp", "duration"))


LAYOUTS = {
    "one file": Layout(
        domain="bank",
        folder="Bank",
        day="2021-03-04",
        shards=1,
        component="Tomcat02",
        columns={
            "timestamp": 300,
            "cmdb_id": (*SERVERS, "dockerA1", "dockerA2", "dockerB1", "dockerB2"),
            "parent_id": ("369-bcou-dle-way1-c514cf30-43410@0824-2f0e47a816-", 5),
            "span_id": ("2103030001", 10),
            "trace_id": ("gw0120210304000517", 6),
            "duration": 33,
        },
    ),
    "eight shards": Layout(
        domain="market",
        folder="Market/cloudbed-1",
        day="2022-03-20",
        shards=8,
        component="adservice-1",
        columns={
            "timestamp": 0,
            "cmdb_id": market.PODS,
            "span_id": ("a652d4d10e9478", 4),
            "trace_id": ("9451fd8fdf746a80687451dae4c4e9", 9),
            "duration": 9_000,
            "type": ("rpc", "http", "db", "telemetry"),
            "status_code": ("0", "Ok", "200"),
            "operation_name": tuple(f"hipstershop.Service{number}/Method" for number in range(24)),
            "parent_span": ("b652d4d10e9478", 4),
        },
    ),
}
"""The two that the data set has."""


def write(root: Path, spans: int, lying: str = "one file") -> Path:
    """The CSV file, in the layout of the data set.

    Args:
        spans: how many, spread over 24 hours.
        lying: a name in `LAYOUTS`.
    """
    there = LAYOUTS[lying]
    path = root / there.folder / "telemetry" / there.day.replace("-", "_") / "trace" / "trace_span.csv"
    path.parent.mkdir(parents=True)
    random = np.random.Generator(np.random.Philox(7))
    options = pyarrow.csv.WriteOptions(quoting_style="none")
    with pyarrow.csv.CSVWriter(path, _block(there, random, 0, 1, spans).schema, write_options=options) as writer:
        for shard in range(there.shards):
            places = np.arange(shard, spans, there.shards)
            for first in range(0, len(places), BLOCK):
                writer.write(
                    _block(there, random, places[first], places[min(first + BLOCK, len(places)) - 1] + 1, spans)
                )
    return path


def _block(there: Layout, random: np.random.Generator, first: int, last: int, spans: int) -> pa.Table:
    """The spans of a shard between two places."""
    times = clock.parse(there.day) + np.arange(first, last, there.shards) * (clock.DAY - 10_000) // spans
    return pa.table({name: _column(name, how, times, random) for name, how in there.columns.items()})


def _column(name: str, how: Any, times: np.ndarray, random: np.random.Generator) -> Any:
    count = len(times)
    if name == "timestamp":
        return times - random.exponential(how, count).astype(np.int64).clip(0, 5_000) if how else times
    if name == "duration":
        return (how * random.lognormal(0.0, 1.0, count)).astype(np.int64)
    if isinstance(how[-1], str):
        return pa.DictionaryArray.from_arrays(random.integers(0, len(how), count, np.int32), list(how)).cast("string")
    start, digits = how
    numbers = pc.cast(pa.array(random.integers(10 ** (digits - 1), 10**digits, count)), pa.string())
    return pc.binary_join_element_wise(start, numbers, "")


def root_of(path: str | Path, there: Layout) -> Path:
    """The root that a CSV file of `write` lies below."""
    return Path(path).parents[3 + there.folder.count("/") + 1]


def layout_of(path: str | Path) -> Layout:
    """The layout of a CSV file of `write`."""
    parts = Path(path).parts
    return next(each for each in LAYOUTS.values() if each.folder.split("/")[0] in parts)

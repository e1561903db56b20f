"""A day of spans in the form of Bank's trace_span.csv, for measuring: random, seeded, in slight disorder."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv

from aiops_gym.openrca import clock

DAY = "2021-03-04"
COMPONENTS = (
    *("IG01", "IG02", "Tomcat01", "Tomcat02", "Tomcat03", "Tomcat04", "MG01", "MG02"),
    *("dockerA1", "dockerA2", "dockerB1", "dockerB2"),
)
BLOCK = 500_000


def write(root: Path, spans: int) -> Path:
    """The CSV file, in the layout of the data set.

    Args:
        spans: how many, spread over 24 hours.
    """
    path = root / "Bank" / "telemetry" / DAY.replace("-", "_") / "trace" / "trace_span.csv"
    path.parent.mkdir(parents=True)
    random = np.random.Generator(np.random.Philox(7))
    with pyarrow.csv.CSVWriter(path, _block(random, 0, 1, spans).schema, write_options=_plain()) as writer:
        for first in range(0, spans, BLOCK):
            writer.write(_block(random, first, min(first + BLOCK, spans), spans))
    return path


def _plain() -> pyarrow.csv.WriteOptions:
    return pyarrow.csv.WriteOptions(quoting_style="needed")


def _block(random: np.random.Generator, first: int, last: int, spans: int) -> pa.Table:
    count = last - first
    times = clock.parse(DAY) + np.arange(first, last) * (clock.DAY - 10_000) // spans
    late = random.exponential(300, count).astype(np.int64).clip(0, 5_000)
    components = np.array(COMPONENTS)[random.integers(0, len(COMPONENTS), count)]
    spans_ids = np.char.add("2103030001", random.integers(10**9, 10**10, count).astype(str))
    parents = np.char.add(
        "369-bcou-dle-way1-c514cf30-43410@0824-2f0e47a816-", random.integers(0, 10**5, count).astype(str)
    )
    traces = np.char.add("gw0120210304000517", random.integers(10**5, 10**6, count).astype(str))
    return pa.table(
        {
            "timestamp": times - late,
            "cmdb_id": components,
            "parent_id": parents,
            "span_id": spans_ids,
            "trace_id": traces,
            "duration": random.lognormal(3.5, 1.0, count).astype(np.int64),
        }
    )

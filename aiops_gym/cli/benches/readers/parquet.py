"""Parquet, zstd, sorted by time, in row groups of 128k rows, read by pyarrow: only the groups that meet the window."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv
import pyarrow.parquet as pq

from aiops_gym.cli.benches.readers import ENDS

ROWS = 131_072


def write(path: str) -> Path:
    """Convert a CSV, once."""
    target = Path(path).with_suffix(".parquet")
    if not target.exists():
        ids = dict.fromkeys(("cmdb_id", "parent_id", "span_id", "trace_id"), pa.string())
        table = pyarrow.csv.read_csv(path, convert_options=pyarrow.csv.ConvertOptions(column_types=ids))
        pq.write_table(table.sort_by("timestamp"), target, row_group_size=ROWS, compression="zstd")
    return target


def prepare(path: str) -> Any:
    """The file's footer, with the times of each row group."""
    file = pq.ParquetFile(write(path))
    groups = [file.metadata.row_group(at).column(0).statistics for at in range(file.num_row_groups)]
    return file, [(each.min, each.max) for each in groups]


def call(state: Any, start: int, end: int, component: str | None) -> str:
    """Read the groups, filter, group, print."""
    file, groups = state
    wanted = [at for at, (first, last) in enumerate(groups) if first <= end and last >= start]
    table = file.read_row_groups(wanted, use_threads=False)
    mask = pc.and_(pc.greater_equal(table["timestamp"], start), pc.less_equal(table["timestamp"], end))
    if component is not None:
        mask = pc.and_(mask, pc.equal(table["cmdb_id"], component))
    table = table.filter(mask)
    named = [("duration", "count"), ("duration", "mean"), ("duration", "approximate_median"), ("duration", "max")]
    grouped = table.group_by("cmdb_id", use_threads=False).aggregate(named)
    ends = pa.concat_tables([table.slice(0, ENDS), table.slice(max(0, table.num_rows - ENDS))])
    return "\n".join(",".join(map(str, row.values())) for row in [*grouped.to_pylist(), *ends.to_pylist()])

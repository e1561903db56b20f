"""Parquet as good as it can be: zstd, sorted by time, small row groups; pyarrow reads the groups that meet the window.

For a text answer it reads three columns, and all of them for the groups at the ends alone.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv
import pyarrow.parquet as pq

from aiops_gym.cli.benches.readers import ENDS, PARQUET_ROWS
from aiops_gym.cli.benches.spans import layout_of

NEEDED = ["timestamp", "cmdb_id", "duration"]


def write(path: str) -> Path:
    """Convert a CSV, once."""
    target = Path(path).with_suffix(".parquet")
    if not target.exists():
        texts = dict.fromkeys(layout_of(path).texts, pa.string())
        table = pyarrow.csv.read_csv(path, convert_options=pyarrow.csv.ConvertOptions(column_types=texts))
        pq.write_table(table.sort_by("timestamp"), target, row_group_size=PARQUET_ROWS, compression="zstd")
    return target


def prepare(path: str) -> Any:
    """The file's footer, with the times of each row group."""
    file = pq.ParquetFile(path)
    groups = [file.metadata.row_group(at).column(0).statistics for at in range(file.num_row_groups)]
    return file, [(each.min, each.max) for each in groups]


def call(state: Any, start: int, end: int, component: str | None) -> str:
    """Three columns, their groups; then the ends."""
    file, wanted = state[0], _wanted(state, start, end)
    found = _kept(file.read_row_groups(wanted, columns=NEEDED, use_threads=False), start, end, component)
    names = found["cmdb_id"].combine_chunks().dictionary_encode()
    values, codes = found["duration"].to_numpy(), names.indices.to_numpy()
    order = np.argsort(codes, kind="stable")
    parts = np.split(values[order], np.cumsum(np.bincount(codes))[:-1])
    lines = [
        (name, len(part), float(part.mean()), *np.quantile(part, (0.5, 0.95)).tolist())
        for name, part in zip(names.dictionary.to_pylist(), parts, strict=True)
    ]
    first, last = _end(file, wanted, 1, start, end, component), _end(file, wanted, -1, start, end, component)
    rows = [*first.slice(0, ENDS).to_pylist(), *last.slice(max(0, last.num_rows - ENDS)).to_pylist()]
    return "\n".join(",".join(map(str, row)) for row in [*lines, *(row.values() for row in rows)])


def frame(state: Any, start: int, end: int, component: str | None) -> Any:
    """All columns of the groups, filtered, handed over to pandas."""
    import pandas as pd  # noqa: PLC0415  # The text answer does without.

    found = _kept(state[0].read_row_groups(_wanted(state, start, end), use_threads=False), start, end, component)
    text = pd.Series(["a"]).dtype
    made = {
        name: column.to_numpy() if pa.types.is_integer(column.type) else pd.Series(column, dtype=text)
        for name, column in zip(found.column_names, found.columns, strict=True)
    }
    return pd.DataFrame(made)


def _wanted(state: Any, start: int, end: int) -> list[int]:
    return [at for at, (first, last) in enumerate(state[1]) if first <= end and last >= start]


def _kept(table: Any, start: int, end: int, component: str | None) -> Any:
    times = table["timestamp"].to_numpy()
    found = table.slice(
        np.searchsorted(times, start), np.searchsorted(times, end, "right") - np.searchsorted(times, start)
    )
    return found if component is None else found.filter(pc.equal(found["cmdb_id"], component))


def _end(file: Any, wanted: list[int], step: int, start: int, end: int, component: str | None) -> Any:
    """All columns of the first or last rows: as many groups as hold enough."""
    found = None
    for at in wanted[::step]:
        more = _kept(file.read_row_group(at, use_threads=False), start, end, component)
        found = more if found is None else pa.concat_tables([found, more] if step > 0 else [more, found])
        if found.num_rows >= ENDS:
            break
    return found

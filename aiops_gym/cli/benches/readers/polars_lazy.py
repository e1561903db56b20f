"""polars scans a file lazily, CSV or Parquet: of a text answer it reads three columns, and the others of the ends."""

from __future__ import annotations

from typing import Any

from aiops_gym.cli.benches.readers import ENDS
from aiops_gym.cli.benches.spans import layout_of


def prepare(path: str) -> Any:
    """A scan of the file, of which nothing is read yet."""
    import polars as pl  # noqa: PLC0415  # An extra, compared where it is there.

    texts: Any = dict.fromkeys(layout_of(path).texts, pl.String)
    return pl.scan_parquet(path) if path.endswith(".parquet") else pl.scan_csv(path, schema_overrides=texts)


def call(scan: Any, start: int, end: int, component: str | None) -> str:
    """One plan: the groups, and the first and last rows."""
    import polars as pl  # noqa: PLC0415

    rows, duration = _rows(scan, start, end, component), pl.col("duration")
    named = {"count": pl.len(), "mean": duration.mean(), "p50": duration.median(), "p95": duration.quantile(0.95)}
    ends = (rows.head(ENDS), rows.tail(ENDS))
    parts = pl.collect_all([rows.group_by("cmdb_id").agg(**named).sort("cmdb_id"), *ends])
    return "".join(str(part.write_csv()) for part in parts)


def frame(scan: Any, start: int, end: int, component: str | None) -> Any:
    """Collect, and hand over to pandas."""
    import pandas as pd  # noqa: PLC0415

    found = _rows(scan, start, end, component).collect().to_pandas()
    return found.astype({name: pd.Series(["a"]).dtype for name in found if found[name].dtype.kind not in "iu"})


def _rows(scan: Any, start: int, end: int, component: str | None) -> Any:
    import polars as pl  # noqa: PLC0415

    found = scan.filter(pl.col("timestamp").is_between(start, end))
    if component is not None:
        found = found.filter(pl.col("cmdb_id") == component)
    return found.sort("timestamp", maintain_order=True)

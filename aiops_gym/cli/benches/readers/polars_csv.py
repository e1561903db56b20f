"""polars scans the CSV lazily and keeps what the filter lets through."""

from __future__ import annotations

from typing import Any

from aiops_gym.cli.benches.readers import ENDS


def prepare(path: str) -> str:
    """Nothing: each call reads the file."""
    return path


def call(path: str, start: int, end: int, component: str | None) -> str:
    """Scan, filter, group, print."""
    import polars as pl  # noqa: PLC0415  # An extra, compared where it is there.

    ids: Any = {"parent_id": pl.String, "span_id": pl.String, "trace_id": pl.String}
    lazy = pl.scan_csv(path, schema_overrides=ids).filter(pl.col("timestamp").is_between(start, end))
    if component is not None:
        lazy = lazy.filter(pl.col("cmdb_id") == component)
    frame = lazy.collect().sort("timestamp", maintain_order=True)
    duration = pl.col("duration")
    named = {"count": pl.len(), "mean": duration.mean(), "p50": duration.median(), "p95": duration.quantile(0.95)}
    table = frame.group_by("cmdb_id").agg(**named).sort("cmdb_id")
    return str(table.write_csv()) + str(pl.concat([frame.head(ENDS), frame.tail(ENDS)]).write_csv())

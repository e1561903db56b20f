"""pandas reads the whole CSV, as scripts that come with such data do."""

from __future__ import annotations

from typing import Any

import pandas as pd

from aiops_gym.cli.benches.readers import ENDS


def prepare(path: str) -> str:
    """Nothing: each call reads the file."""
    return path


def call(path: str, start: int, end: int, component: str | None) -> str:
    """Read, filter, group, print."""
    dtype: Any = {"cmdb_id": str, "parent_id": str, "span_id": str, "trace_id": str}
    frame = pd.read_csv(path, dtype=dtype)
    frame = frame[(frame["timestamp"] >= start) & (frame["timestamp"] <= end)]
    if component is not None:
        frame = frame[frame["cmdb_id"] == component]
    frame = frame.sort_values("timestamp", kind="stable")
    found = frame.groupby("cmdb_id")["duration"]
    table = found.agg(["count", "mean"]).join(found.quantile([0.5, 0.95]).unstack())
    return str(table.to_csv()) + str(pd.concat([frame.head(ENDS), frame.tail(ENDS)]).to_csv(index=False))

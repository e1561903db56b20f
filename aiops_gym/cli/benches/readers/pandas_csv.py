"""pandas reads the whole CSV with its fastest reader, pyarrow's."""

from __future__ import annotations

from typing import Any

import pandas as pd

from aiops_gym.cli.benches.readers import ENDS
from aiops_gym.cli.benches.spans import layout_of


def prepare(path: str) -> Any:
    """The types of the columns: each call reads the file."""
    return path, dict.fromkeys(layout_of(path).texts, str)


def call(state: Any, start: int, end: int, component: str | None) -> str:
    """Read, filter, group, print."""
    found = frame(state, start, end, component)
    grouped = found.groupby("cmdb_id")["duration"]
    table = grouped.agg(["count", "mean"]).join(grouped.quantile([0.5, 0.95]).unstack())
    return str(table.to_csv()) + str(pd.concat([found.head(ENDS), found.tail(ENDS)]).to_csv(index=False))


def frame(state: Any, start: int, end: int, component: str | None) -> pd.DataFrame:
    """Read, filter, sort."""
    path, types = state
    found = pd.read_csv(path, dtype=types, engine="pyarrow")
    found = found[(found["timestamp"] >= start) & (found["timestamp"] <= end)]
    if component is not None:
        found = found[found["cmdb_id"] == component]
    return found.sort_values("timestamp", kind="stable", ignore_index=True)

"""DuckDB queries a file where it lies, CSV or Parquet."""

from __future__ import annotations

from typing import Any

from aiops_gym.cli.benches.readers import ENDS
from aiops_gym.cli.benches.spans import layout_of


def prepare(path: str) -> Any:
    """A connection, and how the file is named in a query."""
    import duckdb  # noqa: PLC0415  # An extra, compared where it is there.

    types = ", ".join(
        f"'{name}': '{'VARCHAR' if name in layout_of(path).texts else 'BIGINT'}'" for name in layout_of(path).columns
    )
    source = f"'{path}'" if path.endswith(".parquet") else f"read_csv('{path}', columns={{{types}}}, header=true)"
    return duckdb.connect(), source


def call(state: Any, start: int, end: int, component: str | None) -> str:
    """Three columns for the groups, all of them for the ends: of a CSV, which is read whole, all at once."""
    connection, source = state
    kept = f"select * from {source} {_where(start, end, component)}"
    if source.startswith("read_csv"):
        connection.execute(f"create or replace temp table w as {kept}")
        kept = "select * from w"
    grouped = connection.execute(
        "select cmdb_id, count(*), avg(duration), quantile_cont(duration, [0.5, 0.95]) "
        f"from ({kept}) group by 1 order by 1"
    ).fetchall()
    ends = [
        connection.execute(f"{kept} order by timestamp {order} limit {ENDS}").fetchall() for order in ("asc", "desc")
    ]
    return "\n".join(",".join(map(str, row)) for row in [*grouped, *ends[0], *reversed(ends[1])])


def frame(state: Any, start: int, end: int, component: str | None) -> Any:
    """Collect as Arrow, and hand over to pandas."""
    import pandas as pd  # noqa: PLC0415

    connection, source = state
    query = f"select * from {source} {_where(start, end, component)} order by timestamp"
    table = connection.execute(query).to_arrow_table()
    text = pd.Series(["a"]).dtype
    made = {
        name: column.to_numpy() if str(column.type).startswith("int") else pd.Series(column, dtype=text)
        for name, column in zip(table.column_names, table.columns, strict=True)
    }
    return pd.DataFrame(made)


def _where(start: int, end: int, component: str | None) -> str:
    also = "" if component is None else f" and cmdb_id = '{component}'"
    return f"where timestamp between {start} and {end}{also}"

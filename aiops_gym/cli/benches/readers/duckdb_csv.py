"""DuckDB queries the CSV where it lies."""

from __future__ import annotations

from typing import Any

from aiops_gym.cli.benches.readers import ENDS

TYPES = (
    "{'timestamp': 'BIGINT', 'cmdb_id': 'VARCHAR', 'parent_id': 'VARCHAR', 'span_id': 'VARCHAR', "
    "'trace_id': 'VARCHAR', 'duration': 'INTEGER'}"
)


def prepare(path: str) -> Any:
    """A connection."""
    import duckdb  # noqa: PLC0415  # An extra, compared where it is there.

    return duckdb.connect(), path


def call(state: Any, start: int, end: int, component: str | None) -> str:
    """Filter into a table, group it, print its ends."""
    connection, path = state
    also = "" if component is None else f" and cmdb_id = '{component}'"
    connection.execute(
        f"create or replace temp table w as select * from read_csv('{path}', columns={TYPES}, header=true) "
        f"where timestamp between {start} and {end}{also} order by timestamp"
    )
    grouped = connection.execute(
        "select cmdb_id, count(*), avg(duration), quantile_cont(duration, [0.5, 0.95]) from w group by 1 order by 1"
    ).fetchall()
    head = connection.execute(f"select * from w limit {ENDS}").fetchall()
    tail = connection.execute(f"select * from w order by timestamp desc limit {ENDS}").fetchall()
    return "\n".join(",".join(map(str, row)) for row in [*grouped, *head, *tail])

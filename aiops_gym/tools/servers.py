"""Asking Prometheus and Jaeger over HTTP, and printing what they answer as a table."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from urllib.parse import urlencode

from aiops_gym.errors import ToolError
from aiops_gym.sim.kernel import jsontext
from aiops_gym.tools.registry import TELEMETRY_SECONDS, Context
from aiops_gym.tools.table import Table, to_csv
from aiops_gym.types import Json


def ask_server(context: Context, tool: str, server: str, path: str, query: Mapping[str, object]) -> Json:
    """The data of an answer, at the price of a question. Raises ToolError in the server's own words.

    Args:
        context: of the call.
        tool: that asks.
        server: `prometheus` or `jaeger`.
        path: of its API.
        query: parameters, of which those that are None are left out.
    """
    context.backend.spend(TELEMETRY_SECONDS)
    given = urlencode({name: value for name, value in query.items() if value is not None})
    status, body = context.backend.telemetry.ask(server, f"{path}?{given}" if given else path)
    try:
        found = jsontext.load(body)
    except ValueError:
        raise ToolError(f"Error: {tool}: {server} answers {status}: {body.strip()[:500]}") from None
    found = found if isinstance(found, dict) else {}
    if status == 200 and "data" in found:
        return found["data"]
    errors = found.get("errors") or [{"msg": found.get("error", f"{server} answers {status}: {body[:500]}")}]
    raise ToolError(f"Error: {tool}: {'; '.join(str(each['msg']) for each in errors)}")


def print_page(
    context: Context, columns: Sequence[str], rows: Sequence[Sequence[str]], offset: int, call: Callable[[int], str]
) -> str:
    """The rows after `offset` that fit the limit, the last column not padded, and how to go on where some do not."""
    widths = [max(map(len, cells)) for cells in zip(*([columns, *rows]), strict=True)][:-1]
    lines = ["  ".join([*map(str.ljust, row, widths), row[-1]]) for row in (columns, *rows)]
    left = (sys.maxsize if context.limit is None else context.limit) - len(lines[0]) - len(call(len(rows))) - 40
    end = offset
    while end < len(rows) and (left >= len(lines[end + 1]) or end == offset):
        left -= len(lines[end + 1]) + 1
        end += 1
    shown = "\n".join([lines[0], *lines[offset + 1 : end + 1]])
    if (offset, end) == (0, len(rows)):
        return shown
    onwards = f"next: {call(end)}" if end < len(rows) else "no more"
    return f"{shown}\n[rows {offset + 1} to {end} of {len(rows)}; {onwards}]"


def print_rows(context: Context, columns: Sequence[str], rows: Sequence[Sequence[str]], hint: str) -> str:
    """A table that fits the limit; one that had to be cut says how many rows there are, and `hint`."""
    table = Table(to_csv(columns, rows))
    room = sys.maxsize if context.limit is None else context.limit
    return str(table) if table.fits(room) else table.page(0, room, lambda _: hint)

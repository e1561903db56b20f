"""Tables in what a command printed: kubectl's and helm's, told apart by their columns alone."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from aiops_gym import caches

KINDS: Mapping[str, frozenset[str]] = {
    "event": frozenset({"LAST SEEN", "REASON", "OBJECT"}),
    "deployment": frozenset({"READY", "UP-TO-DATE", "AVAILABLE"}),
    "pod": frozenset({"READY", "STATUS", "RESTARTS"}),
    "replicaset": frozenset({"DESIRED", "CURRENT", "READY"}),
    "service": frozenset({"TYPE", "CLUSTER-IP"}),
    "endpoints": frozenset({"ENDPOINTS"}),
    "policy": frozenset({"POD-SELECTOR"}),
    "quota": frozenset({"REQUEST", "LIMIT"}),
    "limits": frozenset({"NAME", "CREATED AT"}),
    "autoscaler": frozenset({"REFERENCE", "TARGETS"}),
    "budget": frozenset({"MIN AVAILABLE", "MAX UNAVAILABLE"}),
    "node": frozenset({"NODE", "TAINTS", "UNSCHEDULABLE"}),
    "volume": frozenset({"RECLAIM POLICY", "CLAIM"}),
    "claim": frozenset({"VOLUME", "CAPACITY"}),
    "release": frozenset({"NAME", "NAMESPACE", "REVISION", "CHART"}),
}
"""Columns that only a table of that kind has; the first that fits counts."""

_COLUMN = re.compile(r"\S+(?: \S+)*")
_NAME = re.compile(r"[a-z0-9]([a-z0-9.-]*[a-z0-9])?")


@dataclass(frozen=True)
class Table:
    """One table.

    Attributes:
        kind: of `KINDS`.
        rows: a cell for each column; the object's name, without what it is, under `NAME`.
        whole: nothing was left out of it.
    """

    kind: str
    rows: list[Mapping[str, str]] = field(default_factory=list)
    whole: bool = True


def parse_tables(text: str) -> list[Table]:
    """All tables of known kinds, in order.

    >>> text = "NAME    READY   STATUS    RESTARTS   AGE\\ngeo-1   0/1     Pending   0          5s\\n"
    >>> [(table.kind, table.rows[0]["NAME"], table.rows[0]["STATUS"]) for table in parse_tables(text)]
    [('pod', 'geo-1', 'Pending')]
    """
    whole = "characters left out ...]" not in text
    return [table for block in _blocks(text) if (table := _table(block, whole)).rows]


def _blocks(text: str) -> Iterator[list[str]]:
    """Runs of lines of which the first is a header."""
    block: list[str] = []
    for line in text.splitlines():
        head = line.startswith(("NAME", "NODE ", "LAST SEEN"))
        if (head or not line.strip() or line.startswith("[")) and block:
            yield block
            block = []
        if head or (block and line.strip()):
            block.append(line)
    if block:
        yield block


def _table(block: list[str], whole: bool) -> Table:
    cut = _by_tabs if "\t" in block[0] else _by_columns
    head, *rows = block
    columns = set(cut(head, head))
    kind = next((kind for kind, needed in KINDS.items() if needed <= columns), "")
    if not kind:
        return Table("")
    return Table(kind, [row for line in rows if (row := _named(cut(head, line)))], whole)


def _by_tabs(head: str, line: str) -> dict[str, str]:
    cells = (cell.strip() for cell in line.split("\t"))
    return dict(zip((name.strip() for name in head.split("\t")), cells, strict=False))


def _by_columns(head: str, line: str) -> dict[str, str]:
    names, starts, ends = _columns(head)
    cells = [line[start:end].strip() for start, end in zip(starts, ends, strict=True)]
    return dict(zip(names, cells, strict=True))


@caches.function(256, "finding the columns of a table's head")
def _columns(head: str) -> tuple[tuple[str, ...], tuple[int, ...], tuple[int | None, ...]]:
    """Names of the columns, where each begins, and where it ends: the last one with the line."""
    found = list(_COLUMN.finditer(head))
    starts = tuple(match.start() for match in found)
    return tuple(match[0] for match in found), starts, (*starts[1:], None)[: len(starts)]


def _named(row: dict[str, str]) -> Mapping[str, str]:
    """The row, its name without `pod/` before it; nothing where the name is none, as in a line that was cut."""
    if "OBJECT" in row:
        return row
    name = row.get("NAME", row.get("NODE", "")).rpartition("/")[2]
    return {**row, "NAME": name} if _NAME.fullmatch(name) else {}

"""Where the components of an application stand in a picture: callers left of those whom they call."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

USERS = ""
"""Who makes the first calls."""

SWEEPS = 6
"""Times that the columns are sorted after their neighbours; later ones change nothing in graphs of this size."""

Edge = tuple[str, str]


class Layout(NamedTuple):
    """Columns from left to right, each from top to bottom; `apart` are those that neither call nor are called."""

    columns: tuple[tuple[str, ...], ...]
    apart: tuple[str, ...]

    @property
    def height(self) -> int:
        """Components in the longest column."""
        return max((len(column) for column in self.columns), default=0)


def lay_out(components: Iterable[str], calls: Sequence[Edge]) -> Layout:
    """Order components so that calls lead to the right and cross rarely. The same input gives the same layout.

    >>> lay_out(["a", "b", "c", "d"], [("", "a"), ("a", "b"), ("a", "c"), ("b", "c")])
    Layout(columns=(('',), ('a',), ('b',), ('c',)), apart=('d',))
    """
    forward = _forward(calls)
    depth = _depths(forward)
    columns: list[list[str]] = [[] for _ in range(max(depth.values(), default=-1) + 1)]
    for name, column in depth.items():
        columns[column].append(name)
    for sweep in range(SWEEPS):
        _sort(columns, forward, leftwards=bool(sweep % 2))
    apart = sorted(set(components) - set(depth))
    return Layout(tuple(tuple(column) for column in columns), tuple(apart))


def _forward(calls: Sequence[Edge]) -> list[Edge]:
    """The calls without those that would close a circle."""
    after: dict[str, set[str]] = {}
    found = []
    for caller, callee in calls:
        if not _reaches(after, callee, caller):
            after.setdefault(caller, set()).add(callee)
            found.append((caller, callee))
    return found


def _reaches(after: Mapping[str, set[str]], start: str, end: str) -> bool:
    seen, waiting = {start}, [start]
    while waiting:
        name = waiting.pop()
        if name == end:
            return True
        new = after.get(name, set()) - seen
        seen |= new
        waiting += new
    return False


def _depths(forward: Sequence[Edge]) -> dict[str, int]:
    """Steps of the longest way to each component."""
    depth = {name: 0 for edge in forward for name in edge}
    moved = True
    while moved:
        moved = False
        for caller, callee in forward:
            if depth[callee] <= depth[caller]:
                depth[callee], moved = depth[caller] + 1, True
    return depth


def _sort(columns: list[list[str]], forward: Sequence[Edge], leftwards: bool) -> None:
    """Sort each column after the mean height of its neighbours on one side."""
    height = {name: place - len(column) / 2 for column in columns for place, name in enumerate(column)}
    beside: dict[str, list[str]] = {}
    for caller, callee in forward:
        name, neighbour = (caller, callee) if leftwards else (callee, caller)
        beside.setdefault(name, []).append(neighbour)
    for column in reversed(columns) if leftwards else columns:
        mean = {n: sum(height[b] for b in beside[n]) / len(beside[n]) if n in beside else height[n] for n in column}
        column.sort(key=lambda name: (mean[name], height[name]))
        height.update({name: place - len(column) / 2 for place, name in enumerate(column)})

"""`get -w`: the objects, then each change of them, for as long as the command may run."""

from __future__ import annotations

from itertools import chain
from typing import Final

from aiops_gym.kubectl.client import kind_group
from aiops_gym.kubectl.errors import Failure, ServerError
from aiops_gym.kubectl.filed import Info
from aiops_gym.kubectl.output import Printer
from aiops_gym.kubectl.output.table import lay_out
from aiops_gym.kubectl.output.tables import TableStyle, format_lines
from aiops_gym.kubectl.targets import Selection
from aiops_gym.kubectl.verb import Invocation
from aiops_gym.kubectl.waiting import await_looks
from aiops_gym.types import Json

_Seen = dict[str, tuple[str, Info, Json]]
"""Version and row by uid, as of the last look."""

STEP: Final = 1.0
"""Seconds between two looks at the objects."""


def watch(call: Invocation, wanted: Selection, style: TableStyle | Printer | None) -> int:
    """Print objects and their changes until the request ends, or the time of the command is used up."""
    if len(wanted.named) + len(wanted.queries) > 1:
        raise Failure(
            "watch is only supported on individual resources and resource collections - more than 1 resource was found"
        )
    seen: _Seen = {}
    page = _Page(call, style)
    quiet = call.flags.on("watch-only")
    first = True
    for _ in chain((None,), await_looks(call.client.cluster, STEP, call.flags.text("request-timeout"))):
        seen, fresh = _look(wanted, seen, first)
        if not (quiet and first):
            page.show(fresh)
        first = False
    return 0


def _look(wanted: Selection, seen: _Seen, first: bool) -> tuple[_Seen, list[tuple[Info, Json]]]:
    """What is there now, and what of it is new, changed or gone since the last look."""
    try:
        infos = wanted.infos()
    except ServerError:
        if first or wanted.queries:
            raise
        infos = []
    now: _Seen = {}
    for info in infos:
        for row in _rows(info):
            meta = row["object"]["metadata"] if "cells" in row else row["metadata"]
            now[str(meta["uid"])] = (str(meta["resourceVersion"]), info, row)
    fresh = [(info, row) for key, (version, info, row) in now.items() if key not in seen or seen[key][0] != version]
    gone = [(info, row) for key, (_, info, row) in seen.items() if key not in now]
    return now, gone + fresh


def _rows(info: Info) -> list[Json]:
    return list(info.obj["rows"]) if info.obj.get("kind") == "Table" else [info.obj]


class _Page:
    """The lines of a watch; columns keep the widths of the first lines."""

    def __init__(self, call: Invocation, style: TableStyle | Printer | None) -> None:
        self.call = call
        self.style = style
        self.headed = False
        self.widths: list[int] = []

    def show(self, fresh: list[tuple[Info, Json]]) -> None:
        """Print some rows."""
        if not fresh:
            return
        if isinstance(self.style, Printer):
            for _, row in fresh:
                self.call.write(self.style.one(row))
            return
        style = self.style or TableStyle()
        rows: list[list[str]] = []
        for info, row in fresh:
            table = {"columnDefinitions": info.obj["columnDefinitions"], "rows": [row]}
            headers, cells = format_lines(style, kind_group(info.resource), info.resource.namespaced, table)
            if style.headers and not self.headed:
                rows.append(headers)
                self.headed = True
            rows += cells
        self.call.write(lay_out(rows, least=self.widths))

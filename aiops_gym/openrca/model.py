"""What recorded telemetry is described in: columns, tables and domains as plain data.

A domain is one of the monitored companies. Its tables are the CSV files in the folder of each day; nothing here
reads them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from aiops_gym.errors import CatalogError

KINDS = ("time", "code", "text", "int", "float")


@dataclass(frozen=True, slots=True)
class Column:
    """One column of a CSV file.

    Attributes:
        kind: `time` (an integer, in the table's unit), `code` (text of few different values), `text` (any text, such as
            ids), `int` or `float`.
        about: what it means, with the unit of numbers.
    """

    name: str
    kind: str
    about: str


@dataclass(frozen=True, kw_only=True)
class Table:
    """One CSV file that each day has.

    Attributes:
        path: below the folder of the day, `metric/metric_container.csv`.
        method: the name under which data sets and tools offer it, `get_metric_container`.
        source: tells tables of one method apart, `proxy`; "" where there is one.
        unit: of the time column, `s` or `ms`.
        component: column that names what was measured.
        kpi: column that names the measured quantity; "" where each quantity has a column of its own.
        columns: in the order of the file.
        about: one sentence for people and prompts.
        extra: the plan of OpenRCA's tools has no getter of it, which is offered only to who asks for all tools.
    """

    path: str
    method: str
    component: str
    unit: str
    columns: tuple[Column, ...]
    about: str
    kpi: str = ""
    source: str = ""
    extra: bool = False

    @property
    def name(self) -> str:
        """`metric_container`."""
        return self.path.rpartition("/")[2].removesuffix(".csv")

    @property
    def modality(self) -> str:
        """`metric`, `trace` or `log`."""
        return self.path.partition("/")[0]

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the columns, in the order of the file."""
        return tuple(column.name for column in self.columns)

    @property
    def time(self) -> str:
        """Name of the time column."""
        return next(column.name for column in self.columns if column.kind == "time")


@dataclass(frozen=True, kw_only=True)
class Domain:
    """One monitored company.

    Attributes:
        name: `bank`.
        title: as the data sets spell it, `Bank`.
        folders: folder below the root, by cloudbed; the key is "" where there is one.
        tables: the CSV files of a day.
        components: what may be the root cause, in the order of the original prompt, without its trailing blanks.
        reasons: likewise.
        levels: of components that fail, `pod`, `node`, `service`.
        record_columns: of record.csv, in its order.
        record_time: how record.csv writes the time stamp, `float` or `int`.
        about: what the system is, for the prompt.
        days: of the original, `YYYY-MM-DD`; the last of them are the split `test`.
        decisive: parts of the names of the KPIs that the authors of OpenRCA take for decisive.
        hours: (first, last) hour of the day that is recorded.
    """

    name: str
    title: str
    folders: Mapping[str, str]
    tables: tuple[Table, ...]
    components: tuple[str, ...]
    reasons: tuple[str, ...]
    levels: tuple[str, ...]
    record_columns: tuple[str, ...]
    record_time: str
    about: str
    days: tuple[str, ...]
    decisive: tuple[str, ...]
    hours: tuple[int, int] = (0, 24)

    @cached_property
    def methods(self) -> Mapping[str, tuple[Table, ...]]:
        """Tables by the name under which they are offered."""
        return {
            name: tuple(each for each in self.tables if each.method == name)
            for name in dict.fromkeys(table.method for table in self.tables)
        }

    def table(self, method: str, source: str = "") -> Table:
        """A table by its method. Raises CatalogError for what this domain does not have."""
        found = self.methods.get(method, ())
        for each in found:
            if source in ("", each.source):
                return each
        known = ", ".join(each.source for each in found) if found else ", ".join(self.methods)
        raise CatalogError(f"{self.title} has no {source or method!r}; there are: {known}")

    def prefix(self, cloudbed: str = "") -> str:
        """Beginning of problem ids, `Market-cloudbed-1`."""
        return self.folders[cloudbed].replace("/", "-")


_PARTS = re.compile(r"[.:]")


def names(identifier: str, component: str) -> bool:
    """Whether a component means the thing that an id of the telemetry names.

    It does when it is the id, one of its parts between dots, or the service that such a part is a pod or a port of.

    >>> names("node-6.adservice2-0", "adservice2-0"), names("node-6.adservice2-0", "node-6")
    (True, True)
    >>> names("adservice-grpc", "adservice"), names("node-6.adservice2-0", "adservice"), names("Tomcat01", "Tomcat0")
    (True, False, False)
    """
    if identifier == component:
        return True
    parts = _PARTS.split(identifier)
    return any(part == component or part.startswith(f"{component}-") for part in parts)

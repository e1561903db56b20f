"""The recorded telemetry as DataFrames.

Times are Unix seconds, Unix milliseconds, datetimes, dates, or text such as `2021-03-04 14:30:00`; what names no time
zone is in UTC+8. A window includes both its ends, to the millisecond; an end left out is open. Rows come in the order
of time (measurements of one time by component and KPI), ids are text, and units are those of the CSV files.
"""

from __future__ import annotations

import datetime
import inspect
import os
from collections.abc import Callable
from numbers import Integral
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from aiops_gym.errors import CatalogError
from aiops_gym.openrca import clock, labels, layout
from aiops_gym.openrca.bar import Bar
from aiops_gym.openrca.clock import Time
from aiops_gym.openrca.domains import bank, market, telecom
from aiops_gym.openrca.model import Domain
from aiops_gym.openrca.recording import LARGEST, Recording
from aiops_gym.openrca.roots import root_of
from aiops_gym.openrca.store.shelf import Progress

if TYPE_CHECKING:
    import pandas as pd

_TOO_MANY = (
    "{} has {:,} rows there, and at most {:,} are given at once: "
    "ask for a shorter time (start_time, end_time), one component, or a limit"
)


class Dataset:
    """The telemetry and labels of one domain.

    Args:
        date: the only day to read, `2021-03-04`; None for all days. A question touches only the days it meets.
        root: folder that holds `Bank`, `Market` and `Telecom`, or the domain's own; None takes the environment variable
            AIOPS_GYM_OPENRCA, or else a small synthetic data set that is made once.
        cache: folder of the converted files, or `beside` for one in the domain's folder; None takes the environment
            variable AIOPS_GYM_CACHE, or else the user's cache folder. The data themselves are only read.
        progress: told of a conversion: file, bytes read, all its bytes. None shows a bar where a person looks on.
        strict: refuse files that are missing or not all that they should be. Else what can be read of them is; the rest
            is counted, see `oddities` and `aiops-gym openrca info`.

    Raises:
        CatalogError: the data or the day are not there.
    """

    domain: ClassVar[Domain]
    cloudbed: str = ""

    def __init__(
        self,
        date: str | datetime.date | None = None,
        root: str | os.PathLike[str] | None = None,
        *,
        cache: str | os.PathLike[str] | None = None,
        progress: Progress | None = None,
        strict: bool = False,
    ) -> None:
        root = root_of(self.domain, self.cloudbed, root)
        self.folder: Path = layout.domain_folder(self.domain, self.cloudbed, root)
        days = None if date is None else [clock.parse_day(date)]
        self.recording = Recording(self.domain, self.folder, days, cache, progress or Bar.for_people(), strict)

    @property
    def days(self) -> tuple[datetime.date, ...]:
        """The days that are read, sorted."""
        return self.recording.days

    def oddities(self) -> dict[str, dict[datetime.date, list[str]]]:
        """What could not be read of the files as it should be, by table and day. Converts what is not converted yet."""
        found = {table.name: self.recording.oddities(table) for table in self.domain.tables}
        return {name: odd for name, odd in found.items() if odd}

    def get_records(self) -> pd.DataFrame:
        """What failed: record.csv as it is, of all days. Its time stamps are Unix seconds."""
        labels.read_records(self.folder)
        return _labels(self.folder / labels.RECORDS)

    def get_queries(self) -> pd.DataFrame:
        """What is asked: query.csv as it is, of all days. Row i belongs to row i of the records."""
        labels.read_queries(self.folder)
        return _labels(self.folder / labels.QUERIES)

    def _get(
        self,
        method: str,
        start_time: Time | None,
        end_time: Time | None,
        component: str | None = None,
        kpi: str | None = None,
        limit: int | None = None,
        *,
        trace_id: str | None = None,
        contains: str | None = None,
        source: str = "",
    ) -> pd.DataFrame:
        start, end = (None if each is None else clock.parse(each) for each in (start_time, end_time))
        _check(limit, component=component, kpi=kpi, trace_id=trace_id, contains=contains)
        table = self.domain.table(method, source)
        rows = self.recording.rows(
            table, start, end, component=component, kpi=kpi, trace_id=trace_id, contains=contains
        )
        if min(rows.count, LARGEST + 1 if limit is None else limit) > LARGEST:
            raise CatalogError(_TOO_MANY.format(table.name, rows.count, LARGEST))
        from aiops_gym.openrca.frame import read_frame  # noqa: PLC0415  # It brings pandas.

        return read_frame(rows, limit)


def _check(limit: int | None, **filters: str | None) -> None:
    """Raises CatalogError for a limit that is no number of rows, and for a filter that is no text."""
    if limit is not None and (isinstance(limit, bool) or not isinstance(limit, Integral) or limit < 0):
        raise CatalogError(f"limit is a number of rows, not {limit!r}")
    for name, value in filters.items():
        if value is not None and not isinstance(value, str):
            raise CatalogError(f"{name} is text, not {value!r}")


def _labels(path: Path) -> pd.DataFrame:
    import pandas as pd  # noqa: PLC0415  # Only frames need it.

    return pd.read_csv(path)


_Get = Callable[..., "pd.DataFrame"]

_ARGUMENTS = {
    "start_time": "Unix seconds, milliseconds, datetime, or text in UTC+8; None for the beginning.",
    "end_time": "likewise; None for the end.",
    "component": "an id, a part of one between dots (a node, a pod), or the service of a pod.",
    "kpi": "exact name; of logs, the name of the log.",
    "trace_id": "only spans of this trace.",
    "contains": "only lines with this text in them.",
    "source": "which log files.",
    "limit": "only the first so many rows.",
}


def _measurements(domain: Domain, name: str) -> _Get:
    """The method of a table of measurements."""

    def by_kpi(
        self: Dataset,
        start_time: Time | None = None,
        end_time: Time | None = None,
        component: str | None = None,
        kpi: str | None = None,
        limit: int | None = None,
    ) -> pd.DataFrame:
        return self._get(name, start_time, end_time, component, kpi, limit)

    def plain(
        self: Dataset,
        start_time: Time | None = None,
        end_time: Time | None = None,
        component: str | None = None,
        limit: int | None = None,
    ) -> pd.DataFrame:
        return self._get(name, start_time, end_time, component, None, limit)

    return _named(by_kpi if domain.table(name).kpi else plain, domain, name)


def _traces(domain: Domain) -> _Get:
    """The method of the spans."""

    def get_traces(
        self: Dataset,
        start_time: Time | None = None,
        end_time: Time | None = None,
        component: str | None = None,
        trace_id: str | None = None,
        limit: int | None = None,
    ) -> pd.DataFrame:
        return self._get("get_traces", start_time, end_time, component, None, limit, trace_id=trace_id)

    return _named(get_traces, domain, "get_traces")


def _logs(domain: Domain) -> _Get:
    """The method of the logs; with a source where there are several files."""
    first = domain.table("get_logs").source

    def by_source(
        self: Dataset,
        start_time: Time | None = None,
        end_time: Time | None = None,
        component: str | None = None,
        kpi: str | None = None,
        contains: str | None = None,
        source: str = first,
        limit: int | None = None,
    ) -> pd.DataFrame:
        return self._get("get_logs", start_time, end_time, component, kpi, limit, contains=contains, source=source)

    def plain(
        self: Dataset,
        start_time: Time | None = None,
        end_time: Time | None = None,
        component: str | None = None,
        kpi: str | None = None,
        contains: str | None = None,
        limit: int | None = None,
    ) -> pd.DataFrame:
        return self._get("get_logs", start_time, end_time, component, kpi, limit, contains=contains)

    return _named(by_source if first else plain, domain, "get_logs")


def _named(method: _Get, domain: Domain, name: str) -> _Get:
    """Give a method its name, and a docstring from what its tables say of themselves."""
    tables = domain.methods[name]
    abouts = [f"{table.source.capitalize()}: {table.about}" if table.source else table.about for table in tables]
    arguments = list(inspect.signature(method).parameters)[1:]
    lines = [
        " ".join(abouts),
        "",
        "Both ends of the window are included; times are rounded to milliseconds.",
        "",
        "Args:",
    ]
    lines += [f"    {argument}: {_ARGUMENTS[argument]}" for argument in arguments]
    if "source" in arguments:
        lines[-2] = f"    source: {' or '.join(repr(table.source) for table in tables)}."
    lines += ["", "Returns:", f"    A DataFrame with the columns of {' and '.join(table.path for table in tables)}:"]
    lines += ["", *(f"    {column.name}: {column.about}." for column in tables[0].columns), "", "Raises:"]
    lines += ["    CatalogError: the start is after the end, a file is missing or broken, or there are too many rows."]
    method.__name__, method.__qualname__ = name, f"{domain.title}Dataset.{name}"
    method.__doc__ = "\n".join(lines)
    return method


class BankDataset(Dataset):
    """The bank: measurements, spans and logs."""

    domain = bank.domain
    get_metric_app = _measurements(domain, "get_metric_app")
    get_metric_container = _measurements(domain, "get_metric_container")
    get_traces = _traces(domain)
    get_logs = _logs(domain)


class MarketDataset(Dataset):
    """The market, one of its two clusters: measurements, spans and logs.

    Args:
        cloudbed: `cloudbed-1` or `cloudbed-2`.
        date: as in `Dataset`, and so are the others.
        root: likewise.
        cache: likewise.
        progress: likewise.
        strict: likewise.
    """

    domain = market.domain
    get_metric_container = _measurements(domain, "get_metric_container")
    get_metric_mesh = _measurements(domain, "get_metric_mesh")
    get_metric_node = _measurements(domain, "get_metric_node")
    get_metric_runtime = _measurements(domain, "get_metric_runtime")
    get_metric_service = _measurements(domain, "get_metric_service")
    get_traces = _traces(domain)
    get_logs = _logs(domain)

    def __init__(
        self,
        cloudbed: str,
        date: str | datetime.date | None = None,
        root: str | os.PathLike[str] | None = None,
        *,
        cache: str | os.PathLike[str] | None = None,
        progress: Progress | None = None,
        strict: bool = False,
    ) -> None:
        if cloudbed not in self.domain.folders:
            raise CatalogError(f"no cloudbed {cloudbed!r}; there are: {', '.join(self.domain.folders)}")
        self.cloudbed = cloudbed
        super().__init__(date, root, cache=cache, progress=progress, strict=strict)


class TelecomDataset(Dataset):
    """The telecom operator: measurements and spans; there are no logs."""

    domain = telecom.domain
    get_metric_app = _measurements(domain, "get_metric_app")
    get_metric_container = _measurements(domain, "get_metric_container")
    get_metric_middleware = _measurements(domain, "get_metric_middleware")
    get_metric_node = _measurements(domain, "get_metric_node")
    get_metric_service = _measurements(domain, "get_metric_service")
    get_traces = _traces(domain)

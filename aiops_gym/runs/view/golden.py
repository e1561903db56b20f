"""Golden signals as tables: a row a subject, and a small curve for each signal with its value at the chosen step."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from aiops_gym.envs.levels import format_number, format_percent
from aiops_gym.runs.view.markup import Html, join, tag
from aiops_gym.runs.view.signals import Points, Signals

HEIGHT = 26
"""Of a curve, in units of its own; it is a hundred wide."""

UNKNOWN = "-"


class Column(NamedTuple):
    """One signal.

    Attributes:
        title: of the column.
        keys: the series that it shows.
        unit: what its numbers are.
        top: of the scale, 0 for that of the largest value in the row.
    """

    title: str
    keys: tuple[str, ...]
    unit: str
    top: float = 0.0


RATE = Column("requests/s", ("rate",), "")
ERRORS = Column("errors", ("errors",), "%", 1.0)
LATENCY = Column("latency p50, p99", ("p50", "p99"), "ms")
CPU = Column("CPU of the limit", ("saturation",), "%", 1.0)
CORES = Column("CPU cores", ("cpu",), "")

USERS = (RATE, ERRORS, LATENCY)
INSIDE = (RATE, ERRORS, LATENCY, CPU, CORES)


def draw_golden(signals: Signals) -> Html:
    """Both tables; that of the components is folded up."""
    users, inside = (_table(signals, *pair) for pair in _tables(signals))
    many = len(signals.components)
    folded = tag("details", tag("summary", f"Components ({many})"), inside, class_="inside") if many else Html()
    return join(tag("h3", "Operations of users"), users, folded)


def list_values(signals: Signals) -> list[list[str]]:
    """What is written beside each curve, by point, in the order of the curves."""
    return [
        [describe(column, series, i) for i in range(len(signals.times))]
        for subjects, columns in _tables(signals)
        for series in subjects.values()
        for column in columns
    ]


def describe(column: Column, series: Mapping[str, Points], at: int) -> str:
    """The values of a column at a point.

    >>> describe(LATENCY, {"p50": (8.58,), "p99": (302.0,)}, 0), describe(ERRORS, {"errors": (0.004,)}, 0)
    ('8.6, 302 ms', '<1 %')
    >>> describe(RATE, {}, 0)
    '-'
    """
    values = [series[key][at] if key in series else None for key in column.keys]
    if all(value is None for value in values):
        return UNKNOWN
    if column.unit == "%":
        return format_percent(values[0])
    told = ", ".join(UNKNOWN if value is None else format_number(value) for value in values)
    return f"{told} {column.unit}" if column.unit == "ms" else told


def _tables(signals: Signals) -> Iterator[tuple[Mapping[str, Mapping[str, Points]], Sequence[Column]]]:
    """Subjects and columns of each table, without columns of which nothing is known."""
    for subjects, columns in ((signals.operations, USERS), (signals.components, INSIDE)):
        there = {key for series in subjects.values() for key in series}
        yield subjects, [column for column in columns if not there.isdisjoint(column.keys)]


def _table(signals: Signals, subjects: Mapping[str, Mapping[str, Points]], columns: Sequence[Column]) -> Html:
    head = tag("tr", tag("th", "", scope="col"), *(tag("th", column.title, scope="col") for column in columns))
    rows = [
        tag("tr", tag("th", name, scope="row"), *(_cell(signals, column, name, series) for column in columns))
        for name, series in subjects.items()
    ]
    return tag("div", tag("table", tag("thead", head), tag("tbody", *rows), class_="golden"), class_="scroll")


def _cell(signals: Signals, column: Column, name: str, series: Mapping[str, Points]) -> Html:
    value = tag("b", describe(column, series, signals.find_point(0.0)), class_="value")
    return tag("td", _curve(signals, column, name, series), value)


def _curve(signals: Signals, column: Column, name: str, series: Mapping[str, Points]) -> Html:
    known = [value for key in column.keys for value in series.get(key, ()) if value is not None]
    if not known:
        return tag("span", class_="curve none")
    top = max(column.top, *known) or 1.0
    lines = [
        tag("path", d=_path(signals, series[key], top), class_=f"line {key}") for key in column.keys if key in series
    ]
    begin = signals.place(0.0)
    during = tag("rect", x=f"{begin:.2f}", width=f"{100 - begin:.2f}", y=0, height=HEIGHT, class_="during")
    at = f"{begin:.2f}"
    cursor = tag("line", x1=at, x2=at, y1=0, y2=HEIGHT, class_="cursor")
    told = f"{name}, {column.title}: {describe_course(column, known)}"
    hover = tag("title", told)
    box = f"0 0 100 {HEIGHT}"
    return tag("svg", hover, during, *lines, cursor, viewBox=box, preserveAspectRatio="none", role="img",
               aria_label=told, class_="curve")  # fmt: skip


def describe_course(column: Column, known: Sequence[float]) -> str:
    """The least and the most of a curve."""
    low, high = min(known), max(known)
    if column.unit == "%":
        return f"{format_percent(low)} to {format_percent(high)}"
    return f"{format_number(low)} to {format_number(high)} {column.unit}".strip()


def _path(signals: Signals, points: Points, top: float) -> str:
    """A line through the points that are known; one alone is a dot."""
    found, pen = [], "M"
    for time, value in zip(signals.times, points, strict=True):
        if value is None:
            pen = "M"
            continue
        y = HEIGHT - 1.5 - (HEIGHT - 3) * min(1.0, value / top)
        found.append(f"{pen}{signals.place(time):.2f} {y:.2f}" + ("h.01" if pen == "M" else ""))
        pen = "L"
    return "".join(found)

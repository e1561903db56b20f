"""What an agent gave, checked; a refusal says what would be right."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from aiops_gym.errors import ToolError
from aiops_gym.openrca import clock, model
from aiops_gym.openrca.model import Table
from aiops_gym.openrca.recording import Recording

HOUR = 3_600_000
"""Milliseconds."""

SHOWN = 40
"""Names that a refusal lists at most."""


class Span(NamedTuple):
    """Unix milliseconds, both ends inclusive."""

    start: int
    end: int


class OpenSpan(NamedTuple):
    """Unix milliseconds, both ends inclusive; None for an end that was left open."""

    start: int | None
    end: int | None


def span(tool: str, recording: Recording, start: object, end: object, hours: int) -> Span:
    """A window that lies on recorded days, at most so many hours long.

    Raises:
        ToolError: no times, an end before its start, a time that is not recorded, or too long.
    """
    where = Span(_time(tool, "start_time", start), _time(tool, "end_time", end))
    _check(tool, recording, *where)
    if where.end - where.start > hours * HOUR:
        raise ToolError(f"Error: {tool}: at most {hours} hours can be asked for at a time; shorten the window.")
    return where


def open_span(tool: str, recording: Recording, start: object, end: object) -> OpenSpan:
    """A window that meets recorded days, of any length; either end may be None.

    Raises:
        ToolError: no times, an end before its start, or a time that is not recorded.
    """
    named = (("start_time", start), ("end_time", end))
    where = OpenSpan(*(None if value is None else _time(tool, name, value) for name, value in named))
    _check(tool, recording, *where)
    return where


def _check(tool: str, recording: Recording, first: int | None, last: int | None) -> None:
    """Raises ToolError for a window that ends before it starts, or in which nothing is recorded."""
    if first is not None and last is not None and first > last:
        shown = f"{clock.show(first)} is after end_time {clock.show(last)}"
        raise ToolError(f"Error: {tool}: start_time {shown}. Exchange the two.")
    days = [clock.parse(each) for each in recording.days]
    if not any((first is None or first < day + clock.DAY) and (last is None or last >= day) for day in days):
        listed = ", ".join(each.isoformat() for each in recording.days)
        since = "" if first is None else f" from {clock.show(first)}"
        until = "" if last is None else f" to {clock.show(last)}"
        raise ToolError(f"Error: {tool}: nothing is recorded{since}{until} (UTC+8). Recorded are, in UTC+8: {listed}.")


def _time(tool: str, name: str, value: object) -> int:
    if not isinstance(value, str | int | float):
        raise ToolError(f"Error: {tool}: {name} must be a time, not {type(value).__name__}.")
    try:
        found = clock.parse(value)
    except (ValueError, OverflowError) as error:
        raise ToolError(f"Error: {tool}: {name}: {error}.") from None
    if found < 0:
        raise ToolError(f"Error: {tool}: {name}: {str(value)[:80]!r} is before 1970.")
    return found


def whole(tool: str, name: str, value: int | None, least: int, most: int) -> None:
    """Check a whole number that may be left out. Raises ToolError for one out of range."""
    if value is not None and (isinstance(value, bool) or not least <= value <= most):
        raise ToolError(
            f"Error: {tool}: {name} must be a whole number from {least} to {most:,}, not {repr(value)[:80]}."
        )


def one_of(tool: str, name: str, value: str, known: Sequence[str]) -> None:
    """Check a word. Raises ToolError with those that there are."""
    if value not in known:
        raise ToolError(f"Error: {tool}: {name} must be one of: {', '.join(known)}; not {value[:80]!r}.")


def known(
    tool: str,
    recording: Recording,
    tables: Sequence[Table],
    where: OpenSpan | Span,
    component: str | None = None,
    kpi: str | None = None,
) -> None:
    """Check the names that were given, after nothing was found. Raises ToolError for one that is not there at all."""
    if component is not None:
        known_component(tool, recording, tables, where, component)
    if kpi is not None:
        known_kpi(tool, recording, tables, where, kpi, part=True)


def known_component(
    tool: str, recording: Recording, tables: Iterable[Table], where: OpenSpan | Span, component: str
) -> None:
    """Check that a component is measured at all on the days of a window. Raises ToolError with names like it."""
    known = _values(recording, [(table, table.component) for table in tables], where)
    if not any(model.names(each, component) for each in known):
        parts = {part for each in known for part in (each, *each.split("."), *each.rsplit("-", 1)[:1])}
        raise ToolError(f"Error: {tool}: no component {component[:80]!r} here. {_near(component, parts, known)}")


def known_kpi(
    tool: str, recording: Recording, tables: Iterable[Table], where: OpenSpan | Span, kpi: str, part: bool = False
) -> None:
    """Check that a KPI, or one with this in its name, is measured at all. Raises ToolError with names like it."""
    known = _values(recording, [(table, table.kpi) for table in tables if table.kpi], where)
    known |= {name for table in tables if not table.kpi for name in table.names}
    if not any(kpi == each or (part and kpi.lower() in each.lower()) for each in known):
        raise ToolError(f"Error: {tool}: nothing is named {kpi[:80]!r} here. {_near(kpi, known, known)}")


def _values(recording: Recording, columns: Iterable[tuple[Table, str]], where: OpenSpan | Span) -> set[str]:
    return {value for table, column in columns for value in recording.values(table, column, *where)}


def _near(wanted: str, among: Iterable[str], known: Iterable[str]) -> str:
    """Names like the one that was wanted, or the first of all."""
    by_lower = {each.lower(): each for each in sorted(among)}
    inside = [name for lower, name in by_lower.items() if wanted.lower() in lower][:8]
    close = inside or [by_lower[each] for each in difflib.get_close_matches(wanted.lower(), by_lower, 5, 0.6)]
    if close:
        return f"Did you mean: {', '.join(close)}?"
    listed = sorted(known)
    more = f", and {len(listed) - SHOWN} more" if len(listed) > SHOWN else ""
    return f"There are: {', '.join(listed[:SHOWN])}{more}." if listed else "Nothing is recorded in this window."

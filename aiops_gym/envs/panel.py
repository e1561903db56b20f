"""Alerts and golden signals of a moment, as a part of its picture."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

from aiops_gym.envs.levels import DOWN, HURT, format_number, format_percent, read_points
from aiops_gym.envs.sheet import ACCENT, LINE, ROW, SMALL, SOFT, STROKE, TEXT, Picture
from aiops_gym.types import Json

Box = tuple[float, float, float, float]
"""Left, top, right, bottom."""

MOST = 4
"""Alerts that are named."""

HEADS, PADDING = 2, 10
"""Lines above the rows, and pixels around it all."""

NAME, CURVE = 96, 14
"""Pixels of an operation's name, and height of a curve."""


class Column(NamedTuple):
    """A signal: its title, its series, the pixels of its numbers, the top of its scale (0: the largest value)."""

    title: str
    keys: tuple[str, ...]
    room: int
    top: float


COLUMNS = (
    Column("requests/s", ("rate",), 38, 0.0),
    Column("errors", ("errors",), 42, 1.0),
    Column("p50, p99 ms", ("p50", "p99"), 66, 0.0),
)
COLOURS = {"rate": ACCENT, "errors": STROKE[DOWN], "p50": ACCENT, "p99": "#d2a8ff"}


def measure_panel(signals: Mapping[str, Json]) -> float:
    """How high it is."""
    lines = HEADS + max(1, min(MOST, len(_active(signals)))) + len(signals["operations"])
    return float(2 * PADDING + ROW * lines)


def draw_panel(sheet: Picture, signals: Mapping[str, Json], box: Box) -> None:
    """What is active now, firing first, then a row for each operation of users."""
    sheet.card(*box)
    x, y, right = box[0] + 14, box[1] + PADDING, box[2] - 14
    active = _active(signals)
    more = f", {len(active) - MOST} more" if len(active) > MOST else ""
    sheet.text((x, y), f"alerts: {len(active)} active{more}", SMALL, SOFT, right - x)
    for alert in active[:MOST]:
        y += ROW
        _draw_alert(sheet, alert, signals["end"], (x, y, right, y + ROW))
    y += ROW if active else 2 * ROW
    width = (right - x - NAME - sum(column.room for column in COLUMNS)) / len(COLUMNS)
    left = x + NAME
    for column in COLUMNS:
        sheet.text((left, y), column.title, SMALL, SOFT, width + column.room)
        for row, (name, series) in enumerate(signals["operations"].items(), 1):
            top = y + ROW * row
            if column is COLUMNS[0]:
                sheet.text((x, top), name, SMALL, TEXT, NAME - 6)
            _draw_signal(sheet, column, series, signals, (left, top, left + width - 6, top + CURVE))
        left += width + column.room


def _active(signals: Mapping[str, Json]) -> list[Mapping[str, Json]]:
    """What is active now and is not there always, firing first."""
    found = [a for a in signals["alerts"] if a["severity"] != "none" and a["spans"][-1][2] is None]
    return sorted(found, key=lambda alert: (alert["spans"][-1][1] is None, alert["spans"][-1][0]))


def _draw_alert(sheet: Picture, alert: Mapping[str, Json], now: float, box: Box) -> None:
    since, fired, _ = alert["spans"][-1]
    x, y, right, _ = box
    colour = STROKE[HURT if fired is None else DOWN]
    square = (x, y + 3, x + 9, y + 12)
    sheet.draw.rectangle(square, outline=colour, fill=None if fired is None else colour)
    state = f"pending {now - since:.0f} s" if fired is None else f"firing {now - fired:.0f} s"
    sheet.text((x + 16, y), state, SMALL, colour, 96)
    where = " ".join(f"{name}={text}" for name, text in alert["labels"].items())
    sheet.text((x + 16 + 96, y), f"{alert['name']} {where}", SMALL, TEXT, right - x - 16 - 96)


def _draw_signal(
    sheet: Picture, column: Column, series: Mapping[str, str], signals: Mapping[str, Json], box: Box
) -> None:
    """A curve for each series, a line where the episode began, and the newest values."""
    left, top, right, bottom = box
    whole = signals["end"] - signals["start"]
    begin = left + (right - left) * -signals["start"] / whole
    sheet.draw.line((begin, top, begin, bottom), fill=LINE)
    found = {key: read_points(series[key]) for key in column.keys if key in series}
    most = max([column.top, *(value for points in found.values() for value in points if value is not None)]) or 1.0
    for key, points in found.items():
        pairs = [
            None if value is None else (left + (right - left) * i / max(1, len(points) - 1),
                                        bottom - (bottom - top) * value / most)
            for i, value in enumerate(points)
        ]  # fmt: skip
        _draw_curve(sheet, pairs, COLOURS[key])
    newest = [points[-1] for points in found.values()]
    if column.title == "errors":
        told = format_percent(newest[0] if newest else None)
    else:
        told = ", ".join("-" if value is None else format_number(value) for value in newest) or "-"
    sheet.text((right + 6, top), told, SMALL, SOFT, column.room + 6)


def _draw_curve(sheet: Picture, points: Sequence[tuple[float, float] | None], colour: str) -> None:
    """What lies between two known points."""
    for one, other in pairwise(points):
        if one is not None and other is not None:
            sheet.draw.line((*one, *other), fill=colour, width=1)

"""Agents side by side as an SVG: a bar for each mean, with its interval as a whisker.

Colours are attributes, so that a file of its own needs no style; a page overrides them by class.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from aiops_gym.runs.view.markup import Html, join, tag

PLOT, ROW, BAR = 150, 34, 14
"""Pixels: width of a scale from 0 to 1, height of an agent's row, and of its bar."""

NUMBER, GAP = 40, 18
"""Width of the number right of a scale, and from there to the next scale."""

LETTER, LONGEST = 7.2, 44
"""Width of a letter at most, and letters of a name that are shown; the whole name is in its title."""

TOP, HEAD = 30, 46
"""Heights of the title, and of the headings of a block."""

EDGE = 12
"""Pixels around it all."""

TEXT, SOFT, LINE, FILL, WRONG, PAPER = "#1f2328", "#59636e", "#d1d9e0", "#8cc0ff", "#cf222e", "#ffffff"


@dataclass(frozen=True, kw_only=True)
class Mark:
    """A mean from 0 to 1 and its interval; `worst` is what it were with errors as 0, None where there are none."""

    mean: float
    low: float
    high: float
    worst: float | None = None


@dataclass(frozen=True, kw_only=True)
class Line:
    """An agent, with how many episodes it has, and a mark for each column in which it has any."""

    name: str
    note: str
    marks: Mapping[str, Mark]


@dataclass(frozen=True, kw_only=True)
class Block:
    """Agents that are compared with each other, the first one on top, over the columns."""

    heading: str
    columns: Sequence[str]
    lines: Sequence[Line]


def draw_chart(title: str, blocks: Sequence[Block], *, standalone: bool) -> Html:
    """The picture of one block or several.

    Args:
        title: what the bars are.
        standalone: as a file of its own, on white paper; else as a part of a page.
    """
    names = [line.name[:LONGEST] for block in blocks for line in block.lines]
    left = EDGE + LETTER * max([len(name) for name in names] + [16]) + GAP
    columns = max((len(block.columns) for block in blocks), default=0)
    width = left + columns * (PLOT + NUMBER + GAP) - GAP + EDGE
    parts, y = [tag("title", title), _text(title, EDGE, 20, size=14, weight=600)], float(TOP)
    for block in blocks:
        parts.append(_block(block, left, y))
        y += HEAD + ROW * len(block.lines)
    if any(mark.worst is not None for block in blocks for line in block.lines for mark in line.marks.values()):
        parts.append(_text("Red line: with errors as 0.", EDGE, y + 18, fill=SOFT, size=11))
        y += 20
    height = y + EDGE
    paper = tag("rect", width="100%", height="100%", fill=PAPER) if standalone else Html()
    return tag(
        "svg",
        paper,
        *parts,
        xmlns="http://www.w3.org/2000/svg" if standalone else None,
        viewBox=f"0 0 {width:g} {height:g}",
        width=f"{width:g}",
        height=f"{height:g}",
        role="img",
        class_="chart",
        font_family="system-ui, -apple-system, 'Segoe UI', Roboto, Arial, 'DejaVu Sans', sans-serif",
    )


def _block(block: Block, left: float, top: float) -> Html:
    first = top + HEAD
    parts = [_text(block.heading, EDGE, top + 24, size=13, weight=600)]
    for at, column in enumerate(block.columns):
        x = left + at * (PLOT + NUMBER + GAP)
        parts.append(_text(column, x, top + 24, size=12, weight=600))
        parts.append(_scale(x, first, ROW * len(block.lines)))
        marks = [(line.marks.get(column), first + row * ROW) for row, line in enumerate(block.lines)]
        parts += [_mark(mark, x, y) for mark, y in marks]
    parts += [_name(line, first + row * ROW) for row, line in enumerate(block.lines)]
    return join(*parts)


def _name(line: Line, y: float) -> Html:
    short = line.name if len(line.name) <= LONGEST else f"{line.name[: LONGEST - 1]}…"
    name = _text(short, EDGE, y + 15, size=12)
    return tag("g", tag("title", line.name), name, _text(line.note, EDGE, y + 28, fill=SOFT, size=10))


def _scale(x: float, y: float, height: float) -> Html:
    """Lines at 0, one half and 1, with their numbers above."""
    parts = []
    for value in (0.0, 0.5, 1.0):
        at = x + PLOT * value
        parts.append(tag("line", x1=f"{at:g}", x2=f"{at:g}", y1=f"{y - 4:g}", y2=f"{y + height:g}", stroke=LINE))
        parts.append(_text(f"{value:g}", at, y - 8, fill=SOFT, size=10, anchor="middle"))
    return join(*parts)


def _mark(mark: Mark | None, x: float, y: float) -> Html:
    if mark is None:
        return _text("-", x + PLOT + 8, y + 15, fill=SOFT, size=12)
    middle, low, high = y + 11, x + PLOT * mark.low, x + PLOT * mark.high
    whisker = f"M{low:.1f} {middle:g}H{high:.1f}M{low:.1f} {middle - 4:g}v8M{high:.1f} {middle - 4:g}v8"
    parts = [
        tag("title", f"{mark.mean:.2f} ({mark.low:.2f}-{mark.high:.2f})"),
        tag("rect", x=f"{x:g}", y=f"{middle - BAR / 2:g}", width=f"{PLOT * mark.mean:.1f}", height=BAR, fill=FILL),
        tag("path", d=whisker, stroke=TEXT, stroke_width="1.4", fill="none", class_="whisker"),
        _text(f"{mark.mean:.2f}", x + PLOT + 8, y + 15, size=12),
    ]
    if mark.worst is not None:
        at = f"{x + PLOT * mark.worst:.1f}"
        line = tag("line", x1=at, x2=at, y1=f"{middle - 9:g}", y2=f"{middle + 9:g}", stroke=WRONG, stroke_width=2)
        parts.append(line)
    return tag("g", *parts)


def _text(
    text: str, x: float, y: float, *, size: int, fill: str = TEXT, weight: int | None = None, anchor: str | None = None
) -> Html:
    class_ = "soft" if fill == SOFT else None
    where = {"x": f"{x:g}", "y": f"{y:g}", "text_anchor": anchor}
    return tag("text", text, **where, font_size=size, font_weight=weight, fill=fill, class_=class_)

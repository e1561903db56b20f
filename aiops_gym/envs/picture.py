"""One moment of an episode as a picture, for people and films; it shows what an agent must not see.

Drawn with Pillow, which is asked for at the first picture only. The same moment gives the same bytes.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from functools import cache
from types import ModuleType
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from aiops_gym.envs import levels
from aiops_gym.envs.layout import USERS, Layout, lay_out
from aiops_gym.errors import BackendError
from aiops_gym.types import Json

if TYPE_CHECKING:
    from PIL.ImageDraw import ImageDraw
    from PIL.ImageFont import FreeTypeFont, ImageFont

Frame = NDArray[np.uint8]
Place = tuple[float, float]

WIDTH, HEIGHT = 1280, 720
"""Multiples of 16, as film encoders want them."""

MARGIN = 28
TOP = 84
"""Pixels of the head line."""

GRAPH, DEEP_GRAPH, DEEP = 690, 850, 5
"""Pixels of the left part, where there is a graph: of up to so many columns, and of more."""

BOX_HEIGHT = 46

SMALL, ROW, CELL = 12, 17, 6.3
"""Pixels of the letters of an output, of its lines, and of a character on average."""

LONGEST = 400
"""Characters of a line of output that are looked at."""

_ELSE = {"…": "...", "\t": " "}

_PART = re.compile(r"\S+(?: \S+)*")
"""What stands in one column of a table: words with single blanks between them."""

PAGE, CARD, TEXT, SOFT, LINE = "#0d1117", "#151b23", "#e6edf3", "#9198a1", "#30363d"
ACCENT, WRONG = "#79c0ff", "#ff7b72"

STROKE = {levels.WELL: "#3fb950", levels.HURT: "#d29922", levels.DOWN: "#f85149", levels.IDLE: "#7d8590"}
FILL = {levels.WELL: "#12331c", levels.HURT: "#3a2a06", levels.DOWN: "#481a1d", levels.IDLE: "#21262d"}


class Picture:
    """A sheet that is drawn on.

    Raises:
        BackendError: Pillow is not installed.
    """

    def __init__(self) -> None:
        images, self.drawing = _pillow()
        self.image = images.new("RGB", (WIDTH, HEIGHT), PAGE)
        self.draw: ImageDraw = self.drawing.Draw(self.image)

    def text(self, at: Place, text: str, size: int, colour: str = TEXT, width: float = WIDTH) -> float:
        """One line, cut to a width; returns where it ends."""
        font, shown = _font(size), _shown(text[: int(width)])
        fits = self._fitting(shown, font, width)
        if fits < len(shown):
            shown = shown[: self._fitting(shown, font, width - font.getlength("..."))] + "..."
        self.draw.text(at, shown, fill=colour, font=font)
        return at[0] + float(font.getlength(shown))

    def lines(self, at: Place, text: str, colour: str, width: float, height: float) -> float:
        """As many lines as fit, columns below each other; returns where the next one would begin."""
        x, y = at
        fitting = max(1, int(height // ROW))
        rows = [row for line in text.rstrip().splitlines()[: fitting + 1] for row in self._rows(line, width)]
        cut = len(rows) > fitting
        for row in rows[: fitting - 1 if cut else fitting]:
            end = -CELL
            for part in _PART.finditer(row):
                left = max(part.start() * CELL, end + CELL)  # letters may be wider than their cells
                if left < width:
                    end = self.text((x + left, y), part[0], SMALL, colour, width - left) - x
            y += ROW
        if cut:
            self.text((x, y), "...", SMALL, SOFT, width)
            y += ROW
        return y

    def _rows(self, line: str, width: float) -> list[str]:
        """A line of a table as it is, any other one broken where it is too wide, at a blank if there is one."""
        rest, rows = line.expandtabs(8)[:LONGEST], list[str]()
        if "  " in rest.strip():
            return [rest]
        while rest and (fits := self._fitting(_shown(rest), _font(SMALL), width)) < len(rest):
            blank = rest.rfind(" ", fits // 2, fits + 1)
            at = max(1, fits if blank < 0 else blank)
            rows.append(rest[:at])
            rest = rest[at:].lstrip()
        return [*rows, rest]

    @staticmethod
    def _fitting(text: str, font: FreeTypeFont | ImageFont, width: float) -> int:
        """How many of the first characters fit into a width."""
        if font.getlength(text) <= width:
            return len(text)
        return bisect_right(range(1, len(text) + 1), width, key=lambda count: font.getlength(text[:count]))

    def card(self, left: float, top: float, right: float, bottom: float, fill: str = CARD, line: str = LINE) -> None:
        """A rectangle with round corners."""
        self.draw.rounded_rectangle((left, top, right, bottom), 8, fill=fill, outline=line, width=1)

    def curves(self, curves: Sequence[tuple[Place, Place, str]]) -> None:
        """Lines from left to right, level at both ends; drawn large and made smaller, so that they are smooth."""
        large = self.image.resize((2 * WIDTH, 2 * HEIGHT), 0)
        draw = self.drawing.Draw(large)
        t = np.linspace(0.0, 1.0, 33)
        for start, end, colour in curves:
            x, y = start[0] + t * (end[0] - start[0]), start[1] + (3 * t**2 - 2 * t**3) * (end[1] - start[1])
            points = [(float(a), float(b)) for a, b in zip(2 * x, 2 * y, strict=True)]
            draw.line(points, fill=colour, width=3, joint="curve")
        self.image = large.reduce(2)
        self.draw = self.drawing.Draw(self.image)

    def array(self) -> Frame:
        """Height x width x 3."""
        return np.array(self.image, dtype=np.uint8)


def draw_picture(
    last: tuple[str | None, str, float],
    info: Mapping[str, Json],
    calls: Sequence[Sequence[str]] = (),
    health: Mapping[str, Json] | None = None,
    words: str = "",
) -> Frame:
    """The system, the last turn, and the verdict once there is one.

    Args:
        last: action (None for the prompt), observation, reward.
        info: of that turn.
        calls: who calls whom, see `LiveEnv.calls`; with `health` empty there is no graph.
        health: see `LiveEnv.health`.
        words: the verdict, "" while the episode goes on.

    Returns:
        720 x 1280 x 3, RGB.

    Raises:
        BackendError: Pillow is not installed.
    """
    sheet = Picture()
    _head(sheet, info, words)
    left = MARGIN
    if health:
        left += _system(sheet, calls, health)
    _turn(sheet, left, last, info)
    return sheet.array()


def _pillow() -> tuple[ModuleType, ModuleType]:
    try:
        from PIL import Image, ImageDraw  # noqa: PLC0415  # An extra; only who wants pictures needs it.
    except ImportError as error:
        raise BackendError(f"pictures need Pillow: pip install 'aiops_gym[render]' ({error})") from None
    return Image, ImageDraw


@cache
def _font(size: int) -> FreeTypeFont | ImageFont:
    from PIL import ImageFont  # noqa: PLC0415  # As above.

    return ImageFont.load_default(size)


def _shown(text: str) -> str:
    """What Pillow's own font has: other characters would all be the same box."""
    return "".join(each if each.isprintable() and ord(each) < 0x100 else _ELSE.get(each, "?") for each in text)


def _head(sheet: Picture, info: Mapping[str, Json], words: str) -> None:
    end = sheet.text((MARGIN, 20), str(info["problem"]), 26, TEXT, 760)
    about = f"{info['task']}    step {info['step']}    {info['time']:.1f} s"
    sheet.text((MARGIN, 54), about, 15, SOFT)
    if words:
        level = levels.HURT if not info["results"] else levels.WELL if info["is_success"] else levels.DOWN
        left = end + 24
        sheet.card(left, 20, WIDTH - MARGIN, 52, FILL[level], STROKE[level])
        sheet.text((left + 12, 26), words, 16, STROKE[level], WIDTH - MARGIN - left - 24)


def _turn(sheet: Picture, left: float, last: tuple[str | None, str, float], info: Mapping[str, Json]) -> None:
    action, observation, _ = last
    right, bottom = WIDTH - MARGIN, HEIGHT - MARGIN
    sheet.card(left, TOP, right, bottom)
    width, y = right - left - 28, TOP + 12.0
    if action is not None:
        call = "\n".join(line for line in action.strip().splitlines() if not line.lstrip().startswith("```"))
        y = sheet.lines((left + 14, y), call, ACCENT, width, 150) + 6
        sheet.draw.line((left + 14, y, right - 14, y), fill=LINE)
        y += 8
    sheet.lines((left + 14, y), observation, WRONG if info["error"] else TEXT, width, bottom - 10 - y)


def _system(sheet: Picture, calls: Sequence[Sequence[str]], health: Mapping[str, Json]) -> int:
    """Returns how wide it is."""
    edges = [(str(pair[0]), str(pair[1])) for pair in calls]
    order = lay_out(health["components"], edges)
    whole = DEEP_GRAPH if len(order.columns) > DEEP else GRAPH
    places, width = _places(order, whole - 42.0)
    sheet.card(MARGIN, TOP, whole + MARGIN - 14, HEIGHT - MARGIN)
    curves = []
    for (caller, callee), share in zip(edges, health["calls"], strict=True):
        (x, y), (to_x, to_y), level = places[caller], places[callee], levels.choose_level(share)
        start = x + (20 if caller == USERS else width), y + BOX_HEIGHT / 2
        curves.append((start, (to_x, to_y + BOX_HEIGHT / 2), LINE if level == levels.IDLE else STROKE[level]))
    sheet.curves(curves)
    for name, part in health["components"].items():
        _component(sheet, places[name], width, name, part)
    if USERS in places:
        x, y = places[USERS]
        sheet.draw.ellipse((x + 5, y + 9, x + 15, y + 19), fill=SOFT)
        sheet.draw.pieslice((x, y + 21, x + 20, y + 45), 180, 360, fill=SOFT)
    _operations(sheet, health["operations"], whole)
    return whole


def _operations(sheet: Picture, operations: Mapping[str, float], whole: int) -> None:
    """What users ask, as large as it fits."""
    texts = [
        (f"{name} {levels.format_percent(share)}", levels.choose_level(share)) for name, share in operations.items()
    ]
    line = "    ".join(text for text, _ in texts)
    size = next((size for size in (15, 14, 13, 12) if _font(size).getlength(line) < whole - 42), 11)
    x = MARGIN + 14.0
    for text, level in texts:
        x = sheet.text((x, HEIGHT - MARGIN - 30.0), text, size, STROKE[level], whole - x)
        x += _font(size).getlength("    ")


def _component(sheet: Picture, at: Place, width: float, name: str, part: Mapping[str, Json]) -> None:
    x, y = at
    figures = part["ok"], part["slow"], part["ready"], part["wanted"]
    level = levels.choose_component_level(*figures)
    sheet.card(x, y, x + width, y + BOX_HEIGHT, FILL[level], STROKE[level])
    lines = levels.lines_of(name, int(width // 6.6) - 2)
    for i, line in enumerate(lines):
        sheet.text((x + 7, y + (5 if len(lines) == 1 else 2) + 13 * i), line, 12, TEXT, width - 8)
    sheet.text(
        (x + 7, y + (24 if len(lines) == 1 else 29)), levels.describe_component(*figures), 12, STROKE[level], width - 10
    )


def _places(order: Layout, room: float) -> tuple[dict[str, Place], float]:
    """Upper left corners, and the width of a component: as much as there is room for."""
    left, top = MARGIN + 14.0, TOP + 12.0
    tall = HEIGHT - MARGIN - 44.0 - top
    callers = [column for column in order.columns if column != (USERS,)]
    first = 44.0 if len(callers) < len(order.columns) else 0.0
    across = (room - first) / max(1, len(callers))
    width = min(124.0, across - 18)
    a_row = max(1, int(room // (width + 14)))
    rows = -(-len(order.apart) // a_row)
    down = min(62.0, tall / max(1, order.height + rows))
    places = {USERS: (left, 0.0)} if first else {}
    height = max(1.0, order.height * down)
    for i, column in enumerate(callers):
        above = top + (height - len(column) * down) / 2
        places.update({name: (left + first + i * across, above + j * down) for j, name in enumerate(column)})
    if first:
        places[USERS] = (left, top + (height - down) / 2)
    for i, name in enumerate(order.apart):
        row, place = divmod(i, a_row)
        places[name] = (left + place * (width + 14), top + tall - (rows - row) * down)
    return places, width

"""A sheet of pixels that is drawn on with Pillow, which is asked for at the first one only."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from functools import cache
from types import ModuleType
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from aiops_gym.envs import levels
from aiops_gym.errors import BackendError

if TYPE_CHECKING:
    from PIL.ImageDraw import ImageDraw
    from PIL.ImageFont import FreeTypeFont, ImageFont

Frame = NDArray[np.uint8]
Place = tuple[float, float]

WIDTH, HEIGHT = 1280, 720
"""Multiples of 16, as film encoders want them."""

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
        font, shown = find_font(size), _shown(text[: int(width)])
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
        while rest and (fits := self._fitting(_shown(rest), find_font(SMALL), width)) < len(rest):
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


def _pillow() -> tuple[ModuleType, ModuleType]:
    try:
        from PIL import Image, ImageDraw  # noqa: PLC0415  # An extra; only who wants pictures needs it.
    except ImportError as error:
        raise BackendError(f"pictures need Pillow: pip install 'aiops_gym[render]' ({error})") from None
    return Image, ImageDraw


@cache
def find_font(size: int) -> FreeTypeFont | ImageFont:
    """Pillow's own letters."""
    from PIL import ImageFont  # noqa: PLC0415  # As above.

    return ImageFont.load_default(size)


def _shown(text: str) -> str:
    """What Pillow's own font has: other characters would all be the same box."""
    return "".join(each if each.isprintable() and ord(each) < 0x100 else _ELSE.get(each, "?") for each in text)

"""A question's minutes, and the time before them with which they are compared."""

from __future__ import annotations

from typing import NamedTuple

MINUTE = 60_000
"""Milliseconds."""

ENOUGH = 10
"""Minutes before the window without which those after it are taken."""


class Window(NamedTuple):
    """What is looked at and what it is compared with. Times are Unix milliseconds, both ends inclusive.

    Attributes:
        start: first millisecond of the window, a whole minute.
        base_start: of the comparison, a whole minute.
        after: the comparison lies after the window, for lack of telemetry before it.
    """

    start: int
    end: int
    base_start: int
    base_end: int
    after: bool

    @property
    def origin(self) -> int:
        """The earlier of the two starts: column 0 of a matrix."""
        return min(self.start, self.base_start)

    @property
    def last(self) -> int:
        """The later of the two ends."""
        return max(self.end, self.base_end)

    @property
    def slots(self) -> int:
        """Columns of a matrix that holds both."""
        return (self.last - self.origin) // MINUTE + 1

    @property
    def own(self) -> slice:
        """Columns of the window."""
        return self._columns(self.start, self.end)

    @property
    def base(self) -> slice:
        """Columns of the comparison."""
        return self._columns(self.base_start, self.base_end)

    @property
    def share(self) -> float:
        """Length of the window as a share of the comparison's."""
        return (self.end - self.start + 1) / max(1, self.base_end - self.base_start + 1)

    def _columns(self, start: int, end: int) -> slice:
        return slice((start - self.origin) // MINUTE, (end - self.origin) // MINUTE + 1)


def make_window(start: int, end: int, minutes: int, earliest: int) -> Window:
    """A window and the `minutes` before it, as far as telemetry reaches back.

    Where less than `ENOUGH` minutes lie before it, the minutes after it are taken.

    Args:
        earliest: first millisecond of the recorded time around the window.

    >>> found = make_window(7_200_000, 8_999_999, 60, 0)
    >>> found.base_start, found.base_end, found.own, found.base
    (3600000, 7199999, slice(60, 90, None), slice(0, 60, None))
    >>> make_window(0, 1_799_999, 60, 0).after
    True
    """
    start -= start % MINUTE
    base_start = max(start - minutes * MINUTE, earliest)
    if start - base_start >= ENOUGH * MINUTE:
        return Window(start, end, base_start, start - 1, False)
    after = end - end % MINUTE + MINUTE
    return Window(start, end, after, after + minutes * MINUTE - 1, True)

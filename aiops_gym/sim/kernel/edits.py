"""What was changed between two sequences of lines: the shortest edit script, as `diff` shows it.

Source: E. W. Myers, "An O(ND) difference algorithm and its variations", Algorithmica 1 (1986), with the refinement of
its section 4b that needs linear space. Which of several shortest scripts is shown, and how far down a run of changed
lines slides among equal ones, is what the real `diff` was seen to do (tests/shell/test_diff.py asks it).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import compress
from typing import NamedTuple

FAR = 1 << 60
INCOMPLETE = "\n\\ No newline at end of file\n"


class Change(NamedTuple):
    """Lines `[start, end)` of the first sequence stand where those of the second do; one of both may be empty."""

    start: int
    end: int
    other_start: int
    other_end: int


class _TooFar(Exception):
    """More steps are needed than there are."""


Spend = Callable[[int], int]
"""Is told of steps; how many are left, a negative number when there were too few."""

MOST = 1_000_000
"""Steps of a search at most."""


def find_changes(
    before: Sequence[str],
    after: Sequence[str],
    horizon: int = 0,
    spend: Spend = lambda steps: 0,
    key: Callable[[str], str] = str,
) -> list[Change]:
    """Changes that lead from one sequence to the other, in their order: the fewest lines, as far as steps go.

    What is left when there are no more steps counts as changed, all of it.

    Args:
        before: the first sequence.
        after: the second one.
        horizon: how many of the equal lines at either end changes may slide into: those shown around them.
        spend: is told of the steps.
        key: what of a line counts. Lines at both ends are equal only as a whole.

    >>> find_changes("abcd", "axcde")
    [Change(start=1, end=2, other_start=1, other_end=2), Change(start=4, end=4, other_start=4, other_end=5)]
    """
    shorter, head, tail = min(len(before), len(after)), 0, 0
    while head < shorter and before[head] == after[head]:
        head += 1
    while tail < shorter - head and before[-1 - tail] == after[-1 - tail]:
        tail += 1
    head, tail = max(0, head - horizon), max(0, tail - horizon)
    sides = [list(map(key, lines[head : len(lines) - tail])) for lines in (before, after)]
    gone, new = _Comparison(sides[0], sides[1], spend).changed
    _slide(sides[0], gone, new)
    _slide(sides[1], new, gone)
    return _runs(gone, new, head)


def show_unified(before: Sequence[str], after: Sequence[str], changes: Sequence[Change], context: int) -> Iterator[str]:
    """In hunks of both sides at once, with so many lines around each change."""
    for hunk in group(changes, context):
        start, end, other_start, other_end = measure_hunk(hunk, len(before), context)
        yield f"@@ -{_counted(start, end)} +{_counted(other_start, other_end)} @@\n"
        for change in hunk:
            yield from mark_lines(" ", before[start : change.start])
            yield from mark_lines("-", before[change.start : change.end])
            yield from mark_lines("+", after[change.other_start : change.other_end])
            start = change.end
        yield from mark_lines(" ", before[start:end])


def group(changes: Sequence[Change], context: int) -> Iterator[list[Change]]:
    """Changes with those whose lines around them would meet."""
    hunk = list[Change]()
    for change in changes:
        if hunk and change.start - hunk[-1].end > 2 * context:
            yield hunk
            hunk = []
        hunk.append(change)
    if hunk:
        yield hunk


def measure_hunk(hunk: Sequence[Change], length: int, context: int) -> Change:
    """The lines that a hunk covers on both sides; the first has `length` lines."""
    first, last = hunk[0], hunk[-1]
    above, below = min(context, first.start), min(context, length - last.end)
    return Change(first.start - above, last.end + below, first.other_start - above, last.other_end + below)


def mark_lines(mark: str, lines: Sequence[str]) -> Iterator[str]:
    """Lines behind a mark; a last one without an end is said to have none."""
    return (f"{mark}{line}" if line.endswith("\n") else f"{mark}{line}{INCOMPLETE}" for line in lines)


def _counted(start: int, end: int) -> str:
    """The first line and how many there are, of one line only its number."""
    return f"{start + 1}" if end - start == 1 else f"{start + (end > start)},{end - start}"


class _Comparison:
    """Which lines of either side are changed. Those that the other side has nowhere are so without a search."""

    def __init__(self, before: Sequence[str], after: Sequence[str], spend: Spend) -> None:
        both = set(before) & set(after)
        self.changed = [line not in both for line in before], [line not in both for line in after]
        places = [list(compress(range(len(side)), map(both.__contains__, side))) for side in (before, after)]
        self.a, self.b = [before[i] for i in places[0]], [after[i] for i in places[1]]
        self._spend, self._left = spend, MOST
        spend(len(before) + len(after))
        todo = [(0, len(self.a), 0, len(self.b))]
        while todo:
            x, end, y, bottom = self._without_ends(*todo.pop())
            if x == end or y == bottom or self._left < 0:
                for side, part in enumerate((places[0][x:end], places[1][y:bottom])):
                    for place in part:
                        self.changed[side][place] = True
            else:
                todo += self._halves(x, end, y, bottom)

    def _without_ends(self, x: int, end: int, y: int, bottom: int) -> tuple[int, int, int, int]:
        """A part of both sides without what is equal at its ends."""
        a, b = self.a, self.b
        while x < end and y < bottom and a[x] == b[y]:
            x, y = x + 1, y + 1
        while x < end and y < bottom and a[end - 1] == b[bottom - 1]:
            end, bottom = end - 1, bottom - 1
        return x, end, y, bottom

    def _halves(self, x: int, end: int, y: int, bottom: int) -> list[tuple[int, int, int, int]]:
        """A part in two, at a point of the shortest way through it; as it is when that is too far."""
        try:
            middle, level = self._middle(x, end, y, bottom)
        except _TooFar:
            self._left = -1
            return [(x, end, y, bottom)]
        return [(middle, end, level, bottom), (x, middle, y, level)]

    def _middle(self, x0: int, x1: int, y0: int, y1: int) -> tuple[int, int]:
        """Where the paths from both corners meet. `there` and `back`: how far they came on each diagonal x - y."""
        there, back = {x0 - y0: x0}, {x1 - y1: x1}
        ahead, behind = (x0 - y0, x0 - y0), (x1 - y1, x1 - y1)
        odd = (x0 - y0 - x1 + y1) % 2
        while True:
            ahead = _widen(ahead, x0 - y1, x1 - y0, there, -1)
            for k in range(ahead[1], ahead[0] - 1, -2):
                x = max(there.get(k - 1, -1) + 1, there.get(k + 1, -1))
                x = self._forward(x, x - k, x1, y1)
                there[k] = x
                if odd and behind[0] <= k <= behind[1] and back[k] <= x:
                    return x, x - k
            behind = _widen(behind, x0 - y1, x1 - y0, back, FAR)
            for k in range(behind[1], behind[0] - 1, -2):
                x = min(back.get(k - 1, FAR), back.get(k + 1, FAR) - 1)
                x = self._backward(x, x - k, x0, y0)
                back[k] = x
                if not odd and ahead[0] <= k <= ahead[1] and x <= there[k]:
                    return x, x - k

    def _forward(self, x: int, y: int, end: int, bottom: int) -> int:
        start = x
        while x < end and y < bottom and self.a[x] == self.b[y]:
            x, y = x + 1, y + 1
        self._count(x - start)
        return x

    def _backward(self, x: int, y: int, start: int, top: int) -> int:
        end = x
        while x > start and y > top and self.a[x - 1] == self.b[y - 1]:
            x, y = x - 1, y - 1
        self._count(end - x)
        return x

    def _count(self, steps: int) -> None:
        self._left -= steps + 1
        if self._spend(steps + 1) < 0 or self._left < 0:
            raise _TooFar


def _widen(bounds: tuple[int, int], least: int, most: int, reached: dict[int, int], never: int) -> tuple[int, int]:
    """The diagonals of the next round, within the rectangle; those beside them were never reached."""
    low, high = bounds
    low = low - 1 if low > least else low + 1
    high = high + 1 if high < most else high - 1
    for beside in (low - 1, high + 1):
        if not bounds[0] <= beside <= bounds[1]:
            reached[beside] = never
    return low, high


def _slide(lines: Sequence[str], changed: list[bool], other: Sequence[bool]) -> None:
    """Let each run of changed lines join those that it reaches among equal lines, and end beside a change or far down.

    `kept` is how many lines before the run are the same on both sides: the place of the run on the other side.
    """
    beside, kept = set[int](), 0
    for is_changed in other:
        if is_changed:
            beside.add(kept)
        else:
            kept += 1
    end = kept = 0
    while end < len(lines):
        if not changed[end]:
            end, kept = end + 1, kept + 1
        else:
            end, kept = _Run(lines, changed, beside, end, kept).settle()


class _Run:
    """A run of changed lines `[start, end)`."""

    def __init__(self, lines: Sequence[str], changed: list[bool], beside: set[int], start: int, kept: int) -> None:
        self.lines, self.changed, self.beside = lines, changed, beside
        self.start = self.end = start
        self.kept = kept
        self._join()

    def settle(self) -> tuple[int, int]:
        """Slide it to its place; where it ends, and how many lines are kept before it."""
        length, back = 0, 0
        while self.end - self.start != length:
            length = self.end - self.start
            while self.start and self.lines[self.start - 1] == self.lines[self.end - 1]:
                self._up()
            back = self.end if self.kept in self.beside else 0
            while self.end < len(self.lines) and self.lines[self.start] == self.lines[self.end]:
                self._down()
                back = self.end if self.kept in self.beside else back
        while back and self.end > back:
            self._up()
        return self.end, self.kept

    def _up(self) -> None:
        self.start, self.end, self.kept = self.start - 1, self.end - 1, self.kept - 1
        self.changed[self.start], self.changed[self.end] = True, False
        self._join()

    def _down(self) -> None:
        self.changed[self.start], self.changed[self.end] = False, True
        self.start, self.end, self.kept = self.start + 1, self.end + 1, self.kept + 1
        self._join()

    def _join(self) -> None:
        while self.start and self.changed[self.start - 1]:
            self.start -= 1
        while self.end < len(self.lines) and self.changed[self.end]:
            self.end += 1


def _runs(gone: Sequence[bool], new: Sequence[bool], skipped: int) -> list[Change]:
    """The changed lines of both sides as changes; `skipped` equal lines stood before them."""
    found, x, y = list[Change](), 0, 0
    while x < len(gone) or y < len(new):
        start, other_start = x, y
        while x < len(gone) and gone[x]:
            x += 1
        while y < len(new) and new[y]:
            y += 1
        if (x, y) != (start, other_start):
            found.append(Change(*(skipped + each for each in (start, x, other_start, y))))
        else:
            x, y = x + 1, y + 1
    return found

"""How `diff` shows what was changed: as in `ed`, with context, or side by side; unified, see `sim.kernel.edits`.

Source: GNU diffutils 3.8, its manual's chapter 2 and what it was seen to print (tests/shell/test_diff.py asks it).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from aiops_gym.sim.kernel.edits import Change, group, mark_lines, measure_hunk

TAB = 8


def show_normal(before: Sequence[str], after: Sequence[str], changes: Sequence[Change]) -> Iterator[str]:
    """As commands that `ed` could be given, with the lines of both sides."""
    for change in changes:
        old, new = before[change.start : change.end], after[change.other_start : change.other_end]
        letter = "c" if old and new else "d" if old else "a"
        yield f"{_span(change.start, change.end)}{letter}{_span(change.other_start, change.other_end)}\n"
        yield from mark_lines("< ", old)
        if old and new:
            yield "---\n"
        yield from mark_lines("> ", new)


def show_context(before: Sequence[str], after: Sequence[str], changes: Sequence[Change], context: int) -> Iterator[str]:
    """In hunks of one side after the other, a side without changes only by its numbers."""
    for hunk in group(changes, context):
        start, end, other_start, other_end = measure_hunk(hunk, len(before), context)
        yield "***************\n"
        yield f"*** {_span(start, end)} ****\n"
        if any(change.end > change.start for change in hunk):
            yield from _one_side(before, [change[:2] for change in hunk], _kinds(hunk, "-"), start, end)
        yield f"--- {_span(other_start, other_end)} ----\n"
        if any(change.other_end > change.other_start for change in hunk):
            yield from _one_side(after, [change[2:] for change in hunk], _kinds(hunk, "+"), other_start, other_end)


def show_side_by_side(
    before: Sequence[str], after: Sequence[str], changes: Sequence[Change], width: int, common: str
) -> Iterator[str]:
    """In two columns. `common` says what is shown of lines that both have: all (""), "left" or "none"."""
    columns = _Columns(width)
    at = at_other = 0
    for change in [*changes, Change(len(before), len(before), len(after), len(after))]:
        if common != "none":
            lefts, rights = before[at : change.start], after[at_other : change.other_start]
            for left, right in zip(lefts, rights, strict=False):
                yield columns.row(left, "(", "") if common == "left" else columns.row(left, " ", right)
            # What was left out of the changes, for blank lines, is no pair.
            yield from (columns.row(left, "(", "") for left in lefts[len(rights) :])
            yield from (columns.row("", ")", right) for right in rights[len(lefts) :])
        old, new = before[change.start : change.end], after[change.other_start : change.other_end]
        yield from (columns.row(left, "|", right) for left, right in zip(old, new, strict=False))
        yield from (columns.row(left, "<", "") for left in old[len(new) :])
        yield from (columns.row("", ">", right) for right in new[len(old) :])
        at, at_other = change.end, change.other_end


class _Columns:
    """Where the columns are: the second one begins at the tab stop nearest to the middle."""

    def __init__(self, width: int) -> None:
        second = (width + TAB + 3) // (2 * TAB) * TAB
        self.half = max(0, min(second - 3, width - second))
        self.second = second if self.half else width

    def row(self, left: str, mark: str, right: str) -> str:
        """One row; of a changed one the mark tells which side has no end of line."""
        text, at = self._half(left.rstrip("\n"), 0)
        if mark != " ":
            gutter = (self.half + self.second - 1) // 2
            if mark == "|" and left.endswith("\n") != right.endswith("\n"):
                mark = "/" if left.endswith("\n") else "\\"
            text, at = f"{text}{_pad(at, gutter)}{mark}", gutter + 1
        if right.rstrip("\n"):
            text += _pad(at, self.second) + self._half(right.rstrip("\n"), self.second)[0]
        return text + ("\n" if (left + right).endswith("\n") or left.endswith("\n") else "")

    def _half(self, line: str, start: int) -> tuple[str, int]:
        """As much of a line as a column holds, and where the cursor is behind it."""
        text, at, reached = "", 0, 0
        for letter in line:
            if letter == "\t":
                stop = at // TAB * TAB + TAB
                if at == reached and stop < self.half:
                    text, reached = text + letter, stop
                at = stop
            else:
                at += 1
                if at <= self.half:
                    text, reached = text + letter, at
        return text, start + reached


def _pad(at: int, target: int) -> str:
    """White space from one column of the screen to another, tabs where they reach."""
    text = ""
    while at // TAB * TAB + TAB <= target:
        text, at = f"{text}\t", at // TAB * TAB + TAB
    return text + " " * (target - at)


def _kinds(hunk: Sequence[Change], alone: str) -> list[str]:
    return ["!" if each.end > each.start and each.other_end > each.other_start else alone for each in hunk]


def _one_side(
    lines: Sequence[str], spans: Sequence[Sequence[int]], marks: Sequence[str], start: int, end: int
) -> Iterator[str]:
    for (first, last), mark in zip(spans, marks, strict=True):
        yield from mark_lines("  ", lines[start:first])
        yield from mark_lines(f"{mark} ", lines[first:last])
        start = last
    yield from mark_lines("  ", lines[start:end])


def _span(start: int, end: int) -> str:
    """Numbers of lines as `diff` without options gives them: of none, that of the line before."""
    return f"{start + 1},{end}" if end - start > 1 else f"{end}"

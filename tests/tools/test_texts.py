"""Shortening what was printed: clipping, log de-duplication, tables in pages."""

from __future__ import annotations

import csv
import io
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aiops_gym.tools import dedup
from aiops_gym.tools.clip import clip, utf8
from aiops_gym.tools.dedup import deduplicate
from aiops_gym.tools.table import Table, to_csv


@given(st.text(max_size=300), st.integers(1, 200))
def test_a_clipped_text_keeps_the_limit_the_head_and_the_tail(text, limit):
    short = clip(text, limit)
    assert len(short) <= limit
    if len(text) <= limit:
        assert short == text
    elif limit > 60:
        head, _, tail = short.partition("\n[... ")
        assert text.startswith(head)
        assert text.endswith(tail.rpartition(" ...]\n")[2])
        left_out = int(tail.split()[0])
        assert left_out + len(head) + len(tail.rpartition(" ...]\n")[2]) == len(text)


def test_lone_surrogates_are_replaced():
    assert utf8("a\ud800b✓") == "a?b✓"


LOG = "\n".join
SAME = [
    (["2024-01-01T10:00:00Z a", "2024-01-01T10:00:05Z a"], 1, ["2024-01-01T10:00:05Z a"]),
    (["10:00:00 a", "10:00:01 b", "10:00:02 a", "10:00:03 b"], 2, ["10:00:02 a", "10:00:03 b"]),
    (["2024-Jan-01 10:00:00.5 a", "2024-Jan-01 10:00:01.5 a"], 1, ["2024-Jan-01 10:00:01.5 a"]),
    (["Mon Jan 01 10:00:00 2024 a", "Mon Jan 01 10:00:09 2024 a"], 1, ["Mon Jan 01 10:00:09 2024 a"]),
    (["pod 3m12s old", "pod 4m15s old"], 1, ["pod 4m15s old"]),
]
KEPT = [
    (["a", "a"], 1),
    (["10:00:00 a", "10:00:01 b"], 1),
    (["up 9s now", "up 10s now"], 1),
    (["up 1d now", "up 1d now"], 1),
    (["10:00:00 a", " 10:00:00 a"], 1),
    (["10:00:00 a", "10:00:01 a"], 0),
]


@pytest.mark.parametrize(("lines", "size", "left"), SAME)
def test_entries_that_differ_in_their_times_only_are_merged(lines, size, left):
    assert deduplicate("\n".join(lines), size).splitlines() == left


@pytest.mark.parametrize(("lines", "size"), KEPT)
def test_other_entries_are_kept(lines, size):
    assert deduplicate("\n".join(lines), size).splitlines() == lines


def as_specified(text, size):
    """The rule of AIOpsLab's `log_deduplication.py` step by step: every block is searched as it stands."""
    entries = text.splitlines()
    for width in range(1, min(size, len(entries)) + 1):
        kept, before = [], ((), "")
        for block in ["\n".join(entries[at : at + width]) for at in range(0, len(entries), width)]:
            found = list(dedup._TIMES.finditer(block))
            rest = (tuple(each.start() for each in found), dedup._TIMES.sub(lambda each: " " * len(each[0]), block))
            if found and rest == before:
                kept.pop()
            kept.append(block)
            before = rest
        entries = kept
    return "\n".join(entries)


WORDS = [
    "10:00:01",
    "10:00:02",
    "3m12s",
    "9s",
    "12s",
    " ",
    "  ",
    "a",
    "7",
    "2024-01-01T10:00:00Z",
    "\n",
    "\n",
    "\r",
    "\u0663s",
]


@given(st.lists(st.sampled_from(WORDS), max_size=40).map("".join), st.integers(1, 6))
@settings(deadline=None)
def test_shapes_are_searched_for_times_once_and_nothing_else_changes(text, size):
    assert deduplicate(text, size) == as_specified(text, size)


def test_a_table_without_rows_looks_as_in_pandas():
    assert str(Table("a,b\n")) == "Empty DataFrame\nColumns: [a, b]\nIndex: []"
    assert str(Table(to_csv(("a", "b"), [("x,y", ""), ("1",)]))) == "  a   b\nx,y NaN\n  1 NaN"


CELLS = st.sampled_from(["", "a", "1", "x,y", "a longer one", "two\nlines", "ü"])


@given(st.lists(st.tuples(CELLS, CELLS), min_size=1, max_size=30), st.integers(1, 600))
@settings(deadline=None)
def test_the_pages_of_a_table_are_the_whole_table_for_any_limit(rows, limit):
    table, offset, found = Table(to_csv(("name", "value"), rows)), 0, []
    while offset < table.count:
        page = table.page(offset, limit, lambda rows: f"next({rows})")
        told = re.search(r"\n\[rows (\d+) to (\d+) of (\d+); (?:next: next\((\d+)\)|no more)]\Z", page)
        first, last, count = map(int, told.groups()[:3])
        assert (first, count) == (offset + 1, len(rows))
        assert told[4] == (str(last) if last < count else None)
        assert len(page) <= limit or last == first
        header = str(table)[: table._length]
        assert page.startswith(header)
        found.append(page[len(header) : told.start()])
        offset = last
    assert header + "\n".join(found) == str(table)
    assert table.fits(len(str(table)))
    assert not table.fits(len(str(table)) - 1)


@given(st.lists(st.lists(st.sampled_from(["", "a", "1", "x,y", '"', "a\nb", "\r", " b "]), min_size=1, max_size=3)))
def test_a_csv_is_quoted_as_the_csv_module_does(rows):
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows([("a", "b"), *rows])
    assert to_csv(("a", "b"), rows) == out.getvalue()

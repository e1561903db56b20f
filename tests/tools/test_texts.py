"""Shortening what was printed: clipping and log de-duplication."""

from __future__ import annotations

import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aiops_gym.tools.clip import clip, utf8
from aiops_gym.tools.dedup import deduplicate, looks_like_logs
from aiops_gym.tools.table import to_csv, to_table


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


def test_which_commands_print_logs():
    for command in ("kubectl logs x", "kubectl  get events -A", "kubectl describe pod x", "docker logs x"):
        assert looks_like_logs(command)
    for command in ("kubectl -n ns logs x", "kubectl get pods", "cat logs"):
        assert not looks_like_logs(command)


def test_a_table_without_rows_looks_as_in_pandas():
    assert to_table("a,b\n") == "Empty DataFrame\nColumns: [a, b]\nIndex: []"
    assert to_table(to_csv(("a", "b"), [("x,y", ""), ("1",)])) == "  a   b\nx,y NaN\n  1 NaN"


@given(st.lists(st.lists(st.sampled_from(["", "a", "1", "x,y", '"', "a\nb", "\r", " b "]), min_size=1, max_size=3)))
def test_a_csv_is_quoted_as_the_csv_module_does(rows):
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows([("a", "b"), *rows])
    assert to_csv(("a", "b"), rows) == out.getvalue()

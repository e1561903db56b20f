"""Edit scripts: what they turn the first sequence into, and how short they are."""

from __future__ import annotations

from difflib import SequenceMatcher

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aiops_gym.sim.kernel.edits import MOST, find_changes, show_unified

SIDES = st.lists(st.sampled_from("abcd"), max_size=15)


def apply(before, after, changes):
    """The first sequence with all changes made, and how many lines they take away and put in."""
    made, at, touched = list[str](), 0, 0
    for change in changes:
        made += before[at : change.start] + after[change.other_start : change.other_end]
        at = change.end
        touched += change.end - change.start + change.other_end - change.other_start
    return made + before[at:], touched


@given(SIDES, SIDES, st.integers(0, 3))
def test_changes_lead_from_one_side_to_the_other(before, after, horizon):
    made, touched = apply(before, after, find_changes(before, after, horizon))
    assert made == after
    same = sum(block.size for block in SequenceMatcher(None, before, after, autojunk=False).get_matching_blocks())
    assert touched <= len(before) + len(after) - 2 * same


@given(SIDES)
def test_nothing_differs_from_itself(lines):
    assert find_changes(lines, lines) == []


@pytest.mark.parametrize("count", [300, 20_000])
def test_what_is_too_far_apart_is_changed_as_a_whole(count):
    spent = list[int]()
    before, after = [f"{n}" for n in range(count)], [f"{n * 7919 % count}" for n in range(count)]
    changes = find_changes(before, after, spend=lambda steps: spent.append(steps) or 1)
    assert apply(before, after, changes)[0] == after
    assert sum(spent) < MOST + 4 * count
    left = [5_000]
    changes = find_changes(before, after, spend=lambda steps: left.append(left[-1] - steps) or left[-1])
    assert apply(before, after, changes)[0] == after


def test_a_hunk_of_one_line_has_no_count_and_a_last_line_without_end_is_told():
    before, after = ["a\n", "b"], ["a\n", "c\n"]
    shown = "".join(show_unified(before, after, find_changes(before, after, 0), 0))
    assert shown == "@@ -2 +2 @@\n-b\n\\ No newline at end of file\n+c\n"

"""What is folded and unfolded is what it was, to the last type and order; what is equal is one object."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aiops_gym import caches
from aiops_gym.sim.kernel.shared import fold, share, unfold

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=3)
SCALARS = st.none() | st.booleans() | st.integers(-3, 3) | st.floats(allow_nan=False, allow_infinity=False) | TEXT
DATA = st.recursive(SCALARS, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXT, inner, max_size=4))
CONTAINERS = st.lists(DATA, max_size=4) | st.dictionaries(TEXT, DATA, max_size=4)


@given(CONTAINERS)
def test_what_is_unfolded_is_what_was_folded(value):
    assert repr(unfold(fold(value))) == repr(value)  # `==` would take 1 for 1.0 and True, and any order of keys


@given(CONTAINERS)
def test_each_part_stands_once(value):
    parts = fold(value)["parts"]
    assert len({repr(part) for part in parts}) == len(parts)


@pytest.mark.skipif(caches.SETTING == "off", reason="caches are off")
def test_equal_parts_are_one_object_within_a_value_and_between_two():
    one, two = (unfold(fold({name: {"env": {"A": "1"}}, "b": [{"env": {"A": "1"}}]})) for name in ("a", "c"))
    assert one["a"] is one["b"][0]
    assert two["c"] is one["a"]
    assert share({"env": {"A": "1"}}) is one["a"]


def test_numbers_of_other_types_and_keys_in_another_order_are_not_equal():
    assert [repr(share([number])) for number in (1, 1.0, True)] == ["[1]", "[1.0]", "[True]"]
    assert list(share({"a": 1, "b": 2})) == ["a", "b"]
    assert list(share({"b": 2, "a": 1})) == ["b", "a"]


def test_an_empty_dict_is_no_empty_list():
    assert unfold(fold({"a": {}, "b": []})) == {"a": {}, "b": []}

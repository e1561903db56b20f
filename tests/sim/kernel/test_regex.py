"""Patterns match what Python's do, in time that grows with the text alone."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aiops_gym.sim.kernel.regex import Regex
from aiops_gym.sim.kernel.regex_parser import RegexError

ATOMS = st.sampled_from(["a", "b", "c", ".", "[ab]", "[^a]", r"\w", r"\d", "-", "[a-c]", r"\.", r"\W", r"\b", "^", "$"])
TAILS = st.sampled_from(["*", "+", "?", "{2}", "{1,2}", "{0,}", "*?", "+?"])
PATTERNS = st.recursive(
    ATOMS,
    lambda inner: st.one_of(
        st.tuples(inner, inner).map("".join),
        inner.map("({})".format),
        st.tuples(inner, inner).map(lambda two: f"(?:{two[0]}|{two[1]})"),
        st.tuples(inner, TAILS).map(lambda two: f"(?:{two[0]}){two[1]}"),
    ),
    max_leaves=6,
)


@settings(max_examples=400)
@given(PATTERNS, st.text("abc.-1", max_size=6))
def test_a_text_matches_where_pythons_own_does(pattern: str, text: str) -> None:
    found = re.fullmatch(f"(?:{pattern})", text, re.ASCII)
    regex = Regex(pattern)
    assert regex.matches(text) == regex.matches(text) == (found is not None)
    assert (regex.find_groups(text) is None) == (found is None)


def test_groups_hold_what_the_first_way_found() -> None:
    assert Regex("(.*)-(?P<hash>[a-z]+)(x)?").find_groups("geo-a-b") == ["geo-a-b", "geo-a", "b", ""]
    assert Regex("(.*?)(-.*)").find_groups("geo-a-b") == ["geo-a-b", "geo", "-a-b"]


@pytest.mark.parametrize("pattern", ["(a+)+b", "(.|.)(.|.)" * 20 + "x", "a?" * 50 + "a" * 50, ".*a" * 20 + "b"])
def test_no_pattern_goes_back(pattern: str) -> None:
    assert not Regex(pattern).matches("a" * 300)


def test_what_is_too_large_is_refused() -> None:
    for pattern in ("((a{100}){100}){100}", "(" * 5_000 + ")" * 5_000, "a{1001}"):
        with pytest.raises(RegexError):
            Regex(pattern)

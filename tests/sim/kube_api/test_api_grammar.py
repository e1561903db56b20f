"""Selectors, quantities and names are read as Kubernetes reads them, whatever is written."""

import json

import pytest
from api_world import RECORDINGS
from hypothesis import given, settings
from hypothesis import strategies as st

from aiops_gym.sim.kernel import quantity
from aiops_gym.sim.kube_api import selectors
from aiops_gym.sim.kube_api.age import human_duration
from aiops_gym.sim.kube_api.names import (
    validate_dns_label,
    validate_dns_subdomain,
    validate_label_value,
    validate_qualified_name,
)

QUANTITIES = json.loads((RECORDINGS / "quantities.json").read_text())


def test_quantities_take_the_form_that_kubernetes_gives_them():
    assert {text: quantity.canonical(text) for text in QUANTITIES} == QUANTITIES


@given(st.integers(0, 10**15), st.sampled_from(["", "m", "k", "M", "Ki", "Mi", "Gi", "n", "u"]))
def test_a_canonical_quantity_means_the_same_and_stays(number, suffix):
    text = f"{number}{suffix}"
    canonical = quantity.canonical(text)
    assert quantity.parse(canonical) == quantity.parse(text)
    assert quantity.canonical(canonical) == canonical


@given(st.text(max_size=12))
def test_any_text_is_a_quantity_or_a_value_error(text):
    try:
        quantity.canonical(text)
    except ValueError as error:
        assert str(error) in (quantity.WRONG, quantity.SUFFIX)


WORD = st.text("abcXYZ019", min_size=1, max_size=6)


@given(WORD, st.lists(WORD, min_size=1, max_size=3), st.dictionaries(WORD, WORD, max_size=4))
def test_requirements_hold_as_they_say(key, values, labels):
    inside, listing = labels.get(key) in values, f"({', '.join(values)})"
    assert selectors.parse_labels(f"{key} in {listing}")(labels) is inside
    assert selectors.parse_labels(f"{key} notin {listing}")(labels) is not inside
    assert selectors.parse_labels(f"{key}={values[0]}")(labels) is (labels.get(key) == values[0])
    assert selectors.parse_labels(f"{key}!={values[0]}")(labels) is (labels.get(key) != values[0])
    assert selectors.parse_labels(key)(labels) is (key in labels)
    assert selectors.parse_labels(f"!{key}")(labels) is (key not in labels)
    both = selectors.parse_labels(f"{key} in {listing},!{key}")
    assert both(labels) is False


@settings(max_examples=300)
@given(st.text("ab=!(),<> in\\", max_size=14))
def test_any_text_is_a_selector_or_a_value_error(text):
    for parse in (selectors.parse_labels, selectors.parse_fields):
        try:
            parse(text)
        except ValueError as error:
            assert str(error)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a===b", "unable to parse requirement: found '=', expected: identifier"),
        ("a b", "unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, gt, lt"),
        ("a in b", "unable to parse requirement: found 'b' expected: '('"),
        ("a in (b c)", "unable to parse requirement: found 'c', expected: ',' or ')'"),
        ("a=b,", "found '', expected: identifier after ','"),
        ("a=b c", "found 'c', expected: ',' or 'end of string'"),
        (",", "found ',', expected: !, identifier, or 'end of string'"),
    ],
)
def test_selector_errors_read_like_the_parsers(text, message):
    with pytest.raises(ValueError) as caught:
        selectors.parse_labels(text)
    assert str(caught.value) == message


def test_names():
    assert not validate_dns_subdomain("geo-5d9f.example")
    assert not validate_qualified_name("example.com/My_Name.1")
    assert not validate_label_value("")
    assert (
        validate_dns_label("a.b")
        and validate_qualified_name("a/b/c")
        and validate_label_value("-x")
        and validate_dns_subdomain("Geo")
    )


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0, "0s"), (119, "119s"), (120, "2m"), (121, "2m1s"), (599, "9m59s"), (600, "10m"), (10_799, "179m"),
        (10_800, "3h"), (10_860, "3h1m"), (28_799, "7h59m"), (28_800, "8h"), (172_799, "47h"), (172_800, "2d"),
        (176_400, "2d1h"), (691_199, "7d23h"), (691_200, "8d"), (63_072_000, "2y"), (252_288_000, "8y"),
        (-1, "0s"), (-2, "<invalid>"),
    ],
)  # fmt: skip
def test_ages(seconds, text):
    assert human_duration(seconds) == text

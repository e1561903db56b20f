"""One limit of depth: what JSON, YAML and data in memory say of it is the same."""

from __future__ import annotations

import json

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from aiops_gym.clients import gojson, goyaml
from aiops_gym.sim.kernel import jsontext, yamltext
from aiops_gym.sim.kernel.nesting import DEEPEST, is_deep, is_deep_text
from aiops_gym.sim.software.nginx import conf
from aiops_gym.sim.software.thrift.settings import Aborted, Services, read_tracing

SHAPES = st.lists(st.sampled_from("[{"), min_size=DEEPEST - 2, max_size=DEEPEST + 3)
WORDS = st.sampled_from(["", "[", "{", '"', "\\", "x"])


def nested(shape: list[str], word: str) -> object:
    """Lists and objects in one another, a word at the bottom."""
    value: object = word
    for sign in shape:
        value = [value] if sign == "[" else {word: value}
    return value


@settings(max_examples=40)
@given(SHAPES, WORDS)
def test_all_readers_stop_at_the_same_level(shape: list[str], word: str) -> None:
    value = nested(shape, word)
    text, deep = json.dumps(value), len(shape) > DEEPEST
    assert (is_deep(value), is_deep_text(text)) == (deep, deep)
    for read in (gojson.loads, goyaml.load, yamltext.load, jsontext.load):
        if deep:
            with pytest.raises((ValueError, yaml.YAMLError), match=r"exceeded max depth|bad file"):
                read(text)
        else:
            assert read(text) == value


@pytest.mark.parametrize("piece", ["[", "{", "- ", "-  ", "-\t", "? ", "{a: ", "[[]", '["a",', "- ? "])
def test_a_text_without_a_bottom_is_read_no_further(piece: str) -> None:
    for read in (goyaml.load, yamltext.load):
        with pytest.raises(yaml.YAMLError):
            read(piece * 10_000)


def test_a_line_is_named_as_the_scanner_names_it() -> None:
    text = "".join(f"{' ' * level}a:\n" for level in range(DEEPEST + 5))
    with pytest.raises(yaml.YAMLError) as caught:
        goyaml.load(text)
    assert goyaml.explain_error(caught.value) == f"yaml: line {DEEPEST + 1}: exceeded max depth of 10000"


def test_keys_are_text_as_in_json() -> None:
    text = "{2: a, true: b, ~: c, 1.5: d, 99999999999999999999: 99999999999999999999}"
    assert goyaml.load(text) == {"2": "a", "true": "b", "null": "c", "1.5": "d", "1e+20": 1e20}
    assert goyaml.load("a: &x {1: b}\nc: *x") == {"a": {"1": "b"}, "c": {"1": "b"}}
    assert json.loads(json.dumps(goyaml.load("[!!binary aGk=, !!timestamp 2001-01-01, !!set {a}]"))) == [
        *("hi", "2001-01-01"),
        {"a": None},
    ]


def test_settings_of_programs_end_where_they_are_too_deep() -> None:
    with pytest.raises(Aborted, match="yaml-cpp: error at line 1, column 101: bad file"):
        read_tracing("[" * 50_000)
    with pytest.raises(Aborted, match="parse error"):
        Services('{"a":' * 10_000)
    with pytest.raises(conf.ConfError) as caught:
        conf.read("http { server { " + "location / { " * 50_000)
    assert caught.value.problem == '"location" directive is not allowed here'

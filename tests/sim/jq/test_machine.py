"""Every program ends by a count, at the same operation; no text raises anything; nothing is changed."""

from __future__ import annotations

import copy
import json
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aiops_gym.sim.jq.command import ABORTED, NO_ROOM, run_jq
from aiops_gym.sim.jq.compiler import compile_program
from aiops_gym.sim.jq.errors import JqError, OutOfWork, SyntaxIssue
from aiops_gym.sim.jq.machine import Run
from aiops_gym.sim.jq.reader import ReadError, load, read
from aiops_gym.sim.jq.values import equal, write
from tests.sim.jq.jq_cases import VALUES, draw

ENDLESS = (
    "def f: f; f",
    "def f: 1 + f; f",
    "def f: f, f; f",
    "last(repeat(1))",
    "0 | until(false; . + 1)",
    "[range(1e9)] | length",
    "range(1e18) | select(. < 0)",
    "[range(1e4)] | .[] as $x | .[] as $y | .[] as $z | empty",
    '"a" * 1e9',
    '"a" | until(false; . + .)',
    "[0] | until(false; . + .)",
    "reduce range(1e9) as $x (null; [., .])",
    "null | .[536870910] = 1",
    '("a" * 40) | test("(a*)*b")',
    '("a" * 3000) | test("a*a*a*a*b")',
    "def f(g): f(g | g); f(.)",
    "[limit(1e9; repeat(1))]",
    "[.[]?, 1] | until(false; [.[], .[]])",
    "tojson | until(false; tojson)",
    "[range(300)] | combinations(5)",
    "recurse",
    "label $f | recurse(1)",
)
LEFT = 100_000


def ask(program: str, value: object = None, left: int = LEFT) -> tuple[str, int, int]:
    done = run_jq(["jq", "-c", program], json.dumps(value), str, {}, 0.0, left)
    return "".join(text for _, text in done.pieces), done.code, done.operations


@pytest.mark.parametrize("program", ENDLESS)
def test_what_has_no_end_ends_where_its_work_is_used_up(program):
    first = ask(program)
    assert first == ask(program)
    if program != "recurse":
        assert (first[0].endswith(NO_ROOM), first[1]) == (True, ABORTED)


def test_calls_nest_as_deep_as_there_is_work():
    assert ask("def f: if . == 0 then 0 else (. - 1 | f) + 1 end; 20000 | f", left=1_000_000)[0] == "20000\n"
    assert ask("last(range(5000) as $x | [$x])")[0] == "[4999]\n"


def test_what_is_shared_is_counted_before_it_is_written():
    text, code, _ = ask("reduce range(40) as $x (1; [., .])")
    assert (text, code) == (NO_ROOM, ABORTED)
    assert ask("reduce range(40) as $x (1; [., .]) | length")[0] == "2\n"


@given(st.integers(0, 10**9), st.sampled_from(VALUES))
@settings(max_examples=150, deadline=None)
def test_a_drawn_program_ends_says_the_same_again_and_leaves_its_input_alone(seed, text):
    program = draw(random.Random(seed))
    value = load(text)
    before = copy.deepcopy(value)
    outcomes = []
    for _ in range(2):
        run, found = Run(20_000, {"ENV": {}}), []
        try:
            found += [write(each) for each in run.outputs(compile_program(program), value)]
        except (JqError, OutOfWork, SyntaxIssue) as error:
            found.append(repr(error))
        outcomes.append((found, run.left))
    assert outcomes[0] == outcomes[1]
    assert equal(value, before)


@given(st.text(alphabet='{}[]()|.,:;"\\ab1$@?=/*+-<>% \ndef reduce as if then end', max_size=40) | st.text(max_size=20))
@settings(max_examples=300, deadline=None)
def test_any_text_is_a_program_or_says_what_is_wrong_with_it(text):
    done = run_jq(["jq", "-n", "--", text], "", str, {}, 0.0, 5_000)
    assert done.code in (0, 3, 5, ABORTED)


@given(st.text(alphabet='[]{}",:0123e-+.tfnuralse \\\n', max_size=30))
@settings(max_examples=300, deadline=None)
def test_any_text_is_read_or_refused_as_json(text):
    try:
        values = [each.value for each in read(text)]
    except ReadError:
        return
    assert all(equal(load(write(each)), each) for each in values if each == each)


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53), 2**53)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
    max_leaves=12,
)


@given(JSON)
def test_what_is_written_reads_back_as_the_same(value):
    text = json.dumps(value)
    (read_value,) = [each.value for each in read(text)]
    assert equal(load(write(read_value)), read_value)
    assert equal(load(write(read_value, indent=2, sort=True)), read_value)
    assert ask(".", value)[0] == write(read_value) + "\n"

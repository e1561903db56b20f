"""What `submit` takes, how it is written down, and what it is worth."""

from __future__ import annotations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from aiops_gym.errors import ToolError
from aiops_gym.openrca import answers, scoring
from aiops_gym.openrca.answers import format_expected, format_official, judge, normalise
from aiops_gym.openrca.labels import Record
from aiops_gym.openrca.queries import TASKS, scoring_points

FIRST = Record("pod", "Tomcat01", 1614841020, "high CPU usage")
SECOND = Record("pod", "Redis02", 1614840120, "network latency")
WHOLE = {"component": "Tomcat01", "reason": "high CPU usage", "timestamp": "2021-03-04 14:57:00"}
TITLED = dict(zip(scoring.KEYS, ("2021-03-04 14:57:00", "Tomcat01", "high CPU usage"), strict=True))
ALL = TASKS["task_7"]
ONE, TWO = scoring_points([FIRST], ALL), scoring_points([FIRST, SECOND], ALL)


@pytest.mark.parametrize(
    ("args", "kwargs"),
    [
        (("Tomcat01", "high CPU usage", "2021-03-04 14:57:00"), {}),
        (("Tomcat01", "high CPU usage"), {"timestamp": 1614841020}),
        (("Tomcat01",), {"timestamp": 1614841020.0, "reason": "high CPU usage"}),
        ((), {"timestamp": 1614841020000, "reason": "high CPU usage", "component": "Tomcat01"}),
        ((WHOLE,), {}),
        ((TITLED,), {}),
        ((dict(reversed(TITLED.items())),), {}),
        (({key.replace(" ", "_").upper(): value for key, value in TITLED.items()},), {}),
        (({"1": TITLED},), {}),
        (({1: WHOLE},), {}),
        (([TITLED],), {}),
        (((TITLED,),), {}),
    ],
)
def test_each_form_of_an_answer_is_the_same_answer(args, kwargs):
    assert normalise(args, kwargs) == [WHOLE]


@pytest.mark.parametrize(
    "text",
    [
        *("2021-03-04T14:57:00", "2021-03-04T14:57:00+08:00", "2021-03-04T06:57:00Z", "2021-03-04 14:57"),
        *("2021/3/4 14:57:00", " 2021-03-04 14:57:00.500 ", "1614841020", "1614841020000"),
    ],
)
def test_the_writing_of_a_time_costs_nothing(text):
    assert judge(normalise(("Tomcat01", "high CPU usage", text), {}), ONE).success


def test_what_is_not_given_is_left_out():
    assert normalise((), {}) == normalise(({},), {}) == normalise((None, "", None), {}) == [{}]
    assert normalise((), {"reason": "db close"}) == [{"reason": "db close"}]


def test_numbered_failures_are_taken_by_their_numbers():
    assert normalise(({"2": {"reason": "b"}, "10": {"reason": "c"}, "1": {"reason": "a"}},), {}) == [
        {"reason": "a"},
        {"reason": "b"},
        {"reason": "c"},
    ]


@pytest.mark.parametrize(
    ("args", "kwargs", "says"),
    [
        ((1,), {}, "component is text, not int"),
        (("a", ["b"]), {}, "reason is text, not list"),
        (("a", "b", "soon"), {}, "the timestamp 'soon' is no time"),
        (("a", "b", True), {}, "not bool"),
        (("a", "b", {}), {}, "not dict"),
        (("a", "b", float("nan")), {}, "the timestamp is no time"),
        (("a", "b", 1e300), {}, "is no time"),
        (("a", "b", -5), {}, "is no time"),
        (("a", "b", "9" * 400), {}, "is no time"),
        (("a", "b", "9999-12-31 24:00:00"), {}, "is no time"),
        (("a", "b", "0001-01-01 00:00:00"), {}, "is no time"),
        (("a", "b", "0950-01-01 00:00:00"), {}, "is no time"),
        (("a", "b", "c", "d"), {}, "4 arguments are too many"),
        (("a",), {"component": "b"}, "component is given twice"),
        (("a",), {"pod": "b"}, "there is no 'pod'"),
        (({"component": "a"},), {"reason": "b"}, "component is text, not dict"),
        (({"component": "a", "root cause component": "b"},), {}, "component is given twice"),
        (({"component": "a", "confidence": 0.9},), {}, "there is no 'confidence'"),
        (({"1": {"reason": "a"}, "reason": "b"},), {}, "there is no '1'"),
        (({"1": "Tomcat01"},), {}, "a failure is a dict, not str"),
        (({"1": {}, 1: {}},), {}, "two failures have the same number"),
        (([],), {}, "an empty list says nothing"),
        ((["Tomcat01"],), {}, "a failure is a dict, not str"),
        (({(1, 2): "x"},), {}, "a tuple is no name"),
        (({True: {}},), {}, "a bool is no name"),
        (('{"root cause component": "a"}',), {}, "not text that looks like one"),
        (("x" * 9, "y", "z" * 500), {}, "is no time"),
    ],
)
def test_what_is_no_answer_is_refused_with_what_is_expected(args, kwargs, says):
    with pytest.raises(ToolError) as caught:
        normalise(args, kwargs)
    assert caught.value.code == "submission"
    assert says in str(caught.value)
    assert answers.EXPECTED in str(caught.value)
    assert len(str(caught.value)) < 500


def test_an_answer_is_written_in_the_official_order():
    assert format_official([dict(reversed(WHOLE.items())), {"reason": "x"}]) == (
        "{\n"
        '    "1": {\n'
        '        "root cause occurrence datetime": "2021-03-04 14:57:00",\n'
        '        "root cause component": "Tomcat01",\n'
        '        "root cause reason": "high CPU usage"\n'
        "    },\n"
        '    "2": {\n'
        '        "root cause reason": "x"\n'
        "    }\n"
        "}"
    )


def test_a_right_answer_gets_all_points():
    judgement = judge([WHOLE], ONE)
    assert judgement == answers.Judgement(
        points=3,
        criteria=3,
        component_match=True,
        reason_match=True,
        time_match=True,
        asked=("time", "component", "reason"),
        passed=("Tomcat01", "high CPU usage", "2021-03-04 14:57:00"),
        failed=(),
        official=1.0,
    )
    assert (judgement.reward, judgement.success) == (1.0, True)


def test_the_reward_is_the_exact_share_and_the_official_score_its_rounding():
    judgement = judge([{"component": "Tomcat01"}], ONE)
    assert (judgement.reward, judgement.official, judgement.success) == (1 / 3, 0.33, False)
    assert (judgement.component_match, judgement.reason_match, judgement.time_match) == (True, False, False)


def test_what_is_not_asked_does_not_match():
    judgement = judge([WHOLE], scoring_points([FIRST], ("reason",)))
    assert (judgement.component_match, judgement.reason_match, judgement.time_match) == (False, True, False)
    assert judgement.asked == ("reason",)
    assert judgement.success


def test_an_element_matches_when_it_does_for_all_failures():
    second = {"component": "Redis02", "reason": "network loss", "timestamp": "2021-03-04 14:42:00"}
    judgement = judge([second, WHOLE], TWO)
    assert (judgement.component_match, judgement.reason_match, judgement.time_match) == (True, False, True)
    assert (judgement.points, judgement.criteria, judgement.failed) == (5, 6, ("network latency",))


def test_the_wrong_number_of_failures_is_worth_nothing():
    for answer, points in (([WHOLE], TWO), ([WHOLE, WHOLE], ONE), ([{}, WHOLE], ONE)):
        judgement = judge(answer, points)
        assert (judgement.points, judgement.component_match, judgement.official) == (0, False, 0.0)


@pytest.mark.parametrize("value", ["tomcat01", "Tomcat01 ", "Tomcat0", "Tomcat01\n", 'Tomcat01"', "{Tomcat01}"])
def test_a_component_is_right_to_the_letter_only(value):
    assert not judge(normalise((), {"component": value}), ONE).component_match


def test_a_value_with_quotes_is_right_when_the_label_has_them():
    record = Record("pod", "MG01", 1614841020, 'disk "sdb" {full}')
    assert judge(normalise(("MG01", record.reason), {}), scoring_points([record], TASKS["task_6"])).success


@pytest.mark.parametrize("answer", [None, 5, [], [1], ["x"], {"1": 2}, {"x": 1}, [{"timestamp": "soon"}], object()])
def test_nothing_that_is_submitted_raises(answer):
    assert judge(answer, ONE).reward == 0.0


def test_raw_text_is_judged_as_it_stands():
    assert judge(format_official([WHOLE]), ONE).success
    assert judge("Tomcat01", ONE).reward == 0.0


PIECES = [*'"{}\n,: \\\r\u2028', *(f'"{key}": "' for key in scoring.KEYS), "Tomcat01", "a"]
SIGNS = st.lists(st.sampled_from(PIECES), max_size=12).map("".join)
TEXTS = st.one_of(SIGNS, st.sampled_from(["Tomcat01", "high CPU usage"]), st.text(max_size=5))
ANSWERS = st.lists(
    st.fixed_dictionaries(
        {}, optional={"component": TEXTS, "reason": TEXTS, "timestamp": st.just("2021-03-04 14:57:00")}
    ),
    min_size=1,
    max_size=3,
)


@settings(deadline=None)
@given(ANSWERS)
@example([{"component": 'x"}, "2": {"root cause component": "Tomcat01'}])
@example([{"component": '"}{"root cause component": "Tomcat01"}', "reason": "high CPU usage"}])
@example([{"component": "Tomcat01\n", "reason": '", "'}])
def test_nothing_that_is_written_in_a_value_makes_objects_or_points(failures):
    answer = normalise((failures,), {})
    text = format_official(answer)
    assert len(scoring.parse_objects(text)) == len(failures)
    for points in (ONE, TWO):
        judgement = judge(answer, points)
        truths = scoring.parse_criteria(points)
        honest = [
            scoring.Guess(*(each.get(name, "") for name in ("timestamp", "component", "reason"))) for each in answer
        ]
        assert judgement.points == len(scoring.find_met(truths, scoring.find_best_pairing(honest, truths)))
        assert judgement.official == scoring.score(text, points).score


@settings(deadline=None)
@given(ANSWERS)
def test_normalising_twice_is_normalising_once(failures):
    once = normalise((failures,), {})
    assert normalise((once,), {}) == once


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | TEXTS,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["1", 2, "reason", "x"]), inner, max_size=3)
    ),
)


@settings(deadline=None)
@given(st.lists(VALUES, max_size=4), st.dictionaries(st.sampled_from([*answers.ELEMENTS, "x"]), VALUES, max_size=2))
def test_any_arguments_are_an_answer_or_a_tool_error(args, kwargs):
    try:
        answer = normalise(args, kwargs)
    except ToolError as error:
        assert error.code == "submission"
        return
    assert 0.0 <= judge(answer, TWO).reward <= 1.0


@pytest.mark.parametrize("asked", TASKS.values())
@pytest.mark.parametrize("records", [[FIRST], [FIRST, SECOND], [SECOND, FIRST, FIRST]])
def test_the_expected_answer_is_right(asked, records):
    points = scoring_points(records, asked)
    judgement = judge(normalise((format_expected(scoring.parse_criteria(points)),), {}), points)
    assert (judgement.success, judgement.official, judgement.asked) == (True, 1.0, asked)

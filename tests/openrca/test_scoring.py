"""A prediction is worth what the official scorer of OpenRCA says, to the letter, whatever the text is."""

from __future__ import annotations

import itertools
import json
import re
from datetime import datetime

import pytest
from effort import calls, cpu
from hypothesis import example, given, settings
from hypothesis import strategies as st

from aiops_gym.openrca import scoring
from aiops_gym.openrca.scoring import Guess, Score, Truths, parse_objects, score

TIME, COMPONENT, REASON = "2021-03-04 14:57:00", "Tomcat01", "high CPU usage"
SAID = {
    "time": "The {} root cause occurrence time is within 1 minutes (i.e., <=1min) of {}\n",
    "component": "The {} predicted root cause component is {}\n",
    "reason": "The {} predicted root cause reason is {}\n",
}
KEY = {"time": "root cause occurrence datetime", "component": "root cause component", "reason": "root cause reason"}
ONE = (
    SAID["time"].format("only", TIME)
    + SAID["component"].format("only", COMPONENT)
    + SAID["reason"].format("only", REASON)
)
OTHER = ("2021-03-04 14:41:00", "Redis02", "network latency")


def points(*failures, asked=("time", "component", "reason")):
    """Scoring points of failures, each (time, component, reason)."""
    return "".join(
        SAID[name].format(f"{number}-th" if len(failures) > 1 else "only", dict(zip(SAID, failure, strict=True))[name])
        for number, failure in enumerate(failures, 1)
        for name in asked
    )


def pairs(when=TIME, component=COMPONENT, reason=REASON):
    """The pairs of one failure, in the order that counts."""
    return {KEY["time"]: when, KEY["component"]: component, KEY["reason"]: reason}


def line(*names, values=(TIME, COMPONENT, REASON), between=", "):
    """An object on one line, its keys in a given order."""
    values = dict(zip(SAID, values, strict=True))
    return "{" + between.join(f'"{KEY[name]}": "{values[name]}"' for name in names) + "}"


def lines(*names):
    """The same on several lines."""
    return line(*names, between=",\n    ").replace("{", "{\n    ").replace("}", "\n}")


IN_ORDER = ("time", "component", "reason")
SWAPPED = ("component", "time", "reason")
REASON_SECOND = ("time", "reason", "component")


@pytest.mark.parametrize(
    ("prediction", "value"),
    {
        "indented": (json.dumps({"1": pairs()}, indent=4), 1.0),
        "one line": (json.dumps({"1": pairs()}), 1.0),
        "without a number": (json.dumps(pairs()), 1.0),
        "as a list": (json.dumps([pairs()]), 1.0),
        "in prose": (f"I think that it is {json.dumps(pairs())}, because.", 1.0),
        "in a fence": (f"```json\n{json.dumps({'1': pairs()}, indent=2)}\n```", 1.0),
        "compact": (json.dumps({"1": pairs()}, separators=(",", ":")), 1.0),
        "blanks after colons": (json.dumps(pairs()).replace('": ', '":   \n\n  '), 1.0),
        "no commas": (line(*IN_ORDER, between=" "), 1.0),
        "no commas, lines": (line(*IN_ORDER, between="\n"), 1.0),
        "comma after the last": (line(*IN_ORDER).replace("}", ",}"), 0.33),
        "component first": (line(*SWAPPED), 0.33),
        "component first, lines": (lines(*SWAPPED), 0.0),
        "reason second": (line(*REASON_SECOND), 0.33),
        "reason second, lines": (lines(*REASON_SECOND), 0.0),
        "reason, component, time": (line("reason", "component", "time"), 0.0),
        "sorted keys": (json.dumps({"1": pairs()}, sort_keys=True), 0.33),
        "sorted keys, indented": (json.dumps({"1": pairs()}, sort_keys=True, indent=4), 0.0),
        "blank before a colon": (line(*IN_ORDER).replace('component":', 'component" :'), 0.33),
        "blank before a comma": (line(*IN_ORDER).replace(", ", " , "), 0.33),
        "single quotes": (str(pairs()), 0.0),
        "underscores": (json.dumps(pairs()).replace("root cause ", "root_cause_"), 0.0),
        "unknown key first": (json.dumps({"confidence": "high", **pairs()}), 0.0),
        "null for the component": (json.dumps(pairs(component=None)), 0.0),
        "title case key": (json.dumps(pairs()).replace("root cause component", "Root Cause Component"), 0.33),
        "unknown key last": (json.dumps({**pairs(), "confidence": "high"}), 0.67),
        "unknown key last, indented": (json.dumps({**pairs(), "confidence": "high"}, indent=4), 0.0),
        "component only": (line("component"), 0.33),
        "empty object": ("{}", 0.0),
        "empty numbered object": ('{"1": {}}', 0.0),
        "empty text": ("", 0.0),
        "prose": ("The root cause is Tomcat01, high CPU usage.", 0.0),
        "and a stray object": (json.dumps(pairs()) + "{}", 0.0),
        "twice": (json.dumps(pairs()) + "\nso the answer is\n" + json.dumps(pairs()), 0.0),
        "two for one": (json.dumps({"1": pairs(), "2": pairs(*OTHER)}, indent=4), 0.0),
        "trailing blank": (json.dumps(pairs(reason=REASON + " ")), 0.67),
        "other case": (json.dumps(pairs(component="tomcat01")), 0.67),
        "a minute late": (json.dumps(pairs("2021-03-04 14:58:00")), 1.0),
        "a minute early": (json.dumps(pairs("2021-03-04 14:56:00")), 1.0),
        "61 s late": (json.dumps(pairs("2021-03-04 14:58:01")), 0.67),
        "61 s early": (json.dumps(pairs("2021-03-04 14:55:59")), 0.67),
        "not padded": (json.dumps(pairs("2021-3-4 14:57:0")), 1.0),
        "T": (json.dumps(pairs("2021-03-04T14:57:00")), 0.67),
        "without seconds": (json.dumps(pairs("2021-03-04 14:57")), 0.67),
        "fraction": (json.dumps(pairs("2021-03-04 14:57:00.0")), 0.67),
        "leading blank": (json.dumps(pairs(" 2021-03-04 14:57:00")), 0.67),
        "trailing blank of the time": (json.dumps(pairs("2021-03-04 14:57:00 ")), 0.67),
        "zone": (json.dumps(pairs("2021-03-04 14:57:00+08:00")), 0.67),
        "UTC": (json.dumps(pairs("2021-03-04 06:57:00")), 0.67),
        "no such day": (json.dumps(pairs("2021-02-30 14:57:00")), 0.67),
        "literal line ends": (json.dumps({"1": pairs()}, indent=4).replace('{\n    "1"', '{\\n    "1"'), 1.0),
    }.values(),
)
def test_one_failure_is_worth_what_the_official_scorer_says(prediction, value):
    assert score(prediction, ONE).score == value


def test_a_comma_may_follow_a_component_that_nothing_follows():
    prediction = line("time", "component").replace("}", ",}")
    assert score(prediction, points((TIME, COMPONENT, REASON), asked=("time", "component"))).score == 1.0


def test_elements_that_are_not_asked_do_not_matter():
    assert score(line(*IN_ORDER), SAID["reason"].format("only", REASON)) == Score(1.0, [REASON], [])


FIRST, SECOND = (TIME, COMPONENT, REASON), OTHER
TWO = points(FIRST, SECOND)


def written(*failures):
    """Failures as an agent of the original writes them."""
    return json.dumps({str(number): pairs(*each) for number, each in enumerate(failures, 1)}, indent=4)


@pytest.mark.parametrize(
    ("failures", "value"),
    [
        ([FIRST, SECOND], 1.0),
        ([SECOND, FIRST], 1.0),
        ([FIRST], 0.0),
        ([FIRST, SECOND, FIRST], 0.0),
        ([FIRST, FIRST], 0.5),
        ([(TIME, COMPONENT, OTHER[2]), (OTHER[0], OTHER[1], REASON)], 0.67),
        ([(TIME, OTHER[1], OTHER[2]), (OTHER[0], COMPONENT, REASON)], 0.67),
    ],
)
def test_two_failures_are_paired_as_well_as_can_be(failures, value):
    assert score(written(*failures), TWO).score == value


def test_a_value_that_passes_once_and_fails_once_is_not_listed_as_failed():
    truth = points(FIRST, (OTHER[0], COMPONENT, OTHER[2]), asked=("component",))
    prediction = written(("", COMPONENT, ""), ("", "Redis01", ""))
    assert score(prediction, truth) == Score(0.5, [COMPONENT], [])


def test_passed_are_listed_failure_by_failure_and_failed_once_each():
    half = (TIME, COMPONENT, "high memory usage")
    assert score(written(SECOND, half), TWO) == Score(0.83, [COMPONENT, TIME, OTHER[1], OTHER[2], OTHER[0]], [REASON])
    assert score("{}{}{}", points(FIRST, FIRST)).failed == [COMPONENT, REASON, TIME]


def test_the_first_of_equally_good_pairings_counts():
    truth = points((TIME, "a", "x"), (TIME, "b", "y"), asked=("component", "reason"))
    assert score(written(("", "a", "y"), ("", "b", "x")), truth).passed == ["a", "b"]
    assert score(written(("", "b", "x"), ("", "a", "y")), truth).passed == ["x", "y"]


def test_thirds_are_rounded_to_two_decimals():
    assert [score(line(*IN_ORDER[:number]), ONE).score for number in (1, 2, 3)] == [0.33, 0.67, 1.0]


def test_a_blank_at_the_end_of_a_criterion_belongs_to_it():
    truth = SAID["reason"].format("only", REASON + " ")
    assert score(line("reason"), truth) == Score(0.0, [], [REASON + " "])
    assert score(line("reason", values=(TIME, COMPONENT, REASON + " ")), truth).score == 1.0


def test_the_last_line_end_and_the_order_of_lines_do_not_matter():
    assert score(line(*IN_ORDER), ONE.rstrip("\n")).score == 1.0
    assert score(line(*IN_ORDER), "\n".join(reversed(ONE.splitlines()))).score == 1.0


def test_the_older_form_of_criteria_never_matches_components_and_reasons():
    older = ONE.replace("\n", ". (1 point)\n")
    assert score(line(*IN_ORDER), older).score == 0.0


def test_a_list_shorter_than_the_number_of_failures_is_not_compared():
    truth = points(FIRST, SECOND, asked=("component",)) + SAID["reason"].format("1-th", REASON)
    assert score(written(FIRST, SECOND), truth) == Score(0.67, [COMPONENT, OTHER[1]], [REASON])


@pytest.mark.parametrize("value", [float("nan"), None, pairs(), b"{}", 1])
def test_what_is_no_text_is_a_type_error(value):
    with pytest.raises(TypeError):
        score(value, ONE)
    with pytest.raises(TypeError):
        score("{}", value)


@pytest.mark.parametrize("prediction", ["", "{}", line(*IN_ORDER)])
def test_without_criteria_there_is_nothing_to_divide_by(prediction):
    with pytest.raises(ZeroDivisionError):
        score(prediction, "")


def test_on_one_line_a_value_swallows_what_does_not_fit():
    swallowed = line(*IN_ORDER).replace("}", ",}") + " or " + line("reason")
    reason = 'high CPU usage",} or {"root cause reason": "high CPU usage'
    assert parse_objects(swallowed) == [Guess(TIME, COMPONENT, reason)]
    component = 'Tomcat01", "root cause reason": "high CPU usage'
    assert parse_objects(swallowed.replace(" or ", "\n")) == [Guess(TIME, component, ""), Guess("", "", REASON)]


# The official pattern, for comparison: an independent engine must find the same objects.
PATTERN = re.compile(r"{\s*" + r",?\s*".join(rf'(?:"{key}":\s*"(.*?)")?' for key in KEY.values()) + r"\s*}")
TOKENS = [
    *(f'"{key}":' for key in KEY.values()),
    *(f'"{key}": "{value}"' for key, value in zip(KEY.values(), "xyz", strict=True)),
    *('{"1": {', "{", "}", "{}", '"', '"a"', '"a",', ",", " ", "\n", "\t", "\r", "\u2028", ":", "a", "\\", '": "'),
]
SHREDS = st.lists(st.sampled_from(TOKENS), max_size=30).map("".join)


@settings(max_examples=500, deadline=None)
@given(SHREDS | st.text(alphabet='{}", \nab:', max_size=40) | SHREDS.map(lambda text: "{" + text + "}"))
@example('{ , "root cause component": "a" , }')
@example("{,,}")
@example('{, "root cause reason": "a\n"}')
def test_the_objects_are_those_of_the_official_pattern(text):
    assert [tuple(each) for each in parse_objects(text)] == PATTERN.findall(text)


def slow_score(prediction, truths):
    """Points and what passed, all permutations tried one by one."""
    guesses = [Guess(*found) for found in PATTERN.findall(prediction)]
    best, passed = -1, []
    for order in itertools.permutations(guesses) if len(guesses) == truths.failures else []:
        met = []
        for guess, *truth in zip(order, *truths, strict=True):
            near = abs((datetime.fromisoformat(guess.time) - datetime.fromisoformat(truth[2])).total_seconds()) <= 60
            right = (guess.component == truth[0], guess.reason == truth[1], near)
            met += [text for text, hit in zip(truth, right, strict=True) if hit]
        if len(met) > best:
            best, passed = len(met), met
    return passed


FAILURES = st.tuples(
    st.sampled_from([f"2021-03-04 14:{minute:02}:00" for minute in range(5)]),
    st.sampled_from("abc"),
    st.sampled_from("xyz"),
)


@settings(deadline=None)
@given(st.integers(1, 4).flatmap(lambda n: st.tuples(*[st.lists(FAILURES, min_size=n, max_size=n)] * 2)))
def test_the_pairing_is_the_first_best_of_all_permutations(two):
    guessed, failures = two
    truth = points(*failures)
    expected = slow_score(written(*guessed), scoring.parse_criteria(truth))
    assert score(written(*guessed), truth)[:2] == (round(len(expected) / (3 * len(failures)), 2), expected)


LONG = 65_536
HOSTILE = {
    "blanks": "{" + " " * LONG,
    "openings and blanks": "{ " * (LONG // 2),
    "lines": "{" + "\n" * LONG,
    "commas": "{," * (LONG // 2),
    "quotes": "{" + f'"{KEY["time"]}": "' + '"' * LONG,
    "openings": "{" * LONG,
    "keys of all three": "".join(f'"{key}": "", ' for key in KEY.values()) * (LONG // 90),
    "first values": f'{{"{KEY["time"]}": "' * (LONG // 40),
    "values that never end": f'{{"{KEY["time"]}": "a", "{KEY["component"]}": "a", "{KEY["reason"]}": "a", '
    * (LONG // 110),
    "ends that never come": f'{{"{KEY["time"]}": "'
    + f'", "{KEY["component"]}": "' * 1000
    + f'", "{KEY["reason"]}": "' * 1000,
    "blanks after quotes": f'{{"{KEY["reason"]}": "' + ('"' + " " * 200) * (LONG // 200),
    "fitting ends on one line": (f'{{"{KEY["reason"]}": "' + '"' * 50 + "}") * (LONG // 80),
    "many objects": "{}" * (LONG // 2),
}


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_hostile_text_takes_no_longer_than_other_text(text):
    """What backtracks takes hundreds of times longer than text of the same length that does not."""
    ordinary = cpu(lambda: score("{}" * (LONG // 2), TWO))
    assert cpu(lambda: score(text, TWO)) < 40 * ordinary


def test_a_dozen_failures_take_no_dozen_factorial():
    failures = [(TIME, f"c{number}", "x") for number in range(12)]
    assert score(written(*reversed(failures)), points(*failures)).score == 1.0
    assert calls(lambda: score(written(*reversed(failures)), points(*failures))) < 1_000_000


def test_criteria_are_read_as_lists_of_each_element():
    assert scoring.parse_criteria(TWO) == Truths((COMPONENT, OTHER[1]), (REASON, OTHER[2]), (TIME, OTHER[0]))
    assert (scoring.parse_criteria(TWO).failures, scoring.parse_criteria(TWO).criteria) == (2, 6)
    assert scoring.parse_criteria(SAID["reason"].format("only", "x")).asked == ("reason",)

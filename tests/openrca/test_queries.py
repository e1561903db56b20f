"""What a question says is read right, and the questions that are made say what is meant and no more."""

from __future__ import annotations

import re
import subprocess
import sys
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aiops_gym.errors import CatalogError
from aiops_gym.openrca import answers, clock, queries, scoring
from aiops_gym.openrca.domains import find
from aiops_gym.openrca.labels import HALF_HOUR, Query, Record

BANK, _ = find("bank")
MARKET, _ = find("market")


def shown(instruction):
    """A window as text."""
    return tuple(map(clock.show, queries.parse_window(instruction)))


@pytest.mark.parametrize(
    ("instruction", "window", "asked", "failures"),
    [
        (
            "Between 03:00 and 03:30 on June 8, 2021, one failure struck. Name the root cause component.",
            ("2021-06-08 03:00:00", "2021-06-08 03:30:00"),
            ("component",),
            1,
        ),
        (
            "Cloudbed-1 ran into two system failures from 23:30 on June 8, 2022, to 00:00 on June 9, 2022. "
            "Which components failed, and for which reasons?",
            ("2022-06-08 23:30:00", "2022-06-09 00:00:00"),
            ("component", "reason"),
            2,
        ),
        (
            "On December 31, 2021, from 23:30 to 00:00, there was a reported failure. Give its occurrence time.",
            ("2021-12-31 23:30:00", "2022-01-01 00:00:00"),
            ("time",),
            1,
        ),
        (
            "The system cloudbed-2 met with two failures on March 1, 2022, 09:00 - 09:30. "
            "The exact time at which each began and the reason are wanted.",
            ("2022-03-01 09:00:00", "2022-03-01 09:30:00"),
            ("time", "reason"),
            2,
        ),
        (
            "The number of failures from 10:00 to 10:30 on May 2nd, 2020 is 3. Tell their occurrence datetimes.",
            ("2020-05-02 10:00:00", "2020-05-02 10:30:00"),
            ("time",),
            3,
        ),
        (
            "From 2021-03-04 10:00:00 to 2021-03-04 10:30:00 a single failure was seen. Its reason is unknown.",
            ("2021-03-04 10:00:00", "2021-03-04 10:30:00"),
            ("reason",),
            1,
        ),
        (
            "An alarm rang on March 9, 2021, from 09:00 to 09:30: 2 recorded failures. What is the component of each?",
            ("2021-03-09 09:00:00", "2021-03-09 09:30:00"),
            ("component",),
            2,
        ),
    ],
)
def test_a_question_is_read(instruction, window, asked, failures):
    assert shown(instruction) == window
    assert queries.parse_asked(instruction) == asked
    assert queries.count_failures(instruction) == failures


@pytest.mark.parametrize(
    "instruction", ["", "What failed?", "What failed on March 4, 2021?", "What failed from 10:00 to 10:30?"]
)
def test_a_question_without_a_window_is_an_error(instruction):
    with pytest.raises(CatalogError, match="no date and two times"):
        queries.parse_window(instruction)


RECORDS = st.lists(
    st.builds(
        Record,
        level=st.just("pod"),
        component=st.sampled_from(BANK.components),
        timestamp=st.integers(1614787200, 1614787200 + 3 * 86400),
        reason=st.sampled_from(BANK.reasons),
    ),
    min_size=1,
    max_size=8,
)
CLOSE = st.integers(1614787200, 1614787200 + 2 * HALF_HOUR)
CROWDED = st.lists(
    st.builds(Record, st.just("pod"), st.just("MG01"), CLOSE, st.just("network latency")), min_size=2, max_size=9
)


@settings(deadline=None)
@given(RECORDS | CROWDED, st.integers(0, 2**63), st.sampled_from([(BANK, ""), (MARKET, "cloudbed-2")]))
def test_a_question_that_is_made_is_read_as_it_was_meant(records, seed, place):
    domain, cloudbed = place
    made = queries.make_queries(domain, cloudbed, records, seed)
    assert len(made) == len(records)
    for record, query in zip(records, made, strict=True):
        together = [each for each in records if each.bucket == record.bucket]
        start = record.bucket * HALF_HOUR * 1000
        assert queries.parse_window(query.instruction) == (start, start + HALF_HOUR * 1000)
        assert (
            queries.parse_asked(query.instruction)
            == queries.parse_asked(query.scoring_points)
            == queries.TASKS[query.task_index]
        )
        assert (
            queries.count_failures(query.instruction) == queries.count_failures(query.scoring_points) == len(together)
        )
        assert set(re.findall(r"cloudbed-\d+", query.instruction.lower())) == ({cloudbed} if cloudbed else set())
        assert query.instruction.isascii()
        assert not set('"\n{}') & set(query.instruction)


@settings(deadline=None)
@given(RECORDS | CROWDED, st.integers(0, 99))
def test_the_reference_answer_is_right_and_the_question_does_not_tell_it(records, seed):
    for record, query in zip(records, queries.make_queries(BANK, "", records, seed), strict=True):
        together = [each for each in records if each.bucket == record.bucket]
        points = queries.scoring_points(together, queries.TASKS[query.task_index])
        reference = answers.format_expected(scoring.parse_criteria(points))
        assert answers.judge(answers.normalise((reference,), {}), query.scoring_points).success
        said = query.instruction.lower()
        assert not [name for name in (*BANK.components, *BANK.reasons) if name.lower() in said]
        assert record.datetime[11:] not in said


def test_failures_of_one_window_are_listed_in_the_order_of_the_file():
    late, early = (
        Record("pod", "MG01", 1614841020, "network latency"),
        Record("pod", "IG01", 1614840120, "high CPU usage"),
    )
    assert queries.scoring_points([late, early], ("time", "component")) == (
        "The 1-th root cause occurrence time is within 1 minutes (i.e., <=1min) of 2021-03-04 14:57:00\n"
        "The 1-th predicted root cause component is MG01\n"
        "The 2-th root cause occurrence time is within 1 minutes (i.e., <=1min) of 2021-03-04 14:42:00\n"
        "The 2-th predicted root cause component is IG01\n"
    )
    for query in queries.make_queries(BANK, "", [late, early], 5):
        truths = scoring.parse_criteria(query.scoring_points)
        assert truths.components in ((), ("MG01", "IG01"))
        assert truths.reasons in ((), ("network latency", "high CPU usage"))


def many(seed=1, count=700):
    """Questions about failures an hour apart."""
    records = [Record("pod", "MG01", 1614787200 + 3600 * number, "network latency") for number in range(count)]
    return queries.make_queries(BANK, "", records, seed)


def test_the_seven_tasks_are_drawn_alike():
    drawn = Counter(query.task_index for query in many())
    assert set(drawn) == set(queries.TASKS)
    assert all(70 < times < 130 for times in drawn.values())


def test_questions_have_several_dozen_wordings():
    texts = [query.instruction for query in many() if query.task_index == "task_2"]
    signs = str.maketrans("", "", "0123456789:")
    months = {text.translate(signs).replace("April", "March") for text in texts}
    assert len(months) > 60


def test_the_same_seed_makes_the_same_questions_in_any_process():
    code = (
        "from aiops_gym.openrca import queries, labels; from aiops_gym.openrca.domains import find;"
        "records = [labels.Record('pod', 'MG01', 1614787200 + 900 * n, 'network latency') for n in range(9)];"
        "print(queries.make_queries(find('bank')[0], '', records, 7))"
    )
    runs = [
        subprocess.run(
            [sys.executable, "-c", code], env={"PYTHONHASHSEED": seed}, capture_output=True, check=True
        ).stdout
        for seed in ("1", "2")
    ]
    assert runs[0] == runs[1]
    assert many(1, 5) != many(2, 5)


def test_no_records_make_no_questions():
    assert queries.make_queries(BANK, "", [], 1) == []


def test_a_question_is_a_row_of_the_file():
    (query,) = queries.make_queries(MARKET, "cloudbed-1", [Record("node", "node-5", 1647738546, "node CPU load")], 3)
    assert isinstance(query, Query)
    assert query.scoring_points.endswith("\n")
    assert "cloudbed-1" in query.instruction


def test_there_is_no_eighth_task():
    with pytest.raises(CatalogError, match="no task 'task_8'"):
        queries.grade_difficulty("task_8")

"""Problems are the rows of query.csv, and nothing else is needed to make them."""

from __future__ import annotations

import subprocess
import sys
from datetime import date

import pytest

from aiops_gym.errors import CatalogError
from aiops_gym.openrca import layout, queries
from aiops_gym.openrca.domains import find
from aiops_gym.openrca.labels import Query, Record, write_queries
from aiops_gym.openrca.problems import held_out, problems_from_query_csv

DAY = 86400
START = 1614787200


def records(days, each=4):
    """Failures an hour apart, on the first days of a recording."""
    return [
        Record("pod", "MG01", START + DAY * day + 3600 * number, "network latency")
        for day in range(days)
        for number in range(each)
    ]


def write(root, name, days=4, seed=1):
    """Only the query.csv of a domain."""
    domain, cloudbed = find(name)
    made = queries.make_queries(domain, cloudbed, records(days), seed)
    write_queries(root / domain.folders[cloudbed], made)
    return made


def test_a_problem_is_a_row(tmp_path):
    made = write(tmp_path, "bank")
    problems = problems_from_query_csv("bank", tmp_path)
    assert [each.row for each in problems] == list(range(16))
    for record, query, problem in zip(records(4), made, problems, strict=True):
        assert (problem.instruction, problem.scoring_points) == (query.instruction, query.scoring_points)
        assert (problem.task, problem.domain, problem.cloudbed) == ("root_cause", "bank", "")
        assert problem.task_index == query.task_index
        assert problem.asked == queries.TASKS[query.task_index]
        assert problem.start <= record.timestamp * 1000 < problem.end == problem.start + 1_800_000
        assert problem.failures == 1
        assert problem.difficulty == ("easy", "middle", "hard")[len(problem.asked) - 1]


def test_ids_count_the_rows_of_a_task_in_the_order_of_the_file(tmp_path):
    write(tmp_path, "market/cloudbed-1")
    problems = problems_from_query_csv("Market/cloudbed-1", tmp_path)
    ids = [each.id for each in problems]
    assert len(set(ids)) == len(ids)
    for task in queries.TASKS:
        own = [each.id for each in problems if each.task_index == task]
        assert own == [f"Market-cloudbed-1-{task}-{number}" for number in range(len(own))]


def test_a_market_without_a_cloudbed_is_all_that_is_there(tmp_path):
    write(tmp_path, "market/cloudbed-2")
    assert {each.cloudbed for each in problems_from_query_csv("market", tmp_path)} == {"cloudbed-2"}
    write(tmp_path, "market/cloudbed-1")
    both = problems_from_query_csv("openrca_market", tmp_path)
    assert [each.cloudbed for each in both] == ["cloudbed-1"] * 16 + ["cloudbed-2"] * 16
    assert len({each.id for each in both}) == 32


def test_the_last_days_are_for_testing(tmp_path):
    write(tmp_path, "telecom", days=4)
    problems = problems_from_query_csv("telecom", tmp_path)
    assert [each.split for each in problems] == ["train"] * 12 + ["test"] * 4


@pytest.mark.parametrize(
    ("days", "test"), [(0, 0), (1, 0), (2, 1), (3, 1), (4, 1), (5, 2), (9, 3), (10, 3), (11, 3), (30, 9)]
)
def test_about_a_third_of_the_days_are_held_out(days, test):
    known = [date.fromordinal(737800 + number) for number in range(days)]
    assert held_out(reversed(known)) == frozenset(known[days - test :])


def test_a_window_that_crosses_midnight_belongs_to_the_day_it_begins(tmp_path):
    late = [Record("pod", "MG01", START + DAY * day - 60, "network latency") for day in (1, 2)]
    write_queries(tmp_path / "Bank", queries.make_queries(find("bank")[0], "", late, 1))
    assert [each.split for each in problems_from_query_csv("bank", tmp_path)] == ["train", "test"]


def test_two_failures_of_one_window_are_two_problems_with_both_answers(tmp_path):
    two = [Record("pod", name, START + 60, "network latency") for name in ("MG01", "MG02")]
    write_queries(tmp_path / "Bank", queries.make_queries(find("bank")[0], "", two, 1))
    assert [each.failures for each in problems_from_query_csv("bank", tmp_path)] == [2, 2]


def test_the_root_may_be_named_by_the_environment(tmp_path, monkeypatch):
    write(tmp_path, "bank")
    monkeypatch.setenv(layout.VARIABLE, str(tmp_path))
    assert problems_from_query_csv("bank") == problems_from_query_csv("bank", tmp_path / "Bank")


@pytest.mark.parametrize(
    ("row", "says"),
    [
        (Query("task_9", "On March 4, 2021, from 10:00 to 10:30, one failure.", "x"), "no task 'task_9'"),
        (Query("task_1", "On March 4, 2021, from 10:00 to 10:30, one failure.", "x"), "no criteria"),
        (Query("task_3", "What?", "The only predicted root cause component is a"), "no date"),
        (Query("task_3", "February 30, 2021, 10:00, 10:30", "The only predicted root cause component is a"), "no time"),
    ],
)
def test_a_row_that_is_no_question_is_named(tmp_path, row, says):
    good = queries.make_queries(find("bank")[0], "", records(1, 1), 1)
    write_queries(tmp_path / "Bank", [*good, row])
    with pytest.raises(CatalogError, match=rf"query\.csv, row 1 \(from 0\): .*{says}"):
        problems_from_query_csv("bank", tmp_path)


def test_no_data_is_an_error_that_says_where_it_should_be(tmp_path):
    for name in ("bank", "market", "market/cloudbed-1"):
        with pytest.raises(CatalogError, match="there should be"):
            problems_from_query_csv(name, tmp_path)
    with pytest.raises(CatalogError, match="no domain 'shop'"):
        problems_from_query_csv("shop", tmp_path)


def test_problems_bring_neither_pandas_nor_pyarrow():
    names = "import sys, aiops_gym.openrca.problems, aiops_gym.openrca.answers"
    code = f"{names}; print(sorted({{'pandas', 'pyarrow'}} & set(sys.modules)))"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True).stdout == "[]\n"

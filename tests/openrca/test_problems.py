"""Problems are the rows of query.csv, and nothing else is needed to make them."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from datetime import date

import pytest
from questions import DAY, START, records, write

from aiops_gym.errors import ArgumentError, CatalogError
from aiops_gym.openrca import layout, queries
from aiops_gym.openrca.domains import find
from aiops_gym.openrca.labels import Query, Record, write_queries
from aiops_gym.openrca.problems import Questions, choose_test_days, problems_from_query_csv, system_of


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


@pytest.mark.parametrize("name", ["bank", "market/cloudbed-1", "telecom"])
def test_an_id_names_the_row_of_the_file(tmp_path, name):
    made = write(tmp_path, name)
    domain, cloudbed = find(name)
    expected = [f"{domain.prefix(cloudbed)}-{query.task_index}-{row}" for row, query in enumerate(made)]
    assert [each.id for each in problems_from_query_csv(name, tmp_path)] == expected
    assert all(system_of(each) == (domain, cloudbed) for each in expected)


TASKS_OF_ROWS = {
    "bank": "166165737631342416635517637655223727515341177321251161757226452357542576624663454122131552521111732364252"
    "6427474211643444166611463771224",
    "market/cloudbed-1": "6116326654112551526665453777263227145374514176573526116273172714346732",
    "market/cloudbed-2": "332636661562562244366526371271734312563264464232265536532254171262764514454557",
    "telecom": "242271475116711772742241743774346676422321565163115",
}
"""Of the original's 335 questions, which of the seven tasks each row is."""


def original(root):
    """Questions of the original's tasks, row by row, in other words."""
    window = "On March 4, 2021, from 10:00 to 10:30, one failure."
    for name, digits in TASKS_OF_ROWS.items():
        domain, cloudbed = find(name)
        rows = [
            Query(f"task_{n}", window, queries.scoring_points(records(1, 1), queries.TASKS[f"task_{n}"]))
            for n in digits
        ]
        write_queries(root / domain.folders[cloudbed], rows)
        yield Questions(domain, root), cloudbed


def test_the_ids_of_the_originals_questions_name_their_own_rows_and_no_other(tmp_path):
    found = 0
    for questions, cloudbed in original(tmp_path):
        for row, problem in enumerate(questions.rows(cloudbed)):
            assert problem.row == row
            assert questions.find(problem.id) == problem
            found += 1
    assert found == 335


def test_a_number_within_the_task_is_refused_with_the_id_of_that_row(tmp_path):
    """48 of the 335 would be the ids of other questions; the others are nobody's, and say whose row they name."""
    others = 0
    for questions, cloudbed in original(tmp_path):
        seen = Counter()
        for problem in questions.rows(cloudbed):
            row = seen[problem.task_index]
            seen[problem.task_index] += 1
            there = questions.rows(cloudbed)[row]
            id_ = f"{questions.domain.prefix(cloudbed)}-{problem.task_index}-{row}"
            if there.task_index == problem.task_index:
                assert questions.find(id_) == there
                others += there != problem
            else:
                with pytest.raises(ArgumentError, match=rf"no problem '{id_}': row {row} of query\.csv is {there.id}$"):
                    questions.find(id_)
    assert others == 48


@pytest.mark.parametrize(
    ("id_", "says"),
    [
        ("Bank-task_1-16", r"Bank/query\.csv has the rows 0 to 15$"),
        ("Bank-task_1-007", r"an id is Bank-task_N-ROW, with the row of query\.csv from 0$"),
        ("Bank-1", "an id is Bank-task_N-ROW"),
        ("x" * 999, "^no problem 'x{80}': an id is"),
        ("Telecom-task_1-0", "Telecom-task_1-0 is a question about Telecom, and these are about Bank"),
        (3, "given by its id, not by int"),
    ],
)
def test_what_is_no_id_is_refused_with_what_one_looks_like(tmp_path, id_, says):
    write(tmp_path, "bank")
    with pytest.raises(ArgumentError, match=says):
        Questions(find("bank")[0], tmp_path).find(id_)


def test_only_the_cloudbed_that_an_id_names_is_read(tmp_path):
    made = write(tmp_path, "market/cloudbed-2")
    (tmp_path / "Market" / "cloudbed-1").mkdir()
    (tmp_path / "Market" / "cloudbed-1" / "query.csv").write_text("broken")
    questions = Questions(find("market")[0], tmp_path)
    assert questions.find(f"Market-cloudbed-2-{made[3].task_index}-3").row == 3
    with pytest.raises(CatalogError, match="no column task_index"):
        questions.find("Market-cloudbed-1-task_1-0")
    with pytest.raises(ArgumentError, match="an id is Market-cloudbed-1-task_N-ROW or Market-cloudbed-2-task_N-ROW"):
        questions.find("Market-task_1-0")


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
    assert choose_test_days(reversed(known)) == frozenset(known[days - test :])


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


def test_the_folder_of_one_cloudbed_has_the_questions_of_that_one(tmp_path):
    for name in ("market/cloudbed-1", "market/cloudbed-2"):
        write(tmp_path, name)
    one = Questions(find("market")[0], tmp_path / "Market" / "cloudbed-2")
    assert one.cloudbeds == ("cloudbed-2",)
    assert {each.cloudbed for each in one.of().values()} == {"cloudbed-2"}
    with pytest.raises(CatalogError, match="no data of Market"):
        one.find("Market-cloudbed-1-task_1-0")

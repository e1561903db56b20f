"""Prediction files are scored as the official script scores them, and what breaks that one is said or survived."""

from __future__ import annotations

import csv
import json

import pytest

from aiops_gym.cli import run
from aiops_gym.errors import CatalogError
from aiops_gym.openrca import answers, queries, report, scoring
from aiops_gym.openrca.domains import find
from aiops_gym.openrca.labels import Query, Record, write_queries
from aiops_gym.openrca.report import Mark

RECORDS = [Record("pod", f"MG0{number % 2 + 1}", 1614787200 + 3600 * number, "network latency") for number in range(6)]
TASKS = ("task_7", "task_3", "task_4", "task_2", "task_7", "task_1")
POINTS = [queries.scoring_points([record], queries.TASKS[task]) for record, task in zip(RECORDS, TASKS, strict=True)]
RIGHT = [
    answers.format_official(answers.normalise((answers.format_expected(scoring.parse_criteria(points)),), {}))
    for points in POINTS
]


@pytest.fixture
def questions(tmp_path):
    """A query.csv of six questions."""
    made = queries.make_queries(find("bank")[0], "", RECORDS, 1)
    rows = [
        Query(task, query.instruction, queries.scoring_points([record], queries.TASKS[task]))
        for record, query, task in zip(RECORDS, made, TASKS, strict=True)
    ]
    write_queries(tmp_path, rows)
    return tmp_path / "query.csv"


@pytest.fixture
def predictions(tmp_path):
    """Write a file of predictions."""

    def written(columns, rows):
        path = tmp_path / "predictions.csv"
        with path.open("w", encoding="utf-8", newline="") as file:
            csv.writer(file, lineterminator="\n").writerows([columns, *rows])
        return path

    return written


@pytest.fixture
def cli(capsys):
    """Run a command in this process: exit code, stdout, stderr."""

    def called(*arguments):
        code = run([str(each) for each in arguments])
        return (code, *capsys.readouterr())

    return called


def scores(path, questions):
    """The score of each row, and the notes."""
    rows, notes = report.score_file(path, questions)
    return [row.score for row in rows], notes


def test_rows_without_ids_are_matched_in_their_order(predictions, questions):
    assert scores(predictions(["prediction"], [[text] for text in RIGHT]), questions) == ([1.0] * 6, [])


def test_rows_with_ids_are_sorted_by_them(predictions, questions):
    rows = [[text, number] for number, text in enumerate(RIGHT)][::-1]
    assert scores(predictions(["prediction", "row_id"], rows), questions) == ([1.0] * 6, [])
    rows = [[f"{number}.0", "other", text] for number, text in enumerate(RIGHT)][::-1]
    assert scores(predictions(["row_id", "note", "prediction"], rows), questions) == ([1.0] * 6, [])


def test_ids_that_do_not_count_from_zero_still_give_the_order(predictions, questions):
    rows = [[text, 10 * number + 5] for number, text in enumerate(RIGHT)][::-1]
    values, notes = scores(predictions(["prediction", "row_id"], rows), questions)
    assert values == [1.0] * 6
    assert notes == ["row_id does not count from 0: the rows were matched in its order"]


def test_rows_that_are_missing_count_nothing(predictions, questions):
    rows = [[RIGHT[5], 5], [RIGHT[0], 0], [RIGHT[2], 2]]
    values, notes = scores(predictions(["prediction", "row_id"], rows), questions)
    assert values == [1.0, 0.0, 1.0, 0.0, 0.0, 1.0]
    assert notes == ["3 row_ids are missing and scored 0: 1, 3, 4"]


@pytest.mark.parametrize("empty", ["", "  ", "nan", "42"])
def test_a_prediction_that_is_none_counts_nothing(predictions, questions, empty):
    values, notes = scores(predictions(["prediction"], [[empty], *([text] for text in RIGHT[1:])]), questions)
    assert values == [0.0, 1.0, 1.0, 1.0, 1.0, 1.0]
    assert notes == ([] if empty == "42" else ["1 prediction is empty and scored 0"])


def test_half_right_predictions_score_by_their_criteria(predictions, questions):
    rows = [[text.replace("network", "no")] for text in RIGHT]
    assert scores(predictions(["prediction"], rows), questions)[0] == [0.67, 1.0, 0.5, 0.0, 0.67, 1.0]


@pytest.mark.parametrize(
    ("columns", "rows", "says"),
    [
        (["prediction"], [["x"]], r"predictions\.csv holds 1 prediction, but there are 6 questions; a column row_id"),
        (["prediction"], [], "0 predictions"),
        (["prediction"], [["x"]] * 7, "7 predictions"),
        (["prediction", "row_id"], [["x", 1], ["y", 1]], "row_id 1 is on line 2 and on line 3"),
        (["prediction", "row_id"], [["x", 6]], "row_id has to count the 6 questions from 0, but there is 6"),
        (["prediction", "row_id"], [["x", "first"]], "line 2: 'first' is no row_id"),
        (["prediction", "row_id"], [["x", "nan"]], "line 2: 'nan' is no row_id"),
        (["prediction", "row_id"], [["x", "0.5"]], "line 2: '0.5' is no row_id"),
        (["answer"], [["x"]], "no column prediction"),
        (["prediction"], [["x"], ["y", "z"]], "line 3: more fields than columns"),
    ],
)
def test_files_that_cannot_be_matched_say_why(predictions, questions, columns, rows, says):
    with pytest.raises(CatalogError, match=says):
        report.score_file(predictions(columns, rows), questions)


def test_files_that_cannot_be_read_are_named(predictions, questions, tmp_path):
    with pytest.raises(CatalogError, match=r"none\.csv cannot be read"):
        report.score_file(tmp_path / "none.csv", questions)
    (tmp_path / "predictions.csv").write_bytes(b"prediction\n\xff\n")
    with pytest.raises(CatalogError, match=r"predictions\.csv cannot be read"):
        report.score_file(tmp_path / "predictions.csv", questions)


def test_a_question_without_criteria_is_named(predictions, tmp_path):
    write_queries(tmp_path, [Query("task_1", "When?", "")])
    with pytest.raises(CatalogError, match=r"query\.csv, row 0 \(from 0\): there are no criteria"):
        report.score_file(predictions(["prediction"], [["x"]]), tmp_path / "query.csv")


def test_predictions_may_be_longer_than_the_csv_module_allows(predictions, questions):
    before = csv.field_size_limit()
    path = predictions(["prediction"], [["thought " * 50_000 + RIGHT[0]], *([text] for text in RIGHT[1:])])
    assert scores(path, questions)[0] == [1.0] * 6
    assert csv.field_size_limit() == before


def test_the_file_of_scores_has_the_official_columns(predictions, questions, tmp_path, cli):
    path = predictions(["prediction"], [[text.replace("network", "no")] for text in RIGHT])
    out = tmp_path / "new" / "folder" / "scores.csv"
    assert cli("openrca", "score", path, questions, "--out", out)[0] == 0
    with out.open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert tuple(rows[0]) == report.COLUMNS
    assert rows[2]["passed"] == "['2021-03-04 02:00:00']"
    assert rows[2]["failed"] == "['network latency']"
    assert (rows[2]["score"], rows[1]["score"], rows[2]["task_index"]) == ("0.5", "1.0", "task_4")
    assert rows[2]["answer"] == RIGHT[2].replace("network", "no")
    assert rows[2]["groundtruth"] == queries.scoring_points([RECORDS[2]], queries.TASKS["task_4"])
    assert report.read(out) == [
        Mark(task, value) for task, value in zip(TASKS, (0.67, 1.0, 0.5, 0, 0.67, 1), strict=True)
    ]


def test_a_file_of_scores_is_replaced(predictions, questions, tmp_path, cli):
    path, out = predictions(["prediction"], [[text] for text in RIGHT]), tmp_path / "scores.csv"
    for _ in range(2):
        assert cli("openrca", "score", path, questions, "--out", out)[0] == 0
    assert len(report.read(out)) == 6


def test_a_report_sums_up_by_difficulty(tmp_path, predictions, questions, cli):
    out = tmp_path / "scores.csv"
    cli(
        "openrca",
        "score",
        predictions(["prediction"], [[text.replace("network", "no")] for text in RIGHT]),
        questions,
        "--out",
        out,
    )
    code, text, _ = cli("openrca", "report", out, out)
    assert code == 0
    assert [line.split() for line in text.splitlines()][1:] == [
        ["easy", "6", "4", "66.67%", "66.67%", "0.00%"],
        ["middle", "2", "0", "0.00%", "50.00%", "100.00%"],
        ["hard", "4", "0", "0.00%", "67.00%", "100.00%"],
        ["total", "12", "4", "33.33%", "64.00%", "50.00%"],
    ]
    code, text, _ = cli("openrca", "report", out, "--json")
    assert json.loads(text)["summary"][-1] == {
        "difficulty": "total",
        "questions": 6,
        "right": 2,
        "strict": pytest.approx(1 / 3),
        "mean": pytest.approx(0.64),
        "partly": 0.5,
    }


def test_scoring_prints_the_report_and_the_notes(predictions, questions, cli):
    path = predictions(["prediction", "row_id"], [[RIGHT[0], 0], ["", 1]])
    code, text, _ = cli("openrca", "score", path, questions)
    assert code == 0
    assert text.splitlines()[4].split() == ["total", "6", "1", "16.67%", "16.67%", "0.00%"]
    assert text.splitlines()[5:] == [
        "Note: 4 row_ids are missing and scored 0: 2, 3, 4, 5.",
        "Note: 1 prediction is empty and scored 0.",
    ]
    code, text, _ = cli("openrca", "score", path, questions, "--json")
    assert len(json.loads(text)["notes"]) == 2


def test_nothing_to_report_is_no_division_by_zero():
    assert {(line.questions, line.strict, line.mean) for line in report.summarise([])} == {(0, 0.0, 0.0)}


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("score\n1\n", "no column task_index"),
        ("task_index,score\ntask_1,\n", "line 2: '' is no score"),
        ("task_index,score\ntask_8,1\n", "no task 'task_8'"),
    ],
)
def test_a_file_that_holds_no_scores_says_why(tmp_path, cli, text, says):
    (tmp_path / "scores.csv").write_text(text)
    code, out, err = cli("openrca", "report", tmp_path / "scores.csv")
    assert (code, out) == (1, "")
    assert says in err
    assert err.count("\n") == 1


def test_the_official_file_is_read_too(tmp_path):
    path = tmp_path / "official.csv"
    path.write_text(
        "\ufeffquery,answer,groundtruth,passed,failed,score,task_index\nq,a,g,[],[],0.3333333333333333,task_6\n"
    )
    (mark,) = report.read(path)
    assert mark == Mark("task_6", pytest.approx(1 / 3))

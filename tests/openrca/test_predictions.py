"""The leaderboard's file: what the official script reads, from episodes that were played."""

from __future__ import annotations

import csv

import gymnasium as gym

from aiops_gym.cli import run
from aiops_gym.openrca import report


def read(path):
    """The rows of a CSV file."""
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_the_official_format_is_written_and_scores_what_was_played(tmp_path, capsys):
    env = gym.make("aiops_gym/OpenRCABank-v0", disable_env_checker=True)
    ids = [*env.unwrapped.problems][:3]
    queries = env.unwrapped.questions.folder("") / "query.csv"
    problems = [word for each in ids for word in ("--problem", each)]
    common = ("--task", "openrca_bank", *problems, "--workers", "0", "--out", tmp_path / "run")
    given = ("evaluate", "--agent", "reference,noop", *common, "--predictions", tmp_path / "files")
    assert run(list(map(str, given))) == 0, capsys.readouterr().err
    right, none = tmp_path / "files" / "reference-Bank.csv", tmp_path / "files" / "noop-Bank.csv"
    asked = read(queries)
    for path in (right, none):
        rows = read(path)
        assert path.read_bytes().startswith(b"row_id,task_index,instruction,prediction\n")
        assert [int(row["row_id"]) for row in rows] == [0, 1, 2]
        for row in rows:  # the official script drops rows with an empty cell, and compares what is left by place
            assert all(row.values())
            wanted = asked[int(row["row_id"])]
            assert (row["task_index"], row["instruction"]) == (wanted["task_index"], wanted["instruction"])
    few = tmp_path / "query.csv"
    with few.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(asked[0]))
        writer.writeheader()
        writer.writerows(asked[:3])
    assert [row.score for row in report.score_file(right, few)[0]] == [1.0] * 3
    assert [row.score for row in report.score_file(none, few)[0]] == [0.0] * 3

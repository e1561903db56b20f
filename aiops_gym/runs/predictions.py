"""Files of predictions as the leaderboard of OpenRCA takes them, from the episodes of an evaluation."""

from __future__ import annotations

import csv
import json
import re
from io import StringIO
from pathlib import Path

from aiops_gym.files import write
from aiops_gym.openrca import answers
from aiops_gym.openrca.problems import system_of
from aiops_gym.openrca.report import Mark
from aiops_gym.runs.episode import Episode
from aiops_gym.runs.merged import Merged

COLUMNS = ("row_id", "task_index", "instruction", "prediction")

NOTHING = "No root cause was submitted."
"""Stands where there is no answer: the official script refuses a file with an empty cell, all of it."""

_ISSUE = re.compile(r"^## ISSUE:\n\n(.*?)\n\n## ", re.MULTILINE | re.DOTALL)


def write_predictions(merged: Merged, folder: Path) -> dict[Path, list[Mark]]:
    """Write a file an agent and system, `rules-Bank.csv`; of several seeds the first counts.

    Returns:
        Of each file the scores of its rows, for `openrca.report.summarise`.
    """
    tables: dict[Path, dict[int, Episode]] = {}
    for place, entry in sorted(merged.places, key=lambda each: each[1].name):
        episode = place.load(entry) or place.load_unfinished(entry)
        system = system_of(episode.problem_id) if episode is not None else None
        if episode is not None and system is not None:
            path = folder / f"{entry.agent}-{system[0].prefix(system[1])}.csv"
            tables.setdefault(path, {}).setdefault(int(episode.problem_id.rpartition("-")[2]), episode)
    found = {}
    for path, rows in tables.items():
        text = StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(COLUMNS)
        writer.writerows([row, *_told(rows[row])] for row in sorted(rows))
        write(path, text.getvalue())
        found[path] = [Mark(_told(each)[0], each.results.get("official_score", 0.0)) for each in rows.values()]
    return found


def _told(episode: Episode) -> tuple[str, str, str]:
    """Task, instruction and prediction."""
    issue = _ISSUE.search(episode.prompt)
    said = answers.format_official(json.loads(episode.submitted)) if episode.submitted else ""
    return episode.problem_id.split("-")[-2], issue[1] if issue else "", said or NOTHING

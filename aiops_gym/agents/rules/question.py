"""What the prompt asks, and the tables that tools print."""

from __future__ import annotations

import csv
import re
from collections.abc import Collection
from dataclasses import dataclass

from aiops_gym.openrca import queries

_SECTION = re.compile(r"^## (.+?):\n\n(.*?)(?=\n\n## |\Z)", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Question:
    """One question.

    Attributes:
        start: of the window, Unix seconds, as `end`.
        failures: how many to find.
        asked: of time, component and reason.
        tools: names of those that may be called.
    """

    components: tuple[str, ...]
    reasons: tuple[str, ...]
    start: int
    end: int
    failures: int
    asked: tuple[str, ...]
    tools: frozenset[str]


def read(prompt: str) -> Question:
    """The question of a prompt.

    Raises:
        KeyError: it is no prompt of a recorded incident.
    """
    sections = dict(_SECTION.findall(prompt))
    issue = sections["ISSUE"]
    start, end = queries.parse_window(issue)
    return Question(
        components=_listed(sections["POSSIBLE ROOT CAUSE COMPONENTS"]),
        reasons=_listed(sections["POSSIBLE ROOT CAUSE REASONS"]),
        start=start // 1000,
        end=end // 1000,
        failures=queries.count_failures(issue),
        asked=queries.parse_asked(issue),
        tools=frozenset(re.findall(r"^(\w+)\(", sections["AVAILABLE APIS"], re.MULTILINE)),
    )


def _listed(text: str) -> tuple[str, ...]:
    return tuple(re.findall(r"^- (.+)$", text, re.MULTILINE))


_NUMBER = re.compile(r"(?:-?\d+(?:\.\d+)?(?:e[+-]?\d+)?)?")
_NUMBERS = ("z", "samples", "before", "during", "count", "errors", "errors_before")
_FORMS = {
    **dict.fromkeys((*_NUMBERS, "mean", "mean_before", "p95", "p95_before"), _NUMBER),
    "first": re.compile(r"(?:\d{4}-\d\d-\d\d \d\d:\d\d:\d\d)?"),
}
"""What the cells of a column look like; the environment may have cut a long text anywhere."""


def parse_table(text: str, columns: Collection[str] = ()) -> list[dict[str, str]]:
    r"""The rows of a table without its notes; none of what is no table, or lacks a column. Broken rows are left out.

    >>> parse_table("# a note\nname,z\na,1\nb,1[...\n# 3 rows left out.", ("name", "z"))
    [{'name': 'a', 'z': '1'}]
    """
    reader = csv.DictReader([line for line in text.splitlines() if not line.startswith("# ")])
    if not {*columns} <= {*(reader.fieldnames or ())}:
        return []
    return [row for row in reader if None not in row and None not in row.values() and _is_whole(row)]


def _is_whole(row: dict[str, str]) -> bool:
    return all(form.fullmatch(row[name]) for name, form in _FORMS.items() if name in row)

"""What a parsed script says of itself before it runs; see `parser` for its form."""

from __future__ import annotations

import re

from aiops_gym.types import Json

LINES_READ = re.compile(r"head(?: -n ?(\d{1,6})| -(\d{1,6}))?")


def find_only(node: Json) -> Json | None:
    """The simple command that all of an "andor" node is; None for others."""
    if len(node[1]) != 1:
        return None
    _, stages, negated, timed = node[1][0][1]
    return stages[0] if len(stages) == 1 and stages[0][0] == "simple" and not negated and not timed else None


def list_only_pipe(node: Json) -> list[Json]:
    """The commands of a list that is one pipeline and nothing else; none for others."""
    items = node[1]
    if len(items) != 1 or items[0][1] or len(items[0][0][1]) != 1:
        return []
    _, stages, negated, timed = items[0][0][1][0][1]
    return [] if negated or timed else list(stages)


def count_lines_read(stage: Json) -> int:
    """How many lines `head` reads before it ends, -1 for other commands."""
    words = (
        ["".join(part[1] for part in word if part[0] in ("lit", "quo")) for word in stage[2]]
        if stage[0] == "simple"
        else []
    )
    given = LINES_READ.fullmatch(" ".join(words))
    return int(given[1] or given[2] or 10) if given and not stage[3] else -1

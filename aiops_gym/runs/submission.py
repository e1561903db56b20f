"""A submission: all episodes of an evaluation in one file, a line each, after a line that says what was asked for."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from dataclasses import asdict, fields
from pathlib import Path

from aiops_gym.errors import AiopsGymError
from aiops_gym.files import write
from aiops_gym.runs.episode import Episode
from aiops_gym.runs.merged import Merged
from aiops_gym.version import __version__

FORMAT = 1

PACKED = ".gz"
"""End of the name of a file that is compressed; episodes shrink to a tenth."""


def write_submission(merged: Merged, path: Path) -> int:
    """Write the episodes of an evaluation to a file, those in which the agent gave up too; how many there are.

    The same episodes give the same bytes: what a clock on the wall showed is left out.
    """
    rows, missing = [], []
    for folder, entry in merged.places:
        episode = folder.load(entry) or folder.load_unfinished(entry)
        if episode is None:
            missing.append(entry.name)
        else:
            rows.append(asdict(episode) | {"agent": entry.agent, "wall_clock": {}})
    head = {"submission": FORMAT, "version": __version__, "agents": list(merged.agents), "missing": missing}
    lines = (json.dumps(each, ensure_ascii=False, allow_nan=False) + "\n" for each in (head, *rows))
    content = "".join(lines).encode()
    write(path, gzip.compress(content, mtime=0) if path.suffix == PACKED else content)
    return len(rows)


def read_submission(path: Path) -> Iterator[Episode]:
    """The episodes of a submission, one at a time.

    Raises:
        AiopsGymError: it is none, or one of another format.
    """
    known = {each.name for each in fields(Episode)}
    try:
        with gzip.open(path, "rb") if path.suffix == PACKED else path.open("rb") as file:
            head = json.loads(file.readline())
            if not isinstance(head, dict) or head.get("submission") != FORMAT:
                raise ValueError(f"its first line says nothing of a submission of format {FORMAT}")
            for line in file:
                yield Episode(**{name: value for name, value in json.loads(line).items() if name in known})
    except (OSError, EOFError, ValueError, TypeError, AttributeError) as error:
        raise AiopsGymError(f"{path} is no submission: {error}") from None

"""Whether telemetry was recorded in a company or made up: the mark that the synthesizer leaves in its folders.

It stands in the domain's folder and in that of each day, so that a part that is copied elsewhere still says so.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

MARK = "synthetic.json"
"""File that tells how the telemetry beside it was made. What has none is taken for recorded."""

ORIGINAL, SYNTHETIC = "original", "synthetic"


def mark(folder: Path, how: Mapping[str, Any]) -> None:
    """Say that what is in a folder was made up, and how."""
    (folder / MARK).write_text(json.dumps(dict(how), indent=2) + "\n", encoding="utf-8")


def read_origin(folder: Path) -> str:
    """`synthetic` where the folder of a domain, or a day in it, says that it was made up; else `original`."""
    marks = ((folder / MARK), *(folder / "telemetry").glob(f"*/{MARK}"))
    return SYNTHETIC if any(each.is_file() for each in marks) else ORIGINAL

"""Small data sets of recorded telemetry, written row by row."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Sequence
from datetime import date
from pathlib import Path

from aiops_gym.openrca import clock, layout
from aiops_gym.openrca.domains import find
from aiops_gym.openrca.model import Table

DAY = date(2021, 3, 4)
START = clock.parse(DAY)
"""Unix milliseconds at which the day begins."""


def table(domain: str, name: str) -> Table:
    """A table of a domain by the name of its file."""
    return next(each for each in find(domain)[0].tables if each.name == name)


def folder(root: Path, domain: str) -> Path:
    """The folder of a domain (of the first cloudbed)."""
    return root / next(iter(find(domain)[0].folders.values()))


def write(
    root: Path, domain: str, name: str, rows: Iterable[Sequence[object]], day: date = DAY, end: str = "\n"
) -> Path:
    """Write one CSV file of a day, with the columns of its table."""
    known = table(domain, name)
    path = layout.table_file(folder(root, domain), day, known)
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator=end)
        writer.writerow(known.names)
        writer.writerows(rows)
    return path


def spans(count: int, step: int = 100) -> list[list[object]]:
    """Spans of the bank, one every `step` milliseconds."""
    return [
        [START + place * step, f"Tomcat0{place % 4 + 1}", f"p{place}", f"s{place}", f"t{place // 8}", place % 97]
        for place in range(count)
    ]

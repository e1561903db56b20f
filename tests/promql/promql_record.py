"""What a real Prometheus answered, kept for machines without one.

With tests/promql on the path, `python tests/promql/promql_record.py` asks it anew.
"""

from __future__ import annotations

import gzip
import json
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import promql_judge
import promql_samples
from promql_cases import Case, draw, write
from promql_replies import AGAIN, judge, real

KEPT = Path(__file__).parent / "recorded.json.gz"
SEED = 4
QUERIES = 900
"""Drawn ones; what is large is left out."""

LONGEST = 6_000
"""Characters of an answer."""


def list_cases() -> list[Case]:
    """All that is asked."""
    return [*write(SEED), *draw(SEED, QUERIES)]


def _answer(address: str) -> Iterator[tuple[Case, Any]]:
    """The cases to which the real one has an answer of its own, the same each time."""
    samples = promql_samples.draw(SEED)
    for case in list_cases():
        reply = real(address, case)
        short = len(json.dumps(reply)) <= LONGEST
        if short and all(real(address, case) == reply for _ in range(AGAIN)):
            if wrong := judge(address, samples, case, reply):
                raise SystemExit(wrong)
            yield case, reply


def record() -> None:
    """Ask, and keep."""
    with (
        tempfile.TemporaryDirectory() as folder,
        promql_judge.start(promql_samples.draw(SEED), Path(folder)) as address,
    ):
        rows = list(_answer(address))
    with KEPT.open("wb") as raw, gzip.GzipFile(fileobj=raw, mode="wb", filename="", mtime=0) as file:
        file.write(json.dumps(rows, separators=(",", ":")).encode())
    print(f"{len(rows)} answers, {KEPT.stat().st_size:,} bytes")


def read() -> list[tuple[Case, Any]]:
    """The cases and their answers."""
    return [((path, form), tuple(reply)) for (path, form), reply in json.loads(gzip.decompress(KEPT.read_bytes()))]


if __name__ == "__main__":
    record()

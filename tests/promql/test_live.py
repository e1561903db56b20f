"""Ours answers what a real Prometheus does, over the same samples: written and drawn queries, errors, other paths."""

from __future__ import annotations

import shutil
from pathlib import Path

import promql_judge
import promql_samples
import pytest
from promql_cases import draw, write
from promql_replies import judge

SEEDS = (1, 2, 3)
QUERIES = 1000
"""For each seed."""

pytestmark = pytest.mark.skipif(
    not (shutil.which("prometheus") and shutil.which("promtool")), reason="no prometheus here"
)


@pytest.mark.parametrize("seed", SEEDS)
def test_both_answer_the_same(seed: int, tmp_path: Path) -> None:
    samples = promql_samples.draw(seed)
    with promql_judge.start(samples, tmp_path) as address:
        wrong = [text for case in (*write(seed), *draw(seed, QUERIES)) if (text := judge(address, samples, case))]
    assert not wrong, f"{len(wrong)}:\n" + "\n".join(wrong[:10])

"""Ours answers what a real jq 1.6 does, on programs drawn anew."""

from __future__ import annotations

import subprocess

import pytest

from tests.sim.jq.jq_cases import REAL, ask_ours, ask_real, draw_calls

SEEDS = (11, 12)
CALLS = 400
"""For each seed."""

FEWEST = 0.97
"""Of the calls that answer the same: which of two errors is told first, and what 1.6 takes for a path, differ."""


def _version() -> str:
    return subprocess.run([REAL, "--version"], capture_output=True, text=True, check=False).stdout if REAL else ""


pytestmark = [
    pytest.mark.full,
    pytest.mark.skipif(not _version().startswith("jq-1.6"), reason="no jq 1.6 here"),
]


@pytest.mark.parametrize("seed", SEEDS)
def test_both_print_the_same(seed):
    calls = draw_calls(seed, CALLS)
    answers = [(words, stdin, real) for words, stdin in calls if (real := ask_real(words, stdin)) is not None]
    wrong = [
        (words, stdin, real[::2], ours[::2])
        for words, stdin, real in answers
        if (ours := ask_ours(words, stdin))[::2] != real[::2]
    ]
    assert len(answers) > CALLS * 0.9
    assert len(wrong) <= (1 - FEWEST) * len(answers), wrong

"""Whatever is written into objects by hand, status included, no action raises or hangs, and nor does the judge.

Each round forks one episode, writes fields of its objects through kubectl, lets some time pass, in every third an hour,
and reads the world in turn with all there is to read it with. `hunt.py` does the same at any length.
"""

from __future__ import annotations

import pytest
from fuzzing import PROBLEMS, Round
from samples import some_rows

SEEDS, WRITES = range(10), 2000
"""Ten rounds: twenty thousand writes; `hunt.py` plays as many as one likes."""
FEW = 50


def _told(played: Round) -> str:
    return "\n\n".join(str(failure) for failure in played.play())


@pytest.mark.parametrize(("problem", "seed"), some_rows([(PROBLEMS[0], 1000), (PROBLEMS[1], 1001)], 2))
def test_a_few_fields_written_by_hand_break_nothing(problem, seed):
    assert not _told(Round(problem, seed, FEW, many=1, minutes=10))


@pytest.mark.full
@pytest.mark.parametrize("seed", SEEDS)
def test_twenty_thousand_fields_written_by_hand_break_nothing(seed):
    minutes = 60 if seed % 3 == 0 else 20
    assert not _told(Round(PROBLEMS[seed % len(PROBLEMS)], seed, WRITES, minutes=minutes))

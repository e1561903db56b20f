"""Ours does what the real kubectl does for command lines that nobody wrote down: drawn from `grammar.py`.

The same ones each time; `draw.py` draws others, as many as one likes. Only a kubectl of 1.32 can judge them, as nobody
has looked what a newer one says to each.
"""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest
import worlds
from drawn import Drawn
from grammar import cases
from hypothesis import HealthCheck, Phase, assume, given, settings
from known import why_different
from sides import EMULATED, Case, kubectl

EXAMPLES = 250


@pytest.fixture(scope="module")
def drawn() -> Iterator[Drawn]:
    program = kubectl()
    if program is None or program.version != EMULATED:
        pytest.skip("no kubectl of 1.32 here")
    with Drawn(int(time.time() * 1000) - worlds.LIFE) as opened:
        yield opened


@settings(
    max_examples=EXAMPLES,
    derandomize=True,
    deadline=None,
    database=None,
    phases=[Phase.generate, Phase.shrink],
    suppress_health_check=list(HealthCheck),
)
@given(case=cases())
def test_whatever_is_asked_is_answered_alike(drawn: Drawn, case: Case) -> None:
    assume(not why_different(case.id))
    difference = drawn.difference(case)
    assert not difference, f"{case.id}\n{difference}"

"""Lines that the real kubectl's own reference gives: ours answers as the real one did, and as it does now.

The sample is recorded; all lines run where there is a kubectl of 1.32. `known.py` has the reason of each difference.
"""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import replace

import derive
import live
import pytest
import recording
import reference
import worlds
from compare import differences
from known import why_any_order, why_different
from sides import EMULATED, kubectl

EQUAL = 0.985
"""The share of all lines that must be answered alike: of a seed that nobody had looked at, 3,169 of 3,197 were."""

SECONDS = 4.0
"""What a real command may have taken where the sample was recorded."""


def told(found: Iterable[tuple[str, str]]) -> str:
    return "\n\n".join(f"{name}\n{difference}" for name, difference in found)


@pytest.mark.parametrize("state", derive.STATES)
def test_the_sample_is_answered_as_recorded(state: str) -> None:
    world, answers = recording.read(state, derive.recorded(state))
    cases = {case.id: case for case in derive.sample()}
    assert len(answers) > 50 and set(answers) <= set(cases)
    slow = {name: replace(answer, seconds=SECONDS) for name, answer in answers.items()}
    found = {name: differences(cases[name], world, slow[name], bool(why_any_order(name))) for name in slow}
    wrong = [(name, text) for name, text in found.items() if text and not why_different(name)]
    assert not wrong, told(wrong)


def test_there_are_three_thousand_lines_and_every_flag_is_among_them() -> None:
    cases = derive.cases()
    typed = {(case.words[0], word.split("=")[0]) for case in cases for word in case.words if word.startswith("--")}
    asked = [
        (command.path.split()[0], f"--{flag.name}")
        for command in reference.commands()
        if command.path and command.path not in derive.FOREIGN
        for flag in command.flags
        if flag.name not in derive.NEVER
    ]
    assert len(cases) >= 3_000
    assert sum(pair in typed for pair in asked) >= 0.97 * len(asked)  # some were drawn by their letter only


@pytest.mark.full
def test_the_reference_is_the_binarys_own() -> None:
    program = kubectl()
    if program is None or program.version != EMULATED:
        pytest.skip("no kubectl of 1.32 here")
    assert list(reference.read(program.path)) == list(reference.commands())


@pytest.mark.full
def test_what_is_mistyped_is_refused_in_the_same_words() -> None:
    program = kubectl()
    if program is None or program.version != EMULATED:
        pytest.skip("no kubectl of 1.32 here")
    outcomes = list(live.run(derive.mistyped(), int(time.time() * 1000) - worlds.LIFE))
    assert len(outcomes) > 800
    found = [(outcome.case.id, outcome.difference) for outcome in outcomes if outcome.difference]
    wrong = [(name, difference) for name, difference in found if not why_different(name)]
    assert not wrong, told(wrong)


@pytest.mark.full
@pytest.mark.parametrize("part", range(4))
def test_nearly_all_lines_are_answered_alike_now(part: int) -> None:
    program = kubectl()
    if program is None or program.version != EMULATED:
        pytest.skip("no kubectl of 1.32 here")
    outcomes = list(live.run(derive.cases()[part::4], int(time.time() * 1000) - worlds.LIFE))
    wrong = [(outcome.case.id, outcome.difference) for outcome in outcomes if outcome.difference]
    assert len(wrong) <= (1 - EQUAL) * len(outcomes), told(wrong)

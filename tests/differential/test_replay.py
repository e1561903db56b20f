"""Ours does what the real kubectl was recorded to do."""

from __future__ import annotations

import live
import pytest
import recording
from compare import differences
from known import why_any_order, why_different
from sides import Case


def params() -> list[object]:
    found = []
    for case in live.cases():
        why = why_different(case.id)
        marks = [pytest.mark.xfail(reason=why, strict=True)] if why else []
        found.append(pytest.param(case, id=case.id, marks=marks))
    return found


@pytest.mark.parametrize("case", params())
def test_ours_answers_as_recorded(case: Case) -> None:
    world, answers = recording.read(case.state)
    here = live.named(case, world)
    assert differences(here, world, answers[case.id], bool(why_any_order(case.id))) == ""


def test_nearly_all_cases_are_equal() -> None:
    ids = [case.id for case in live.cases()]
    different = [name for name in ids if why_different(name)]
    assert len(ids) >= 1_000
    assert len(different) <= len(ids) // 100

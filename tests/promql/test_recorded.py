"""Ours answers what a real Prometheus did, in a sample of the cases of `test_live.py`."""

from __future__ import annotations

import promql_samples
import pytest
from promql_compare import differ
from promql_record import KEPT, SEED, list_cases, read
from promql_replies import ours

from aiops_gym.sim.promql.signatures import SIGNATURES


@pytest.fixture(scope="module")
def recorded():
    return read()


def test_the_real_one_answered_the_same(recorded) -> None:
    samples = promql_samples.draw(SEED)
    told = [(case, differ(case[1].get("query", ""), reply, ours(samples, case))) for case, reply in recorded]
    wrong = [f"{case}\n    {text}" for case, text in told if text]
    assert not wrong, f"{len(wrong)}:\n" + "\n".join(wrong[:10])


def test_the_sample_is_of_what_is_asked_today(recorded) -> None:
    asked = list_cases()
    assert all(case in asked for case, _ in recorded)
    assert KEPT.stat().st_size < 300_000


def test_the_sample_has_everything(recorded) -> None:
    text = "\n".join(form.get("query", "") for (_, form), _ in recorded)
    missing = [name for name in SIGNATURES if f"{name}(" not in text]
    missing += [
        word
        for word in ("group_right", "unless", "atan2", "bool", "ignoring", "start()", "offset -")
        if word not in text
    ]
    assert not missing
    statuses = [reply[0] for _, reply in recorded]
    assert len(statuses) > 700
    assert statuses.count(400) > 100
    assert statuses.count(422) > 15

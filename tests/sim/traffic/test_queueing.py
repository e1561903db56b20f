"""A processor serves what it can; who waits too long leaves."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from aiops_gym.sim.traffic.queueing import BACKLOG, find_waits, mean_wait, solve_queue

rates = st.floats(0.0, 5_000.0)
works = st.floats(0.01, 500.0)
cores = st.floats(0.05, 16.0)


@given(rates, works, cores)
def test_any_load_gives_probabilities_and_a_wait_within_patience(rate, work, capacity):
    found = solve_queue(rate, work, capacity)
    assert 0.0 <= found.loss <= 1.0
    assert 0.0 <= found.wait <= 1.0
    assert 0.0 <= found.mean <= BACKLOG + 1e-6


@given(st.floats(1.0, 400.0), st.floats(0.5, 50.0))
def test_more_load_never_waits_less_or_loses_less(rate, work):
    light, heavy = solve_queue(rate, work, 1.0), solve_queue(rate * 1.3, work, 1.0)
    assert heavy.mean >= light.mean - 1e-6
    assert heavy.loss >= light.loss - 1e-9


@pytest.mark.parametrize(("load", "share"), [(2.0, 0.5), (4.0, 0.75), (1.25, 0.2)])
def test_an_overloaded_processor_serves_its_capacity(load, share):
    assert solve_queue(load * 100.0, 10.0, 1.0).loss == pytest.approx(share, abs=0.01)


def test_a_light_load_waits_as_long_as_the_textbook_says():
    assert solve_queue(50.0, 10.0, 1.0).mean == pytest.approx(0.5 * 10.0 / (1 - 0.5), rel=1e-3)


@pytest.mark.parametrize("slack", [0.09, 0.0001, 0.0, -0.0001, -0.09, -5.0])
def test_the_mean_of_drawn_waits_is_the_mean(slack):
    drawn = find_waits((np.arange(4_000) + 0.5) / 4_000, slack)
    assert drawn.mean() == pytest.approx(mean_wait(slack), rel=0.01)

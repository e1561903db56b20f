"""What the benchmark of vectors promises, with room for a busy machine."""

from __future__ import annotations

import statistics

import pytest

from aiops_gym.cli.benches import vectors

ROUNDS = 3


def cpu(taken):
    return statistics.median(each.cpu for each in taken)


def test_two_workers_wait_at_the_same_time():
    one, two = (vectors.time_waiting(n, ROUNDS) for n in (1, 2))
    assert two > 1.5 * one


@pytest.mark.parametrize("n", [2, 16])
def test_a_step_costs_this_vector_less_than_gymnasiums(n):
    """Processor time, which other programs do not change much."""
    taken = vectors.time_idling(n, 7)
    assert cpu(taken["in process"]) < cpu(taken["sync"])
    assert cpu(taken["async"]) > 2 * cpu(taken["in process"])


def test_one_process_needs_less_for_short_steps_than_many():
    taken = vectors.time_stepping(4, ROUNDS, "no call")
    assert cpu(taken["async"]) > 1.2 * cpu(taken["in process"])


def test_whole_episodes_end_at_different_times_and_begin_anew():
    taken = vectors.time_playing(2, ROUNDS)
    assert list(taken) == ["in process", "async"]
    assert all(len(each) == ROUNDS and min(each).cpu > 0 for each in taken.values())

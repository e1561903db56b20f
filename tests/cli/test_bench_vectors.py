"""What the benchmark of vectors promises, with room for a busy machine."""

from __future__ import annotations

import resource

from aiops_gym.cli.benches import vectors

ROUNDS = 3


def cpu_seconds() -> float:
    """Of this process, and of all it started that have ended."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(each.ru_utime + each.ru_stime for each in used)


def test_two_workers_wait_at_the_same_time():
    one, two = (vectors.waiting(n, ROUNDS) for n in (1, 2))
    assert two > 1.5 * one


def test_one_process_needs_less_for_short_steps_than_many(monkeypatch):
    """Processor time, which other programs do not change: sending texts between processes costs more than the steps."""
    monkeypatch.setattr(vectors, "LOOK", "no call")
    monkeypatch.setattr(vectors, "STEPS", 400)
    vectors.working("in process", 4, 1)
    needed = []
    for kind in ("in process", "async"):
        before = cpu_seconds()
        vectors.working(kind, 4, ROUNDS)
        needed.append(cpu_seconds() - before)
    assert needed[1] > 1.2 * needed[0]

"""Where the time goes: what is busy is found to be."""

import signal
from pathlib import Path

import pytest

import aiops_gym
from aiops_gym.cli.benches.shares import OTHER, PARTS, measure_shares
from aiops_gym.sim.kernel import draws
from aiops_gym.sim.traffic.inputs import mentions


@pytest.mark.parametrize(
    ("part", "work"),
    [
        ("traffic and network", lambda: mentions(b"10.1.2.3 " * 2_000)),
        ("state and time", lambda: [draws.bits(1, "purpose", "", number) for number in range(500)]),
        (OTHER, lambda: sum(range(20_000))),
    ],
)
def test_a_part_that_alone_is_busy_has_nearly_all_of_it(part, work):
    found = measure_shares(work, 0.3)
    assert sum(found.values()) == pytest.approx(100)
    assert found[part] > 80


def test_the_clock_is_put_back_even_after_an_error():
    before = signal.getsignal(signal.SIGPROF)
    with pytest.raises(ZeroDivisionError):
        measure_shares(lambda: 1 // 0, 0.1)
    assert signal.getsignal(signal.SIGPROF) is before
    assert signal.getitimer(signal.ITIMER_PROF) == (0.0, 0.0)


def test_each_folder_that_is_named_exists():
    root = Path(aiops_gym.__file__).parent
    assert [each for folders in PARTS.values() for each in folders if not (root / each).exists()] == []

"""Containers that outgrow their memory limit, and processors that are given in small parts."""

from __future__ import annotations

import pytest

from aiops_gym.sim.kube_control.kubelet import memory
from aiops_gym.sim.traffic import quotas

MIB = 1 << 20


def _limited(tiny, **limits):
    key = tiny.pod("cache-0", "memcached", resources={"limits": limits})
    quotas.note(tiny.world)
    return key


def _level(tiny, key):
    """Bytes that the idle process grows to."""
    return tiny.world.table("processes")[key]["params"].get("memory", 3 * MIB)


@pytest.mark.parametrize(("limit", "passes"), [(1, True), (2, True), (2.9, True), (3.1, False), (64, False)])
def test_a_process_passes_a_limit_below_its_level(tiny, limit, passes):
    key = _limited(tiny, memory=str(int(limit * MIB)))
    assert _level(tiny, key) == 3 * MIB
    assert (memory.passes_in(tiny.world, key) is not None) == passes


def test_the_nearer_the_limit_is_to_the_level_the_later_it_is_passed(tiny):
    assert memory.passes_in(tiny.world, _limited(tiny, memory="1Mi")) == memory.SOONEST
    tiny.world.table("quotas").clear()
    assert memory.passes_in(tiny.world, _limited(tiny, memory=str(int(2.9 * MIB)))) > 10_000


def test_without_a_limit_nothing_is_planned(tiny):
    _limited(tiny)
    memory.observe(tiny.world)
    assert not tiny.world.table("memory_ends")


def test_the_kernel_kills_what_outgrew_its_limit_and_nothing_else(tiny):
    key = _limited(tiny, memory="1Mi")
    other = tiny.pod("cache-1", "memcached")
    memory.observe(tiny.world)
    tiny.world.dynamics.handlers.update(memory.HANDLERS)
    tiny.world.run(1_000)
    processes = tiny.world.table("processes")
    assert processes[key]["exit"]["reason"] == "OOMKilled"
    assert processes[key]["exit"]["code"] == 137
    assert processes[other]["running"]


def test_the_kernel_gives_no_less_than_a_hundredth_of_a_processor(tiny):
    assert quotas.find_quota(tiny.world, _limited(tiny, cpu="1m")).cpu == quotas.LEAST_CORES


def test_what_leaks_passes_any_limit_in_the_end(tiny):
    key = _limited(tiny, memory="64Mi")
    assert memory.passes_in(tiny.world, key) is None
    row = tiny.world.table("processes")[key]
    tiny.world.table("processes")[key] = {**row, "params": {**row["params"], "leak": MIB}}
    left = memory.passes_in(tiny.world, key)
    assert left == pytest.approx(61_000, abs=1_500), "the limit is 61 MiB above its level"
    memory.observe(tiny.world)
    assert any(entry[0] == tiny.world.now + left and entry[3] == "kubelet.memory" for entry in tiny.world.heap)

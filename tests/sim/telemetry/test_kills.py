"""What the kernel counts of processes that it killed for want of memory: as many as there were, whoever asks when."""

from __future__ import annotations

import numpy as np
import pytest

from aiops_gym.backends import Simulated
from aiops_gym.catalog import registry
from aiops_gym.sim.kernel.times import HOUR, MINUTE
from aiops_gym.sim.promql.series import Matcher
from aiops_gym.sim.telemetry.source import open_source

NAMESPACE = "test-hotel-reservation"


@pytest.fixture(scope="module")
def killed():
    """A world in which a database has a tenth of the memory that it needs, a few minutes later."""
    backend = Simulated(registry.find_problem("noop_detection_hotel_reservation-1"), 3, noise=False)
    done = backend.shell.run(f"kubectl set resources deploy/mongodb-rate --limits=memory=8Mi -n {NAMESPACE}")
    assert done.code == 0, done.stderr
    backend.world.run(4 * MINUTE)
    return backend


def read(world, name):
    found = open_source(world).select([Matcher("__name__", "=", name)], world.now - HOUR, world.now)
    return {dict(series.labels).get("node") or dict(series.labels)["instance"]: series for series in found}


def restarts(world):
    pods = [p for p in world.store.all("pods", NAMESPACE) if p["metadata"]["name"].startswith("mongodb-rate-")]
    ends = [s for p in pods for s in p["status"]["containerStatuses"] if "OOMKilled" in str(s)]
    return sum(s["restartCount"] for s in ends)


def test_each_kill_is_counted_on_its_node(killed):
    world = killed.world
    world.run(90_000)  # a scrape is due after the last kill
    worker, control = (read(world, "node_vmstat_oom_kill")[name] for name in ("kind-worker", "kind-control-plane"))
    assert worker.values[-1] >= restarts(world) >= 3
    assert (np.diff(worker.values) >= 0).all() and worker.values[0] == 0
    assert set(control.values) == {0.0}


def test_past_counts_stay_when_more_die_later_and_in_a_fork(killed):
    world = killed.world.fork()
    before = read(world, "node_vmstat_oom_kill")["kind-worker"]
    world.run(70 * MINUTE)
    after = read(world, "node_vmstat_oom_kill")["kind-worker"]
    assert after.values[0] >= before.values[-1] and (np.diff(after.values) >= 0).all()
    assert len(world.table("oom_kills")["kind-worker"]["times"]) < after.values[-1]  # older ones are a number only
    short = killed.world.fork()
    short.run(5 * MINUTE)
    again = dict(
        zip(*(column.tolist() for column in read(short, "node_vmstat_oom_kill")["kind-worker"][1:]), strict=True)
    )
    assert all(
        again[time] == value
        for time, value in zip(before.times.tolist(), before.values.tolist(), strict=True)
        if time in again
    )


def test_a_counter_inside_dies_with_its_container(killed):
    found = open_source(killed.world).select(
        [Matcher("__name__", "=", "container_oom_events_total"), Matcher("pod", "=~", "mongodb-rate.*")],
        killed.world.now - HOUR,
        killed.world.now,
    )
    assert found
    assert {float(value) for series in found for value in series.values if not np.isnan(value)} == {0.0}

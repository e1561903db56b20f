"""What the API server counts of writes: each that there was, whoever wrote it, and none for a look."""

from __future__ import annotations

import numpy as np
import pytest

from aiops_gym.backends import Simulated
from aiops_gym.catalog import registry
from aiops_gym.sim.kernel.times import HOUR, MINUTE
from aiops_gym.sim.promql.series import Matcher
from aiops_gym.sim.telemetry.source import open_source

NAMESPACE = "test-hotel-reservation"
NAME = "apiserver_request_total"


@pytest.fixture(scope="module")
def healthy():
    return Simulated(registry.find_problem("noop_detection_hotel_reservation-1"), 3, noise=False)


def read(world, **labels):
    asked = [Matcher("__name__", "=", NAME), *(Matcher(key, "=", value) for key, value in labels.items())]
    return {series.labels: series for series in open_source(world).select(asked, world.now - HOUR, world.now)}


def last(world, **labels):
    return sum(float(series.values[-1]) for series in read(world, **labels).values())


def grown(backend, **labels):
    """By how much a counter grows in four minutes."""
    before = last(backend.world, **labels)
    backend.world.run(4 * MINUTE)
    return last(backend.world, **labels) - before


def test_objects_that_are_made_and_removed_are_counted_one_by_one(healthy):
    backend = healthy.fork()
    backend.world.run(2 * MINUTE)
    before = {verb: last(backend.world, resource="configmaps", verb=verb) for verb in ("POST", "DELETE")}
    for name in "abc":
        assert backend.shell.run(f"kubectl create configmap {name} -n {NAMESPACE}").code == 0
    assert backend.shell.run(f"kubectl delete configmap a -n {NAMESPACE}").code == 0
    backend.world.run(2 * MINUTE)
    after = {verb: last(backend.world, resource="configmaps", verb=verb) for verb in ("POST", "DELETE")}
    assert {verb: after[verb] - before[verb] for verb in after} == {"POST": 3.0, "DELETE": 1.0}


def test_looking_is_no_write(healthy):
    backend = healthy.fork()
    before = dict(backend.world.table("writes"))
    assert backend.shell.run(f"kubectl get pods,events,deployments -n {NAMESPACE} -o yaml").code == 0
    assert backend.shell.run("kubectl get --raw /metrics").stdout.count(NAME) > 10
    assert dict(backend.world.table("writes")) == before


def test_a_pod_in_a_loop_keeps_the_kubelet_writing(healthy):
    looping = Simulated(registry.find_problem("misconfig_app_hotel_res-mitigation-1"), 3, noise=False)
    calm = healthy.fork()
    for resource in ("pods", "events"):
        assert grown(looping, verb="PATCH", resource=resource) > grown(calm, verb="PATCH", resource=resource) + 3


def test_counters_never_fall_and_stay_as_they_were_read(healthy):
    world = Simulated(registry.find_problem("misconfig_app_hotel_res-mitigation-1"), 3, noise=False).world
    before = read(world)
    world.run(40 * MINUTE)
    after = read(world)
    for labels, series in before.items():
        later = dict(zip(after[labels].times.tolist(), after[labels].values.tolist(), strict=True))
        assert (np.diff(after[labels].values) >= 0).all()
        told = zip(series.times.tolist(), series.values.tolist(), strict=True)
        assert all(later[time] == value for time, value in told if time in later)
    world.run(3 * HOUR)
    assert max(len(kept) for _, kept in world.table("writes").values()) <= 66


def test_a_restored_world_has_counted_the_same(healthy):
    backend = healthy.fork()
    backend.shell.run(f"kubectl create configmap x -n {NAMESPACE}")
    restored = Simulated.restored(backend.snapshot())
    assert read(restored.world).keys() == read(backend.world).keys()
    assert restored.world.table("writes") == backend.world.table("writes")

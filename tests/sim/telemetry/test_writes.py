"""What the API server counts of writes: each that there was, whoever wrote it, and none for a look."""

from __future__ import annotations

import numpy as np
import pytest

from aiops_gym.backends import Simulated
from aiops_gym.catalog import registry
from aiops_gym.sim.kernel.times import HOUR, MINUTE
from aiops_gym.sim.promql import evaluate
from aiops_gym.sim.promql.parser import parse
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


def told(world, name):
    """The newest value of each series of a metric, by its labels."""
    asked = [Matcher("__name__", "=", name)]
    found = open_source(world).select(asked, world.now - 2 * MINUTE, world.now)
    return {frozenset({*series.labels} - {("__name__", name)}): float(series.values[-1]) for series in found}


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


def test_requests_that_go_with_a_write_are_counted_beside_it(healthy):
    backend, made = healthy.fork(), {"verb": "POST", "code": "201"}
    world = backend.world
    world.run(2 * MINUTE)
    asked = (
        {**made, "resource": "pods", "subresource": ""},
        {**made, "resource": "pods", "subresource": "binding"},
        {**made, "resource": "serviceaccounts", "subresource": "token"},
    )
    before = [last(world, **labels) for labels in asked]
    assert backend.shell.run(f"kubectl scale deployment frontend -n {NAMESPACE} --replicas=4").code == 0
    world.run(2 * MINUTE)
    assert [last(world, **labels) - old for labels, old in zip(asked, before, strict=True)] == [3.0, 3.0, 3.0]
    assert read(world, verb="PATCH", resource="pods", subresource="status")
    assert not read(world, verb="PATCH", resource="pods", subresource="")


def test_each_request_but_a_watch_is_measured_once(healthy):
    world = healthy.fork().world
    world.run(2 * MINUTE)
    counted = {}
    for labels, value in told(world, NAME).items():
        if ("verb", "WATCH") not in labels:
            kept = frozenset((name, text) for name, text in labels if name != "code")
            counted[kept] = counted.get(kept, 0.0) + value
    assert len({dict(labels)["verb"] for labels in counted}) >= 5
    for name in ("apiserver_request_duration_seconds", "apiserver_request_sli_duration_seconds"):
        assert told(world, f"{name}_count") == counted
        buckets = told(world, f"{name}_bucket")
        everything = {labels - {("le", "+Inf")}: v for labels, v in buckets.items() if ("le", "+Inf") in labels}
        assert everything == counted
        assert all(buckets[labels | {("le", "0.005")}] <= value for labels, value in counted.items())


def test_lists_take_longer_than_looks_at_one_object(healthy):
    world = healthy.fork().world
    world.run(5 * MINUTE)
    query = (
        "histogram_quantile(0.5, sum by (verb, le) "
        "(rate(apiserver_request_duration_seconds_bucket{resource='pods'}[30m])))"
    )
    answer = evaluate.query(open_source(world), parse(query), world.now)
    medians = {dict(sample.labels)["verb"]: float(sample.values[-1]) for sample in answer.series}
    assert 0.0 < medians["GET"] < medians["LIST"] < 0.05


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

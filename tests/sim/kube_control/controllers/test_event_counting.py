"""Events: how they are counted, combined, held back and forgotten."""

from __future__ import annotations

from small_cluster import SmallCluster, deployment

from aiops_gym.sim.kernel.objects import Obj
from aiops_gym.sim.kube_control import events


def _pod(cluster: SmallCluster) -> Obj:
    cluster.apply(deployment("web", replicas=1))
    cluster.at(5)
    return cluster.pod()


def _told(cluster: SmallCluster, reason: str) -> list[Obj]:
    return [e for e in cluster.world.store.all("events", "ns") if e["reason"] == reason]


def test_equal_events_are_one_with_a_count() -> None:
    cluster = SmallCluster()
    pod = _pod(cluster)
    for _ in range(3):
        events.record(cluster.world, pod, "Warning", "Odd", "same", "kubelet", "node-1", "spec.containers{app}")
        cluster.world.run(10_000)
    (event,) = _told(cluster, "Odd")
    assert event["count"] == 3
    assert event["source"] == {"component": "kubelet", "host": "node-1"}
    assert event["involvedObject"]["fieldPath"] == "spec.containers{app}"
    assert event["lastTimestamp"] > event["firstTimestamp"]


def test_more_than_ten_similar_events_are_combined() -> None:
    cluster = SmallCluster()
    pod = _pod(cluster)
    for number in range(15):
        events.record(cluster.world, pod, "Warning", "Odd", f"number {number}", "kubelet", "node-1")
    told = _told(cluster, "Odd")
    combined = [e for e in told if e["message"].startswith("(combined from similar events): ")]
    assert len(told) == 10 and len(combined) == 1 and combined[0]["count"] == 6


def test_after_a_burst_only_one_in_five_minutes_is_written() -> None:
    cluster = SmallCluster()
    pod = _pod(cluster)
    for _ in range(40):
        events.record(cluster.world, pod, "Warning", "Odd", "same", "kubelet", "node-1")
        cluster.world.run(1_000)
    assert _told(cluster, "Odd")[0]["count"] == 25
    cluster.world.run(300_000)
    events.record(cluster.world, pod, "Warning", "Odd", "same", "kubelet", "node-1")
    assert _told(cluster, "Odd")[0]["count"] == 41


def test_a_repeated_event_of_the_scheduler_becomes_a_series() -> None:
    cluster = SmallCluster()
    pod = _pod(cluster)
    for _ in range(4):
        events.record_series(cluster.world, pod, "Warning", "FailedScheduling", "no room", "Scheduling")
        cluster.world.run(5_000)
    (event,) = _told(cluster, "FailedScheduling")
    assert event["series"]["count"] == 2 and event["lastTimestamp"] is None and event["source"] == {}


def test_events_that_nobody_renews_are_gone_after_an_hour() -> None:
    cluster = SmallCluster()
    _pod(cluster)
    assert cluster.world.store.all("events", "ns")
    cluster.at(3_500)
    assert cluster.world.store.all("events", "ns")
    cluster.at(3_800)
    assert cluster.world.store.all("events", "ns") == []
    assert cluster.world.table("correlator") == {}
    assert not [entry for entry in cluster.world.heap if entry[3] == "events.sweep"]


def test_names_of_events_never_collide() -> None:
    cluster = SmallCluster()
    pod = _pod(cluster)
    for number in range(60):
        events.record(cluster.world, pod, "Normal", f"Reason{number}", "text", "kubelet")
    assert len({e["metadata"]["name"] for e in cluster.world.store.all("events", "ns")}) >= 60

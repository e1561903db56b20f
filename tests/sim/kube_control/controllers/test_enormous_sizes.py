"""Workloads of more pods than any cluster has room for: what is made is bounded, and so is the time that it takes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from effort import calls
from small_cluster import SmallCluster, shell

from aiops_gym.sim.kube_control.jobs import pods
from aiops_gym.sim.kube_control.workloads import pod_control

SELECTOR = {"matchLabels": {"app": "web"}}
MOST = 2**31 - 1


def _workload(version: str, kind: str, **spec: Any) -> Mapping[str, Any]:
    pod: dict[str, Any] = {"containers": [{"name": "app", "image": "app:1", "command": shell("sleep 1000")}]}
    if kind == "Job":
        pod["restartPolicy"] = "Never"
    body = {"template": {"metadata": {"labels": {"app": "web"}}, "spec": pod}, **spec}
    return {"apiVersion": version, "kind": kind, "metadata": {"name": "web"}, "spec": body}


@pytest.mark.parametrize(
    "body",
    [
        _workload("apps/v1", "Deployment", replicas=MOST, selector=SELECTOR),
        _workload("v1", "ReplicationController", replicas=MOST, selector={"app": "web"}),
        _workload("apps/v1", "StatefulSet", replicas=MOST, selector=SELECTOR, podManagementPolicy="Parallel"),
        _workload("batch/v1", "Job", parallelism=MOST, completions=MOST),
        _workload("batch/v1", "Job", parallelism=100_000, completions=MOST, completionMode="Indexed"),
    ],
    ids=lambda body: body["kind"],
)
def test_a_workload_without_bounds_ends_where_the_store_is_full(body: Mapping[str, Any]) -> None:
    cluster = SmallCluster()
    cluster.apply(body)
    took = calls(lambda: cluster.at(5))
    assert 200 < len(cluster.world.store.all("pods")) <= 400
    assert any("database space exceeded" in text for text in cluster.events())
    assert took < 20_000_000


def test_no_more_pods_are_made_at_a_time_than_the_real_controllers_make(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pod_control, "BURST", 5)
    cluster = SmallCluster()
    cluster.apply(_workload("v1", "ReplicationController", replicas=12, selector={"app": "web"}))
    counts = []
    for _ in range(100):
        counts.append(len(cluster.pods()))
        cluster.world.run(1)
    assert [*dict.fromkeys(counts)] == [0, 5, 10, 12]


@pytest.mark.parametrize("text", ["0-9999999999", "²", "5-1", "a-b", "1,x,3-"])
def test_indexes_that_a_client_wrote_into_a_status_are_read_as_far_as_they_go(text: str) -> None:
    assert pods.parse_numbers(text, 4) == [n for n in range(4) if any(n in span for span in pods.parse_ranges(text))]

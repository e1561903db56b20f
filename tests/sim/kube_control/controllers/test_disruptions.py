"""Disruption budgets, and evictions that ask them."""

from __future__ import annotations

from typing import Any

from small_cluster import SmallCluster, deployment

from aiops_gym.sim import kube_api
from aiops_gym.types import Request, Response


def _budget(cluster: SmallCluster, **spec: Any) -> None:
    spec = {"selector": {"matchLabels": {"app": "web"}}, **spec}
    meta = {"name": "b", "namespace": "ns"}
    body = {"apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "metadata": meta, "spec": spec}
    kube_api.create(cluster.world, "poddisruptionbudgets.policy", body)


def _counts(cluster: SmallCluster) -> tuple[int, int, int, int]:
    status = cluster.get("poddisruptionbudgets.policy", "b")["status"]
    return tuple(status[n] for n in ("currentHealthy", "desiredHealthy", "disruptionsAllowed", "expectedPods"))  # type: ignore[return-value]


def _evict(cluster: SmallCluster, number: int = 0) -> Response:
    name = cluster.pods("web")[number]["metadata"]["name"]
    body = {"apiVersion": "policy/v1", "kind": "Eviction", "metadata": {"name": name, "namespace": "ns"}}
    return kube_api.handle(cluster.world, Request("create", "pods", "ns", name, subresource="eviction", body=body))


def test_a_budget_counts_healthy_pods() -> None:
    cluster = SmallCluster()
    _budget(cluster, maxUnavailable="30%")
    cluster.at(1)
    # once when it is new, and once more when its status was written
    assert cluster.events("b") == {"NoPods No matching pods found": 2}
    cluster.apply(deployment("web", replicas=4))
    cluster.at(10)
    assert _counts(cluster) == (4, 2, 2, 4)
    (found,) = cluster.get("poddisruptionbudgets.policy", "b")["status"]["conditions"]
    assert (found["type"], found["status"], found["reason"]) == ("DisruptionAllowed", "True", "SufficientPods")


def test_evictions_stop_where_the_budget_ends() -> None:
    cluster = SmallCluster()
    _budget(cluster, minAvailable=2)
    cluster.apply(deployment("web", replicas=3))
    cluster.at(10)
    assert _evict(cluster, 0).code == 201
    refused = _evict(cluster, 1)
    assert refused.code == 429
    assert refused.body["message"] == "Cannot evict pod as it would violate the pod's disruption budget."
    (cause,) = refused.body["details"]["causes"]
    assert cause["message"].startswith("The disruption budget b needs 2 healthy pods and has ")
    cluster.at(60)
    assert _counts(cluster) == (3, 2, 1, 3)
    assert _evict(cluster, 0).code == 201


def test_two_budgets_for_one_pod_are_not_supported() -> None:
    cluster = SmallCluster()
    cluster.apply(deployment("web"))
    cluster.at(5)
    _budget(cluster, minAvailable=0)
    other = {"name": "c", "namespace": "ns"}
    spec = {"minAvailable": 0, "selector": {"matchLabels": {"app": "web"}}}
    body = {"apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "metadata": other, "spec": spec}
    kube_api.create(cluster.world, "poddisruptionbudgets.policy", body)
    cluster.at(10)
    assert _evict(cluster).code == 500


def test_a_pod_that_is_not_ready_may_go_while_the_others_are_enough() -> None:
    cluster = SmallCluster()
    _budget(cluster, minAvailable=1)
    cluster.apply(deployment("web", replicas=1))
    cluster.at(10)
    assert _evict(cluster).code == 429
    probe = {"httpGet": {"port": 9, "path": "/"}}
    sick = {"containers": [{"name": "app", "image": "app:1", "readinessProbe": probe}]}
    meta = {"name": "web-sick", "labels": {"app": "web"}}
    cluster.apply({"apiVersion": "v1", "kind": "Pod", "metadata": meta, "spec": sick})
    cluster.at(30)
    assert _counts(cluster) == (1, 1, 0, 2)
    assert _evict(cluster, 1).code == 201


def test_a_pod_without_a_workload_cannot_be_counted_in_percent() -> None:
    cluster = SmallCluster()
    _budget(cluster, minAvailable="50%")
    pod = {"metadata": {"name": "web", "labels": {"app": "web"}}, "kind": "Pod", "apiVersion": "v1"}
    cluster.apply(pod | {"spec": {"containers": [{"name": "app", "image": "app:1"}]}})
    cluster.at(10)
    text = 'Failed to calculate the number of expected pods: found no controllers for pod "web"'
    assert f"CalculateExpectedPodCountFailed {text}" in cluster.events("b")

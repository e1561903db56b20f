"""Autoscalers: what they measure, what they ask for, and what they say when they cannot."""

from __future__ import annotations

from typing import Any

import pytest
from small_cluster import SmallCluster, deployment

from aiops_gym.sim import kube_api
from aiops_gym.sim.kernel.objects import Obj, get
from aiops_gym.sim.telemetry import usage

HPA = "horizontalpodautoscalers.autoscaling"
MISSING = (
    "failed to get cpu utilization: unable to get metrics for resource cpu: unable to fetch metrics from resource "
    "metrics API: the server could not find the requested resource (get pods.metrics.k8s.io)"
)


def _autoscale(cluster: SmallCluster, target: int = 50, **spec: Any) -> None:
    metric = {
        "type": "Resource",
        "resource": {"name": "cpu", "target": {"type": "Utilization", "averageUtilization": target}},
    }
    reference = {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web"}
    body = {"minReplicas": 1, "maxReplicas": 8, "metrics": [metric], "scaleTargetRef": reference, **spec}
    meta = {"name": "web", "namespace": "ns"}
    kube_api.create(
        cluster.world,
        HPA,
        {"apiVersion": "autoscaling/v2", "kind": "HorizontalPodAutoscaler", "metadata": meta, "spec": body},
    )


def _conditions(cluster: SmallCluster) -> dict[str, tuple[str, str]]:
    found = get(cluster.get(HPA, "web"), "status", "conditions", default=[])
    return {c["type"]: (c["status"], c["reason"]) for c in found}


def _size(cluster: SmallCluster) -> int:
    return int(cluster.get("deployments.apps", "web")["spec"]["replicas"])


@pytest.fixture
def load(monkeypatch: pytest.MonkeyPatch) -> dict[str, float]:
    """A metrics-server that reports `cores` for each pod."""
    given = {"cores": 0.05}

    def pod(world: Any, obj: Obj) -> dict[str, tuple[int, int]]:
        return {c["name"]: (int(given["cores"] * 1e9), 2**20) for c in obj["spec"]["containers"]}

    monkeypatch.setattr(usage, "measure_pod", pod)
    return given


def _measured() -> SmallCluster:
    cluster = SmallCluster()
    cluster.apply({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "kube-system"}})
    meta = {"name": "metrics-server", "namespace": "kube-system"}
    cluster.world.store.put("services", {"metadata": {**meta, "uid": "s"}, "spec": {"clusterIP": "10.96.0.9"}})
    subsets = [{"addresses": [{"ip": "10.244.0.250"}], "ports": [{"port": 10250}]}]
    cluster.world.store.put("endpoints", {"metadata": {**meta, "uid": "e"}, "subsets": subsets})
    cluster.apply(deployment("web", resources={"requests": {"cpu": "100m"}}))
    cluster.at(400)
    return cluster


def test_without_metrics_it_says_so_every_fifteen_seconds() -> None:
    cluster = SmallCluster()
    cluster.apply(deployment("web", resources={"requests": {"cpu": "10m"}}))
    _autoscale(cluster)
    cluster.at(40)
    text = f"invalid metrics (1 invalid out of 1), first error is: failed to get cpu resource metric value: {MISSING}"
    assert cluster.events("web")[f"FailedGetResourceMetric {MISSING}"] == 2
    assert cluster.events("web")[f"FailedComputeMetricsReplicas {text}"] == 2
    assert _conditions(cluster) == {
        "AbleToScale": ("True", "SucceededGetScale"),
        "ScalingActive": ("False", "FailedGetResourceMetric"),
    }
    assert _size(cluster) == 1


def test_load_makes_it_grow_and_it_shrinks_only_after_five_calm_minutes(load: dict[str, float]) -> None:
    cluster = _measured()
    _autoscale(cluster)
    load["cores"] = 0.15
    cluster.at(420)
    assert _size(cluster) == 3
    reason = "cpu resource utilization (percentage of request) above target"
    assert cluster.events("web")[f"SuccessfulRescale New size: 3; reason: {reason}"] == 1
    load["cores"] = 0.02
    cluster.at(640)
    assert _size(cluster) == 3
    assert _conditions(cluster)["AbleToScale"] == ("True", "ScaleDownStabilized")
    cluster.at(1200)
    assert _size(cluster) == 1
    assert cluster.events("web")["SuccessfulRescale New size: 1; reason: All metrics below target"] == 1


def test_it_grows_at_most_to_double_or_four_at_a_time_and_to_its_maximum(load: dict[str, float]) -> None:
    cluster = _measured()
    _autoscale(cluster)
    load["cores"] = 3.0
    cluster.at(416)
    assert _size(cluster) == 4
    assert _conditions(cluster)["ScalingLimited"] == ("True", "ScaleUpLimit")
    cluster.at(900)
    assert _size(cluster) == 8
    assert _conditions(cluster)["ScalingLimited"] == ("True", "TooManyReplicas")


def test_within_ten_percent_of_the_goal_nothing_moves(load: dict[str, float]) -> None:
    cluster = _measured()
    load["cores"] = 0.054
    _autoscale(cluster)
    cluster.at(600)
    assert _size(cluster) == 1
    assert _conditions(cluster) == {
        "AbleToScale": ("True", "ReadyForNewScale"),
        "ScalingActive": ("True", "ValidMetricFound"),
        "ScalingLimited": ("False", "DesiredWithinRange"),
    }
    current = cluster.get(HPA, "web")["status"]["currentMetrics"][0]["resource"]["current"]
    assert current == {"averageUtilization": 54, "averageValue": "54m"}


def test_a_policy_slows_it_down(load: dict[str, float]) -> None:
    cluster = _measured()
    slow = {"policies": [{"type": "Pods", "value": 1, "periodSeconds": 60}]}
    _autoscale(cluster, behavior={"scaleUp": slow})
    load["cores"] = 3.0
    cluster.at(440)
    assert _size(cluster) == 2
    cluster.at(500)
    assert _size(cluster) == 3


def test_a_target_of_zero_replicas_is_left_alone(load: dict[str, float]) -> None:
    cluster = _measured()
    _autoscale(cluster)
    cluster.change("deployments.apps", "web", {"replicas": 0})
    cluster.at(500)
    assert _size(cluster) == 0
    assert _conditions(cluster)["ScalingActive"] == ("False", "ScalingDisabled")


def test_a_target_outside_its_bounds_is_brought_back(load: dict[str, float]) -> None:
    cluster = _measured()
    _autoscale(cluster, minReplicas=2)
    cluster.at(420)
    assert _size(cluster) == 2
    text = "SuccessfulRescale New size: 2; reason: Current number of replicas below Spec.MinReplicas"
    assert cluster.events("web")[text] == 1


def test_a_missing_target_and_a_missing_request_are_told(load: dict[str, float]) -> None:
    cluster = SmallCluster()
    _autoscale(cluster)
    cluster.at(20)
    assert cluster.events("web")['FailedGetScale deployments/scale.apps "web" not found'] == 1
    cluster = _measured()
    cluster.apply(deployment("web"))
    _autoscale(cluster)
    cluster.at(500)
    assert any("missing request for cpu in container app of Pod web-" in text for text in cluster.events("web"))

"""Amounts that mean the same are the same, however they are written; a limit of nothing is none."""

from __future__ import annotations

import pytest

from aiops_gym.sim.kernel.objects import Obj
from aiops_gym.sim.kube_control.controllers import kubelet
from aiops_gym.sim.kube_control.kubelet.status import compute_qos_class
from aiops_gym.sim.machine import runtime
from aiops_gym.sim.machine.container import Container
from aiops_gym.sim.machine.scripts.memory import limit_of
from aiops_gym.sim.traffic import quotas
from tests.small_cluster import SmallCluster


@pytest.mark.parametrize(
    ("limits", "quota"),
    [
        ({"cpu": "0", "memory": "0"}, (None, 0.0)),
        ({"cpu": "1000m", "memory": "0.5Gi"}, (1.0, 2.0**29)),
        ({"cpu": "1e0", "memory": "512Mi"}, (1.0, 2.0**29)),
        ({"cpu": 1, "memory": "536870912"}, (1.0, 2.0**29)),
        ({"cpu": "1m"}, (quotas.LEAST_CORES, 0.0)),
    ],
)
def test_limits(tiny, limits, quota):
    key = tiny.pod("x", "memcached", resources={"limits": limits})
    found = quotas.find_quota(tiny.world, key)
    assert (found.cpu, found.memory) == quota
    assert limit_of(Container(tiny.world, key)) == (quota[1] or 8 * 2**30)


HALF = {"cpu": "500m", "memory": "1Gi"}


@pytest.mark.parametrize(
    ("resources", "expected"),
    [
        ([{}], "BestEffort"),
        ([{"limits": {"cpu": "0"}, "requests": {"cpu": "0"}}], "BestEffort"),
        ([{"limits": HALF, "requests": HALF}], "Guaranteed"),
        ([{"limits": HALF, "requests": {"cpu": "0.5", "memory": "1024Mi"}}], "Guaranteed"),
        ([{"limits": HALF, "requests": {"cpu": "0.4", "memory": "1Gi"}}], "Burstable"),
        ([{"limits": {"cpu": "1"}, "requests": {"cpu": "1"}}], "Burstable"),
        ([{"limits": HALF, "requests": HALF}, {}], "Burstable"),
    ],
)
def test_the_class_of_a_pod(resources, expected):
    containers = [{"name": f"c{i}", "resources": each} for i, each in enumerate(resources)]
    assert compute_qos_class(Obj({"spec": {"containers": containers}})) == expected


@pytest.mark.parametrize(
    ("resource", "divisor", "text"),
    [
        ("limits.memory", "", "536870912"),
        ("limits.memory", "1Mi", "512"),
        ("limits.cpu", "", "2"),
        ("limits.cpu", "1m", "1500"),
        ("requests.memory", "1Mi", "0"),
    ],
)
def test_what_a_program_is_told_of_its_own(tiny, resource, divisor, text):
    source = {"resource": resource, **({"divisor": divisor} if divisor else {})}
    env = [{"name": "OWN", "valueFrom": {"resourceFieldRef": source}}]
    key = tiny.pod("x", "memcached", resources={"limits": {"cpu": "1.5", "memory": "0.5Gi"}}, env=env)
    assert tiny.row(key)["env"]["OWN"] == text


def test_without_a_limit_it_is_told_what_the_node_has():
    cluster = SmallCluster()
    source = {"resourceFieldRef": {"resource": "limits.memory", "divisor": "1Gi"}}
    container = {"name": "main", "image": "app:1", "env": [{"name": "OWN", "valueFrom": source}]}
    cluster.apply({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "x"}, "spec": {"containers": [container]}})
    cluster.at(5)
    pod = cluster.pod("x")
    image = cluster.world.blueprint.images["app:1"]
    assert runtime.environment(cluster.world, pod, container, image)["OWN"] == "8"


def test_a_label_made_for_a_selector_places_the_pod_at_once():
    cluster = SmallCluster()
    spec = {"containers": [{"name": "main", "image": "app:1"}], "nodeSelector": {"disk": "ssd"}}
    cluster.apply({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "x"}, "spec": spec})
    cluster.at(30)
    assert "nodeName" not in cluster.pod("x")["spec"]
    cluster.label("node-1", disk="ssd")
    cluster.at(32)
    assert cluster.pod("x")["spec"]["nodeName"] == "node-1"
    cluster.label("node-1", disk="hdd")
    cluster.at(60)
    assert cluster.pod("x")["status"]["phase"] == "Running"  # what was required when it was placed


def test_a_kubelets_own_labels_come_back_when_it_starts():
    cluster = SmallCluster()
    cluster.label("node-1", **{"kubernetes.io/hostname": "other", "mine": "kept"})
    cluster.at(400)
    assert cluster.get("nodes", "node-1")["metadata"]["labels"]["kubernetes.io/hostname"] == "other"
    kubelet.stop(cluster.world, "node-1")
    kubelet.start(cluster.world, "node-1")
    cluster.at(412)
    assert cluster.get("nodes", "node-1")["metadata"]["labels"] == {"kubernetes.io/hostname": "node-1", "mine": "kept"}

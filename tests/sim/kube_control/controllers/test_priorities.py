"""Priorities, preemption, and who may run beside whom."""

from __future__ import annotations

from collections import Counter
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as some
from small_cluster import SmallCluster, deployment

from aiops_gym.sim import kube_api


def _class(cluster: SmallCluster, name: str, value: int, **fields: Any) -> None:
    body = {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": name}, "value": value}
    kube_api.create(cluster.world, "priorityclasses.scheduling.k8s.io", {**body, **fields})


def _pods(name: str, replicas: int = 1, cpu: str = "900m", **pod: Any) -> dict[str, Any]:
    body = deployment(name, replicas=replicas, resources={"requests": {"cpu": cpu}})
    body["spec"]["template"]["spec"] |= {"terminationGracePeriodSeconds": 5, **pod}
    return body


def _running(cluster: SmallCluster) -> Counter[str]:
    return Counter(pod["metadata"]["labels"]["app"] for pod in cluster.pods() if pod["status"]["phase"] == "Running")


def test_an_important_pod_takes_the_place_of_another() -> None:
    cluster = SmallCluster()
    _class(cluster, "high", 1000)
    cluster.apply(_pods("low", 2))
    cluster.at(10)
    cluster.apply(_pods("top", priorityClassName="high"))
    cluster.at(10.5)
    top = cluster.pod("top")
    assert (top["spec"]["priority"], top["status"]["nominatedNodeName"]) == (1000, "node-1")
    victim = next(pod for pod in cluster.pods("low") if "deletionTimestamp" in pod["metadata"])
    reasons = {c["type"]: (c["reason"], c["message"]) for c in victim["status"]["conditions"] if "reason" in c}
    why = "default-scheduler: preempting to accommodate a higher priority pod"
    assert reasons["DisruptionTarget"] == ("PreemptionByScheduler", why)
    cluster.at(40)
    assert _running(cluster) == {"low": 1, "top": 1}
    assert "nominatedNodeName" not in cluster.pod("top")["status"]
    text = f"Preempted Preempted by pod {top['metadata']['uid']} on node node-1"
    assert cluster.events("low")[text] == 1
    assert cluster.events("top")["FailedScheduling 0/1 nodes are available: 1 Insufficient cpu."] >= 1


def test_one_that_never_preempts_waits_and_says_so() -> None:
    cluster = SmallCluster()
    _class(cluster, "patient", 1000, preemptionPolicy="Never")
    cluster.apply(_pods("low", 2))
    cluster.at(10)
    cluster.apply(_pods("top", priorityClassName="patient"))
    cluster.at(30)
    assert _running(cluster) == {"low": 2}
    text = "0/1 nodes are available: 1 Insufficient cpu. preemption: not eligible due to preemptionPolicy=Never."
    assert f"FailedScheduling {text}" in cluster.events("top")


def test_nobody_gives_way_to_an_equal() -> None:
    cluster = SmallCluster()
    cluster.apply(_pods("low", 2))
    cluster.at(10)
    cluster.apply(_pods("late"))
    cluster.at(30)
    text = "0/1 nodes are available: 1 Insufficient cpu. preemption: 0/1 nodes are available: "
    text += "1 No preemption victims found for incoming pod."
    assert f"FailedScheduling {text}" in cluster.events("late")


def test_the_default_class_gives_a_priority_to_all() -> None:
    cluster = SmallCluster()
    _class(cluster, "usual", 7, globalDefault=True)
    cluster.apply(_pods("web"))
    cluster.at(2)
    assert (cluster.pod()["spec"]["priority"], cluster.pod()["spec"]["priorityClassName"]) == (7, "usual")


def test_pods_that_shun_each_other_need_nodes_of_their_own() -> None:
    cluster = SmallCluster(nodes=2)
    term = {"labelSelector": {"matchLabels": {"app": "web"}}, "topologyKey": "kubernetes.io/hostname"}
    rule = {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [term]}}
    cluster.apply(_pods("web", 3, "10m", affinity=rule))
    cluster.at(20)
    assert _running(cluster) == {"web": 2}
    assert any("2 node(s) didn't match pod anti-affinity rules" in text for text in cluster.events("web"))
    cluster.apply(deployment("db") | {})
    cluster.at(30)
    assert _running(cluster) == {"web": 2, "db": 1}


def test_those_who_are_there_may_object_to_a_newcomer() -> None:
    cluster = SmallCluster()
    term = {"labelSelector": {"matchLabels": {"app": "noisy"}}, "topologyKey": "kubernetes.io/hostname"}
    rule = {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [term]}}
    cluster.apply(_pods("quiet", 1, "10m", affinity=rule))
    cluster.at(10)
    cluster.apply(_pods("noisy", 1, "10m"))
    cluster.at(20)
    assert _running(cluster) == {"quiet": 1}
    text = "1 node(s) didn't satisfy existing pods anti-affinity rules"
    assert any(text in event for event in cluster.events("noisy"))


@settings(max_examples=20, deadline=None)
@given(sizes=some.lists(some.integers(0, 9), min_size=1, max_size=4), skew=some.integers(1, 2))
def test_a_spread_constraint_holds_at_every_instant_of_growth(sizes: list[int], skew: int) -> None:
    cluster = SmallCluster(nodes=3)
    rule = {
        "maxSkew": skew,
        "topologyKey": "kubernetes.io/hostname",
        "whenUnsatisfiable": "DoNotSchedule",
        "labelSelector": {"matchLabels": {"app": "web"}},
    }
    for size in sorted(sizes):
        cluster.apply(_pods("web", size, "10m", topologySpreadConstraints=[rule]))
        cluster.world.run(15_000)
        nodes = Counter(pod["spec"]["nodeName"] for pod in cluster.pods("web"))
        counts = [nodes.get(f"node-{n}", 0) for n in (1, 2, 3)]
        assert sum(counts) == size
        assert max(counts) - min(counts) <= skew

"""The scheduler: who goes where, and what is said when nobody fits."""

from __future__ import annotations

import pytest
from small_cluster import SmallCluster, deployment

USELESS = "preemption: 0/{n} nodes are available: {n} Preemption is not helpful for scheduling."
VICTIMS = "preemption: 0/1 nodes are available: 1 No preemption victims found for incoming pod."


def _message(cluster: SmallCluster) -> str:
    (condition,) = cluster.pod()["status"]["conditions"]
    assert (condition["status"], condition["reason"]) == ("False", "Unschedulable")
    return str(condition["message"])


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"resources": {"requests": {"cpu": "100"}}}, "1 Insufficient cpu. " + VICTIMS),
        ({"resources": {"requests": {"memory": "999Gi"}}}, "1 Insufficient memory. " + VICTIMS),
        (
            {"nodeSelector": {"disk": "ssd"}},
            "1 node(s) didn't match Pod's node affinity/selector. " + USELESS.format(n=1),
        ),
        (
            {"volumes": [{"name": "v", "persistentVolumeClaim": {"claimName": "nope"}}]},
            'persistentvolumeclaim "nope" not found. ' + USELESS.format(n=1),
        ),
    ],
)
def test_a_pod_that_fits_nowhere_is_told_why(fields: dict[str, object], message: str) -> None:
    cluster = SmallCluster()
    cluster.apply(deployment("web", **fields))  # type: ignore[arg-type]
    cluster.at(12)
    assert _message(cluster) == "0/1 nodes are available: " + message
    assert "containerStatuses" not in cluster.pod()["status"]
    (event,) = [e for e in cluster.world.store.all("events") if e["reason"] == "FailedScheduling"]
    assert (event["source"], event["firstTimestamp"], event["action"]) == ({}, None, "Scheduling")
    assert event["reportingComponent"] == "default-scheduler" and "count" not in event


def test_reasons_of_several_nodes_are_counted_and_sorted() -> None:
    cluster = SmallCluster()
    cluster.add_node("plane", taints=[{"key": "node-role.kubernetes.io/control-plane", "effect": "NoSchedule"}])
    cluster.apply(deployment("web", nodeSelector={"disk": "ssd"}))
    cluster.at(5)
    reasons = (
        "1 node(s) didn't match Pod's node affinity/selector, "
        "1 node(s) had untolerated taint {node-role.kubernetes.io/control-plane: }. "
    )
    assert _message(cluster) == "0/2 nodes are available: " + reasons + USELESS.format(n=2)


def test_a_pod_gets_its_place_when_another_goes() -> None:
    cluster = SmallCluster()
    half = {"requests": {"cpu": "1500m"}}
    cluster.apply(deployment("one", resources=half))
    cluster.at(5)
    cluster.apply(deployment("two", resources=half))
    cluster.at(20)
    assert cluster.states("two")[-1][1] == "Pending"
    cluster.delete("deployments.apps", "one")
    cluster.at(40)
    assert cluster.states("two")[-1][1] == "Running app:R:0"


def test_a_pod_gets_its_place_when_a_node_comes() -> None:
    cluster = SmallCluster()
    cluster.apply(deployment("web", nodeSelector={"kubernetes.io/hostname": "node-2"}))
    cluster.at(5)
    cluster.add_node("node-2")
    cluster.at(20)
    assert cluster.pod()["spec"]["nodeName"] == "node-2"
    assert cluster.pod()["status"]["podIP"].startswith("10.244.1.")


def test_replicas_spread_over_nodes() -> None:
    cluster = SmallCluster(nodes=2)
    cluster.apply(deployment("web", replicas=4))
    cluster.at(10)
    nodes = [p["spec"]["nodeName"] for p in cluster.pods()]
    assert sorted(nodes) == ["node-1", "node-1", "node-2", "node-2"]


def test_a_cordoned_node_takes_no_new_pods() -> None:
    cluster = SmallCluster()
    node = cluster.get("nodes", "node-1")
    cluster.world.store.put("nodes", {**node, "spec": {"unschedulable": True}})
    cluster.apply(deployment("web"))
    cluster.at(5)
    assert _message(cluster).startswith("0/1 nodes are available: 1 node(s) were unschedulable. ")
    cluster.world.store.put("nodes", {**cluster.get("nodes", "node-1"), "spec": {}})
    cluster.at(20)
    assert cluster.states()[-1][1] == "Running app:R:0"


def _tries(cluster: SmallCluster, pod: str) -> int:
    """How often the scheduler said that a pod fits nowhere."""
    uid = cluster.pod(pod)["metadata"]["uid"]
    rows = cluster.world.table("correlator").items()
    return sum(row["count"] for key, row in rows if key.startswith(f"series {uid}") and "FailedScheduling" in key)


def test_a_pod_is_tried_again_for_what_may_cure_it_only() -> None:
    cluster = SmallCluster()
    cluster.apply(deployment("picky", nodeSelector={"disk": "ssd"}))
    cluster.apply(deployment("large", resources={"requests": {"cpu": "1900m"}}, replicas=2))
    cluster.at(30)
    before = _tries(cluster, "picky")
    for turn in range(5):
        cluster.apply(deployment("short", nodeSelector={"kubernetes.io/hostname": "node-1"}))
        cluster.at(60 + 60 * turn)
        cluster.delete("deployments.apps", "short")
    cluster.at(310)
    assert _tries(cluster, "picky") == before + 1  # after five minutes, for nothing
    node = cluster.get("nodes", "node-1")
    labels = {**node["metadata"]["labels"], "disk": "ssd"}
    cluster.world.store.put("nodes", {**node, "metadata": {**node["metadata"], "labels": labels}})
    cluster.at(325)
    assert cluster.states("picky")[-1][1] == "Running app:R:0"


def test_what_is_tried_often_is_not_tried_more_often_for_that() -> None:
    cluster = SmallCluster()
    cluster.apply(deployment("large", resources={"requests": {"cpu": "99"}}))
    for turn in range(20):
        cluster.apply(deployment("short"))
        cluster.at(15 + 15 * turn)
        cluster.delete("deployments.apps", "short")
    cluster.at(320)
    before = _tries(cluster, "large")
    cluster.at(1820)
    assert before + 4 <= _tries(cluster, "large") <= before + 6  # once in five minutes


def test_a_pod_gets_its_place_when_its_neighbour_comes() -> None:
    term = {"topologyKey": "kubernetes.io/hostname", "labelSelector": {"matchLabels": {"app": "host"}}}
    cluster = SmallCluster()
    near = {"podAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [term]}}
    cluster.apply(deployment("guest", affinity=near))
    cluster.at(20)
    assert cluster.states("guest")[-1][1] == "Pending"
    cluster.apply(deployment("host"))
    cluster.at(40)
    assert cluster.states("guest")[-1][1] == "Running app:R:0"


def test_many_that_are_alike_are_told_the_same_and_get_their_places() -> None:
    cluster = SmallCluster()
    cluster.apply(deployment("web", replicas=30, nodeSelector={"disk": "ssd"}))
    cluster.apply(deployment("other", nodeSelector={"disk": "hdd"}))
    cluster.at(20)
    told = {p["status"]["conditions"][0]["message"] for p in cluster.pods()}
    assert len(told) == 1
    node = cluster.get("nodes", "node-1")
    labels = {**node["metadata"]["labels"], "disk": "ssd"}
    cluster.world.store.put("nodes", {**node, "metadata": {**node["metadata"], "labels": labels}})
    cluster.at(60)
    assert {state for _, state in cluster.states("web")[-30:]} == {"Running app:R:0"}
    assert cluster.states("other")[-1][1] == "Pending"

"""Nodes whose kubelet falls silent: what the control plane makes of it, and of the return."""

from __future__ import annotations

from small_cluster import SmallCluster, deployment

from aiops_gym.sim import kube_api
from aiops_gym.sim.kernel.objects import Obj, get
from aiops_gym.sim.kube_control.controllers import kubelet
from aiops_gym.types import Request


def _taints(node: Obj) -> list[str]:
    return [f"{t['key'].partition('/')[2]}:{t['effect']}" for t in get(node, "spec", "taints", default=[])]


def _ready(cluster: SmallCluster, name: str = "node-1") -> tuple[str, str]:
    conditions = cluster.get("nodes", name)["status"]["conditions"]
    return next((c["status"], c.get("reason", "")) for c in conditions if c["type"] == "Ready")


def _ready_pods(cluster: SmallCluster) -> list[str]:
    return sorted(
        str(pod["spec"]["nodeName"])
        for pod in cluster.pods()
        for c in pod["status"]["conditions"]
        if c["type"] == "Ready" and c["status"] == "True"
    )


def _two_nodes() -> SmallCluster:
    cluster = SmallCluster(nodes=2)
    cluster.apply({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "default"}})
    cluster.apply(deployment("web", replicas=2))
    cluster.at(10)
    assert _ready_pods(cluster) == ["node-1", "node-2"]
    kubelet.stop(cluster.world, "node-1")
    return cluster


def test_a_silent_node_is_unknown_after_its_grace_and_its_pods_are_not_ready() -> None:
    cluster = _two_nodes()
    cluster.at(10 + 39)
    assert _ready(cluster) == ("True", "")
    cluster.at(10 + 56)
    assert _ready(cluster) == ("Unknown", "NodeStatusUnknown")
    assert _ready_pods(cluster) == ["node-2"]
    assert "unreachable:NoSchedule" in _taints(cluster.get("nodes", "node-1"))
    assert cluster.events("web")["NodeNotReady Node is not ready"] == 1
    event = next(e for e in cluster.world.store.all("events", "default") if e["reason"] == "NodeNotReady")
    assert event["message"] == "Node node-1 status is now: NodeNotReady"
    assert event["source"] == {"component": "node-controller"}


def test_pods_of_a_lost_node_are_replaced_after_five_minutes_and_stay_terminating() -> None:
    cluster = _two_nodes()
    cluster.at(10 + 64)
    assert _taints(cluster.get("nodes", "node-1")) == ["unreachable:NoSchedule", "unreachable:NoExecute"]
    cluster.at(10 + 340)
    assert len(cluster.pods()) == 2
    cluster.at(10 + 380)
    assert len(cluster.pods()) == 3
    old = next(pod for pod in cluster.pods() if "deletionTimestamp" in pod["metadata"])
    reasons = {c["type"]: c.get("reason") for c in old["status"]["conditions"]}
    assert reasons["DisruptionTarget"] == "DeletionByTaintManager"
    assert f"TaintManagerEviction Marking for deletion Pod ns/{old['metadata']['name']}" in cluster.events("web")
    assert _ready_pods(cluster) == ["node-2", "node-2"]
    cluster.at(10 + 900)
    assert len(cluster.pods()) == 3
    kubelet.start(cluster.world, "node-1")
    cluster.at(10 + 950)
    assert len(cluster.pods()) == 2
    assert _ready(cluster) == ("True", "KubeletReady")
    assert _taints(cluster.get("nodes", "node-1")) == []


def test_a_node_that_comes_back_in_time_keeps_its_pods() -> None:
    cluster = _two_nodes()
    cluster.at(10 + 120)
    names = {pod["metadata"]["name"] for pod in cluster.pods()}
    kubelet.start(cluster.world, "node-1")
    cluster.at(10 + 700)
    assert {pod["metadata"]["name"] for pod in cluster.pods()} == names
    assert _ready_pods(cluster) == ["node-1", "node-2"]
    assert any(text.startswith("TaintManagerEviction Cancelling deletion of Pod") for text in cluster.events("web"))
    assert all(pod["status"]["containerStatuses"][0]["restartCount"] == 0 for pod in cluster.pods())


def test_a_kubelet_that_starts_needs_seconds_until_its_node_is_ready_and_more_until_its_pods_are() -> None:
    cluster = _two_nodes()
    cluster.at(10 + 120)
    kubelet.start(cluster.world, "node-1")
    cluster.at(10 + 128.5)
    assert _ready(cluster) == ("Unknown", "NodeStatusUnknown")
    cluster.at(10 + 131.5)
    assert (_ready(cluster), _ready_pods(cluster)) == (("True", "KubeletReady"), ["node-2"])
    cluster.at(10 + 136.5)
    assert _ready_pods(cluster) == ["node-1", "node-2"]


def test_a_kubelet_that_is_stopped_while_it_starts_is_silent() -> None:
    cluster = _two_nodes()
    cluster.at(10 + 120)
    kubelet.start(cluster.world, "node-1")
    kubelet.start(cluster.world, "node-1")
    cluster.at(10 + 132)
    kubelet.stop(cluster.world, "node-1")
    cluster.at(10 + 133)
    kubelet.start(cluster.world, "node-1")
    cluster.at(10 + 141)
    assert kubelet.down(cluster.world, "node-1")
    cluster.at(10 + 145)
    assert not kubelet.down(cluster.world, "node-1")


def test_the_only_node_gets_no_noexecute_taint() -> None:
    cluster = SmallCluster()
    cluster.apply(deployment("web"))
    cluster.at(10)
    kubelet.stop(cluster.world, "node-1")
    cluster.at(1000)
    assert _taints(cluster.get("nodes", "node-1")) == ["unreachable:NoSchedule"]
    assert "deletionTimestamp" not in cluster.pod()["metadata"]


def test_nobody_answers_for_the_pods_of_a_silent_node() -> None:
    cluster = SmallCluster()
    cluster.apply(deployment("web"))
    cluster.at(10)
    kubelet.stop(cluster.world, "node-1")
    name = cluster.pod()["metadata"]["name"]
    answer = kube_api.handle(cluster.world, Request("get", "pods", "ns", name, subresource="log"))
    url = f"https://172.18.0.2:10250/containerLogs/ns/{name}/app"
    assert answer.body["message"] == f'Get "{url}": dial tcp 172.18.0.2:10250: connect: connection refused'


def test_a_crash_on_a_silent_node_is_seen_when_its_kubelet_is_back() -> None:
    cluster = SmallCluster(nodes=2)
    cluster.apply(deployment("web", command=["/bin/sh", "-c", "sleep 30; exit 1"]))
    cluster.at(10)
    node = cluster.pod()["spec"]["nodeName"]
    kubelet.stop(cluster.world, node)
    cluster.at(100)
    assert cluster.pod()["status"]["containerStatuses"][0]["restartCount"] == 0
    kubelet.start(cluster.world, node)
    cluster.at(108)
    assert cluster.pod()["status"]["containerStatuses"][0]["restartCount"] == 0
    cluster.at(120)
    assert cluster.pod()["status"]["containerStatuses"][0]["restartCount"] == 1


def test_a_taint_that_a_user_sets_drives_away_whom_it_is_not_for() -> None:
    cluster = SmallCluster(nodes=2)
    stays = deployment("stays")
    stays["spec"]["template"]["spec"]["tolerations"] = [{"operator": "Exists"}]
    cluster.apply(stays)
    cluster.apply(deployment("goes", replicas=2))
    cluster.at(10)
    kept = cluster.pod("stays")
    for name in ("node-1", "node-2"):
        node = cluster.get("nodes", name)
        taint = {"key": "broken", "effect": "NoExecute"}
        cluster.world.store.put("nodes", {**node, "spec": {**node["spec"], "taints": [taint]}})
    cluster.at(60)
    assert cluster.pod("stays")["metadata"]["uid"] == kept["metadata"]["uid"]
    assert {pod["status"]["phase"] for pod in cluster.pods("goes")} == {"Pending"}
    text = "0/2 nodes are available: 2 node(s) had untolerated taint {broken: }. preemption: "
    text += "0/2 nodes are available: 2 Preemption is not helpful for scheduling."
    assert f"FailedScheduling {text}" in cluster.events("goes")


def test_a_cordoned_node_gets_its_taint_and_loses_it() -> None:
    cluster = SmallCluster(nodes=1)
    node = cluster.get("nodes", "node-1")
    cluster.world.store.put("nodes", {**node, "spec": {"unschedulable": True}})
    cluster.at(5)
    assert _taints(cluster.get("nodes", "node-1")) == ["unschedulable:NoSchedule"]
    node = cluster.get("nodes", "node-1")
    cluster.world.store.put("nodes", {**node, "spec": {"taints": node["spec"]["taints"]}})
    cluster.at(10)
    assert cluster.get("nodes", "node-1")["spec"] == {}


def test_pods_of_a_deleted_node_are_removed_by_force() -> None:
    cluster = SmallCluster(nodes=2)
    cluster.apply(deployment("web", replicas=2))
    cluster.at(10)
    kube_api.delete(cluster.world, "nodes", "", "node-1")
    cluster.at(40)
    assert len(cluster.pods()) == 2
    cluster.at(80)
    assert _ready_pods(cluster) == ["node-2", "node-2"]


def test_nothing_is_planned_while_all_nodes_are_well() -> None:
    cluster = SmallCluster(nodes=3)
    cluster.apply(deployment("web", replicas=3))
    cluster.at(7200)
    assert [entry[3] for entry in cluster.world.heap] == []


def test_a_second_taint_that_is_not_tolerated_overtakes_a_deletion_that_is_planned() -> None:
    cluster = SmallCluster()
    body = deployment("web")
    patient = {"key": "slow", "operator": "Exists", "tolerationSeconds": 30}
    body["spec"]["template"]["spec"]["tolerations"] = [patient]
    cluster.apply(body)
    cluster.at(5)
    pod, node = cluster.pod(), cluster.get("nodes", "node-1")
    slow, fast = ({"key": key, "effect": "NoExecute"} for key in ("slow", "fast"))
    cluster.world.store.put("nodes", {**node, "spec": {**node["spec"], "taints": [slow]}})
    cluster.at(10)
    cluster.world.store.put("nodes", {**node, "spec": {**node["spec"], "taints": [slow, fast]}})
    cluster.at(11)
    told = [text for text in cluster.events(pod["metadata"]["name"]) if text.startswith("TaintManagerEviction")]
    key = f"ns/{pod['metadata']['name']}"
    assert told == [
        f"TaintManagerEviction Cancelling deletion of Pod {key}",
        f"TaintManagerEviction Marking for deletion Pod {key}",
    ]

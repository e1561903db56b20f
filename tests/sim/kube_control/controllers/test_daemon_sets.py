"""DaemonSets: a pod on each node that takes it, replaced node by node."""

from __future__ import annotations

from typing import Any

from small_cluster import SmallCluster

from aiops_gym.sim.kernel.objects import Obj


def daemon(name: str = "agent", image: str = "app:1", **spec: Any) -> dict[str, Any]:
    """A DaemonSet of one container `app`; `pod` are fields of its pods."""
    pod = {"containers": [{"name": "app", "image": image}], **spec.pop("pod", {})}
    template = {"metadata": {"labels": {"app": name}}, "spec": pod}
    body = {"selector": {"matchLabels": {"app": name}}, "template": template, **spec}
    return {"apiVersion": "apps/v1", "kind": "DaemonSet", "metadata": {"name": name}, "spec": body}


def _nodes(cluster: SmallCluster) -> list[str]:
    return sorted(str(pod["spec"].get("nodeName")) for pod in cluster.pods())


def _images(cluster: SmallCluster) -> list[str]:
    return sorted(pod["spec"]["containers"][0]["image"] for pod in cluster.pods())


def _change_node(cluster: SmallCluster, name: str, **spec: Any) -> None:
    node = cluster.get("nodes", name)
    cluster.world.store.put("nodes", {**node, "spec": {**node["spec"], **spec}})


def test_there_is_a_pod_on_each_node_and_on_new_ones() -> None:
    cluster = SmallCluster(nodes=2)
    cluster.apply(daemon())
    cluster.at(5)
    assert _nodes(cluster) == ["node-1", "node-2"]
    cluster.add_node("node-3")
    cluster.at(10)
    assert _nodes(cluster) == ["node-1", "node-2", "node-3"]
    status = cluster.get("daemonsets.apps", "agent")["status"]
    assert status["desiredNumberScheduled"] == status["numberReady"] == status["updatedNumberScheduled"] == 3


def test_a_cordon_does_not_matter_a_taint_keeps_new_pods_away_and_noexecute_drives_them_out() -> None:
    cluster = SmallCluster(nodes=2)
    _change_node(cluster, "node-1", taints=[{"key": "dedicated", "effect": "NoSchedule"}])
    _change_node(cluster, "node-2", unschedulable=True)
    cluster.apply(daemon())
    cluster.at(5)
    assert _nodes(cluster) == ["node-2"]
    _change_node(cluster, "node-2", taints=[{"key": "dedicated", "effect": "NoSchedule"}], unschedulable=False)
    cluster.at(20)
    assert _nodes(cluster) == ["node-2"]
    assert cluster.get("daemonsets.apps", "agent")["status"]["numberMisscheduled"] == 1
    _change_node(cluster, "node-2", taints=[{"key": "dedicated", "effect": "NoExecute"}])
    cluster.at(60)
    assert _nodes(cluster) == []


def test_a_node_selector_chooses_nodes() -> None:
    cluster = SmallCluster(nodes=2)
    cluster.apply(daemon(pod={"nodeSelector": {"kubernetes.io/hostname": "node-2"}}))
    cluster.at(5)
    assert _nodes(cluster) == ["node-2"]


def test_an_update_replaces_one_node_at_a_time() -> None:
    cluster = SmallCluster(nodes=3)
    cluster.apply(daemon())
    cluster.at(10)
    tell = cluster.world.store.observer

    def watch(resource: str, old: Obj | None, new: Obj | None) -> None:
        leaving = [pod for pod in cluster.pods() if "deletionTimestamp" in pod["metadata"]]
        assert len(leaving) <= 1
        tell(resource, old, new)

    cluster.world.store.observer = watch
    cluster.apply(daemon(image="app:2"))
    cluster.at(120)
    assert _images(cluster) == ["app:2"] * 3
    assert cluster.get("daemonsets.apps", "agent")["metadata"]["annotations"] == {
        "deprecated.daemonset.template.generation": "2"
    }
    revisions = cluster.world.store.all("controllerrevisions.apps", "ns")
    assert sorted(one["revision"] for one in revisions) == [1, 2]


def test_a_surge_brings_the_new_pod_before_the_old_one_goes() -> None:
    cluster = SmallCluster(nodes=2)
    surge = {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 1, "maxUnavailable": 0}}
    cluster.apply(daemon(updateStrategy=surge))
    cluster.at(10)
    cluster.apply(daemon(image="app:2", updateStrategy=surge))
    cluster.at(10.5)
    assert _images(cluster) == ["app:1", "app:1", "app:2"]
    cluster.at(120)
    assert _images(cluster) == ["app:2", "app:2"]


def test_with_on_delete_pods_stay_as_they_are() -> None:
    cluster = SmallCluster(nodes=1)
    cluster.apply(daemon(updateStrategy={"type": "OnDelete"}))
    cluster.at(5)
    cluster.apply(daemon(image="app:2", updateStrategy={"type": "OnDelete"}))
    cluster.at(20)
    assert _images(cluster) == ["app:1"]
    cluster.delete("pods", cluster.pod()["metadata"]["name"])
    cluster.at(60)
    assert _images(cluster) == ["app:2"]


def test_a_node_whose_daemon_pods_fail_at_once_waits_longer_each_time() -> None:
    cluster = SmallCluster()
    cluster.apply(daemon())
    cluster.at(10)
    tell = cluster.world.store.observer

    def fail(resource: str, old: Obj | None, new: Obj | None) -> None:
        tell(resource, old, new)
        runs = resource == "pods" and new is not None and new["status"].get("phase") == "Running"
        if new is not None and runs and "deletionTimestamp" not in new["metadata"]:
            cluster.world.store.put("pods", {**new, "status": {**new["status"], "phase": "Failed"}})

    cluster.world.store.observer = fail
    pod = cluster.pod()
    cluster.world.store.put("pods", {**pod, "metadata": {**pod["metadata"], "annotations": {"now": "fail"}}})
    cluster.at(130)
    found = sum(n for text, n in cluster.events("agent").items() if text.startswith("FailedDaemonPod"))
    assert 4 <= found <= 7

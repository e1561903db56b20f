"""StatefulSets: one pod after the other, each with its own claims, and revisions that can be gone back to."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as some
from small_cluster import SmallCluster, shell

from aiops_gym.sim.kernel.objects import Obj, get


def stateful(name: str, replicas: int = 3, image: str = "app:1", **spec: Any) -> dict[str, Any]:
    """A StatefulSet of one container `app`, with a claim for each pod where `claims` is true."""
    if spec.pop("claims", False):
        size = {"resources": {"requests": {"storage": "1Gi"}}, "accessModes": ["ReadWriteOnce"]}
        spec["volumeClaimTemplates"] = [{"metadata": {"name": "data"}, "spec": {**size, "storageClassName": "std"}}]
    container = {"name": "app", "image": image, **spec.pop("container", {})}
    template = {"metadata": {"labels": {"app": name}}, "spec": {"containers": [container]}}
    selector = {"matchLabels": {"app": name}}
    body = {"replicas": replicas, "serviceName": name, "selector": selector, "template": template, **spec}
    return {"apiVersion": "apps/v1", "kind": "StatefulSet", "metadata": {"name": name}, "spec": body}


def _names(cluster: SmallCluster) -> list[str]:
    return [pod["metadata"]["name"] for pod in cluster.pods()]


def _images(cluster: SmallCluster) -> list[str]:
    return [pod["spec"]["containers"][0]["image"] for pod in cluster.pods()]


def _status(cluster: SmallCluster, name: str = "db") -> Obj:
    return Obj(cluster.get("statefulsets.apps", name)["status"])


def _first_seen(cluster: SmallCluster, name: str, word: str) -> float:
    return next(time for time, state in cluster.states(name) if word in state)


def test_pods_come_one_after_the_other_and_go_from_the_top() -> None:
    cluster = SmallCluster()
    cluster.apply(stateful("db"))
    cluster.at(20)
    assert _names(cluster) == ["db-0", "db-1", "db-2"]
    for lower, upper in (("db-0", "db-1"), ("db-1", "db-2")):
        assert _first_seen(cluster, lower, "app:R") <= _first_seen(cluster, upper, "Pending")
    cluster.change("statefulsets.apps", "db", {"replicas": 1})
    cluster.at(90)
    assert _names(cluster) == ["db-0"]
    assert _first_seen(cluster, "db-2", "gone") <= _first_seen(cluster, "db-1", "Deleting")
    events = cluster.events("db")
    assert events["SuccessfulCreate create Pod db-0 in StatefulSet db successful"] == 1
    assert events["SuccessfulDelete delete Pod db-2 in StatefulSet db successful"] == 1


def test_a_claim_of_each_pod_can_be_mounted_and_other_volumes_are_missed_by_the_pods_alone() -> None:
    cluster = SmallCluster()
    local = {"provisioner": "rancher.io/local-path", "volumeBindingMode": "WaitForFirstConsumer"}
    cluster.apply({"apiVersion": "storage.k8s.io/v1", "kind": "StorageClass", "metadata": {"name": "std"}, **local})
    cluster.apply(stateful("db", 1, claims=True, container={"volumeMounts": [{"name": "data", "mountPath": "/data"}]}))
    cluster.apply(stateful("no", 1, container={"volumeMounts": [{"name": "data", "mountPath": "/data"}]}))
    cluster.at(60)
    assert _names(cluster) == ["db-0"]
    assert _status(cluster)["readyReplicas"] == 1
    refused = 'Pod "no-0" is invalid: spec.containers[0].volumeMounts[0].name: Not found: "data"'
    assert f"FailedCreate create Pod no-0 in StatefulSet no failed error: {refused}" in cluster.events("no")


def test_a_pod_that_is_not_ready_holds_up_the_next() -> None:
    cluster = SmallCluster()
    cluster.apply(stateful("db", container={"readinessProbe": {"httpGet": {"port": 9, "path": "/"}}}))
    cluster.at(60)
    assert _names(cluster) == ["db-0"]


def test_parallel_sets_make_all_pods_at_once() -> None:
    cluster = SmallCluster()
    cluster.apply(stateful("db", podManagementPolicy="Parallel", container={"command": shell("exit 1")}))
    cluster.at(2)
    assert _names(cluster) == ["db-0", "db-1", "db-2"]


def test_each_pod_has_its_name_its_labels_and_its_claim() -> None:
    cluster = SmallCluster()
    cluster.apply(stateful("db", 2, podManagementPolicy="Parallel", claims=True))
    cluster.at(5)
    pod = cluster.get("pods", "db-1")
    update = _status(cluster)["updateRevision"]
    assert pod["metadata"]["labels"] == {
        "app": "db",
        "apps.kubernetes.io/pod-index": "1",
        "controller-revision-hash": update,
        "statefulset.kubernetes.io/pod-name": "db-1",
    }
    assert (pod["spec"]["hostname"], pod["spec"]["subdomain"]) == ("db-1", "db")
    assert pod["spec"]["volumes"][0] == {"name": "data", "persistentVolumeClaim": {"claimName": "data-db-1"}}
    claims = [claim["metadata"]["name"] for claim in cluster.world.store.all("persistentvolumeclaims", "ns")]
    assert claims == ["data-db-0", "data-db-1"]
    assert "SuccessfulCreate create Claim data-db-1 Pod db-1 in StatefulSet db success" in cluster.events("db")


def test_an_update_rolls_from_the_top_down_to_the_partition() -> None:
    cluster = SmallCluster()
    cluster.apply(stateful("db"))
    cluster.at(20)
    old = _status(cluster)["currentRevision"]
    partition = {"type": "RollingUpdate", "rollingUpdate": {"partition": 1}}
    cluster.apply(stateful("db", image="app:2", updateStrategy=partition))
    cluster.at(60)
    assert _images(cluster) == ["app:1", "app:2", "app:2"]
    status = _status(cluster)
    assert (status["currentRevision"], status["updatedReplicas"], status["currentReplicas"]) == (old, 2, 1)
    cluster.delete("pods", "db-0")
    cluster.at(100)
    assert _images(cluster) == ["app:1", "app:2", "app:2"]  # below the partition a pod comes back as it was
    cluster.apply(stateful("db", image="app:2"))
    cluster.at(140)
    assert _images(cluster) == ["app:2"] * 3
    assert _status(cluster)["currentRevision"] == _status(cluster)["updateRevision"] != old


def test_with_on_delete_only_deleted_pods_are_renewed() -> None:
    cluster = SmallCluster()
    cluster.apply(stateful("db", 2, updateStrategy={"type": "OnDelete"}))
    cluster.at(20)
    cluster.apply(stateful("db", 2, "app:2", updateStrategy={"type": "OnDelete"}))
    cluster.at(40)
    assert _images(cluster) == ["app:1", "app:1"]
    cluster.delete("pods", "db-0")
    cluster.at(80)
    assert _images(cluster) == ["app:2", "app:1"]


def test_revisions_are_kept_renumbered_and_forgotten() -> None:
    cluster = SmallCluster()
    for image in ("app:1", "app:2", "app:1"):
        cluster.apply(stateful("db", 1, image, revisionHistoryLimit=1))
        cluster.world.run(60_000)
    found = cluster.world.store.all("controllerrevisions.apps", "ns")
    assert sorted(one["revision"] for one in found) == [2, 3]
    for command in ("a", "b"):
        cluster.apply(stateful("db", 1, revisionHistoryLimit=1, container={"args": [command]}))
        cluster.world.run(60_000)
    found = cluster.world.store.all("controllerrevisions.apps", "ns")
    assert sorted(one["revision"] for one in found) == [4, 5]
    assert all(one["data"]["spec"]["template"]["$patch"] == "replace" for one in found)


def test_claims_go_with_surplus_pods_where_that_is_asked_for() -> None:
    cluster = SmallCluster()
    policy = {"whenScaled": "Delete", "whenDeleted": "Retain"}
    more = {"podManagementPolicy": "Parallel", "claims": True, "persistentVolumeClaimRetentionPolicy": policy}
    cluster.apply(stateful("db", 2, **more))
    cluster.at(5)
    cluster.change("statefulsets.apps", "db", {"replicas": 1})
    cluster.at(60)
    assert [c["metadata"]["name"] for c in cluster.world.store.all("persistentvolumeclaims", "ns")] == ["data-db-0"]


@settings(max_examples=25, deadline=None)
@given(
    steps=some.lists(some.tuples(some.integers(0, 4), some.sampled_from(["app:1", "app:2"])), min_size=1, max_size=4)
)
def test_an_ordered_set_never_has_a_gap_and_never_loses_two_at_once(steps: list[tuple[int, str]]) -> None:
    cluster, tell = SmallCluster(), None
    seen: list[list[int]] = []
    tell = cluster.world.store.observer

    def watch(resource: str, old: Obj | None, new: Obj | None) -> None:
        if resource == "pods":
            seen.append(sorted(int(p["metadata"]["name"][3:]) for p in cluster.pods("db-")))
            leaving = [p for p in cluster.pods("db-") if "deletionTimestamp" in p["metadata"]]
            assert len(leaving) <= 1
        tell(resource, old, new)

    cluster.world.store.observer = watch
    for size, image in steps:
        cluster.apply(stateful("db", size, image))
        cluster.world.run(9_000)
    cluster.world.run(120_000)
    for before, after in pairwise(seen):
        new = set(after) - set(before)
        assert all(set(range(number)) <= set(after) for number in new)
    size, image = steps[-1]
    assert _images(cluster) == [image] * size
    assert get(_status(cluster), "readyReplicas", default=0) == size


def test_a_pod_that_failed_is_deleted_and_made_again_without_more_ado() -> None:
    cluster = SmallCluster()
    cluster.apply(stateful("db", 1))
    cluster.at(5)
    pod = cluster.pod("db-0")
    cluster.world.store.put("pods", {**pod, "status": {**pod["status"], "phase": "Failed"}})
    cluster.at(60)
    assert cluster.pod("db-0")["metadata"]["uid"] != pod["metadata"]["uid"]
    told = {text.split()[0] for text in cluster.events("db") if "StatefulSet" in text}
    assert told == {"SuccessfulCreate", "SuccessfulDelete"}


def test_a_claim_that_is_refused_keeps_its_pod_back() -> None:
    cluster = SmallCluster()
    hard = {"persistentvolumeclaims": "0"}
    cluster.apply({"apiVersion": "v1", "kind": "ResourceQuota", "metadata": {"name": "q"}, "spec": {"hard": hard}})
    cluster.apply(stateful("db", 1, claims=True))
    cluster.at(5)
    why = 'persistentvolumeclaims "data-db-0" is forbidden: exceeded quota: q, '
    why += ", ".join(
        f"{word}: persistentvolumeclaims={n}" for word, n in (("requested", 1), ("used", 0), ("limited", 0))
    )
    told = set(cluster.events("db"))
    assert told == {
        f"FailedCreate create Claim data-db-0 for Pod db-0 in StatefulSet db failed error: {why}",
        f"FailedCreate create Pod db-0 in StatefulSet db failed error: failed to create PVC data-db-0: {why}",
    }
    assert cluster.pods() == []


def test_a_pod_waits_for_a_claim_that_is_going_away() -> None:
    cluster = SmallCluster()
    meta = {"name": "data-db-0", "namespace": "ns", "finalizers": ["test/stays"]}
    spec = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}
    cluster.apply({"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": meta, "spec": spec})
    cluster.delete("persistentvolumeclaims", "data-db-0")
    cluster.apply(stateful("db", 1, claims=True))
    cluster.at(5)
    text = "FailedCreate create Pod db-0 in StatefulSet db failed error: pvc data-db-0 is being deleted"
    assert set(cluster.events("db")) == {text}

"""Deployments: rollouts that pass, rollouts that stick, and the way back."""

from __future__ import annotations

from small_cluster import SmallCluster, deployment, shell

from aiops_gym.sim import kube_api
from aiops_gym.sim.kernel.objects import Obj


def _conditions(cluster: SmallCluster, name: str = "web") -> dict[str, tuple[str, str]]:
    conditions = cluster.get("deployments.apps", name)["status"]["conditions"]
    return {c["type"]: (c["status"], c["reason"]) for c in conditions}


def _sets(cluster: SmallCluster) -> dict[str, tuple[int, str]]:
    """Image and command of each ReplicaSet -> (replicas, revision)."""
    found = {}
    for rs in cluster.world.store.all("replicasets.apps", "ns"):
        container = rs["spec"]["template"]["spec"]["containers"][0]
        key = container["image"] + "".join(container.get("command", [])[-1:])
        found[key] = (rs["spec"]["replicas"], rs["metadata"]["annotations"]["deployment.kubernetes.io/revision"])
    return found


def _update(cluster: SmallCluster, **container: object) -> Obj:
    return cluster.apply(deployment("web", replicas=3, **container))  # type: ignore[arg-type]


def test_a_new_deployment_becomes_available() -> None:
    cluster = SmallCluster()
    cluster.apply(deployment("web", replicas=2))
    cluster.at(10)
    status = cluster.get("deployments.apps", "web")["status"]
    assert (status["replicas"], status["readyReplicas"], status["updatedReplicas"]) == (2, 2, 2)
    assert "unavailableReplicas" not in status
    assert _conditions(cluster) == {
        "Available": ("True", "MinimumReplicasAvailable"),
        "Progressing": ("True", "NewReplicaSetAvailable"),
    }
    (text,) = cluster.events("web-").keys() & {f"Created pod: {p['metadata']['name']}" for p in cluster.pods()} or [""]
    assert text == ""
    set_name = cluster.world.store.all("replicasets.apps", "ns")[0]["metadata"]["name"]
    assert cluster.events("web")[f"ScalingReplicaSet Scaled up replica set {set_name} from 0 to 2"] == 1


def test_scaling_changes_the_one_set_and_makes_no_revision() -> None:
    cluster = SmallCluster()
    cluster.apply(deployment("web", replicas=1))
    cluster.at(5)
    cluster.change("deployments.apps", "web", {"replicas": 3})
    cluster.at(10)
    assert len(cluster.pods()) == 3
    cluster.change("deployments.apps", "web", {"replicas": 0})
    cluster.at(20)
    assert cluster.pods() == [] and _sets(cluster) == {"app:1": (0, "1")}
    assert _conditions(cluster)["Available"] == ("True", "MinimumReplicasAvailable")


def test_a_good_update_replaces_the_pods_one_by_one() -> None:
    cluster = SmallCluster()
    _update(cluster)
    cluster.at(10)
    _update(cluster, image="app:2")
    ready = []
    for second in range(11, 40):
        cluster.at(second)
        ready.append(cluster.get("deployments.apps", "web")["status"].get("availableReplicas", 0))
    assert min(ready) >= 3
    assert _sets(cluster) == {"app:1": (0, "1"), "app:2": (3, "2")}
    assert cluster.get("deployments.apps", "web")["metadata"]["annotations"]["deployment.kubernetes.io/revision"] == "2"
    assert {p["spec"]["containers"][0]["image"] for p in cluster.pods()} == {"app:2"}


def test_a_bad_image_keeps_the_old_pods_and_misses_the_deadline() -> None:
    cluster = SmallCluster()
    cluster.apply(deployment("web", replicas=3, progressDeadlineSeconds=60))
    cluster.at(10)
    cluster.apply(deployment("web", replicas=3, progressDeadlineSeconds=60, image="missing:9"))
    cluster.at(60)
    assert _sets(cluster) == {"app:1": (3, "1"), "missing:9": (1, "2")}
    assert _conditions(cluster)["Progressing"] == ("True", "ReplicaSetUpdated")
    cluster.at(80)
    assert _conditions(cluster) == {
        "Available": ("True", "MinimumReplicasAvailable"),
        "Progressing": ("False", "ProgressDeadlineExceeded"),
    }


def test_a_crash_that_comes_late_lets_the_rollout_complete() -> None:
    """Without a readiness probe a pod is ready while its process runs: the old pod goes, then the new one crashes."""
    cluster = SmallCluster()
    cluster.apply(deployment("web"))
    cluster.at(10)
    cluster.apply(deployment("web", command=shell("sleep 10; exit 2")))
    cluster.at(60)
    assert _sets(cluster) == {"app:1": (0, "1"), "app:1sleep 10; exit 2": (1, "2")}
    assert _conditions(cluster)["Progressing"] == ("True", "NewReplicaSetAvailable")
    assert len(cluster.pods()) == 1


def test_a_crash_at_start_keeps_the_old_pod_when_readiness_is_probed() -> None:
    cluster = SmallCluster()
    cluster.apply(deployment("web"))
    cluster.at(10)
    probe = {"httpGet": {"path": "/", "port": 8080}}
    cluster.apply(deployment("web", command=shell("sleep 10; exit 2"), readinessProbe=probe))
    cluster.at(100)
    assert sorted(size for size, _ in _sets(cluster).values()) == [1, 1]
    assert _conditions(cluster)["Available"] == ("True", "MinimumReplicasAvailable")


def test_an_undone_rollout_takes_the_old_set_as_the_newest_revision() -> None:
    cluster = SmallCluster()
    _update(cluster)
    cluster.at(10)
    _update(cluster, image="app:2")
    cluster.at(40)
    _update(cluster)
    cluster.at(70)
    assert _sets(cluster) == {"app:1": (3, "3"), "app:2": (0, "2")}
    old = next(rs for rs in cluster.world.store.all("replicasets.apps", "ns") if rs["spec"]["replicas"])
    assert old["metadata"]["annotations"]["deployment.kubernetes.io/revision-history"] == "1"


def test_old_revisions_beyond_the_limit_are_forgotten() -> None:
    cluster = SmallCluster()
    for number in range(5):
        command = shell(f"echo {number}; sleep infinity")
        cluster.apply(deployment("web", command=command, revisionHistoryLimit=2, terminationGracePeriodSeconds=1))
        cluster.at(20 * (number + 1))
    assert sorted(revision for _, revision in _sets(cluster).values()) == ["3", "4", "5"]


def test_recreate_ends_the_old_pods_before_it_starts_new_ones() -> None:
    cluster = SmallCluster()
    cluster.apply(deployment("web", replicas=2, strategy={"type": "Recreate"}))
    cluster.at(10)
    old = {p["metadata"]["uid"] for p in cluster.pods()}
    cluster.apply(deployment("web", replicas=2, strategy={"type": "Recreate"}, image="app:2"))
    while cluster.world.now < cluster.zero + 30_000:
        uids = {p["metadata"]["uid"] for p in cluster.pods()}
        assert uids <= old or not uids & old
        cluster.world.run(100)
    assert len(cluster.pods()) == 2 and _sets(cluster)["app:2"] == (2, "2")


def test_a_paused_deployment_does_not_roll() -> None:
    cluster = SmallCluster()
    cluster.apply(deployment("web"))
    cluster.at(10)
    cluster.change("deployments.apps", "web", {"paused": True})
    cluster.change("deployments.apps", "web", {"template": deployment("web", image="app:2")["spec"]["template"]})
    cluster.at(30)
    assert _sets(cluster) == {"app:1": (1, "1")}
    assert _conditions(cluster)["Progressing"] == ("Unknown", "DeploymentPaused")
    cluster.change("deployments.apps", "web", {"paused": False})
    cluster.at(60)
    assert _sets(cluster) == {"app:1": (0, "1"), "app:2": (1, "2")}


def test_a_deleted_deployment_takes_its_sets_and_pods_with_it() -> None:
    cluster = SmallCluster()
    cluster.apply(deployment("web", replicas=2))
    cluster.at(10)
    cluster.delete("deployments.apps", "web")
    cluster.at(20)
    assert cluster.pods() == [] and cluster.world.store.all("replicasets.apps", "ns") == []


def test_orphans_stay_and_are_taken_up_by_a_new_deployment() -> None:
    cluster = SmallCluster()
    cluster.apply(deployment("web", replicas=2))
    cluster.at(10)
    before = {p["metadata"]["uid"] for p in cluster.pods()}
    cluster.delete("deployments.apps", "web", propagation="Orphan")
    cluster.at(20)
    cluster.apply(deployment("web", replicas=2))
    cluster.at(30)
    assert {p["metadata"]["uid"] for p in cluster.pods()} == before
    assert len(cluster.world.store.all("replicasets.apps", "ns")) == 1


def test_a_pod_whose_label_was_taken_off_is_replaced_and_left_alone() -> None:
    cluster = SmallCluster()
    cluster.apply(deployment("web"))
    cluster.at(5)
    pod = cluster.pod()
    labels = {k: v for k, v in pod["metadata"]["labels"].items() if k != "app"}
    cluster.world.store.put("pods", {**pod, "metadata": {**pod["metadata"], "labels": labels}})
    cluster.at(10)
    assert len(cluster.pods()) == 2
    assert "ownerReferences" not in cluster.get("pods", pod["metadata"]["name"])["metadata"]


def test_a_set_that_only_says_it_is_a_deployments_is_let_go() -> None:
    cluster = SmallCluster()
    cluster.apply(deployment("web"))
    cluster.at(5)
    (own,) = cluster.world.store.all("replicasets.apps", "ns")
    meta = {"name": "other", "namespace": "ns", "ownerReferences": own["metadata"]["ownerReferences"]}
    labels = {"app": "other"}
    template = {**own["spec"]["template"], "metadata": {"labels": labels}}
    spec = {"replicas": 1, "selector": {"matchLabels": labels}, "template": template}
    kube_api.create(
        cluster.world,
        "replicasets.apps",
        {"apiVersion": "apps/v1", "kind": "ReplicaSet", "metadata": meta, "spec": spec},
    )
    cluster.at(10)
    assert "ownerReferences" not in cluster.get("replicasets.apps", "other")["metadata"]
    assert "ownerReferences" in cluster.get("replicasets.apps", own["metadata"]["name"])["metadata"]

"""Pods that the server refuses: how many are asked for at a time, how often again, and what is said of it."""

from __future__ import annotations

from typing import Any

import pytest
from small_cluster import SmallCluster, deployment, shell

from aiops_gym.sim.kernel.objects import Obj


def _quota(cluster: SmallCluster, **hard: str) -> None:
    limits = {name.replace("__", "/").replace("_", "."): value for name, value in hard.items()}
    cluster.apply({"apiVersion": "v1", "kind": "ResourceQuota", "metadata": {"name": "few"}, "spec": {"hard": limits}})


def _refusals(cluster: SmallCluster) -> int:
    return sum(count for text, count in cluster.events().items() if text.startswith("FailedCreate"))


def _workload(kind: str, **spec: Any) -> dict[str, Any]:
    pod: dict[str, Any] = {"containers": [{"name": "app", "image": "app:1"}]}
    body = {"template": {"metadata": {"labels": {"app": "web"}}, "spec": pod}, **spec}
    if kind == "Job":
        pod |= {"restartPolicy": "Never", "containers": [{**pod["containers"][0], "command": shell("sleep 1000")}]}
        return {"apiVersion": "batch/v1", "kind": kind, "metadata": {"name": "web"}, "spec": body}
    body["selector"] = {"matchLabels": {"app": "web"}}
    return {"apiVersion": "apps/v1", "kind": kind, "metadata": {"name": "web"}, "spec": body}


@pytest.mark.parametrize(
    ("room", "made", "refused"),
    [("0", 0, 1), ("1", 1, 2), ("2", 2, 1), ("3", 3, 4), ("6", 6, 1)],
)
def test_pods_are_made_in_batches_that_double_until_one_is_refused(room: str, made: int, refused: int) -> None:
    for body in (deployment("web", replicas=8), _workload("Job", parallelism=8)):
        cluster = SmallCluster()
        _quota(cluster, pods=room)
        cluster.at(1)
        cluster.apply(body)
        while not _refusals(cluster):
            cluster.world.run(1)
        assert (len(cluster.pods()), _refusals(cluster)) == (made, refused)


def test_a_parallel_stateful_set_starts_slowly_too() -> None:
    cluster = SmallCluster()
    _quota(cluster, pods="1")
    cluster.apply(_workload("StatefulSet", replicas=5, serviceName="web", podManagementPolicy="Parallel"))
    cluster.at(0.03)
    assert sorted(text.split()[3] for text in cluster.events("web") if text.startswith("FailedCreate")) == [
        "web-1",
        "web-2",
    ]


@pytest.mark.parametrize(
    "body",
    [
        deployment("web", replicas=3),
        _workload("StatefulSet", replicas=3, serviceName="web"),
        _workload("DaemonSet"),
    ],
)
def test_what_is_refused_is_tried_again_after_pauses_that_double(body: dict[str, Any]) -> None:
    cluster = SmallCluster(nodes=3)
    _quota(cluster, pods="1")
    cluster.apply(body)
    cluster.at(60)
    assert 12 <= _refusals(cluster) <= 18
    assert len(cluster.pods()) == 1


def test_a_job_takes_its_time() -> None:
    cluster = SmallCluster()
    _quota(cluster, pods="0")
    cluster.at(1)
    cluster.apply(_workload("Job"))
    times = []
    for tenth in range(10, 700):
        cluster.at(tenth / 10)
        times += [tenth // 10 - 1] * (_refusals(cluster) - len(times))
    assert times == [0, 1, 3, 7, 15, 31, 63]


def test_a_set_keeps_saying_what_went_wrong_first() -> None:
    cluster = SmallCluster()
    _quota(cluster, pods="0")
    cluster.apply(deployment("web"))

    def failure(resource: str) -> Obj:
        (found,) = cluster.world.store.all(resource, "ns")
        return Obj(next(c for c in found["status"]["conditions"] if c["type"] == "ReplicaFailure"))

    cluster.at(1)
    first = failure("replicasets.apps")
    cluster.at(60)
    assert failure("replicasets.apps") == first
    assert failure("deployments.apps")["message"] == first["message"]


def test_after_a_success_the_pauses_begin_anew() -> None:
    cluster = SmallCluster()
    _quota(cluster, pods="1")
    cluster.apply(deployment("web", replicas=2))
    cluster.at(30)
    cluster.change("resourcequotas", "few", {"hard": {"pods": "2"}})
    cluster.at(100)
    assert len(cluster.pods()) == 2
    assert not cluster.world.table("retries")


def test_a_replica_set_that_is_refused_is_tried_fifteen_times_more() -> None:
    cluster = SmallCluster()
    _quota(cluster, count__replicasets_apps="1")
    cluster.apply(deployment("web"))
    cluster.at(10)
    cluster.apply(deployment("web", "app:2"))
    cluster.at(11)
    before = cluster.get("deployments.apps", "web")["status"]
    conditions = {c["type"]: (c["status"], c["reason"]) for c in before["conditions"]}
    assert conditions["Progressing"] == ("False", "ReplicaSetCreateError")
    cluster.at(400)
    (count,) = [n for text, n in cluster.events("web").items() if text.startswith("ReplicaSetCreateError")]
    assert count == 16
    assert cluster.get("deployments.apps", "web")["status"] == before


def test_nothing_is_remembered_of_owners_that_are_gone() -> None:
    bodies = {
        "deployments.apps": deployment("web", replicas=2),
        "statefulsets.apps": _workload("StatefulSet", serviceName="web"),
        "daemonsets.apps": _workload("DaemonSet"),
        "jobs.batch": _workload("Job"),
    }
    for resource, body in bodies.items():
        cluster = SmallCluster()
        _quota(cluster, pods="0")
        cluster.apply(body)
        cluster.at(2)
        assert cluster.world.table("retries")
        cluster.delete(resource, "web")
        cluster.at(60)
        assert not cluster.world.table("retries")

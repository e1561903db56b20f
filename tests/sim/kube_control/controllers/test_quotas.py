"""Quotas and limit ranges: what is refused, in which words, and what is counted."""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as some
from small_cluster import SmallCluster, deployment

from aiops_gym.sim import kube_api
from aiops_gym.sim.kernel import quantity
from aiops_gym.sim.kube_api import quota as quota_api
from aiops_gym.sim.kube_control.controllers import kubelet
from aiops_gym.sim.kube_control.scheduling import filters
from aiops_gym.types import Request


def quota(name: str = "q", **hard: str) -> dict[str, Any]:
    """A ResourceQuota; `__` in names stands for a dot, `_` for `-`."""
    limits = {k.replace("__", "."): v for k, v in hard.items()}
    return {"apiVersion": "v1", "kind": "ResourceQuota", "metadata": {"name": name}, "spec": {"hard": limits}}


def _limit_range(**rule: Any) -> dict[str, Any]:
    spec = {"limits": [{"type": "Container", **rule}]}
    return {"apiVersion": "v1", "kind": "LimitRange", "metadata": {"name": "l"}, "spec": spec}


def _used(cluster: SmallCluster, name: str = "q") -> dict[str, str]:
    return dict(cluster.get("resourcequotas", name)["status"]["used"])


def test_a_quota_counts_what_comes_and_what_goes() -> None:
    cluster = SmallCluster()
    cluster.apply(quota(pods="5", requests__cpu="1", configmaps="10"))
    cluster.at(1)
    assert _used(cluster) == {"pods": "0", "requests.cpu": "0", "configmaps": "1"}
    cluster.apply(deployment("web", replicas=2, resources={"requests": {"cpu": "100m"}}))
    cluster.at(10)
    assert _used(cluster) == {"pods": "2", "requests.cpu": "200m", "configmaps": "1"}
    cluster.change("deployments.apps", "web", {"replicas": 1})
    cluster.at(60)
    assert _used(cluster)["requests.cpu"] == "100m"


def test_a_replica_set_says_why_it_cannot_make_its_pods_and_goes_on_when_there_is_room() -> None:
    cluster = SmallCluster()
    cluster.apply(quota(pods="1"))
    cluster.apply(deployment("web", replicas=2))
    cluster.at(10)
    (pod,) = cluster.pods()
    rs = pod["metadata"]["ownerReferences"][0]["name"]
    failed = [text for text in cluster.events(rs) if text.startswith("FailedCreate")]
    assert len(failed) > 3
    prefix, suffix = (
        f'FailedCreate Error creating: pods "{rs}-',
        ('" is forbidden: exceeded quota: q, requested: pods=1, used: pods=1, limited: pods=1'),
    )
    assert all(text.startswith((prefix, "FailedCreate (combined from similar events): ")) for text in failed)
    assert all(text.endswith(suffix) for text in failed)
    conditions = {
        c["type"]: (c["status"], c["reason"]) for c in cluster.get("deployments.apps", "web")["status"]["conditions"]
    }
    assert conditions["ReplicaFailure"] == ("True", "FailedCreate")
    assert conditions["Available"] == ("False", "MinimumReplicasUnavailable")
    cluster.apply(quota(pods="2"))
    cluster.at(120)
    assert len(cluster.pods()) == 2


def test_a_quota_on_cpu_wants_to_know_what_a_pod_needs() -> None:
    cluster = SmallCluster()
    cluster.apply(quota(requests__cpu="1", limits__memory="1Gi"))
    cluster.apply(deployment("web"))
    cluster.at(5)
    text = "failed quota: q: must specify limits.memory for: app; requests.cpu for: app"
    assert any(text in event for event in cluster.events("web"))


def test_a_scoped_quota_counts_only_pods_in_its_scope() -> None:
    cluster = SmallCluster()
    cluster.apply(quota(pods="1") | {"spec": {"hard": {"pods": "1"}, "scopes": ["NotBestEffort"]}})
    cluster.apply(deployment("free", replicas=3))
    cluster.apply(deployment("paid", replicas=3, resources={"requests": {"cpu": "10m"}}))
    cluster.at(10)
    assert (len(cluster.pods("free")), len(cluster.pods("paid"))) == (3, 1)


def test_a_limit_range_fills_in_and_refuses() -> None:
    cluster = SmallCluster()
    cluster.apply(_limit_range(default={"memory": "128Mi"}, defaultRequest={"memory": "64Mi"}, max={"memory": "256Mi"}))
    cluster.apply(deployment("web"))
    cluster.apply(deployment("fat", resources={"limits": {"memory": "1Gi"}, "requests": {"memory": "64Mi"}}))
    cluster.at(5)
    resources = cluster.pod("web")["spec"]["containers"][0]["resources"]
    assert resources == {"limits": {"memory": "128Mi"}, "requests": {"memory": "64Mi"}}
    text = "is forbidden: maximum memory usage per Container is 256Mi, but limit is 1Gi"
    assert any(text in event for event in cluster.events("fat"))
    rule = cluster.pod("web")["metadata"]["annotations"]["kubernetes.io/limit-ranger"]
    assert rule == "LimitRanger plugin set: memory request for container app; memory limit for container app"


def test_a_limit_range_that_makes_no_sense_is_refused() -> None:
    cluster = SmallCluster()
    body = _limit_range(min={"cpu": "2"}, max={"cpu": "1"})
    body["metadata"]["namespace"] = "ns"
    answer = kube_api.handle(cluster.world, Request("create", "limitranges", "ns", body=body))
    assert answer.code == 422
    assert "min value 2 is greater than max value 1" in answer.body["message"]


@settings(max_examples=25, deadline=None)
@given(
    limit=some.integers(0, 5),
    sizes=some.lists(some.tuples(some.sampled_from("ab"), some.integers(0, 4)), min_size=1, max_size=5),
)
def test_a_quota_is_never_exceeded(limit: int, sizes: list[tuple[str, int]]) -> None:
    cluster = SmallCluster()
    cluster.apply(quota(pods=str(limit), requests__cpu="350m"))
    tell = cluster.world.store.observer

    def watch(resource: str, old: Any, new: Any) -> None:
        using = [pod for pod in cluster.pods() if pod["status"]["phase"] not in ("Succeeded", "Failed")]
        assert len(using) <= min(limit, 3)
        tell(resource, old, new)

    cluster.world.store.observer = watch
    for name, size in sizes:
        cluster.apply(deployment(name, replicas=size, resources={"requests": {"cpu": "100m"}}))
        cluster.world.run(20_000)
    cluster.world.run(60_000)
    used = _used(cluster)
    assert int(used["pods"]) == len(cluster.pods())
    assert quantity.parse(used["requests.cpu"]) * 10 == len(cluster.pods())


def test_a_service_may_not_grow_beyond_a_quota() -> None:
    cluster = SmallCluster()
    cluster.apply(quota(services__nodeports="1"))
    ports = [{"name": f"p{n}", "port": n} for n in (80, 81)]
    spec = {"type": "NodePort", "ports": ports[:1]}
    cluster.apply({"apiVersion": "v1", "kind": "Service", "metadata": {"name": "web"}, "spec": spec})
    assert _used(cluster) == {"services.nodeports": "1"}
    body = {"spec": {"ports": ports}}
    request = Request("patch", "services", "ns", "web", body=body, content_type="application/merge-patch+json")
    answer = kube_api.handle(cluster.world, request)
    text = (
        "exceeded quota: q, requested: services.nodeports=1, used: services.nodeports=1, limited: services.nodeports=1"
    )
    assert (answer.code, answer.body["message"]) == (403, f'services "web" is forbidden: {text}')
    cluster.change("services", "web", {"type": "ClusterIP"})
    cluster.at(2)
    assert _used(cluster) == {"services.nodeports": "0"}


def test_what_an_object_takes_nothing_of_does_not_keep_it_out() -> None:
    cluster = SmallCluster()
    cluster.apply(quota(services__nodeports="5", services="5"))
    for number in range(2):
        spec = {"type": "NodePort", "ports": [{"port": 80}]}
        cluster.apply({"apiVersion": "v1", "kind": "Service", "metadata": {"name": f"s{number}"}, "spec": spec})
    cluster.change("resourcequotas", "q", {"hard": {"services.nodeports": "1"}})
    cluster.apply(
        {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "inside"}, "spec": {"ports": [{"port": 1}]}}
    )
    assert _used(cluster)["services"] == "3"


def test_a_sidecar_counts_beside_the_containers_and_an_init_container_does_not() -> None:
    cluster = SmallCluster()
    cluster.apply(quota(requests__cpu="1", pods="5"))
    body = deployment("web", resources={"requests": {"cpu": "100m"}})
    asked = {"image": "app:1", "resources": {"requests": {"cpu": "300m"}}}
    body["spec"]["template"]["spec"]["initContainers"] = [
        {"name": "side", **asked, "restartPolicy": "Always"},
        {"name": "first", **asked, "command": ["/bin/sh", "-c", "true"]},
    ]
    cluster.apply(body)
    cluster.at(1)
    assert _used(cluster)["requests.cpu"] == "600m"
    assert filters.sum_requests(cluster.pod("web"))["cpu"] == 600


def test_a_set_may_ask_for_the_next_pod_before_the_quota_has_seen_the_last_one_go() -> None:
    courses = set()
    for seed in range(12):
        cluster = SmallCluster(seed)
        cluster.apply(quota(pods="1"))
        cluster.apply(deployment("web"))
        cluster.at(10)
        cluster.delete("pods", cluster.pod()["metadata"]["name"], grace=0)
        cluster.at(12)
        assert len(cluster.pods()) == 1
        assert _used(cluster) == {"pods": "1"}
        assert not cluster.world.table("quotaunseen")
        courses.add(any(text.startswith("FailedCreate") for text in cluster.events("web")))
    assert courses == {True, False}


def test_a_pod_that_ended_counts_as_an_object_only() -> None:
    cluster = SmallCluster()
    cluster.apply(quota(**{"pods": "3", "count/pods": "3"}))
    cluster.apply(deployment("web"))
    cluster.at(5)
    pod = cluster.pod()
    cluster.world.store.put("pods", {**pod, "status": {**pod["status"], "phase": "Succeeded"}})
    cluster.at(20)
    assert _used(cluster) == {"pods": "1", "count/pods": "2"}


def test_a_pod_that_is_stuck_in_its_deletion_is_not_counted_for_ever() -> None:
    cluster = SmallCluster()
    cluster.apply(quota(pods="2"))
    cluster.apply(deployment("web"))
    cluster.at(5)
    kubelet.stop(cluster.world, "node-1")
    cluster.delete("pods", cluster.pod()["metadata"]["name"])
    cluster.at(64)
    assert quota_api.compute_usage(cluster.world, "ns", {"pods": "2"}, {})["pods"] == 2
    cluster.at(66)
    assert quota_api.compute_usage(cluster.world, "ns", {"pods": "2"}, {})["pods"] == 1

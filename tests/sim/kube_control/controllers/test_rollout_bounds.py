"""Rollouts keep within their bounds at every instant, whatever is asked of them."""

from __future__ import annotations

from math import ceil, floor
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as some
from small_cluster import SmallCluster, deployment

from aiops_gym.sim.kernel.objects import Obj
from aiops_gym.sim.kube_control import pods as pods_of

PART = some.one_of(some.integers(0, 3), some.sampled_from(["0%", "25%", "50%", "100%"]))


def _absolute(value: Any, size: int, up: bool) -> int:
    if isinstance(value, str):
        share = int(value[:-1]) * size / 100
        return ceil(share) if up else floor(share)
    return int(value)


@settings(max_examples=40, deadline=None)
@given(size=some.integers(1, 6), surge=PART, unavailable=PART, images=some.lists(some.sampled_from("ab"), max_size=4))
def test_a_rollout_never_has_too_many_or_too_few(size: int, surge: Any, unavailable: Any, images: list[str]) -> None:
    most, fewest = _absolute(surge, size, up=True), _absolute(unavailable, size, up=False)
    if str(surge).strip("%") == str(unavailable).strip("%") == "0":
        unavailable = fewest = 1
    elif not most and not fewest:
        fewest = 1
    cluster = SmallCluster()
    strategy = {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": surge, "maxUnavailable": unavailable}}
    cluster.apply(deployment("web", replicas=size, strategy=strategy))
    cluster.at(20)
    tell = cluster.world.store.observer

    def watch(resource: str, old: Obj | None, new: Obj | None) -> None:
        if resource == "pods":
            active = [pod for pod in cluster.pods() if pods_of.is_active(pod)]
            assert len(active) <= size + most
            assert sum(1 for pod in active if pods_of.is_ready(pod)) >= size - fewest
        tell(resource, old, new)

    cluster.world.store.observer = watch
    for letter in images:
        cluster.apply(deployment("web", replicas=size, strategy=strategy, args=[letter]))
        cluster.world.run(3_000)
    cluster.world.run(120_000)
    wanted = [images[-1]] if images else None
    assert [pod["spec"]["containers"][0].get("args") for pod in cluster.pods()] == [wanted] * size


def test_a_pod_counts_as_available_only_after_min_ready_seconds() -> None:
    cluster = SmallCluster()
    body = deployment("web", replicas=2)
    body["spec"]["minReadySeconds"] = 20
    cluster.apply(body)
    cluster.at(10)
    status = cluster.get("deployments.apps", "web")["status"]
    assert (status["readyReplicas"], status.get("availableReplicas", 0)) == (2, 0)
    cluster.at(30)
    assert cluster.get("deployments.apps", "web")["status"]["availableReplicas"] == 2


def test_a_newer_update_overtakes_one_that_is_under_way() -> None:
    cluster = SmallCluster()
    cluster.apply(deployment("web", replicas=4))
    cluster.at(20)
    cluster.apply(deployment("web", "missing:9", replicas=4))
    cluster.at(40)
    cluster.apply(deployment("web", "app:2", replicas=4))
    cluster.at(120)
    assert [pod["spec"]["containers"][0]["image"] for pod in cluster.pods()] == ["app:2"] * 4
    sizes = sorted(rs["spec"]["replicas"] for rs in cluster.world.store.all("replicasets.apps", "ns"))
    assert sizes == [0, 0, 4]


def test_scaling_in_the_middle_of_a_rollout_is_shared_out() -> None:
    cluster = SmallCluster()
    rolling = {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 3, "maxUnavailable": 2}}
    cluster.apply(deployment("web", replicas=10, strategy=rolling))
    cluster.at(30)
    cluster.apply(deployment("web", "missing:9", replicas=10, strategy=rolling))
    cluster.at(60)
    sizes = {rs["spec"]["template"]["spec"]["containers"][0]["image"]: rs for rs in _sets(cluster)}
    assert (sizes["app:1"]["spec"]["replicas"], sizes["missing:9"]["spec"]["replicas"]) == (8, 5)
    cluster.change("deployments.apps", "web", {"replicas": 15})
    cluster.at(90)
    sizes = {rs["spec"]["template"]["spec"]["containers"][0]["image"]: rs for rs in _sets(cluster)}
    assert (sizes["app:1"]["spec"]["replicas"], sizes["missing:9"]["spec"]["replicas"]) == (11, 7)


def _sets(cluster: SmallCluster) -> list[Obj]:
    return cluster.world.store.all("replicasets.apps", "ns")


def test_halves_are_rounded_away_from_zero() -> None:
    cluster = SmallCluster()
    rolling = {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 1, "maxUnavailable": 1}}
    cluster.apply(deployment("web", replicas=3, strategy=rolling))
    cluster.at(30)
    cluster.apply(deployment("web", "missing:9", replicas=3, strategy=rolling))
    cluster.at(60)
    cluster.change("deployments.apps", "web", {"replicas": 4})
    cluster.at(61)
    sizes = {rs["spec"]["template"]["spec"]["containers"][0]["image"]: rs["spec"]["replicas"] for rs in _sets(cluster)}
    assert sizes == {"app:1": 2, "missing:9": 3}

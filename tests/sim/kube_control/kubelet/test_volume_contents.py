"""Mounted ConfigMaps and Secrets: a pod sees a change when its kubelet syncs it, a file mounted by subPath never."""

from __future__ import annotations

import base64
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as some
from small_cluster import SmallCluster, deployment

from aiops_gym.sim.kernel.objects import uid_of
from aiops_gym.sim.machine.container import Container
from aiops_gym.sim.machine.mounts import EARLIER

VOLUMES: list[Any] = [
    {"name": "map", "configMap": {"name": "words"}},
    {"name": "both", "projected": {"sources": [{"configMap": {"name": "words"}}, {"secret": {"name": "words"}}]}},
    {"name": "secret", "secret": {"secretName": "words"}},
]
MOUNTS = [
    {"name": "map", "mountPath": "/map"},
    {"name": "map", "mountPath": "/one/open", "subPath": "open"},
    {"name": "both", "mountPath": "/both"},
    {"name": "secret", "mountPath": "/secret"},
]
OPEN = ("/map/open", "/both/open")


def _cluster(seed: int = 1) -> SmallCluster:
    cluster = SmallCluster(seed)
    _write(cluster, "first")
    body = deployment("web")
    pod = body["spec"]["template"]["spec"]
    pod["volumes"], pod["containers"][0]["volumeMounts"] = VOLUMES, MOUNTS
    cluster.apply(body)
    cluster.at(20)
    return cluster


def _write(cluster: SmallCluster, word: str) -> None:
    cluster.apply({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "words"}, "data": {"open": word}})
    data = {"hidden": base64.b64encode(word.encode()).decode()}
    cluster.apply({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "words"}, "data": data})


def _seen(cluster: SmallCluster) -> dict[str, str | None]:
    inside = Container(cluster.world, f"{uid_of(cluster.pod())}/app")
    return {path: inside.read(path) for path in (*OPEN, "/one/open", "/secret/hidden")}


def test_a_change_comes_with_the_next_sync_and_never_where_a_file_is_mounted_by_itself() -> None:
    cluster = _cluster()
    assert set(_seen(cluster).values()) == {"first"}
    _write(cluster, "second")
    assert set(_seen(cluster).values()) == {"first"}
    cluster.at(20 + 95)
    found = _seen(cluster)
    assert found.pop("/one/open") == "first"
    assert set(found.values()) == {"second"}


def test_what_starts_anew_looks_again() -> None:
    cluster = _cluster()
    _write(cluster, "second")
    cluster.delete("pods", cluster.pod()["metadata"]["name"])
    cluster.at(60)
    assert set(_seen(cluster).values()) == {"second"}
    cluster.at(120)
    assert not cluster.world.table(EARLIER)


def test_a_container_that_starts_again_looks_again() -> None:
    cluster = _cluster()
    _write(cluster, "second")
    Container(cluster.world, f"{uid_of(cluster.pod())}/app").exit(1)
    cluster.at(30)
    assert cluster.pod()["status"]["containerStatuses"][0]["restartCount"] == 1
    assert set(_seen(cluster).values()) == {"second"}


@settings(max_examples=25, deadline=None)
@given(some.lists(some.integers(0, 120), min_size=1, max_size=6), some.integers(0, 1_000))
def test_a_pod_sees_only_what_was_written_and_the_last_of_it_in_the_end(waits: list[int], seed: int) -> None:
    cluster = _cluster(seed)
    order = ["first", *(f"word {number}" for number in range(len(waits)))]
    seconds, last = 20.0, 0
    for number, wait in enumerate(waits, 1):
        _write(cluster, order[number])
        for _ in range(2):
            found = order.index(str(_seen(cluster)["/map/open"]))
            assert last <= found <= number
            last, seconds = found, seconds + wait / 2
            cluster.at(seconds)
    cluster.at(seconds + 95)
    assert _seen(cluster)["/map/open"] == order[-1]
    assert _seen(cluster)["/one/open"] == "first"


def test_a_fork_sees_the_same() -> None:
    cluster = _cluster()
    _write(cluster, "second")
    twin = cluster.world.fork()
    for world in (twin, cluster.world):
        world.run(40_000)
    assert dict(twin.table(EARLIER)) == dict(cluster.world.table(EARLIER))

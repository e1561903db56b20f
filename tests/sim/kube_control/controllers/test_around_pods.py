"""Endpoints, namespaces, effects, and the smaller controllers."""

from __future__ import annotations

from small_cluster import SmallCluster, deployment, shell

from aiops_gym.sim import kube_api
from aiops_gym.sim.kube_control.controllers import chaos, node

SERVICE = {
    "apiVersion": "v1",
    "kind": "Service",
    "metadata": {"name": "web"},
    "spec": {"selector": {"app": "web"}, "ports": [{"port": 80, "targetPort": 8080}]},
}


def _addresses(cluster: SmallCluster, kind: str = "addresses") -> list[str]:
    subsets = cluster.get("endpoints", "web").get("subsets", [])
    return [address["ip"] for subset in subsets for address in subset.get(kind, [])]


def test_endpoints_follow_readiness() -> None:
    cluster = SmallCluster()
    cluster.apply(SERVICE)
    cluster.apply(deployment("web", replicas=2))
    cluster.at(10)
    assert sorted(_addresses(cluster)) == sorted(p["status"]["podIP"] for p in cluster.pods())
    assert cluster.get("endpoints", "web")["subsets"][0]["ports"] == [{"port": 8080, "protocol": "TCP"}]
    cluster.delete("pods", cluster.pods()[0]["metadata"]["name"])
    cluster.world.run(100)
    assert len(_addresses(cluster)) == 1
    cluster.at(20)
    assert len(_addresses(cluster)) == 2
    (piece,) = cluster.world.store.all("endpointslices.discovery.k8s.io", "ns")
    assert sorted(e["addresses"][0] for e in piece["endpoints"]) == sorted(_addresses(cluster))
    assert piece["metadata"]["labels"]["kubernetes.io/service-name"] == "web"


def test_a_pod_that_is_not_ready_is_listed_apart() -> None:
    cluster = SmallCluster()
    cluster.apply(SERVICE)
    cluster.apply(deployment("web", readinessProbe={"httpGet": {"path": "/x", "port": 8080}}))
    cluster.at(10)
    assert _addresses(cluster) == [] and len(_addresses(cluster, "notReadyAddresses")) == 1


def test_a_selector_that_matches_nothing_leaves_no_endpoints() -> None:
    cluster = SmallCluster()
    cluster.apply({**SERVICE, "spec": {**SERVICE["spec"], "selector": {"app": "typo"}}})  # type: ignore[dict-item]
    cluster.apply(deployment("web"))
    cluster.at(10)
    assert _addresses(cluster) == []


def test_a_deleted_namespace_takes_everything_with_it() -> None:
    cluster = SmallCluster()
    cluster.apply(SERVICE)
    cluster.apply(deployment("web", replicas=2))
    cluster.at(10)
    assert kube_api.find("configmaps") is not None
    assert cluster.get("configmaps", "kube-root-ca.crt")["data"]["ca.crt"].startswith("-----BEGIN CERTIFICATE-----")
    assert cluster.get("serviceaccounts", "default")
    kube_api.delete(cluster.world, "namespaces", "", "ns")
    cluster.world.run(100)
    assert cluster.world.store.get("namespaces", "", "ns")["status"]["phase"] == "Terminating"  # type: ignore[index]
    cluster.at(60)
    left = [r for r in cluster.world.store.resources() if cluster.world.store.all(r, "ns")]
    assert left == [] and cluster.world.store.get("namespaces", "", "ns") is None
    assert not cluster.world.table("kubelet") and not cluster.world.table("processes")
    cluster.apply({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "ns"}})
    cluster.apply(deployment("web"))
    cluster.at(70)
    assert cluster.states("web")[-1][1] == "Running app:R:0"


def test_a_killed_container_is_killed_again_each_minute() -> None:
    cluster = SmallCluster()
    cluster.apply(deployment("web", replicas=2))
    cluster.at(10)
    effect = {"kind": "container_kill", "namespace": "ns", "labels": {"app": "web"}, "params": {"every": 60}}
    chaos.add(cluster.world, "one", effect)
    cluster.at(170)
    counts = sorted(p["status"]["containerStatuses"][0]["restartCount"] for p in cluster.pods())
    assert counts == [0, 3]
    victim = max(cluster.pods(), key=lambda p: p["status"]["containerStatuses"][0]["restartCount"])
    assert victim["status"]["containerStatuses"][0]["lastState"]["terminated"]["exitCode"] == 137
    cluster.delete("pods", victim["metadata"]["name"])
    cluster.at(300)
    assert sum(p["status"]["containerStatuses"][0]["restartCount"] for p in cluster.pods()) >= 2
    chaos.remove(cluster.world, "one")
    cluster.at(400)
    assert not [e for e in cluster.world.heap if e[3] == "chaos.kill"]


def test_what_recurs_is_over_when_it_is_removed_while_it_pauses() -> None:
    cluster = SmallCluster()
    cluster.apply(deployment("web"))
    cluster.at(10)
    effect = {"kind": "network_loss", "namespace": "ns", "labels": {"app": "web"}, "params": {"percent": 90}}
    chaos.add_recurring(cluster.world, "one", effect, 20_000, 5_000)
    held = cluster.world.table("effects")

    def run_until(holds: bool) -> None:
        while bool(held["one"]["pod"]) is not holds:
            cluster.world.run(500)

    for holds in (True, False, True, False):  # it holds, pauses, and returns by itself
        run_until(holds)
    chaos.remove(cluster.world, "one")
    cluster.world.run(120_000)
    assert not held
    chaos.add_recurring(cluster.world, "one", effect, 20_000, 5_000)
    run_until(True)
    run_until(False)
    chaos.remove(cluster.world, "one")
    chaos.add(cluster.world, "one", effect)  # somebody begins another one, which lasts
    run_until(True)
    for _ in range(120):
        cluster.world.run(500)
        assert held["one"]["pod"]


def test_a_failed_pod_gets_another_image_and_leaves_no_trace_but_that() -> None:
    cluster = SmallCluster()
    cluster.apply(deployment("web"))
    cluster.at(10)
    effect = {"kind": "pod_failure", "namespace": "ns", "labels": {"app": "web"}, "params": {"image": "app:2"}}
    chaos.add(cluster.world, "one", effect)
    cluster.at(20)
    assert cluster.pod()["spec"]["containers"][0]["image"] == "app:2"
    assert "annotations" not in cluster.pod()["metadata"]
    cluster.delete("pods", cluster.pod()["metadata"]["name"])
    cluster.at(40)
    assert cluster.pod()["spec"]["containers"][0]["image"] == "app:2"


def test_a_daemon_set_has_one_pod_a_node() -> None:
    cluster = SmallCluster(nodes=2)
    body = deployment("agent")
    spec = {k: v for k, v in body["spec"].items() if k != "replicas"}
    cluster.apply({**body, "kind": "DaemonSet", "spec": spec})
    cluster.at(10)
    assert sorted(p["spec"]["nodeName"] for p in cluster.pods()) == ["node-1", "node-2"]
    status = cluster.get("daemonsets.apps", "agent")["status"]
    assert (status["desiredNumberScheduled"], status["numberReady"], status["numberMisscheduled"]) == (2, 2, 0)
    cluster.add_node("node-3")
    cluster.at(20)
    assert len(cluster.pods()) == 3


def test_a_job_completes_and_another_gives_up() -> None:
    cluster = SmallCluster()
    for name, code in (("good", 0), ("bad", 1)):
        container = {"name": "app", "image": "app:1", "command": shell(f"sleep 1; exit {code}")}
        template = {"spec": {"containers": [container], "restartPolicy": "Never"}}
        spec = {"template": template, "backoffLimit": 1}
        cluster.apply({"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": name}, "spec": spec})
    cluster.at(90)
    good, bad = cluster.get("jobs.batch", "good")["status"], cluster.get("jobs.batch", "bad")["status"]
    assert good["succeeded"] == 1 and [c["type"] for c in good["conditions"]] == ["SuccessCriteriaMet", "Complete"]
    assert bad["failed"] == 2 and bad["conditions"][1]["reason"] == "BackoffLimitExceeded"
    assert cluster.events("good")["Completed Job completed"] == 1
    assert cluster.pod("good")["status"]["phase"] == "Succeeded"


def test_a_stateful_set_numbers_its_pods_in_order() -> None:
    cluster = SmallCluster()
    body = deployment("db", replicas=3)
    cluster.apply({**body, "kind": "StatefulSet", "spec": {**body["spec"], "serviceName": "db"}})
    cluster.at(20)
    starts = [cluster.states(f"db-{n}")[0][0] for n in range(3)]
    assert starts[1] > 1 and starts[2] > starts[1] + 0.9
    cluster.change("statefulsets.apps", "db", {"replicas": 1})
    cluster.at(40)
    assert [p["metadata"]["name"] for p in cluster.pods()] == ["db-0"]
    assert cluster.events("db")["SuccessfulCreate create Pod db-0 in StatefulSet db successful"] == 1


def test_heartbeats_are_worked_out_when_read() -> None:
    cluster = SmallCluster()
    cluster.apply({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "kube-node-lease"}})
    cluster.at(10)
    version = cluster.world.store.version
    cluster.at(2_000)
    assert cluster.world.store.version == version
    seen = node.refresh(cluster.world, cluster.get("nodes", "node-1"))
    assert (
        seen["status"]["conditions"][0]["lastHeartbeatTime"]
        > cluster.get("nodes", "node-1")["status"]["conditions"][0]["lastHeartbeatTime"]
    )
    lease = cluster.world.store.get("leases.coordination.k8s.io", "kube-node-lease", "node-1")
    assert lease is not None
    assert node.refresh(cluster.world, lease)["spec"]["renewTime"] > lease["spec"]["renewTime"]

"""NetworkPolicies: what they let through, and what they do to requests."""

from __future__ import annotations

from typing import Any

import pytest
from small_cluster import SmallCluster, deployment

from aiops_gym.sim import kube_api
from aiops_gym.sim.network import routes


def _policy(cluster: SmallCluster, name: str = "p", **spec: Any) -> None:
    body = {
        "apiVersion": "networking.k8s.io/v1",
        "kind": "NetworkPolicy",
        "metadata": {"name": name, "namespace": "ns"},
    }
    kube_api.create(cluster.world, "networkpolicies.networking.k8s.io", {**body, "spec": {"podSelector": {}, **spec}})


def _cluster() -> SmallCluster:
    cluster = SmallCluster()
    for name in ("web", "client", "other"):
        cluster.apply(deployment(name, ports=[{"name": "http", "containerPort": 8080}]))
    meta = {"name": "web", "namespace": "ns"}
    spec = {"selector": {"app": "web"}, "ports": [{"port": 80, "targetPort": 8080}]}
    kube_api.create(cluster.world, "services", {"apiVersion": "v1", "kind": "Service", "metadata": meta, "spec": spec})
    cluster.at(10)
    return cluster


def _outcome(cluster: SmallCluster, source: str = "client", host: str = "web", port: int = 80) -> str:
    key = f"{cluster.pod(source)['metadata']['uid']}/app" if source else None
    return routes.dial(cluster.world, key, "ns", host, port).outcome


def _from(**labels: str) -> dict[str, Any]:
    return {"podSelector": {"matchLabels": labels}}


def test_without_policies_all_may_talk() -> None:
    assert _outcome(_cluster()) == "ok"


def test_a_closed_door_lets_packets_vanish_but_not_those_of_the_node() -> None:
    cluster = _cluster()
    _policy(cluster, policyTypes=["Ingress"])
    assert _outcome(cluster) == "timeout"
    assert _outcome(cluster, "") == "ok"
    assert cluster.pod("web")["status"]["containerStatuses"][0]["ready"]


@pytest.mark.parametrize(
    ("rule", "client", "other"),
    [
        ({"from": [_from(app="client")]}, "ok", "timeout"),
        ({"from": [_from(app="client")], "ports": [{"port": 8080}]}, "ok", "timeout"),
        ({"ports": [{"port": 80}]}, "timeout", "timeout"),
        ({"ports": [{"port": "http"}]}, "ok", "ok"),
        ({"ports": [{"port": 8000, "endPort": 8100}]}, "ok", "ok"),
        ({"ports": [{"port": 8080, "protocol": "UDP"}]}, "timeout", "timeout"),
        ({"from": [{"namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": "ns"}}}]}, "ok", "ok"),
        ({"from": [{"namespaceSelector": {"matchLabels": {"team": "x"}}}]}, "timeout", "timeout"),
        ({"from": [{"ipBlock": {"cidr": "10.244.0.0/16"}}]}, "ok", "ok"),
        ({"from": [{"ipBlock": {"cidr": "10.244.0.0/16", "except": ["10.244.0.0/24"]}}]}, "timeout", "timeout"),
        ({}, "ok", "ok"),
    ],
)
def test_rules_open_the_door_for_some(rule: dict[str, Any], client: str, other: str) -> None:
    cluster = _cluster()
    _policy(cluster, podSelector={"matchLabels": {"app": "web"}}, policyTypes=["Ingress"], ingress=[rule])
    assert (_outcome(cluster), _outcome(cluster, "other")) == (client, other)


def test_who_may_not_go_out_reaches_nobody_not_even_the_name_server() -> None:
    cluster = _cluster()
    _policy(cluster, podSelector={"matchLabels": {"app": "client"}}, policyTypes=["Egress"])
    assert (_outcome(cluster), _outcome(cluster, "other")) == ("timeout", "ok")
    _policy(
        cluster,
        "q",
        podSelector={"matchLabels": {"app": "client"}},
        policyTypes=["Egress"],
        egress=[{"to": [_from(app="web")]}],
    )
    assert _outcome(cluster) == "ok"


def test_a_pod_always_reaches_itself() -> None:
    cluster = _cluster()
    _policy(cluster, policyTypes=["Ingress", "Egress"])
    own = cluster.pod("web")["status"]["podIP"]
    assert _outcome(cluster, "web", "localhost", 8080) == "ok"
    assert _outcome(cluster, "web", own, 8080) == "ok"


def _served() -> SmallCluster:
    """A cluster whose name server lies in another namespace."""
    cluster = _cluster()
    meta = {"name": "kube-dns", "namespace": "kube-system", "uid": "uid-kube-dns"}
    cluster.world.store.put("services", {"metadata": meta, "spec": {"clusterIP": "10.96.0.10", "ports": []}})
    subsets = [{"addresses": [{"ip": "10.244.0.99"}], "ports": [{"port": 53, "protocol": "UDP"}]}]
    cluster.world.store.put("endpoints", {"metadata": meta, "subsets": subsets})
    return cluster


def test_who_may_talk_to_its_namespace_only_gets_no_answer_from_the_name_server() -> None:
    cluster = _served()
    _policy(cluster, policyTypes=["Egress"], egress=[{"to": [{"podSelector": {}}]}])
    assert _outcome(cluster) == "no_answer"
    key = f"{cluster.pod('client')['metadata']['uid']}/app"
    row = cluster.world.table("processes")[key]
    assert not routes.dns_works(cluster.world, row)
    assert routes.dns_works(cluster.world)
    assert routes.resolve(cluster.world, key, "ns", "web") == []
    address = routes.resolve(cluster.world, None, "ns", "web")[0]
    assert _outcome(cluster, host=address) == "ok", "addresses need no name server"


def test_a_policy_holds_for_a_process_whose_pod_does_not_say_its_address_yet() -> None:
    cluster = _served()
    _policy(cluster, policyTypes=["Egress"], egress=[{"to": [{"podSelector": {}}]}])
    pod = cluster.pod("client")
    status = {key: value for key, value in pod["status"].items() if key not in ("podIP", "podIPs")}
    cluster.world.store.put("pods", {**pod, "status": status})
    assert _outcome(cluster) == "no_answer"

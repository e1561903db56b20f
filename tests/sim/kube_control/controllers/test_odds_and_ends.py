"""Namespaces that wait, owners that wait, hand-made endpoints, tokens, volumes nobody can delete, older kinds."""

from __future__ import annotations

from base64 import b64decode
from typing import Any

from small_cluster import SmallCluster, deployment

from aiops_gym.sim import kube_api
from aiops_gym.sim.kernel.objects import get
from aiops_gym.types import Request


def _create(cluster: SmallCluster, resource: str, name: str, **body: Any) -> None:
    kube_api.create(cluster.world, resource, {"metadata": {"name": name, "namespace": "ns"}, **body})


def _service(cluster: SmallCluster, name: str, **spec: Any) -> None:
    _create(cluster, "services", name, apiVersion="v1", kind="Service", spec={"ports": [{"port": 80}], **spec})


def test_a_namespace_waits_for_finalizers_and_says_so() -> None:
    cluster = SmallCluster()
    meta = {"name": "held", "namespace": "ns", "finalizers": ["example.com/hold"]}
    kube_api.create(cluster.world, "configmaps", {"apiVersion": "v1", "kind": "ConfigMap", "metadata": meta})
    cluster.apply(deployment("web"))
    cluster.at(5)
    kube_api.delete(cluster.world, "namespaces", "", "ns")
    cluster.at(120)
    conditions = {c["type"]: c for c in cluster.get("namespaces", "ns")["status"]["conditions"]}
    assert conditions["NamespaceContentRemaining"]["message"] == (
        "Some resources are remaining: configmaps. has 1 resource instances"
    )
    assert conditions["NamespaceFinalizersRemaining"]["message"] == (
        "Some content in the namespace has finalizers remaining: example.com/hold in 1 resource instances"
    )
    assert conditions["NamespaceDeletionContentFailure"]["status"] == "False"
    patch = {"metadata": {"finalizers": None}}
    kind = "application/merge-patch+json"
    kube_api.handle(cluster.world, Request("patch", "configmaps", "ns", "held", body=patch, content_type=kind))
    cluster.at(125)
    assert cluster.world.store.get("namespaces", "", "ns") is None


def test_in_the_foreground_the_owner_goes_last() -> None:
    cluster = SmallCluster()
    cluster.apply(deployment("web", replicas=2))
    cluster.at(10)
    cluster.delete("deployments.apps", "web", propagation="Foreground")
    cluster.at(10.6)
    waiting = cluster.get("deployments.apps", "web")["metadata"]
    assert waiting["finalizers"] == ["foregroundDeletion"]
    assert len(cluster.pods()) == 2
    cluster.at(60)
    assert cluster.world.store.get("deployments.apps", "ns", "web") is None
    assert cluster.world.store.all("replicasets.apps", "ns") == []
    assert cluster.pods() == []


def test_hand_made_endpoints_get_a_slice() -> None:
    cluster = SmallCluster()
    _service(cluster, "outside")
    subsets = [{"addresses": [{"ip": "192.0.2.7"}], "ports": [{"port": 5432}]}]
    _create(cluster, "endpoints", "outside", apiVersion="v1", kind="Endpoints", subsets=subsets)
    cluster.at(2)
    (found,) = cluster.world.store.all("endpointslices.discovery.k8s.io", "ns")
    assert found["endpoints"] == [{"addresses": ["192.0.2.7"], "conditions": {"ready": True}}]
    managed = "endpointslice.kubernetes.io/managed-by"
    assert found["metadata"]["labels"][managed] == "endpointslicemirroring-controller.k8s.io"
    cluster.delete("endpoints", "outside")
    cluster.at(4)
    assert cluster.world.store.all("endpointslices.discovery.k8s.io", "ns") == []


def test_endpoints_know_named_ports_unready_pods_and_services_without_any() -> None:
    cluster = SmallCluster()
    probe = {"httpGet": {"port": 9, "path": "/"}}
    ports = [{"name": "http", "containerPort": 8080}]
    cluster.apply(deployment("web", ports=ports, readinessProbe=probe))
    _service(cluster, "named", selector={"app": "web"}, ports=[{"port": 80, "targetPort": "http"}])
    _service(cluster, "early", selector={"app": "web"}, publishNotReadyAddresses=True, clusterIP="None", ports=[])
    _service(cluster, "alias", type="ExternalName", externalName="example.com", selector={"app": "web"}, ports=[])
    cluster.at(20)
    ip = cluster.pod()["status"]["podIP"]
    (subset,) = cluster.get("endpoints", "named")["subsets"]
    assert [a["ip"] for a in subset["notReadyAddresses"]] == [ip]
    assert subset["ports"] == [{"port": 8080, "protocol": "TCP"}]
    (subset,) = cluster.get("endpoints", "early")["subsets"]
    assert [a["ip"] for a in subset["addresses"]] == [ip]
    assert cluster.world.store.get("endpoints", "ns", "alias") is None


def test_a_load_balancer_nobody_provides_stays_pending() -> None:
    cluster = SmallCluster()
    _service(cluster, "front", type="LoadBalancer")
    cluster.at(60)
    answer = kube_api.handle(cluster.world, Request("list", "services", "ns", table=True))
    assert answer.body["rows"][0]["cells"][3] == "<pending>"


def test_a_token_secret_is_filled_and_goes_with_its_account() -> None:
    cluster = SmallCluster()
    _create(cluster, "serviceaccounts", "robot", apiVersion="v1", kind="ServiceAccount")
    meta = {"name": "t", "namespace": "ns", "annotations": {"kubernetes.io/service-account.name": "robot"}}
    secret = {"apiVersion": "v1", "kind": "Secret", "metadata": meta, "type": "kubernetes.io/service-account-token"}
    kube_api.create(cluster.world, "secrets", secret)
    cluster.at(2)
    data = cluster.get("secrets", "t")["data"]
    assert sorted(data) == ["ca.crt", "namespace", "token"]
    assert b64decode(data["namespace"]) == b"ns"
    cluster.delete("serviceaccounts", "robot")
    cluster.at(4)
    assert cluster.world.store.get("secrets", "ns", "t") is None


def test_a_volume_that_no_plugin_can_delete_fails() -> None:
    cluster = SmallCluster()
    size = {"storage": "1Gi"}
    spec = {"capacity": size, "accessModes": ["ReadWriteOnce"], "hostPath": {"path": "/data"}, "storageClassName": "x"}
    body = {"apiVersion": "v1", "kind": "PersistentVolume", "metadata": {"name": "v"}}
    cluster.apply({**body, "spec": {**spec, "persistentVolumeReclaimPolicy": "Delete"}})
    claim = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": size}, "storageClassName": "x"}
    _create(cluster, "persistentvolumeclaims", "c", apiVersion="v1", kind="PersistentVolumeClaim", spec=claim)
    cluster.at(5)
    larger = {"spec": {"resources": {"requests": {"storage": "2Gi"}}}}
    kind = "application/merge-patch+json"
    request = Request("patch", "persistentvolumeclaims", "ns", "c", body=larger, content_type=kind)
    refused = kube_api.handle(cluster.world, request)
    assert (refused.code, refused.body["message"]) == (
        403,
        'persistentvolumeclaims "c" is forbidden: only dynamically provisioned pvc can be resized and the storageclass '
        "that provisions the pvc must support resize",
    )
    cluster.delete("persistentvolumeclaims", "c")
    cluster.at(20)
    status = cluster.get("persistentvolumes", "v")["status"]
    text = "host_path deleter only supports /tmp/.+ but received provided /data"
    assert (status["phase"], status["message"]) == ("Failed", text)


def test_a_replication_controller_keeps_its_pods() -> None:
    cluster = SmallCluster()
    template = deployment("old")["spec"]["template"]
    spec = {"replicas": 2, "selector": {"app": "old"}, "template": template}
    _create(cluster, "replicationcontrollers", "old", apiVersion="v1", kind="ReplicationController", spec=spec)
    cluster.at(10)
    assert get(cluster.get("replicationcontrollers", "old"), "status", "readyReplicas") == 2
    cluster.change("replicationcontrollers", "old", {"replicas": 1})
    cluster.at(60)
    assert len(cluster.pods("old")) == 1

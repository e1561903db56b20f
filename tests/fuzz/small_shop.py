"""Something of every kind that the API serves, to be created in an application's cluster."""

from __future__ import annotations

from typing import Any

import objects
import orjson
from objects import NS, thing

Json = Any
POD = {"containers": [objects.container()]}
SERVED = {"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": {"type": "object"}}}


def _free(kind: str, version: str, name: str, **fields: Json) -> Json:
    """An object without a namespace."""
    return thing(kind, name, version, namespace="", **fields)


MORE = (
    thing(
        "ReplicationController",
        "old",
        spec={"replicas": 1, "selector": {"a": "old"}, "template": {"metadata": {"labels": {"a": "old"}}, "spec": POD}},
    ),
    thing("Endpoints", "byhand", subsets=[{"addresses": [{"ip": "10.9.9.9"}], "ports": [{"port": 80}]}]),
    thing("Service", "byhand", spec={"ports": [{"port": 80}]}),
    thing(
        "EndpointSlice",
        "byhand",
        "discovery.k8s.io/v1",
        metadata={"labels": {"kubernetes.io/service-name": "byhand"}},
        addressType="IPv4",
        endpoints=[{"addresses": ["10.9.9.8"]}],
        ports=[{"port": 80, "name": "x", "protocol": "TCP"}],
    ),
    thing("Lease", "leader", "coordination.k8s.io/v1", spec={"holderIdentity": "a", "leaseDurationSeconds": 15}),
    thing("PodTemplate", "cutter", template={"spec": POD}),
    thing(
        "Event",
        "byhand",
        involvedObject={"kind": "Pod", "name": "web", "namespace": NS},
        reason="Tried",
        message="by hand",
        type="Normal",
    ),
    thing("CSIStorageCapacity", "room", "storage.k8s.io/v1", storageClassName="disk", capacity="1Gi"),
    _free("RuntimeClass", "node.k8s.io/v1", "kata", handler="kata"),
    _free("CSIDriver", "storage.k8s.io/v1", "disk.example.com", spec={}),
    _free("CSINode", "storage.k8s.io/v1", "kind-worker", spec={"drivers": []}),
    _free(
        "VolumeAttachment",
        "storage.k8s.io/v1",
        "held",
        spec={"attacher": "x", "nodeName": "kind-worker", "source": {"persistentVolumeName": "vol-1"}},
    ),
    _free(
        "APIService",
        "apiregistration.k8s.io/v1",
        "v1.shop.example.com",
        spec={
            "group": "shop.example.com",
            "version": "v1",
            "groupPriorityMinimum": 100,
            "versionPriority": 100,
            "service": {"name": "web", "namespace": NS},
        },
    ),
    _free(
        "CustomResourceDefinition",
        "apiextensions.k8s.io/v1",
        "carts.shop.example.com",
        spec={
            "group": "shop.example.com",
            "scope": "Namespaced",
            "names": {"plural": "carts", "kind": "Cart"},
            "versions": [SERVED],
        },
    ),
    _free(
        "CertificateSigningRequest",
        "certificates.k8s.io/v1",
        "ann",
        spec={"request": "AAAA", "signerName": "kubernetes.io/kube-apiserver-client", "usages": ["client auth"]},
    ),
    _free(
        "FlowSchema", "flowcontrol.apiserver.k8s.io/v1", "shop", spec={"priorityLevelConfiguration": {"name": "shop"}}
    ),
    _free("PriorityLevelConfiguration", "flowcontrol.apiserver.k8s.io/v1", "shop", spec={"type": "Exempt"}),
    _free("MutatingWebhookConfiguration", "admissionregistration.k8s.io/v1", "hooks", webhooks=[]),
    _free("ValidatingWebhookConfiguration", "admissionregistration.k8s.io/v1", "hooks", webhooks=[]),
    _free("ValidatingAdmissionPolicy", "admissionregistration.k8s.io/v1", "rules", spec={}),
    _free("ValidatingAdmissionPolicyBinding", "admissionregistration.k8s.io/v1", "rules", spec={"policyName": "rules"}),
)
"""Kinds that the cluster of the differential tests does not have."""


def manifest() -> str:
    """A List of them all, with an image that the applications' worlds know in the place of the tests' own."""
    spaces = [thing("Namespace", name, namespace="") for name in (NS, "limited")]
    every = [*spaces, *objects.CONFIG, *objects.SERVICES, *objects.WORKLOADS, *objects.BROKEN, *MORE]
    text = orjson.dumps({"apiVersion": "v1", "kind": "List", "items": every}).decode()
    return text.replace('"app:1"', '"nginx:1"')

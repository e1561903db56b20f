"""What `kind create cluster` leaves in a cluster besides what runs there: kubeadm's settings, accounts and rights.

Sources: kubeadm 1.32 (`cmd/kubeadm/app/phases`), the manifests in `kindest/node:v1.32.1`, metrics-server 0.7.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterator
from functools import cache

import yaml

from aiops_gym.catalog.kubeadm_settings import ADDRESS, CLUSTER, COREFILE, HELPER, INSIDE, KUBELET, PLACES, PROXY
from aiops_gym.catalog.model import Manifest
from aiops_gym.types import Json

SYSTEM, PUBLIC, STORAGE = "kube-system", "kube-public", "local-path-storage"
GROUP = "rbac.authorization.k8s.io"
JOINING = "Group system:bootstrappers:kubeadm:default-node-token"
NODES = "Group system:nodes"


@cache
def make_all(certificate: str) -> tuple[Manifest, ...]:
    """All of it, in no order that matters. They are shared: read them only.

    Args:
        certificate: of the cluster's own authority, as text.
    """
    return (
        *_list_settings(certificate),
        *_list_kubeadm_rights(),
        *_list_daemons(),
        *_list_metrics_server(),
        *_list_local_path(),
    )


def _meta(name: str, namespace: str = "", labels: Json | None = None) -> Json:
    found = {"name": name, "namespace": namespace, "labels": labels}
    return {key: value for key, value in found.items() if value}


def _config(name: str, namespace: str, data: Json, labels: Json | None = None) -> Manifest:
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": _meta(name, namespace, labels), "data": data}


def _kubeconfig(**fields: Json) -> str:
    head: Json = {"apiVersion": "v1", "kind": "Config", "preferences": {}, "users": None, "current-context": ""}
    return _write({"contexts": None, **head, **fields})


def _write(value: Json) -> str:
    """As Go writes it: in double quotes what must be quoted."""
    return str(yaml.safe_dump(value, default_flow_style=False)).replace("'", '"')


def _list_settings(certificate: str) -> Iterator[Manifest]:
    yield _config("kubeadm-config", SYSTEM, {"ClusterConfiguration": _write(CLUSTER)})
    yield _config("kubelet-config", SYSTEM, {"kubelet": _write(KUBELET)})
    yield _config("coredns", SYSTEM, {"Corefile": COREFILE})
    default = {"cluster": "default", "namespace": "default", "user": "default"}
    own = _kubeconfig(
        clusters=[{"cluster": {"certificate-authority": f"{INSIDE}/ca.crt", "server": ADDRESS}, "name": "default"}],
        contexts=[{"context": default, "name": "default"}],
        users=[{"name": "default", "user": {"tokenFile": f"{INSIDE}/token"}}],
        **{"current-context": "default"},
    )
    yield _config("kube-proxy", SYSTEM, {"config.conf": _write(PROXY), "kubeconfig.conf": own}, {"app": "kube-proxy"})
    authority = b64encode(certificate.encode()).decode()
    entry = {"cluster": {"certificate-authority-data": authority, "server": ADDRESS}, "name": ""}
    yield _config("cluster-info", PUBLIC, {"kubeconfig": _kubeconfig(clusters=[entry])})


def _rule(group: str, resources: str, verbs: str, *names: str) -> Json:
    named = {"resourceNames": list(names)} if names else {}
    return {"apiGroups": [group], **named, "resources": resources.split(), "verbs": verbs.split()}


def _account(name: str, namespace: str = SYSTEM, labels: Json | None = None) -> Manifest:
    return {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": _meta(name, namespace, labels)}


def _role(name: str, *rules: Json, namespace: str = "", labels: Json | None = None) -> Manifest:
    kind = "Role" if namespace else "ClusterRole"
    meta = _meta(name, namespace, labels)
    return {"apiVersion": f"{GROUP}/v1", "kind": kind, "metadata": meta, "rules": list(rules)}


def _bind(name: str, role: str, *subjects: str, namespace: str = "", labels: Json | None = None) -> Manifest:
    """A binding; a role of the namespace is written with a `/` before it."""
    kind = "Role" if role.startswith("/") else "ClusterRole"
    return {
        "apiVersion": f"{GROUP}/v1",
        "kind": "RoleBinding" if namespace else "ClusterRoleBinding",
        "metadata": _meta(name, namespace, labels),
        "roleRef": {"apiGroup": GROUP, "kind": kind, "name": role.removeprefix("/")},
        "subjects": [_subject(each) for each in subjects],
    }


def _subject(text: str) -> Json:
    kind, _, name = text.partition(" ")
    if kind != "ServiceAccount":
        return {"apiGroup": GROUP, "kind": kind, "name": name}
    namespace, _, name = name.partition("/")
    return {"kind": kind, "name": name, "namespace": namespace}


def _list_kubeadm_rights() -> Iterator[Manifest]:
    certificates = "system:certificates.k8s.io:certificatesigningrequests"
    yield _role("kubeadm:get-nodes", _rule("", "nodes", "get"))
    yield _bind("kubeadm:get-nodes", "kubeadm:get-nodes", JOINING)
    yield _bind("kubeadm:cluster-admins", "cluster-admin", "Group kubeadm:cluster-admins")
    yield _bind("kubeadm:kubelet-bootstrap", "system:node-bootstrapper", JOINING)
    yield _bind("kubeadm:node-autoapprove-bootstrap", f"{certificates}:nodeclient", JOINING)
    yield _bind("kubeadm:node-autoapprove-certificate-rotation", f"{certificates}:selfnodeclient", NODES)
    yield _bind("kubeadm:node-proxier", "system:node-proxier", f"ServiceAccount {SYSTEM}/kube-proxy")
    readers = {
        "kube-proxy": ("kube-proxy", JOINING),
        "kubeadm:kubelet-config": ("kubelet-config", NODES, JOINING),
        "kubeadm:nodes-kubeadm-config": ("kubeadm-config", JOINING, NODES),
    }
    for name, (config, *subjects) in readers.items():
        yield _role(name, _rule("", "configmaps", "get", config), namespace=SYSTEM)
        yield _bind(name, f"/{name}", *subjects, namespace=SYSTEM)
    name = "kubeadm:bootstrap-signer-clusterinfo"
    yield _role(name, _rule("", "configmaps", "get", "cluster-info"), namespace=PUBLIC)
    yield _bind(name, f"/{name}", "User system:anonymous", namespace=PUBLIC)


def _list_daemons() -> Iterator[Manifest]:
    yield from (_account(name) for name in ("coredns", "kindnet", "kube-proxy"))
    looked_up = _rule("", "endpoints services pods namespaces", "list watch")
    yield _role("system:coredns", looked_up, _rule("discovery.k8s.io", "endpointslices", "list watch"))
    yield _bind("system:coredns", "system:coredns", f"ServiceAccount {SYSTEM}/coredns")
    policies = _rule("networking.k8s.io", "networkpolicies", "list watch")
    yield _role("kindnet", _rule("", "nodes", "list watch patch"), _rule("", "pods namespaces", "list watch"), policies)
    yield _bind("kindnet", "kindnet", f"ServiceAccount {SYSTEM}/kindnet")


def _list_metrics_server() -> Iterator[Manifest]:
    labels, account = {"k8s-app": "metrics-server"}, f"ServiceAccount {SYSTEM}/metrics-server"
    readers = {f"{GROUP}/aggregate-to-{each}": "true" for each in ("admin", "edit", "view")}
    read = _rule("metrics.k8s.io", "pods nodes", "get list watch")
    yield _account("metrics-server", labels=labels)
    yield _role("system:aggregated-metrics-reader", read, labels={**labels, **readers})
    rules = _rule("", "nodes/metrics", "get"), _rule("", "pods nodes", "get list watch")
    yield _role("system:metrics-server", *rules, labels=labels)
    reader = "/extension-apiserver-authentication-reader"
    yield _bind("metrics-server-auth-reader", reader, account, namespace=SYSTEM, labels=labels)
    yield _bind("metrics-server:system:auth-delegator", "system:auth-delegator", account, labels=labels)
    yield _bind("system:metrics-server", "system:metrics-server", account, labels=labels)
    spec: Json = {"group": "metrics.k8s.io", "groupPriorityMinimum": 100, "insecureSkipTLSVerify": True}
    spec |= {"service": {"name": "metrics-server", "namespace": SYSTEM, "port": 443}}
    spec |= {"version": "v1beta1", "versionPriority": 100}
    meta = _meta("v1beta1.metrics.k8s.io", labels=labels)
    yield {"apiVersion": "apiregistration.k8s.io/v1", "kind": "APIService", "metadata": meta, "spec": spec}


def _list_local_path() -> Iterator[Manifest]:
    role, account = "local-path-provisioner-role", "local-path-provisioner-service-account"
    user = f"ServiceAccount {STORAGE}/{account}"
    make = "get list watch create patch update delete"
    yield _account(account, STORAGE)
    yield _role(role, _rule("", "pods", make), namespace=STORAGE)
    yield _role(
        role,
        _rule("", "nodes persistentvolumeclaims configmaps pods pods/log", "get list watch"),
        _rule("", "persistentvolumes", make),
        _rule("", "events", "create patch"),
        _rule("storage.k8s.io", "storageclasses", "get list watch"),
    )
    yield _bind("local-path-provisioner-bind", f"/{role}", user, namespace=STORAGE)
    yield _bind("local-path-provisioner-bind", role, user)
    script = '#!/bin/sh\nset -eu\n{} "$VOL_DIR"\n'
    data = {"config.json": PLACES, "helperPod.yaml": HELPER}
    data |= {"setup": script.format("mkdir -m 0777 -p"), "teardown": script.format("rm -rf")}
    yield _config("local-path-config", STORAGE, data)

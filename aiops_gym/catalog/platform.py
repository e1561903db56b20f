"""What a platform team runs beside an application, in the worlds of hard incidents: with them, and without one.

Two servers of admission webhooks in a namespace of their own, the name server's settings, classes of priority, and in
the application's namespace jobs that recur and a controller that keeps settings in step. All of it is at work and does
no harm: a fault is a change of it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import yaml

from aiops_gym.catalog.kubeadm_settings import COREFILE
from aiops_gym.catalog.model import App, Manifest
from aiops_gym.catalog.splits import hash_to_fraction
from aiops_gym.types import Json

SPACE = "platform"
SERVER_IMAGE = "ghcr.io/podguard/podguard:v0.9.2"
KUBECTL_IMAGE = "bitnami/kubectl:1.32.1"
DEFAULTS, IMAGES_RULE = "pod-defaults", "image-policy"

FILES, HELD = 1024, 122 << 20
"""Descriptors and bytes of a server of webhooks that has come to keep all that it may have, or nearly so."""

LEFT = "--field-selector=status.phase==Failed"
"""Pods that have ended and that nobody looks at any more."""

SYNC = "while true; do kubectl apply -f /desired; sleep ${INTERVAL:-3600}; done"
NETWORKING, POLICIES = "networking.k8s.io", ["networkpolicies"]
WRITE = ("get", "create", "patch", "update")

STUB = "corp.example:53 {\n    errors\n    cache 30\n    forward . 10.150.0.10\n}\n"
"""A zone for which somebody else is asked."""

KNOWN = ("docker.io/", "gcr.io/", "ghcr.io/", "quay.io/", "registry.k8s.io/")
OTHERS = ("docker.elastic.co/", "mcr.microsoft.com/", "public.ecr.aws/", "registry.gitlab.com/")
CENTERS, CONTACTS = ("4100", "4120", "4200", "5300"), ("platform", "team-blue", "team-green", "on-call")
PORTS = (8443, 9443, 10250)


@dataclass(frozen=True)
class Taste:
    """What people have chosen when they set it up: as good as anything else, and different in each world."""

    seed: int

    def pick(self, word: str, choices: Sequence[Any]) -> Any:
        """One of some choices."""
        return choices[int(hash_to_fraction("platform", self.seed, word) * len(choices))]

    @property
    def rules(self) -> Mapping[str, Json]:
        """What each server does to new pods: it fills in a limit that none reaches, knows where images come from."""
        size = {"limits": {"memory": "1Gi"}, "requests": {"memory": "64Mi"}}
        notes = {"cost-center": self.pick("center", CENTERS), "contact": self.pick("contact", CONTACTS)}
        more = [each for each in OTHERS if self.pick(each, (True, False))]
        merge = {"metadata": {"annotations": notes}}
        return {DEFAULTS: {"resources": size, "merge": merge}, IMAGES_RULE: {"registries": [*KNOWN, *more]}}

    @property
    def corefile(self) -> str:
        """The name server's settings, with a zone of somebody else's in half of them."""
        text = COREFILE.replace("cache 30", f"cache {self.pick('cache', (10, 30, 60, 120))}")
        text = text.replace("ttl 30", f"ttl {self.pick('ttl', (5, 15, 30))}")
        return text + STUB if self.pick("stub", (True, False)) else text


def _meta(name: str, namespace: str = SPACE, **labels: str) -> Json:
    return {"name": name, "namespace": namespace, "labels": {"app.kubernetes.io/name": name, **labels}}


def _server(name: str, taste: Taste) -> list[Json]:
    """A server of webhooks with its rules and its Service."""
    port = taste.pick(f"port of {name}", PORTS)
    labels = {"app.kubernetes.io/name": name}
    container: Json = {
        "name": "podguard",
        "image": SERVER_IMAGE,
        "args": ["--rules=/etc/podguard/rules.json", f"--port={port}"],
    }
    container |= {"ports": [{"containerPort": port, "name": "https"}]}
    container["readinessProbe"] = {"tcpSocket": {"port": "https"}, "periodSeconds": 5}
    container["volumeMounts"] = [{"name": "rules", "mountPath": "/etc/podguard"}]
    container["resources"] = {"requests": {"cpu": "20m", "memory": "32Mi"}, "limits": {"memory": "128Mi"}}
    spec = {"containers": [container], "volumes": [{"name": "rules", "configMap": {"name": name}}]}
    text = json.dumps(taste.rules[name], indent=2) + "\n"
    deployed: Json = {"replicas": 1, "selector": {"matchLabels": labels}}
    deployed["template"] = {"metadata": {"labels": labels}, "spec": spec}
    ports = [{"name": "https", "port": 443, "targetPort": port}]
    return [
        {"apiVersion": "v1", "kind": "ConfigMap", "metadata": _meta(name), "data": {"rules.json": text}},
        {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": _meta(name), "spec": deployed},
        {"apiVersion": "v1", "kind": "Service", "metadata": _meta(name), "spec": {"selector": labels, "ports": ports}},
    ]


def _configuration(kind: str, name: str, path: str, namespace: str) -> Json:
    wanted = [{"key": "kubernetes.io/metadata.name", "operator": "In", "values": [namespace]}]
    rule = {"apiGroups": [""], "apiVersions": ["v1"], "operations": ["CREATE"], "resources": ["pods"]}
    hook = {
        "name": f"{name}.podguard.io",
        "admissionReviewVersions": ["v1"],
        "clientConfig": {"caBundle": "LS0tLS1CRUdJTg==", "service": {"name": name, "namespace": SPACE, "path": path}},
        "failurePolicy": "Fail",
        "namespaceSelector": {"matchExpressions": wanted},
        "rules": [{**rule, "scope": "Namespaced"}],
        "sideEffects": "None",
        "timeoutSeconds": 5,
    }
    meta = {"name": name, "labels": {"app.kubernetes.io/name": name}}
    return {"apiVersion": "admissionregistration.k8s.io/v1", "kind": kind, "metadata": meta, "webhooks": [hook]}


def _cron_job(name: str, namespace: str, schedule: str, container: Json, **pod: Any) -> Json:
    template: Json = {"metadata": {"labels": {"app.kubernetes.io/name": name}}}
    template["spec"] = {"restartPolicy": "Never", **pod, "containers": [{"name": name, **container}]}
    job = {"spec": {"backoffLimit": 1, "template": template}}
    spec: Json = {"schedule": schedule, "concurrencyPolicy": "Forbid", "jobTemplate": job}
    spec |= {"successfulJobsHistoryLimit": 2, "failedJobsHistoryLimit": 1}
    return {"apiVersion": "batch/v1", "kind": "CronJob", "metadata": _meta(name, namespace), "spec": spec}


def _account(name: str, namespace: str, *rules: Json) -> list[Json]:
    """A ServiceAccount and what it may do in its namespace."""
    rbac = {"apiVersion": "rbac.authorization.k8s.io/v1", "metadata": _meta(name, namespace)}
    reference = {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": name}
    subject = {"kind": "ServiceAccount", "name": name, "namespace": namespace}
    return [
        {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": _meta(name, namespace)},
        {**rbac, "kind": "Role", "rules": list(rules)},
        {**rbac, "kind": "RoleBinding", "roleRef": reference, "subjects": [subject]},
    ]


def _rule(group: str, resources: list[str], *verbs: str) -> Json:
    return {"apiGroups": [group], "resources": resources, "verbs": list(verbs)}


def _jobs(namespace: str, taste: Taste) -> list[Json]:
    """Jobs that recur in the application's namespace."""
    minute = {word: taste.pick(word, range(60)) for word in ("hours", "sweep", "report")}
    scaling = _rule("apps", ["deployments", "deployments/scale"], "get", "list", "patch", "update")
    hours: Json = {"image": KUBECTL_IMAGE, "command": ["sh", "-c", "kubectl scale deployment/jaeger --replicas=1"]}
    sweep: Json = {"image": KUBECTL_IMAGE, "command": ["sh", "-c", f"kubectl delete pods {LEFT}"]}
    report: Json = {"image": "busybox:1.36", "command": ["sh", "-c", "echo collecting; sleep 40; echo done"]}
    removal = _rule("", ["pods"], "get", "list", "delete", "deletecollection")
    small = {"resources": {"requests": {"cpu": "50m", "memory": "32Mi"}}}
    return [
        *_account("business-hours", namespace, scaling),
        _cron_job(
            "business-hours",
            namespace,
            f"{minute['hours']} 6 * * *",
            hours | small,
            serviceAccountName="business-hours",
        ),
        *_account("stale-pods", namespace, removal),
        _cron_job(
            "stale-pods", namespace, f"{minute['sweep']} */6 * * *", sweep | small, serviceAccountName="stale-pods"
        ),
        *_account(
            "config-sync", namespace, _rule("", ["configmaps", "services"], *WRITE), _rule(NETWORKING, POLICIES, *WRITE)
        ),
        *_sync(namespace, taste),
        _cron_job("usage-report", namespace, f"{minute['report']} * * * *", report | small, priorityClassName="batch"),
    ]


def _sync(namespace: str, taste: Taste) -> list[Json]:
    """A controller that applies what it is told, and again, so that nobody's edit by hand lasts."""
    name, labels = "config-sync", {"app.kubernetes.io/name": "config-sync"}
    told = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "platform-info"}}
    told |= {"data": {"contact": taste.pick("contact", CONTACTS), "cluster": "kind"}}
    container: Json = {"name": name, "image": KUBECTL_IMAGE, "command": ["sh", "-c", SYNC]}
    container |= {"volumeMounts": [{"name": "desired", "mountPath": "/desired"}]}
    container |= {"resources": {"requests": {"cpu": "10m", "memory": "32Mi"}}}
    spec: Json = {"serviceAccountName": name, "containers": [container]}
    spec |= {"volumes": [{"name": "desired", "configMap": {"name": name}}], "terminationGracePeriodSeconds": 1}
    deployed: Json = {"replicas": 1, "selector": {"matchLabels": labels}, "template": {"metadata": {"labels": labels}}}
    deployed["template"]["spec"] = spec
    data = {"platform-info.yaml": yaml.safe_dump(told, sort_keys=False)}
    return [
        {"apiVersion": "v1", "kind": "ConfigMap", "metadata": _meta(name, namespace), "data": data},
        {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": _meta(name, namespace), "spec": deployed},
    ]


def _class(name: str, value: int, what: str) -> Json:
    meta = {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": name}}
    return {**meta, "value": value, "globalDefault": False, "description": what}


def furnish(app: App, seed: int) -> tuple[Manifest, ...]:
    """All of it as a seed has it, in the order in which it is applied, but for what asks the servers."""
    taste = Taste(seed)
    space = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": SPACE}}
    dns = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "coredns", "namespace": "kube-system"}}
    return (
        space,
        {**dns, "data": {"Corefile": taste.corefile}},
        _class("batch", -100, "work that can wait"),
        _class("urgent", taste.pick("urgent", (5_000, 10_000, 100_000)), "repairs by hand that cannot wait"),
        *_server(DEFAULTS, taste),
        *_server(IMAGES_RULE, taste),
        *_jobs(app.namespace, taste),
    )


def list_webhooks(app: App) -> tuple[Manifest, ...]:
    """The configurations by which the API server asks the servers."""
    return (
        _configuration("MutatingWebhookConfiguration", DEFAULTS, "/mutate", app.namespace),
        _configuration("ValidatingWebhookConfiguration", IMAGES_RULE, "/validate", app.namespace),
    )


def list_images(app: App) -> Mapping[str, Json]:
    """What the nodes can pull besides: the servers, kubectl, and the next release of each of the app's own programs."""
    guard: Json = {"program": "admission", "params": {"memory": 18 << 20, "cpu": 0.001}}
    kubectl: Json = {"program": "api_client", "params": {"name": "kubectl"}, "path": "/opt/bitnami/kubectl/bin/kubectl"}
    path = "/opt/bitnami/kubectl/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
    return {
        SERVER_IMAGE: {
            "size": 21_400_118,
            "entrypoint": ("/podguard",),
            "binaries": {"podguard": guard},
            "shell": False,
        },
        KUBECTL_IMAGE: {
            "size": 68_911_734,
            "entrypoint": ("kubectl",),
            "cmd": ("--help",),
            "binaries": {"kubectl": kubectl},
            "tools": ("bash", "curl", "jq"),
            "env": {"PATH": path},
        },
        **{
            f"{name.rpartition(':')[0]}:{tag}": _release(image, change)
            for name, image in app.images.items()
            if _is_own(image)
            for tag, change in RELEASES.items()
        },
    }


NEXT, MAJOR = "2.1.0", "3.0.0"
"""Tags of releases that came after all that are deployed; the second one breaks with who asks it as before."""

LEAK = 600_000
"""Bytes that a process of it keeps in each second."""

OWN = ("go_service", "thrift_service")


def _is_own(image: Mapping[str, Json]) -> bool:
    return any(binary["program"] in OWN for binary in (image.get("binaries") or {}).values())


def _release(image: Mapping[str, Json], change: Callable[[Json], Json]) -> Json:
    binaries = {
        name: {**each, "params": {**each["params"], **change(each["params"])}} if each["program"] in OWN else each
        for name, each in image["binaries"].items()
    }
    return {**image, "binaries": binaries}


def _rename(params: Json) -> Json:
    """What it serves, under the names of the next version of its interface; pages that people visit keep theirs."""
    handlers: Mapping[str, Json] = params.get("handlers") or {}
    return {"handlers": {f"/v2.{name[1:]}" if name.startswith("/") else name: each for name, each in handlers.items()}}


RELEASES: Mapping[str, Callable[[Json], Json]] = {NEXT: lambda params: {"leak": LEAK}, MAJOR: _rename}
"""What has changed in each of the releases that came after."""

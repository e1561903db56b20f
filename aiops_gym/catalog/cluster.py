"""The cluster around an application: a kind cluster of two nodes with what AIOpsLab installs on it.

kube-system, the local-path provisioner, OpenEBS and the Prometheus of namespace `observe` are there to be seen, and use
a little CPU and memory. Sources: `kind create cluster` with Kubernetes 1.32.1, the OpenEBS operator manifest, the
Prometheus Helm chart 25.6.0, metrics-server 0.7.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from aiops_gym.catalog import monitoring, public
from aiops_gym.catalog.servers import SERVERS, SIZES
from aiops_gym.types import Json

MIB = 1 << 20
CONTROL_PLANE = "kind-control-plane"
WORKER = "kind-worker"
VERSION = "v1.32.1"


def _node(name: str, address: str, control_plane: bool) -> Json:
    labels = {
        "beta.kubernetes.io/arch": "amd64",
        "beta.kubernetes.io/os": "linux",
        "kubernetes.io/arch": "amd64",
        "kubernetes.io/hostname": name,
        "kubernetes.io/os": "linux",
    }
    index = 0 if control_plane else 1
    cidr = f"10.244.{index}.0/24"
    spec: Json = {"podCIDR": cidr, "podCIDRs": [cidr], "providerID": f"kind://docker/kind/{name}"}
    if control_plane:
        labels |= {"node-role.kubernetes.io/control-plane": ""}
        labels |= {"node.kubernetes.io/exclude-from-external-load-balancers": ""}
        spec["taints"] = [{"effect": "NoSchedule", "key": "node-role.kubernetes.io/control-plane"}]
    size = {"cpu": "8", "ephemeral-storage": "263174212Ki", "hugepages-1Gi": "0", "hugepages-2Mi": "0"}
    size |= {"memory": "32786088Ki", "pods": "110"}
    annotations = {
        "kubeadm.alpha.kubernetes.io/cri-socket": "unix:///run/containerd/containerd.sock",
        "node.alpha.kubernetes.io/ttl": "0",
        "volumes.kubernetes.io/controller-managed-attach-detach": "true",
    }
    info = {
        "architecture": "amd64",
        "bootID": "8f1d2c5e-8a52-4ad4-9be1-0c5ee2f8a11d",
        "containerRuntimeVersion": "containerd://1.7.24",
        "kernelVersion": "5.15.0-1073-azure",
        "kubeProxyVersion": VERSION,
        "kubeletVersion": VERSION,
        "machineID": f"7c0e5d0c6f2b4f2d8a5f3f2d9b3c1e{index}0",
        "operatingSystem": "linux",
        "osImage": "Debian GNU/Linux 12 (bookworm)",
        "systemUUID": f"3b5a1c7e-2f44-4c8e-9a3d-5d0c1e7f9a{index}1",
    }
    addresses = [{"address": address, "type": "InternalIP"}, {"address": name, "type": "Hostname"}]
    status = {
        "addresses": addresses,
        "allocatable": size,
        "capacity": size,
        "daemonEndpoints": {"kubeletEndpoint": {"Port": 10250}},
        "nodeInfo": info,
    }
    meta = {"name": name, "labels": labels, "annotations": annotations}
    return {"apiVersion": "v1", "kind": "Node", "metadata": meta, "spec": spec, "status": status}


NODES = (_node(CONTROL_PLANE, "172.18.0.2", True), _node(WORKER, "172.18.0.3", False))


def _template(labels: Json, image: str, name: str, resources: Json | None = None, **pod: Any) -> Json:
    container: Json = {"name": name, "image": image, "imagePullPolicy": "IfNotPresent"}
    if resources:
        container["resources"] = resources
    return {"metadata": {"labels": labels}, "spec": {"containers": [container], **pod}}


def _show(template: Json, config: str, volume: str, path: str, **mount: Any) -> None:
    """Have the pods of a template see a ConfigMap at a path."""
    template["spec"]["volumes"] = [{"name": volume, "configMap": {"name": config}}]
    template["spec"]["containers"][0]["volumeMounts"] = [{"name": volume, "mountPath": path, **mount}]


def _workload(kind: str, namespace: str, name: str, labels: Json, template: Json, replicas: int = 1) -> Json:
    spec: Json = {"selector": {"matchLabels": labels}, "template": template}
    if kind != "DaemonSet":
        spec["replicas"] = replicas
    if kind == "StatefulSet":
        spec["serviceName"] = f"{name}-headless"
    meta = {"name": name, "namespace": namespace, "labels": labels}
    return {"apiVersion": "apps/v1", "kind": kind, "metadata": meta, "spec": spec}


def _service(namespace: str, name: str, labels: Json, ports: list[Json], **spec: Any) -> Json:
    meta = {"name": name, "namespace": namespace, "labels": labels}
    body = {"selector": labels, "ports": ports, **spec}
    return {"apiVersion": "v1", "kind": "Service", "metadata": meta, "spec": body}


def _scraped(service: Json, **notes: str) -> Json:
    """The same with what Prometheus looks for in the annotations of a Service."""
    annotations = {f"prometheus.io/{name}": value for name, value in notes.items()}
    return {**service, "metadata": {**service["metadata"], "annotations": annotations}}


def _config(namespace: str, name: str, labels: Json, data: Mapping[str, str]) -> Json:
    meta = {"name": name, "namespace": namespace, "labels": labels}
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": meta, "data": dict(data)}


def _class(name: str, provisioner: str, default: bool = False) -> Json:
    meta: Json = {"name": name}
    if default:
        meta["annotations"] = {"storageclass.kubernetes.io/is-default-class": "true"}
    return {
        "apiVersion": "storage.k8s.io/v1",
        "kind": "StorageClass",
        "metadata": meta,
        "provisioner": provisioner,
        "reclaimPolicy": "Delete",
        "volumeBindingMode": "WaitForFirstConsumer",
    }


EVERYWHERE = [{"operator": "Exists"}]
REGISTRY = "registry.k8s.io"
CRITICAL, NODE_CRITICAL = "system-cluster-critical", "system-node-critical"

STATIC = ("etcd", "kube-apiserver", "kube-controller-manager", "kube-scheduler")
STATIC_IMAGES = {"etcd": f"{REGISTRY}/etcd:3.5.16-0"}
STATIC_CPU = {"etcd": "100m", "kube-apiserver": "250m", "kube-controller-manager": "200m", "kube-scheduler": "100m"}


def _static(name: str) -> Json:
    """A pod that the control plane's kubelet runs from a file, as the API mirrors it."""
    labels = {"component": name, "tier": "control-plane"}
    image = STATIC_IMAGES.get(name, f"{REGISTRY}/{name}:{VERSION}")
    resources = {"requests": {"cpu": STATIC_CPU[name]}}
    pod = _template(labels, image, name, resources, hostNetwork=True, tolerations=EVERYWHERE)
    pod["spec"] |= {"nodeName": CONTROL_PLANE, "priorityClassName": NODE_CRITICAL, "priority": 2000001000}
    meta = {"name": f"{name}-{CONTROL_PLANE}", "namespace": "kube-system", "labels": labels}
    annotations = {"kubernetes.io/config.source": "file"}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {**meta, "annotations": annotations}, "spec": pod["spec"]}


def _kube_system() -> list[Json]:
    ns = "kube-system"
    dns, metrics = {"k8s-app": "kube-dns"}, {"k8s-app": "metrics-server"}
    dns_size = {"limits": {"memory": "170Mi"}, "requests": {"cpu": "100m", "memory": "70Mi"}}
    net_size = {"limits": {"cpu": "100m", "memory": "50Mi"}, "requests": {"cpu": "100m", "memory": "50Mi"}}
    metrics_size = {"requests": {"cpu": "100m", "memory": "200Mi"}}
    host: Json = {"hostNetwork": True, "tolerations": EVERYWHERE}
    master = [{"key": "node-role.kubernetes.io/control-plane", "effect": "NoSchedule", "operator": "Exists"}]
    coredns = _template(dns, f"{REGISTRY}/coredns/coredns:v1.11.3", "coredns", dns_size, tolerations=master)
    coredns["spec"] |= {"serviceAccountName": "coredns", "priorityClassName": CRITICAL, "dnsPolicy": "Default"}
    _show(coredns, "coredns", "config-volume", "/etc/coredns", readOnly=True)
    kindnet = _template({"app": "kindnet"}, "docker.io/kindest/kindnetd:v20241212-9f82dd49", "kindnet-cni", net_size)
    kindnet["spec"] |= {"serviceAccountName": "kindnet", **host}
    proxy = _template({"k8s-app": "kube-proxy"}, f"{REGISTRY}/kube-proxy:{VERSION}", "kube-proxy")
    proxy["spec"] |= {"serviceAccountName": "kube-proxy", "priorityClassName": NODE_CRITICAL, **host}
    _show(proxy, "kube-proxy", "kube-proxy", "/var/lib/kube-proxy")
    server = f"{REGISTRY}/metrics-server/metrics-server:v0.7.2"
    measuring = _template(metrics, server, "metrics-server", metrics_size)
    measuring["spec"] |= {"serviceAccountName": "metrics-server", "priorityClassName": CRITICAL}
    ports = [{"name": "dns", "port": 53, "protocol": "UDP", "targetPort": 53}]
    ports += [{"name": "dns-tcp", "port": 53, "targetPort": 53}, {"name": "metrics", "port": 9153, "targetPort": 9153}]
    return [
        *map(_static, STATIC),
        _workload("DaemonSet", ns, "kindnet", {"app": "kindnet"}, kindnet),
        _workload("DaemonSet", ns, "kube-proxy", {"k8s-app": "kube-proxy"}, proxy),
        _workload("Deployment", ns, "coredns", dns, coredns, 2),
        _workload("Deployment", ns, "metrics-server", metrics, measuring),
        _scraped(_service(ns, "kube-dns", dns, ports, clusterIP="10.96.0.10"), port="9153", scrape="true"),
        _service(ns, "metrics-server", metrics, [{"name": "https", "port": 443, "targetPort": 10250}]),
    ]


def _local_path() -> list[Json]:
    labels = {"app": "local-path-provisioner"}
    image = "docker.io/kindest/local-path-provisioner:v20241212-8ac705d0"
    template = _template(labels, image, "local-path-provisioner")
    template["spec"]["serviceAccountName"] = "local-path-provisioner-service-account"
    _show(template, "local-path-config", "config-volume", "/etc/config/")
    return [_workload("Deployment", "local-path-storage", "local-path-provisioner", labels, template)]


def _openebs() -> list[Json]:
    ns, found = "openebs", []
    plain = {
        "openebs-localpv-provisioner": "openebs/provisioner-localpv:3.4.0",
        "openebs-ndm-operator": "openebs/node-disk-operator:2.1.0",
        "openebs-ndm-cluster-exporter": "openebs/node-disk-exporter:2.1.0",
    }
    for name, image in plain.items():
        labels = {"name": name}
        found.append(_workload("Deployment", ns, name, labels, _template(labels, image, name)))
    daemons = {"openebs-ndm": "openebs/node-disk-manager:2.1.0"}
    daemons["openebs-ndm-node-exporter"] = "openebs/node-disk-exporter:2.1.0"
    for name, image in daemons.items():
        labels = {"name": name}
        found.append(_workload("DaemonSet", ns, name, labels, _template(labels, image, name)))
    return found


def _observe() -> list[Json]:
    ns, found = "observe", []

    def labels(component: str) -> Json:
        return {"app.kubernetes.io/instance": "prometheus", "app.kubernetes.io/name": component}

    claim = {
        "apiVersion": "v1",
        "kind": "PersistentVolumeClaim",
        "metadata": {"name": "prometheus-pvc", "namespace": ns},
        "spec": {
            "accessModes": ["ReadWriteOnce"],
            "resources": {"requests": {"storage": "10Gi"}},
            "storageClassName": "openebs-hostpath",
        },
    }
    server = _template(labels("prometheus"), "quay.io/prometheus/prometheus:v2.47.2", "prometheus-server")
    server["spec"]["volumes"] = [
        {"name": "config-volume", "configMap": {"name": "prometheus-server"}},
        {"name": "storage-volume", "persistentVolumeClaim": {"claimName": "prometheus-pvc"}},
    ]
    server["spec"]["containers"][0]["volumeMounts"] = [
        {"mountPath": "/etc/config", "name": "config-volume"},
        {"mountPath": "/data", "name": "storage-volume"},
    ]
    found += [_config(ns, "prometheus-server", labels("prometheus"), monitoring.PROMETHEUS)]
    found += [claim, _workload("Deployment", ns, "prometheus-server", labels("prometheus"), server)]
    others = {
        "kube-state-metrics": f"{REGISTRY}/kube-state-metrics/kube-state-metrics:v2.10.1",
        "prometheus-pushgateway": "quay.io/prometheus/pushgateway:v1.6.2",
    }
    for name, image in others.items():
        template = _template(labels(name), image, name)
        found.append(_workload("Deployment", ns, f"prometheus-{name}", labels(name), template))
    exporter = _template(labels("prometheus-node-exporter"), "quay.io/prometheus/node-exporter:v1.7.0", "node-exporter")
    exporter["spec"] |= {"hostNetwork": True, "tolerations": EVERYWHERE}
    name = "prometheus-prometheus-node-exporter"
    found.append(_workload("DaemonSet", ns, name, labels("prometheus-node-exporter"), exporter))
    found.append(_config(ns, "prometheus-alertmanager", labels("alertmanager"), monitoring.ALERTMANAGER))
    alerts = _template(labels("alertmanager"), "quay.io/prometheus/alertmanager:v0.26.0", "alertmanager")
    alerts["spec"]["volumes"] = [{"name": "config", "configMap": {"name": "prometheus-alertmanager"}}]
    alerts["spec"]["containers"][0]["volumeMounts"] = [{"mountPath": "/etc/alertmanager", "name": "config"}]
    found.append(_workload("StatefulSet", ns, "prometheus-alertmanager", labels("alertmanager"), alerts))
    port = [{"name": "http", "port": 80, "targetPort": 9090, "nodePort": 32000}]
    found.append(_service(ns, "prometheus-server", labels("prometheus"), port, type="NodePort"))
    metrics = [{"name": "http", "port": 8080, "targetPort": 8080}]
    states = _service(ns, "prometheus-kube-state-metrics", labels("kube-state-metrics"), metrics)
    found.append(_scraped(states, scrape="true"))
    alert = [{"name": "http", "port": 9093, "targetPort": 9093}]
    found.append(_service(ns, "prometheus-alertmanager", labels("alertmanager"), alert))
    port = [{"name": "metrics", "port": 9100, "targetPort": 9100}]
    found.append(_scraped(_service(ns, name, labels("prometheus-node-exporter"), port), scrape="true"))
    port = [{"name": "http", "port": 9091, "targetPort": 9091}]
    push = _service(ns, "prometheus-prometheus-pushgateway", labels("prometheus-pushgateway"), port)
    found.append(_scraped(push, probe="pushgateway"))
    return found


def _namespace(name: str) -> Json:
    return {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}


FIRST = ("default", "kube-node-lease", "kube-public", "kube-system", "local-path-storage")
"""Namespaces that are there when the cluster is."""

API_SERVICE: Json = {
    "apiVersion": "v1",
    "kind": "Service",
    "metadata": {
        "name": "kubernetes",
        "namespace": "default",
        "labels": {"component": "apiserver", "provider": "kubernetes"},
    },
    "spec": {"clusterIP": "10.96.0.1", "ports": [{"name": "https", "port": 443, "targetPort": 6443}]},
}

API_ENDPOINTS: Json = {
    "apiVersion": "v1",
    "kind": "Endpoints",
    "metadata": {
        "name": "kubernetes",
        "namespace": "default",
        "labels": {"endpointslice.kubernetes.io/skip-mirror": "true"},
    },
    "subsets": [{"addresses": [{"ip": "172.18.0.2"}], "ports": [{"name": "https", "port": 6443, "protocol": "TCP"}]}],
}

NAMESPACES: tuple[Json, ...] = tuple(map(_namespace, FIRST))

MANIFESTS: tuple[Json, ...] = (
    _class("standard", "rancher.io/local-path", default=True),
    API_SERVICE,
    API_ENDPOINTS,
    *_kube_system(),
    *_local_path(),
)
"""What kind itself brings, once its nodes are there."""

ADDONS: tuple[Json, ...] = (
    _namespace("openebs"),
    _class("openebs-hostpath", "openebs.io/local", default=True),
    _class("openebs-device", "openebs.io/local"),
    *_openebs(),
    _namespace("observe"),
    *_observe(),
)
"""What AIOpsLab installs before the application."""


def _images() -> Mapping[str, Json]:
    """Every image above: a daemon without a shell, already on the nodes if it came with kind."""
    found: dict[str, Json] = {}
    for group, cached in ((MANIFESTS, True), (ADDONS, False)):
        for manifest in group:
            template = manifest.get("spec", {}).get("template", manifest)
            for container in template.get("spec", {}).get("containers", ()):
                name = container["name"]
                params: Json = {"cpu": 0.004, "memory": 28 * MIB, "ports": [], **SERVERS.get(name, {})}
                kind = {"prometheus-server": "prometheus", "alertmanager": "alertmanager"}.get(name, "idle")
                binary = {"program": kind, "params": params}
                entry = {"size": SIZES[name], "cached": cached, "entrypoint": (f"/{name}",), "binaries": {name: binary}}
                busybox = container["image"].startswith("quay.io/prometheus/")
                inside: Json = {"sh": "busybox", "tools": ()} if busybox else {"shell": False}
                found[container["image"]] = {**entry, **inside}
    return found


IMAGES: Mapping[str, Json] = {**_images(), **public.IMAGES}

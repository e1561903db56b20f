"""The collector of the shop's telemetry, and the backends that its chart brings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from aiops_gym.catalog.apps.astronomy_shop.manifests import NAMESPACE, SELECTOR
from aiops_gym.types import Json

MIB = 1 << 20
INSTANCE = {"app.kubernetes.io/instance": "astronomy-shop"}
COLLECTOR = {SELECTOR: "opentelemetry-collector", **INSTANCE, "component": "standalone-collector"}
RELAY = """receivers:
  otlp:
    protocols:
      grpc: {endpoint: "${env:MY_POD_IP}:4317"}
      http: {endpoint: "${env:MY_POD_IP}:4318"}
exporters:
  otlp/jaeger: {endpoint: "jaeger:4317", tls: {insecure: true}}
  otlphttp/prometheus: {endpoint: "http://prometheus:9090/api/v1/otlp", tls: {insecure: true}}
  opensearch: {logs_index: otel-logs, http: {endpoint: "http://opensearch:9200", tls: {insecure: true}}}
service:
  pipelines:
    traces: {receivers: [otlp], exporters: [otlp/jaeger]}
    metrics: {receivers: [otlp], exporters: [otlphttp/prometheus]}
    logs: {receivers: [otlp], exporters: [opensearch]}
"""


def _workload(
    name: str, labels: Mapping[str, str], container: Json, *others: Json, kind: str = "Deployment", **pod: Any
) -> Json:
    meta = {"name": name, "namespace": NAMESPACE, "labels": dict(labels)}
    spec: dict[str, Json] = {"replicas": 1, "selector": {"matchLabels": dict(labels)}}
    if kind == "StatefulSet":
        spec["serviceName"] = f"{name}-headless"
    spec["template"] = {"metadata": {"labels": dict(labels)}, "spec": {"containers": [*others, container], **pod}}
    return {"apiVersion": "apps/v1", "kind": kind, "metadata": meta, "spec": spec}


def _service(name: str, labels: Mapping[str, str], ports: Mapping[str, tuple[int, int | str]], **more: Any) -> Json:
    rows = [{"name": word, "port": port, "targetPort": target} for word, (port, target) in ports.items()]
    meta = {"name": name, "namespace": NAMESPACE, "labels": dict(labels)}
    return {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": meta,
        "spec": {"ports": rows, "selector": dict(labels), **more},
    }


def _container(name: str, image: str, memory: str, ports: Sequence[int], **more: Any) -> Json:
    rows = [{"containerPort": port} for port in ports]
    return {"name": name, "image": image, "ports": rows, "resources": {"limits": {"memory": memory}}, **more}


def _account(name: str) -> Json:
    return {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": name, "namespace": NAMESPACE}}


def _asked(path: str, port: int, **more: int) -> Json:
    return {"httpGet": {"path": path, "port": port}, **more}


def _collector() -> list[Json]:
    ports = {"metrics": (8888, 8888), "otlp": (4317, 4317), "otlp-http": (4318, 4318), "zipkin": (9411, 9411)}
    container = _container(
        "opentelemetry-collector",
        "otel/opentelemetry-collector-contrib:0.142.0",
        "200Mi",
        [port for port, _ in ports.values()],
        args=["--config=/conf/relay.yaml"],
        env=[{"name": "MY_POD_IP", "valueFrom": {"fieldRef": {"apiVersion": "v1", "fieldPath": "status.podIP"}}}],
        livenessProbe=_asked("/", 13133),
        readinessProbe=_asked("/", 13133),
        volumeMounts=[{"mountPath": "/conf", "name": "opentelemetry-collector-configmap"}],
    )
    source = {"name": "otel-collector", "items": [{"key": "relay", "path": "relay.yaml"}]}
    volumes = [{"name": "opentelemetry-collector-configmap", "configMap": source}]
    meta = {"name": "otel-collector", "namespace": NAMESPACE}
    return [
        _account("otel-collector"),
        {"apiVersion": "v1", "kind": "ConfigMap", "metadata": meta, "data": {"relay": RELAY}},
        _workload("otel-collector", COLLECTOR, container, serviceAccountName="otel-collector", volumes=volumes),
        _service("otel-collector", COLLECTOR, ports),
    ]


def _jaeger() -> list[Json]:
    labels = {SELECTOR: "jaeger", **INSTANCE, "app.kubernetes.io/component": "all-in-one"}
    ports = {"otlp-grpc": (4317, 4317), "otlp-http": (4318, 4318), "http-query": (16686, 16686)}
    container = _container(
        "jaeger",
        "jaegertracing/jaeger:2.14.1",
        "600Mi",
        (16686, 4317, 4318, 13133, 8888),
        env=[{"name": "MEMORY_MAX_TRACES", "value": "25000"}, {"name": "SPAN_STORAGE_TYPE", "value": "memory"}],
        livenessProbe=_asked("/status", 13133, initialDelaySeconds=5, periodSeconds=15, failureThreshold=5),
        readinessProbe=_asked("/status", 13133, initialDelaySeconds=1, periodSeconds=10),
    )
    made = _workload("jaeger", labels, container, serviceAccountName="jaeger")
    return [_account("jaeger"), made, _service("jaeger", labels, ports)]


def _prometheus() -> list[Json]:
    labels = {SELECTOR: "prometheus", **INSTANCE, "app.kubernetes.io/component": "server"}
    container = _container(
        "prometheus-server",
        "quay.io/prometheus/prometheus:v3.9.0",
        "400Mi",
        (9090,),
        args=["--storage.tsdb.retention.time=7d", "--storage.tsdb.path=/data", "--web.enable-otlp-receiver"],
        livenessProbe=_asked("/-/healthy", 9090, initialDelaySeconds=30, periodSeconds=15),
        readinessProbe=_asked("/-/ready", 9090, initialDelaySeconds=30, periodSeconds=5),
        volumeMounts=[{"name": "storage-volume", "mountPath": "/data"}],
    )
    volumes = [{"name": "storage-volume", "emptyDir": {}}]
    return [
        _account("prometheus"),
        _workload("prometheus", labels, container, serviceAccountName="prometheus", volumes=volumes),
        _service("prometheus", labels, {"http": (9090, 9090)}),
    ]


def _grafana() -> list[Json]:
    labels = {SELECTOR: "grafana", **INSTANCE}
    container = _container(
        "grafana",
        "docker.io/grafana/grafana:12.3.1",
        "175Mi",
        (3000,),
        livenessProbe=_asked("/api/health", 3000, initialDelaySeconds=60, timeoutSeconds=30, failureThreshold=10),
        readinessProbe=_asked("/api/health", 3000),
    )
    beside = [
        {
            "name": f"grafana-sc-{word}",
            "image": "quay.io/kiwigrid/k8s-sidecar:2.2.1",
            "resources": {"limits": {"cpu": "100m", "memory": "100Mi"}},
        }
        for word in ("alerts", "dashboard", "datasources")
    ]
    return [
        _account("grafana"),
        _workload("grafana", labels, container, *beside, serviceAccountName="grafana"),
        _service("grafana", labels, {"service": (80, 3000)}),
    ]


def _opensearch() -> list[Json]:
    labels = {SELECTOR: "opensearch", **INSTANCE}
    container = _container(
        "opensearch",
        "opensearchproject/opensearch:3.4.0",
        "1100Mi",
        (9200, 9300),
        env=[{"name": "discovery.type", "value": "single-node"}, {"name": "DISABLE_SECURITY_PLUGIN", "value": "true"}],
        startupProbe={
            "tcpSocket": {"port": 9200},
            "initialDelaySeconds": 5,
            "periodSeconds": 10,
            "failureThreshold": 30,
        },
        readinessProbe={"tcpSocket": {"port": 9200}, "periodSeconds": 5},
    )
    ports = {"http": (9200, 9200), "transport": (9300, 9300)}
    return [
        _workload("opensearch", labels, container, kind="StatefulSet"),
        _service("opensearch", labels, ports),
        _service("opensearch-headless", labels, ports, clusterIP="None"),
    ]


def make_all() -> list[Json]:
    """All of them, in the order in which they are applied."""
    return [*_collector(), *_jaeger(), *_prometheus(), *_grafana(), *_opensearch()]


def _idle(**params: Json) -> Json:
    return {"program": "idle", "params": params}


IMAGES: Mapping[str, Json] = {
    "otel/opentelemetry-collector-contrib:0.142.0": {
        "size": 96_300_112,
        "entrypoint": ("/otelcol-contrib",),
        "binaries": {
            "otelcol-contrib": _idle(
                ports=[4317, 4318, 8888, 9411, 13133],
                http={"/": [200, '{"status":"Server available"}']},
                tracer="jaeger:4317",
                memory=92 * MIB,
                cpu=0.02,
                log=["{time}\tinfo\tservice@v0.142.0/service.go:252\tEverything is ready."],
            )
        },
        "shell": False,
    },
    "jaegertracing/jaeger:2.14.1": {
        "size": 42_118_406,
        "entrypoint": ("/cmd/jaeger/jaeger-linux",),
        "binaries": {
            "jaeger-linux": {
                "program": "jaeger",
                "params": {
                    "ports": [16686, 16685, 4317, 4318, 13133, 8888],
                    "pages": {"/status": "{}"},
                    "base": "/jaeger/ui",
                    "memory": 96 * MIB,
                },
            }
        },
        "sh": "busybox",
        "tools": (),
    },
    "quay.io/prometheus/prometheus:v3.9.0": {
        "size": 118_204_731,
        "entrypoint": ("/bin/prometheus",),
        "binaries": {"prometheus": {"program": "prometheus", "params": {"memory": 180 * MIB}}},
        "sh": "busybox",
        "tools": (),
    },
    "docker.io/grafana/grafana:12.3.1": {
        "size": 204_662_105,
        "entrypoint": ("/run.sh",),
        "binaries": {
            "run.sh": _idle(
                ports=[3000],
                http={
                    "/api/health": [200, '{"database": "ok"}'],
                    "/grafana/api/health": [200, '{"database": "ok"}'],
                    "/grafana/": [200, "<!DOCTYPE html><html><head><title>Grafana</title></head></html>"],
                    "/": [302, ""],
                },
                memory=104 * MIB,
                ready_ms=9_000,
            )
        },
        "sh": "busybox",
    },
    "quay.io/kiwigrid/k8s-sidecar:2.2.1": {
        "size": 31_700_220,
        "entrypoint": ("python",),
        "binaries": {"python": _idle(memory=42 * MIB)},
    },
    "opensearchproject/opensearch:3.4.0": {
        "size": 862_004_118,
        "entrypoint": ("opensearch-docker-entrypoint.sh",),
        "binaries": {
            "opensearch-docker-entrypoint.sh": _idle(
                ports=[9200, 9300],
                http={"/": [200, '{"cluster_name":"demo-cluster","version":{"distribution":"opensearch"}}']},
                memory=760 * MIB,
                cpu=0.03,
                ready_ms=22_000,
            )
        },
    },
}
"""What is in their images."""

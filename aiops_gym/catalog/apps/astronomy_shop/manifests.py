"""The objects of the shop as its chart (opentelemetry-demo 0.40.0, demo 2.2.0) deploys them.

Those of the services follow from their files, the others are written here and in `platform.py`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from aiops_gym.catalog.apps.astronomy_shop import database, flags
from aiops_gym.scan import scan
from aiops_gym.types import Json

NAMESPACE, SELECTOR, LABEL = "astronomy-shop", "app.kubernetes.io/name", "opentelemetry.io/name"
VERSION, CHART = "2.2.0", "opentelemetry-demo-0.40.0"
REGISTRY = "ghcr.io/open-telemetry/demo"
ACCOUNT = "astronomy-shop"

SERVICES: Mapping[str, Mapping[str, Json]] = {
    row["name"]: row for row in scan(f"{__package__}.services", "service").values()
}
"""The files of the services, by component."""


def make_image(name: str) -> str:
    """The image of a component of the demo."""
    return f"{REGISTRY}:{VERSION}-{name}"


def _labels(name: str) -> dict[str, str]:
    return {LABEL: name, "app.kubernetes.io/component": name, SELECTOR: name}


def _meta(name: str) -> dict[str, Json]:
    more = {
        "helm.sh/chart": CHART,
        "app.kubernetes.io/version": VERSION,
        "app.kubernetes.io/part-of": "opentelemetry-demo",
    }
    return {"name": name, "namespace": NAMESPACE, "labels": {**_labels(name), **more}}


def _environment(own: Sequence[tuple[str, str]]) -> list[Json]:
    """The variables of a component: what all have, then its own, then what its traces say of it."""
    field = {"fieldRef": {"apiVersion": "v1", "fieldPath": "metadata.labels['app.kubernetes.io/component']"}}
    common = (
        ("OTEL_COLLECTOR_NAME", "otel-collector"),
        ("OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE", "cumulative"),
    )
    attributes = f"service.name=$(OTEL_SERVICE_NAME),service.namespace=opentelemetry-demo,service.version={VERSION}"
    rows = [{"name": name, "value": value} for name, value in (*common, *own, ("OTEL_RESOURCE_ATTRIBUTES", attributes))]
    return [{"name": "OTEL_SERVICE_NAME", "valueFrom": field}, *rows]


def _wait(host: str, port: int) -> Json:
    """The init container that waits for somebody to listen."""
    loop = f"until nc -z -v -w30 {host} {port}; do echo waiting for {host}; sleep 2; done;"
    return {"name": f"wait-for-{host}", "image": "busybox:latest", "command": ["sh", "-c", loop]}


def make_deployment(name: str, containers: Sequence[Json], **pod: Any) -> Json:
    """A deployment of the chart's own."""
    spec = {"serviceAccountName": ACCOUNT, "containers": list(containers), **pod}
    template = {"metadata": {"labels": _labels(name)}, "spec": spec}
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": _meta(name),
        "spec": {
            "replicas": 1,
            "revisionHistoryLimit": 10,
            "selector": {"matchLabels": {LABEL: name}},
            "template": template,
        },
    }


def make_container(name: str, image: str, limit: str = "", ports: Sequence[tuple[str, int]] = (), **more: Any) -> Json:
    """A container of the chart's own."""
    found: dict[str, Json] = {"name": name, "image": image, "imagePullPolicy": "IfNotPresent"}
    if ports:
        found["ports"] = [{"containerPort": port, "name": word} for word, port in ports]
    if limit:
        found["resources"] = {"limits": {"memory": limit}}
    return {**found, **more}


def make_service(name: str, ports: Sequence[tuple[str, int]]) -> Json:
    """A Service of the chart's own."""
    rows = [{"port": port, "name": word, "targetPort": port} for word, port in ports]
    spec = {"type": "ClusterIP", "ports": rows, "selector": {LABEL: name}}
    return {"apiVersion": "v1", "kind": "Service", "metadata": _meta(name), "spec": spec}


def _config(name: str, data: Mapping[str, str]) -> Json:
    meta = {"name": name, "namespace": NAMESPACE}
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": meta, "data": dict(data)}


def _service_objects(row: Mapping[str, Json]) -> list[Json]:
    """Deployment and Service of a file."""
    name, port = row["name"], row.get("port")
    container = make_container(
        name,
        make_image(name),
        row.get("limit", ""),
        (("service", port),) if port else (),
        env=_environment(row["env"]),
        **({"securityContext": row["user"]} if "user" in row else {}),
    )
    pod = {"initContainers": [_wait(*row["waits"])]} if "waits" in row else {}
    found = [make_deployment(name, [container], **pod)]
    return [*found, make_service(name, (("tcp-service", port),))] if port else found


def _flagd() -> list[Json]:
    copy = f"cp /config-ro/{flags.FILE} /config-rw/{flags.FILE} && cat /config-rw/{flags.FILE}"
    mounts = [{"mountPath": "/config-ro", "name": "config-ro"}, {"mountPath": "/config-rw", "name": "config-rw"}]
    first = {"name": "init-config", "image": "busybox", "command": ["sh", "-c", copy], "volumeMounts": mounts}
    words = ["start", "--port", "8013", "--ofrep-port", "8016", "--uri", f"file:./etc/flagd/{flags.FILE}"]
    exporter = (("FLAGD_METRICS_EXPORTER", "otel"),)
    flagd = make_container(
        "flagd",
        "ghcr.io/open-feature/flagd:v0.12.9",
        "75Mi",
        (("rpc", 8013), ("ofrep", 8016)),
        command=["/flagd-build", *words],
        env=_environment(
            (*exporter, ("FLAGD_OTEL_COLLECTOR_URI", "$(OTEL_COLLECTOR_NAME):4317"), ("GOMEMLIMIT", "60MiB"))
        ),
        volumeMounts=[{"name": "config-rw", "mountPath": "/etc/flagd"}],
    )
    screen = make_container(
        "flagd-ui",
        make_image("flagd-ui"),
        "250Mi",
        (("service", 4000),),
        env=_environment((*exporter, ("FLAGD_UI_PORT", "4000"), ("PHX_HOST", "localhost"))),
        volumeMounts=[{"name": "config-rw", "mountPath": "/app/data"}],
    )
    volumes = [{"name": "config-rw", "emptyDir": {}}, {"configMap": {"name": "flagd-config"}, "name": "config-ro"}]
    return [
        _config("flagd-config", {flags.FILE: flags.TEXT}),
        make_deployment("flagd", [flagd, screen], initContainers=[first], volumes=volumes),
        make_service("flagd", (("rpc", 8013), ("ofrep", 8016), ("tcp-service-0", 4000))),
    ]


def _stores() -> list[Json]:
    """Kafka, PostgreSQL and Valkey."""
    kafka = make_container(
        "kafka",
        make_image("kafka"),
        "600Mi",
        (("plaintext", 9092), ("controller", 9093)),
        env=_environment(
            (
                ("KAFKA_ADVERTISED_LISTENERS", "PLAINTEXT://kafka:9092"),
                ("OTEL_EXPORTER_OTLP_ENDPOINT", "http://$(OTEL_COLLECTOR_NAME):4318"),
                ("KAFKA_HEAP_OPTS", "-Xmx400M -Xms400M"),
                ("KAFKA_LISTENERS", "PLAINTEXT://:9092,CONTROLLER://:9093"),
                ("KAFKA_CONTROLLER_LISTENER_NAMES", "CONTROLLER"),
                ("KAFKA_CONTROLLER_QUORUM_VOTERS", "1@kafka:9093"),
            )
        ),
        securityContext={"runAsGroup": 1000, "runAsNonRoot": True, "runAsUser": 1000},
    )
    login = (("POSTGRES_USER", "root"), ("POSTGRES_PASSWORD", "otel"), ("POSTGRES_DB", "otel"))
    postgres = make_container(
        "postgresql",
        "postgres:17.6",
        "100Mi",
        (("service", 5432),),
        env=[{"name": name, "value": value} for name, value in login],
        volumeMounts=[{"name": "postgresql-init", "mountPath": "/docker-entrypoint-initdb.d"}],
    )
    valkey = make_container(
        "valkey-cart",
        "valkey/valkey:9.0.1-alpine3.23",
        "20Mi",
        (("valkey-cart", 6379),),
        securityContext={"runAsGroup": 1000, "runAsNonRoot": True, "runAsUser": 999},
    )
    scripts = [{"name": "postgresql-init", "configMap": {"name": "postgresql-init"}}]
    return [
        make_deployment("kafka", [kafka]),
        make_service("kafka", (("plaintext", 9092), ("controller", 9093))),
        _config("postgresql-init", {"init.sql": database.SCRIPT}),
        make_deployment("postgresql", [postgres], volumes=scripts),
        make_service("postgresql", (("tcp-service", 5432),)),
        make_deployment("valkey-cart", [valkey]),
        make_service("valkey-cart", (("valkey-cart", 6379),)),
    ]


def make_all() -> list[Json]:
    """All of them, in the order in which they are applied."""
    account = {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": ACCOUNT, "namespace": NAMESPACE}}
    found: list[Json] = [{"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": NAMESPACE}}, account]
    found += [*_flagd(), *_stores()]
    for row in SERVICES.values():
        found += _service_objects(row)
    return found

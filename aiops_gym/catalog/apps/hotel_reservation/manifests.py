"""The Kubernetes objects of Hotel Reservation, in the order in which they are applied.

Names, images, ports, probes (none) and resources are those of the manifests that AIOpsLab applies; the same objects
deploy on a real cluster. Upstream also mounts scripts that break and repair the databases: they are the answer to the
problems, and are left out. The scripts that create the database users at the first start stay.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from aiops_gym.types import Json

NAMESPACE = "test-hotel-reservation"
SELECTOR = "io.kompose.service"


GO_IMAGE = "yinfangchen/hotelreservation:latest"
GO_SERVICES: Mapping[str, int] = {
    "frontend": 5000,
    "geo": 8083,
    "profile": 8081,
    "rate": 8084,
    "recommendation": 8085,
    "reservation": 8087,
    "search": 8082,
    "user": 8086,
}
MEMCACHED: Mapping[str, str] = {
    "memcached-profile": "hotel-reserv-profile-mmc",
    "memcached-rate": "hotel-reserv-rate-mmc",
    "memcached-reserve": "hotel-reserv-reservation-mmc",
}
DATABASES = ("geo", "profile", "rate", "recommendation", "reservation", "user")
WITH_USERS = ("geo", "rate")
"""Databases that ask for a password; the user is compiled into the service."""

CONSUL_PORTS: tuple[Json, ...] = (
    {"name": "8300", "port": 8300, "targetPort": 8300},
    {"name": "8400", "port": 8400, "targetPort": 8400},
    {"name": "8500", "port": 8500, "targetPort": 8500},
    {"name": "8600", "port": 8600, "protocol": "UDP", "targetPort": 53},
)
JAEGER_TCP = (14269, 5778, 14268, 14267, 16686)
JAEGER_UDP = (5775, 6831, 6832)


def _meta(name: str) -> Json:
    return {"name": name, "namespace": NAMESPACE, "labels": {SELECTOR: name}}


def _deployment(name: str, container: Json, strategy: Json | None = None, **pod: Any) -> Json:
    resources = {"requests": {"cpu": "100m"}, "limits": {"cpu": "1000m"}}
    spec: Json = {
        "replicas": 1,
        "selector": {"matchLabels": {SELECTOR: name}},
        "template": {
            "metadata": {"labels": {SELECTOR: name}},
            "spec": {"containers": [{**container, "resources": resources}], "restartPolicy": "Always", **pod},
        },
    }
    if strategy:
        spec["strategy"] = strategy
    return {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": _meta(name), "spec": spec}


def _service(name: str, ports: tuple[Json, ...], kind: str = "", selects: str = "") -> Json:
    spec: Json = {"ports": list(ports), "selector": {SELECTOR: selects or name}}
    if kind:
        spec["type"] = kind
    return {"apiVersion": "v1", "kind": "Service", "metadata": _meta(name), "spec": spec}


def _port(number: int, protocol: str = "") -> Json:
    port: Json = {"name": str(number), "port": number, "targetPort": number}
    return {**port, "protocol": protocol} if protocol else port


def _go(name: str, port: int) -> list[Json]:
    container = {
        "name": f"hotel-reserv-{name}",
        "image": GO_IMAGE,
        "command": [name],
        "env": [{"name": "JAEGER_SAMPLE_RATIO", "value": "1"}],
        "ports": [{"containerPort": port}],
    }
    return [_deployment(name, container), _service(name, (_port(port),))]


def _memcached(name: str, container: str) -> list[Json]:
    spec = {
        "name": container,
        "image": "memcached",
        "env": [{"name": "MEMCACHED_CACHE_SIZE", "value": "128"}, {"name": "MEMCACHED_THREADS", "value": "2"}],
        "ports": [{"containerPort": 11211}],
    }
    return [_deployment(name, spec), _service(name, (_port(11211),))]


def _volume(data: str) -> list[Json]:
    common = {"storageClassName": f"{data}-storage", "accessModes": ["ReadWriteOnce"]}
    volume = {
        "apiVersion": "v1",
        "kind": "PersistentVolume",
        "metadata": {"name": f"{data}-pv"},
        "spec": {
            **common,
            "capacity": {"storage": "1Gi"},
            "volumeMode": "Filesystem",
            "hostPath": {"path": f"/data/volumes/{data}-pv", "type": "DirectoryOrCreate"},
        },
    }
    claim = {
        "apiVersion": "v1",
        "kind": "PersistentVolumeClaim",
        "metadata": {"name": f"{data}-pvc", "namespace": NAMESPACE},
        "spec": {**common, "resources": {"requests": {"storage": "1Gi"}}},
    }
    return [volume, claim]


def _mongodb(data: str) -> list[Json]:
    name = f"mongodb-{data}"
    container: Json = {
        "name": f"hotel-reserv-{data}-mongo",
        "image": "mongo:4.4.6",
        "ports": [{"containerPort": 27017}],
        "volumeMounts": [{"mountPath": "/data/db", "name": data}],
    }
    volumes: list[Json] = [{"name": data, "persistentVolumeClaim": {"claimName": f"{data}-pvc"}}]
    if data in WITH_USERS:
        container["args"] = ["--auth"]
        container["volumeMounts"].append({"mountPath": "/docker-entrypoint-initdb.d/", "name": f"{data}-script"})
        volumes.append({"name": f"{data}-script", "configMap": {"name": f"mongo-{data}-script"}})
    deployment = _deployment(name, container, {"type": "Recreate"}, hostname=f"{data}-db", volumes=volumes)
    return [*_volume(data), deployment, _service(name, (_port(27017),))]


def _first_start_script(data: str) -> Json:
    """Runs once, when the database's folder is empty, and creates its users."""
    roles = f"[{{ role: 'userAdminAnyDatabase', db: 'admin' }}, {{ role: 'readWrite', db: '{data}-db' }}]"
    users = "\n".join(f"db.createUser({{ user: '{u}', pwd: '{u}', roles: {roles} }})" for u in ("admin", "root"))
    script = f"#!/bin/bash\n\nmongo <<EOF\nuse admin\n{users}\nEOF\n"
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": f"mongo-{data}-script", "namespace": NAMESPACE},
        "data": {f"k8s-{data}-mongo.sh": script},
    }


def _consul() -> list[Json]:
    ports: list[Json] = [{"containerPort": p} for p in (8300, 8400, 8500)] + [{"containerPort": 53, "protocol": "UDP"}]
    container = {"name": "consul", "image": "hashicorp/consul:latest", "ports": ports}
    return [_deployment("consul", container), _service("consul", CONSUL_PORTS)]


def _jaeger() -> list[Json]:
    ports: list[Json] = [{"containerPort": p} for p in JAEGER_TCP]
    ports += [{"containerPort": p, "protocol": "UDP"} for p in JAEGER_UDP]
    container = {"name": "hotel-reserv-jaeger", "image": "jaegertracing/all-in-one:1.57", "ports": ports}
    inner = (*map(_port, JAEGER_TCP), *(_port(p, "UDP") for p in JAEGER_UDP))
    outer = ({"name": "16686", "nodePort": 31686, "port": 16686, "targetPort": 16686},)
    return [
        _deployment("jaeger", container),
        _service("jaeger", inner),
        _service("jaeger-out", outer, "NodePort", selects="jaeger"),
    ]


def _all() -> tuple[Json, ...]:
    found = [{"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": NAMESPACE}}]
    found += [_first_start_script(data) for data in WITH_USERS]
    found += _consul() + _jaeger()
    for name, container in MEMCACHED.items():
        found += _memcached(name, container)
    for data in DATABASES:
        found += _mongodb(data)
    for name, port in GO_SERVICES.items():
        found += _go(name, port)
    return tuple(found)


MANIFESTS = _all()
COMPONENTS = tuple(sorted(m["metadata"]["name"] for m in MANIFESTS if m["kind"] == "Deployment"))


def _parameters(name: str) -> Mapping[str, str]:
    """What a fault may need to know of the component it hits; `guarded_run` can be told to ask for users."""
    if name.startswith("mongodb-"):
        data = name.removeprefix("mongodb-")
        cache = f"memcached-{data}" if f"memcached-{data}" in MEMCACHED else ""
        login = (
            {"login": "admin"} if data in WITH_USERS else {"guarded": "--auth", "guarded_map": "", "guarded_run": name}
        )
        return {"service": data, "database": f"{data}-db", "cache": cache, "alias": data, **login}
    if name in GO_SERVICES:
        callee = f"mongodb-{name}" if name in DATABASES else "consul"
        return {"container": f"hotel-reserv-{name}", "callee": callee}
    if name == "consul":  # it keeps registrations in memory: after a restart nobody is found who registered before
        return {"restart": "hurts"}
    return {"container": f"hotel-reserv-{name}"}


PARAMETERS: Mapping[str, Mapping[str, str]] = {name: _parameters(name) for name in COMPONENTS}

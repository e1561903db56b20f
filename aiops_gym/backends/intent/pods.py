"""What a pod's template decides, aspect by aspect: containers by name, volumes by where they are mounted."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from aiops_gym.sim.kernel.quantity import parse
from aiops_gym.sim.machine.images import canonical
from aiops_gym.types import Json

DEFAULTS: Mapping[str, Json] = {
    "restartPolicy": "Always",
    "dnsPolicy": "ClusterFirst",
    "schedulerName": "default-scheduler",
    "serviceAccountName": "default",
    "terminationGracePeriodSeconds": 30,
    "enableServiceLinks": True,
    "preemptionPolicy": "PreemptLowerPriority",
    "priority": 0,
}
"""What a pod gets where its template does not say."""

GROUPS = {"containers": "", "initContainers": "init ", "ephemeralContainers": "debugging "}

ELSEWHERE = {*GROUPS, "volumes", "serviceAccount"}
"""Fields that are told by others: deprecated, filled in, or shown by what uses them."""

UNSORTED = {"tolerations", "hostAliases", "imagePullSecrets", "topologySpreadConstraints"}
"""Lists whose order says nothing."""

OWN_FILES = "/var/run/secrets/kubernetes.io/serviceaccount"

PROBES = ("livenessProbe", "readinessProbe", "startupProbe")

ASIDE = ("imagePullPolicy", "terminationMessagePath", "terminationMessagePolicy", "stdin", "stdinOnce", "tty")
"""Fields of a container that change nothing for those whom it serves."""


def describe(spec: Mapping[str, Any]) -> dict[str, Json]:
    """The aspects of a pod's spec."""
    found = {
        key: sorted(value, key=_text) if key in UNSORTED else value
        for key, value in spec.items()
        if key not in ELSEWHERE and value != DEFAULTS.get(key) and value not in (None, {}, [], "")
    }
    volumes = {volume["name"]: volume for volume in spec.get("volumes") or ()}
    for group, word in GROUPS.items():
        for container in spec.get(group) or ():
            for aspect, value in _container(container, volumes):
                if value not in (None, {}, [], ""):
                    found[f"{aspect} of {word}container {container['name']}"] = value
    return found


def _container(container: Mapping[str, Any], volumes: Mapping[str, Any]) -> Iterator[tuple[str, Json]]:
    yield "image", canonical(container.get("image", ""))
    yield "program", [container.get("command") or [], container.get("args") or [], container.get("workingDir", "")]
    for entry in container.get("env") or ():
        yield (
            f"variable {entry['name']}",
            {key: value for key, value in entry.items() if key != "name" and value} or "empty",
        )
    yield "envFrom", container.get("envFrom")
    ports = {port["name"]: port["containerPort"] for port in container.get("ports") or () if port.get("name")}
    yield "ports", sorted(port["containerPort"] for port in container.get("ports") or ())
    yield "hostPort", sorted(port["hostPort"] for port in container.get("ports") or () if port.get("hostPort"))
    yield from _amounts(container.get("resources") or {})
    for field in PROBES:
        yield field, _probe(container.get(field), ports)
    for mount in container.get("volumeMounts") or ():
        if mount["mountPath"] != OWN_FILES:
            yield f"mount {mount['mountPath'].rstrip('/')}", _mounted(mount, volumes)
    for field in ("lifecycle", "securityContext", "restartPolicy", "volumeDevices", "resizePolicy", *ASIDE):
        yield field, container.get(field)


def _amounts(resources: Mapping[str, Any]) -> Iterator[tuple[str, Json]]:
    """Limits and requests as numbers: 0 is none, and who limits and requests nothing requests the limit."""
    limits = _numbers(resources.get("limits"))
    for what, amount in limits.items():
        yield f"limit of {what}", amount
    for what, amount in {**limits, **_numbers(resources.get("requests"))}.items():
        yield f"request of {what}", amount
    yield "claims", resources.get("claims")


def _numbers(amounts: Mapping[str, Any] | None) -> dict[str, str]:
    numbers = {what: parse(str(amount)).normalize() for what, amount in (amounts or {}).items()}
    return {what: str(number) for what, number in numbers.items() if number}


def _probe(probe: Mapping[str, Any] | None, ports: Mapping[str, int]) -> Json:
    """A probe with the number of a port in place of its name."""
    if not probe:
        return None
    found = dict(probe)
    for kind in ("httpGet", "tcpSocket"):
        if probe.get(kind) and (number := ports.get(str(probe[kind].get("port")))):
            found[kind] = {**probe[kind], "port": number}
    return found


def _mounted(mount: Mapping[str, Any], volumes: Mapping[str, Any]) -> Json:
    """What is seen at a mount: where its volume comes from, whatever the volume is called."""
    volume = {key: value for key, value in volumes.get(mount["name"], {}).items() if key != "name"}
    how = {key: value for key, value in mount.items() if key not in ("name", "mountPath") and value}
    return {"from": volume, **how}


def _text(value: Json) -> str:
    return json.dumps(value, sort_keys=True)

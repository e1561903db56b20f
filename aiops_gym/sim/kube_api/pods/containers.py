"""Rules for containers and volumes, with the messages of the API server."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from aiops_gym.sim.kernel import quantity
from aiops_gym.sim.kube_api import names
from aiops_gym.sim.kube_api.schema import split_words
from aiops_gym.sim.kube_api.status import (
    Fault,
    duplicate,
    field_forbidden,
    field_not_found,
    invalid_value,
    required,
    unsupported,
)

One = Mapping[str, Any]

VOLUME_TYPES = split_words(
    "hostPath emptyDir gcePersistentDisk awsElasticBlockStore gitRepo secret nfs iscsi glusterfs "
    "persistentVolumeClaim rbd flexVolume cinder cephfs flocker downwardAPI fc azureFile configMap vsphereVolume "
    "quobyte azureDisk photonPersistentDisk projected portworxVolume scaleIO storageos csi ephemeral image"
)
PROBE_TYPES = ("exec", "httpGet", "tcpSocket", "grpc")
STANDARD = frozenset(["cpu", "memory", "ephemeral-storage"])
POSITIVE = "must be greater than or equal to 0"


def validate_volumes(found: Sequence[One], path: str) -> tuple[list[Fault], set[str]]:
    """What is wrong with a list of volumes, and the names they give."""
    faults: list[Fault] = []
    seen: set[str] = set()
    for index, volume in enumerate(found):
        where, name = f"{path}[{index}]", volume.get("name", "")
        if not name:
            faults.append(required(f"{where}.name"))
        else:
            faults += [invalid_value(f"{where}.name", name, why) for why in names.validate_dns_label(name)]
        if name in seen:
            faults.append(duplicate(f"{where}.name", name))
        seen.add(name)
        kinds = [k for k in volume if k in VOLUME_TYPES]
        if not kinds:
            faults.append(required(where, "must specify a volume type"))
        faults += [field_forbidden(f"{where}.{k}", "may not specify more than 1 volume type") for k in kinds[1:]]
        faults += _source(volume, where)
    return faults, seen


def _source(volume: One, where: str) -> list[Fault]:
    needs = {
        "configMap": "name",
        "secret": "secretName",
        "hostPath": "path",
        "persistentVolumeClaim": "claimName",
    }
    return [
        required(f"{where}.{kind}.{name}")
        for kind, name in needs.items()
        if kind in volume and not volume[kind].get(name)
    ]


def validate_containers(found: Sequence[One], volume_names: set[str], path: str, used: set[str]) -> list[Fault]:
    """What is wrong with a list of containers; `used` are the names taken, and grows."""
    faults: list[Fault] = []
    for index, container in enumerate(found):
        where, name = f"{path}[{index}]", container.get("name", "")
        if not name:
            faults.append(required(f"{where}.name"))
        else:
            faults += [invalid_value(f"{where}.name", name, why) for why in names.validate_dns_label(name)]
            if name in used:
                faults.append(duplicate(f"{where}.name", name))
            used.add(name)
        image = container.get("image", "")
        if not image:
            faults.append(required(f"{where}.image"))
        elif image != image.strip():
            faults.append(invalid_value(f"{where}.image", image, "must not have leading or trailing whitespace"))
        faults += _details(container, where, volume_names)
    return faults


def _details(container: One, where: str, volume_names: set[str]) -> list[Fault]:
    faults: list[Fault] = []
    for name in ("livenessProbe", "readinessProbe", "startupProbe"):
        if name in container:
            faults += probe(container[name], f"{where}.{name}")
    policy = container.get("imagePullPolicy", "Always")
    if policy not in ("Always", "IfNotPresent", "Never"):
        faults.append(unsupported(f"{where}.imagePullPolicy", policy, ["Always", "IfNotPresent", "Never"]))
    faults += ports(container.get("ports") or (), f"{where}.ports")
    faults += env(container.get("env") or (), f"{where}.env")
    faults += _mounts(container.get("volumeMounts") or (), f"{where}.volumeMounts", volume_names)
    return faults + resources(container.get("resources") or {}, f"{where}.resources")


def ports(found: Sequence[One], path: str) -> list[Fault]:
    """What is wrong with the ports of a container."""
    faults: list[Fault] = []
    seen: set[str] = set()
    for index, port in enumerate(found):
        where, name, number = f"{path}[{index}]", port.get("name", ""), port.get("containerPort", 0)
        if name:
            faults += [invalid_value(f"{where}.name", name, why) for why in names.validate_port_name(name)]
            if name in seen:
                faults.append(duplicate(f"{where}.name", name))
            seen.add(name)
        if number == 0:
            faults.append(required(f"{where}.containerPort"))
        else:
            faults += [
                invalid_value(f"{where}.containerPort", number, why) for why in names.validate_port_number(number)
            ]
        if port.get("hostPort", 0):
            faults += [
                invalid_value(f"{where}.hostPort", port["hostPort"], w)
                for w in names.validate_port_number(port["hostPort"])
            ]
        if port.get("protocol", "TCP") not in ("TCP", "UDP", "SCTP"):
            faults.append(unsupported(f"{where}.protocol", port["protocol"], ["SCTP", "TCP", "UDP"]))
    return faults


def env(found: Sequence[One], path: str) -> list[Fault]:
    """What is wrong with environment variables."""
    faults: list[Fault] = []
    for index, variable in enumerate(found):
        where, name, source = f"{path}[{index}]", variable.get("name", ""), variable.get("valueFrom")
        if not name:
            faults.append(required(f"{where}.name"))
        else:
            faults += [invalid_value(f"{where}.name", name, why) for why in names.validate_env_name(name)]
        if source is None:
            continue
        kinds = [k for k in ("fieldRef", "resourceFieldRef", "configMapKeyRef", "secretKeyRef") if k in source]
        if not kinds:
            text = "must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef` or `secretKeyRef`"
            faults.append(invalid_value(f"{where}.valueFrom", "", text))
        elif variable.get("value"):
            faults.append(invalid_value(f"{where}.valueFrom", "", "may not be specified when `value` is not empty"))
        elif len(kinds) > 1:
            faults.append(
                invalid_value(f"{where}.valueFrom", "", "may not have more than one field specified at a time")
            )
        for kind in kinds:
            if kind.endswith("KeyRef") and not source[kind].get("key"):
                faults.append(required(f"{where}.valueFrom.{kind}.key"))
    return faults


def _mounts(found: Sequence[One], path: str, volume_names: set[str]) -> list[Fault]:
    faults: list[Fault] = []
    seen: set[str] = set()
    for index, mount in enumerate(found):
        where, name, place = f"{path}[{index}]", mount.get("name", ""), mount.get("mountPath", "")
        if not name:
            faults.append(required(f"{where}.name"))
        elif name not in volume_names:
            faults.append(field_not_found(f"{where}.name", name))
        if not place:
            faults.append(required(f"{where}.mountPath"))
        elif place in seen:
            faults.append(invalid_value(f"{where}.mountPath", place, "must be unique"))
        seen.add(place)
    return faults


def resources(found: One, path: str) -> list[Fault]:
    """What is wrong with requests and limits."""
    limits, requests = found.get("limits") or {}, found.get("requests") or {}
    faults: list[Fault] = []
    for kind, amounts in (("limits", limits), ("requests", requests)):
        for what, amount in sorted(amounts.items()):
            where = f"{path}.{kind}[{what}]"
            faults += _resource_name(what, f"{path}.{kind}[{what}]")
            if quantity.parse(amount) < 0:
                faults.append(invalid_value(where, amount, POSITIVE))
    for what, amount in sorted(requests.items()):
        limit = limits.get(what)
        if limit is not None and quantity.parse(amount) > quantity.parse(limit):
            text = f"must be less than or equal to {what} limit of {limit}"
            faults.append(invalid_value(f"{path}.requests", amount, text))
    return faults


def _resource_name(what: str, where: str) -> list[Fault]:
    faults = [invalid_value(where, what, why) for why in names.validate_qualified_name(what)]
    if not faults and "/" not in what and what not in STANDARD and not what.startswith("hugepages-"):
        faults.append(invalid_value(where, what, "must be a standard resource type or fully qualified"))
        faults.append(invalid_value(where, what, "must be a standard resource for containers"))
    return faults


def probe(found: One, path: str) -> list[Fault]:
    """What is wrong with a probe."""
    kinds = [k for k in PROBE_TYPES if k in found]
    faults = [] if kinds else [required(path, "must specify a handler type")]
    faults += [field_forbidden(f"{path}.{k}", "may not specify more than 1 handler type") for k in kinds[1:]]
    for kind in kinds:
        faults += _handler(found[kind] or {}, kind, f"{path}.{kind}")
    for name in ("initialDelaySeconds", "timeoutSeconds", "periodSeconds", "successThreshold", "failureThreshold"):
        if found.get(name, 0) < 0:
            faults.append(invalid_value(f"{path}.{name}", found[name], POSITIVE))
    if found.get("successThreshold", 1) != 1 and not path.endswith("readinessProbe"):
        faults.append(invalid_value(f"{path}.successThreshold", found["successThreshold"], "must be 1"))
    return faults


def _handler(found: One, kind: str, path: str) -> list[Fault]:
    if kind == "exec":
        return [] if found.get("command") else [required(f"{path}.command")]
    faults = []
    if kind == "httpGet" and not found.get("path"):
        faults.append(required(f"{path}.path"))
    port = found.get("port", 0)
    if isinstance(port, int):
        faults += [invalid_value(f"{path}.port", port, why) for why in names.validate_port_number(port)]
    else:
        faults += [invalid_value(f"{path}.port", port, why) for why in names.validate_port_name(port)]
    if kind == "httpGet" and found.get("scheme", "HTTP") not in ("HTTP", "HTTPS"):
        faults.append(unsupported(f"{path}.scheme", found["scheme"], ["HTTP", "HTTPS"]))
    return faults

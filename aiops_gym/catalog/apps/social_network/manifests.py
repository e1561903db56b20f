"""The Kubernetes objects of Social Network, as its chart renders them with untouched settings.

What Helm installs bears Helm's marks. Besides there are the namespace, and a Secret with a certificate for the
databases, which AIOpsLab creates beforehand. The certificate is no secret: it was made for this and guards nothing.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Mapping
from typing import Any

from aiops_gym.catalog.apps.social_network import chart, parameters
from aiops_gym.catalog.apps.social_network.configs import CONFIGS
from aiops_gym.catalog.apps.social_network.tls import CERTIFICATE, KEY
from aiops_gym.catalog.apps.social_network.values import GLOBAL, SECTIONS, TLS_SECRET, VALUES
from aiops_gym.types import Json

NAMESPACE = "test-social-network"
SELECTOR = "app"

_SETTING = re.compile(r"\{\{ (?:int )?\.(Values|Section)\.([\w.]+) \}\}")
_BRANCH = re.compile(r"\{\{- if \.Section\.tls \}\}\n(.*?)\n\{\{- else \}\}\n(.*?)\n\{\{- end \}\}", re.S)
_CHOICE = re.compile(r"\n\{\{- if \.Section\.tls\.certificateKeyFile \}\}\n.*?\n\{\{- end \}\}", re.S)


def _meta(name: str, **labels: str) -> Json:
    marks = {"app.kubernetes.io/managed-by": "Helm"}
    notes = {"meta.helm.sh/release-name": chart.NAME, "meta.helm.sh/release-namespace": NAMESPACE}
    return {"name": name, "namespace": NAMESPACE, "labels": {**marks, **labels}, "annotations": notes}


def _setting(kind: str, path: str, section: Json) -> str:
    found: Any = VALUES if kind == "Values" else section
    for key in path.split("."):
        found = found[key]
    return str(found).lower() if isinstance(found, bool) else str(found)


def _file(entry: Json, section: Json) -> str:
    source: str = entry.get("template") or entry["name"]
    text = _CHOICE.sub("", CONFIGS[source])  # no certificate is set
    text = _BRANCH.sub(r"\1" if "tls" in section else r"\2", text)
    return _SETTING.sub(lambda match: _setting(match[1], match[2], section), text) + "\n"


def _config_map(name: str, section: Json) -> Json:
    data = {entry["name"]: _file(entry, section) for entry in section["configMaps"]}
    meta = _meta(name, **{"socialnetwork/service": name})
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": meta, "data": data}


def _service(name: str, section: Json) -> Json:
    ports = [{"name": str(port["port"]), **port} for port in section["ports"]]
    spec = {"type": GLOBAL["serviceType"], "ports": ports, "selector": {"service": name}}
    return {"apiVersion": "v1", "kind": "Service", "metadata": _meta(name), "spec": spec}


def _deployment(name: str, section: Json) -> Json:
    pod: Json = {"initContainers": [_cloner(section)]} if "clone" in section else {}
    pod |= {"containers": [_container(name, section)]}
    if volumes := _volumes(name, section):
        pod["volumes"] = volumes
    pod |= {"hostname": name, "restartPolicy": GLOBAL["restartPolicy"]}
    spec = {
        "replicas": GLOBAL["replicas"],
        "selector": {"matchLabels": {"service": name}},
        "template": {"metadata": {"labels": {"service": name, "app": name}}, "spec": pod},
    }
    return {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": _meta(name, service=name), "spec": spec}


def _image(name: str, version: str = "") -> Json:
    registry, usual = GLOBAL["dockerRegistry"], GLOBAL["defaultImageVersion"]
    return {"image": f"{registry}/{name}:{version or usual}", "imagePullPolicy": GLOBAL["imagePullPolicy"]}


def _cloner(section: Json) -> Json:
    mounts = [{"name": folder, "mountPath": f"/{folder}"} for folder in section["folders"]]
    run = {"command": ["/bin/sh"], "args": ["-c", section["clone"]]}
    return {"name": "alpine-container", **_image("alpine/git"), **run, "volumeMounts": mounts}


def _container(name: str, section: Json) -> Json:
    given = section["container"]
    container: Json = {
        "name": name,
        **_image(given["image"], given.get("imageVersion", "")),
        "ports": given["ports"],
    }
    if "env" in given:
        container["env"] = [
            {**e, "value": e["value"].replace("{{ .Release.Namespace }}", NAMESPACE)} for e in given["env"]
        ]
    if "command" in given:
        container["command"] = [given["command"]]
    if "args" in given:
        container["args"] = given["args"]
    mounts = [
        {"name": f"{name}-config", "mountPath": entry["mountPath"], "subPath": entry["name"]}
        for entry in section.get("configMaps", ())
    ]
    mounts += [{**secret, "readOnly": True} for secret in section.get("secrets", ())]
    mounts += [{"name": folder, "mountPath": path} for folder, path in section.get("folders", {}).items()]
    return {**container, "volumeMounts": mounts} if mounts else container


def _volumes(name: str, section: Json) -> list[Json]:
    if "configMaps" not in section:
        return []
    found: list[Json] = [{"name": f"{name}-config", "configMap": {"name": name}}]
    found += [{"name": s["name"], "secret": {"secretName": s["name"]}} for s in section.get("secrets", ())]
    return found + [{"name": folder, "emptyDir": {}} for folder in section.get("folders", ())]


def _certificate() -> Json:
    files = {"tls.pem": CERTIFICATE + KEY, "ca.crt": CERTIFICATE}
    data = {name: base64.b64encode(text.encode()).decode() for name, text in files.items()}
    meta = {"name": TLS_SECRET, "namespace": NAMESPACE}
    return {"apiVersion": "v1", "kind": "Secret", "metadata": meta, "type": "Opaque", "data": data}


BEFORE: tuple[Json, ...] = (
    {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": NAMESPACE}},
    _certificate(),
)
"""What is there before the release is installed."""

RELEASED: tuple[Json, ...] = (
    *(_config_map(name, section) for name, section in SECTIONS.items() if "configMaps" in section),
    *(_service(name, section) for name, section in SECTIONS.items()),
    *(_deployment(name, section) for name, section in SECTIONS.items()),
)
"""What the release installs, in Helm's order."""

MANIFESTS = (*BEFORE, *RELEASED)


PARAMETERS: Mapping[str, Mapping[str, str]] = {
    name: parameters.read_parameters(name, _config_map(name, section)["data"] if "configMaps" in section else {})
    for name, section in SECTIONS.items()
}

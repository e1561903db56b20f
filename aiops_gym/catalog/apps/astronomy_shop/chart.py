"""The Helm chart of the shop: what the release `astronomy-shop` was installed from, as the demo's chart 0.40.0 has it.

One template makes the components from the settings below `components`; what the demo takes from charts of others (the
collector, Jaeger, Prometheus, Grafana, OpenSearch) lies in templates of its own, without settings. The settings are
read from the manifests, which say the same in plain data.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import yaml

from aiops_gym.catalog.apps.astronomy_shop.manifests import CHART, LABEL, NAMESPACE, REGISTRY, VERSION
from aiops_gym.types import Json

NAME = "astronomy-shop"
FOLDER, _, CHART_VERSION = CHART.rpartition("-")

ABOUT = f"""apiVersion: v2
name: {FOLDER}
description: OpenTelemetry demo Helm chart
type: application
version: {CHART_VERSION}
appVersion: "{VERSION}"
home: https://opentelemetry.io/
"""

COMPONENTS = f"""{{{{- range $name, $component := .Values.components }}}}
{{{{- if $component.enabled }}}}
---
apiVersion: apps/v1
kind: Deployment
metadata:
  name: {{{{ $name }}}}
  namespace: {{{{ $.Release.Namespace }}}}
  labels:
    {LABEL}: {{{{ $name }}}}
    app.kubernetes.io/component: {{{{ $name }}}}
    app.kubernetes.io/name: {{{{ $name }}}}
    helm.sh/chart: {{{{ $.Chart.Name }}}}-{{{{ $.Chart.Version }}}}
    app.kubernetes.io/version: {{{{ $.Chart.AppVersion | quote }}}}
    app.kubernetes.io/part-of: opentelemetry-demo
spec:
  replicas: {{{{ default $.Values.default.replicas $component.replicas }}}}
  revisionHistoryLimit: {{{{ $.Values.default.revisionHistoryLimit }}}}
  selector:
    matchLabels:
      {LABEL}: {{{{ $name }}}}
  template:
    metadata:
      labels:
        {LABEL}: {{{{ $name }}}}
        app.kubernetes.io/component: {{{{ $name }}}}
        app.kubernetes.io/name: {{{{ $name }}}}
    spec:
      serviceAccountName: {{{{ $.Values.serviceAccount.name }}}}
{{{{- with $component.initContainers }}}}
      initContainers:
{{{{ toYaml . | indent 8 }}}}
{{{{- end }}}}
      containers:
      - name: {{{{ $name }}}}
{{{{- $usual := printf "%s:%s-%s" $.Values.default.image.repository $.Chart.AppVersion $name }}}}
        image: {{{{ default $usual $component.image }}}}
        imagePullPolicy: {{{{ $.Values.default.image.pullPolicy }}}}
{{{{- with $component.container }}}}
{{{{ toYaml . | indent 8 }}}}
{{{{- end }}}}
{{{{- with $component.sidecarContainers }}}}
{{{{ toYaml . | indent 6 }}}}
{{{{- end }}}}
{{{{- with $component.volumes }}}}
      volumes:
{{{{ toYaml . | indent 8 }}}}
{{{{- end }}}}
{{{{- end }}}}
{{{{- end }}}}
"""


def make_values(manifests: Sequence[Json]) -> dict[str, Any]:
    """The chart's settings, of which `COMPONENTS` makes the deployments among some manifests."""
    image = {"repository": REGISTRY, "pullPolicy": "IfNotPresent"}
    return {
        "default": {"replicas": 1, "revisionHistoryLimit": 10, "image": image},
        "serviceAccount": {"name": next(m["metadata"]["name"] for m in manifests if m["kind"] == "ServiceAccount")},
        "components": {m["metadata"]["name"]: _component(m) for m in manifests if is_component(m)},
    }


def is_component(manifest: Json) -> bool:
    """Whether it is a deployment of the chart's own."""
    labels = manifest["metadata"].get("labels") or {}
    return bool(manifest["kind"] == "Deployment" and labels.get(LABEL) == manifest["metadata"]["name"])


def _component(manifest: Json) -> Json:
    name, pod = manifest["metadata"]["name"], manifest["spec"]["template"]["spec"]
    first, *others = pod["containers"]
    found: dict[str, Json] = {"enabled": True}
    if first["image"] != f"{REGISTRY}:{VERSION}-{name}":
        found["image"] = first["image"]
    found["container"] = {k: v for k, v in first.items() if k not in ("name", "image", "imagePullPolicy")}
    found["sidecarContainers"] = others
    found |= {key: pod[key] for key in ("initContainers", "volumes") if key in pod}
    return {key: value for key, value in found.items() if value}


def make_files(manifests: Sequence[Json]) -> Mapping[str, str]:
    """The chart's files by path; all of `manifests` but the namespace come of it."""
    rest = [m for m in manifests if not is_component(m) and m["kind"] != "Namespace"]
    return {
        "Chart.yaml": ABOUT,
        "values.yaml": yaml.safe_dump(make_values(manifests), sort_keys=False),
        "templates/component.yaml": COMPONENTS,
        "templates/services.yaml": _dump([m for m in rest if m["kind"] == "Service"]),
        "templates/platform.yaml": _dump([m for m in rest if m["kind"] != "Service"]),
    }


def _dump(manifests: Sequence[Json]) -> str:
    """Manifests as a template that says just that: what looks like an action of a template is text."""
    text = yaml.safe_dump_all(manifests, sort_keys=False, width=10_000)
    return text.replace("{{", '{{ "{{" }}')


def mark(manifest: Json) -> Json:
    """A manifest with the marks that Helm gives to what it installs."""
    if manifest["kind"] == "Namespace":
        return manifest
    meta = manifest["metadata"]
    labels = {**(meta.get("labels") or {}), "app.kubernetes.io/managed-by": "Helm"}
    notes = {"meta.helm.sh/release-name": NAME, "meta.helm.sh/release-namespace": NAMESPACE}
    return {
        **manifest,
        "metadata": {**meta, "labels": labels, "annotations": {**(meta.get("annotations") or {}), **notes}},
    }

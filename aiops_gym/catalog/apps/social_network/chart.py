"""Social Network's Helm chart: what lies in the folder from which the release is installed.

It is written in Go templates, so that `helm` renders it, the real one too. `manifests.py` says the same of the
untouched settings in plain data.
"""

from __future__ import annotations

from collections.abc import Mapping

import yaml

from aiops_gym.catalog.apps.social_network.configs import CONFIGS
from aiops_gym.catalog.apps.social_network.values import VALUES

NAME, VERSION, APP_VERSION = "social-network", "0.1.0", "1.16.0"
FOLDER = "socialnetwork"

ABOUT = f"""apiVersion: v2
name: {NAME}
description: Helm chart for SocialNetwork service in DeathStarBench
type: application
version: {VERSION}
appVersion: "{APP_VERSION}"
"""

CONFIG_MAPS = """{{- range $name, $section := .Values }}
{{- if and (ne $name "global") $section.configMaps }}
---
apiVersion: v1
kind: ConfigMap
metadata:
  name: {{ $name }}
  labels:
    socialnetwork/service: {{ $name }}
data:
{{- range $section.configMaps }}
  {{ .name }}: |
{{ include (printf "config %s" (default .name .template)) (dict "Values" $.Values "Section" $section) | indent 4 }}
{{- end }}
{{- end }}
{{- end }}
"""

SERVICES = """{{- range $name, $section := .Values }}
{{- if ne $name "global" }}
---
apiVersion: v1
kind: Service
metadata:
  name: {{ $name }}
spec:
  type: {{ default $.Values.global.serviceType $section.type }}
  ports:
{{- range $section.ports }}
  - name: "{{ .port }}"
    port: {{ .port }}
{{- if .protocol }}
    protocol: {{ .protocol }}
{{- end }}
    targetPort: {{ .targetPort }}
{{- end }}
  selector:
    service: {{ $name }}
{{- end }}
{{- end }}
"""

DEPLOYMENTS = """{{- range $name, $section := .Values }}
{{- if ne $name "global" }}
---
apiVersion: apps/v1
kind: Deployment
metadata:
  labels:
    service: {{ $name }}
  name: {{ $name }}
spec:
  replicas: {{ default $.Values.global.replicas $section.replicas }}
  selector:
    matchLabels:
      service: {{ $name }}
  template:
    metadata:
      labels:
        service: {{ $name }}
        app: {{ $name }}
    spec:
{{- if $section.clone }}
      initContainers:
      - name: alpine-container
        image: {{ $.Values.global.dockerRegistry }}/alpine/git:latest
        imagePullPolicy: {{ $.Values.global.imagePullPolicy }}
        command:
        - /bin/sh
        args:
        - -c
        - {{ $section.clone }}
        volumeMounts:
{{- range $folder, $path := $section.folders }}
        - name: {{ $folder }}
          mountPath: /{{ $folder }}
{{- end }}
{{- end }}
      containers:
      - name: {{ $name }}
{{- with $section.container }}
        image: {{ $.Values.global.dockerRegistry }}/{{ .image }}:{{ default $.Values.global.defaultImageVersion """ + (
    """.imageVersion }}
        imagePullPolicy: {{ default $.Values.global.imagePullPolicy .imagePullPolicy }}
        ports:
{{- range .ports }}
        - containerPort: {{ .containerPort }}
{{- if .protocol }}
          protocol: {{ .protocol }}
{{- end }}
{{- end }}
{{- if .env }}
        env:
{{- range .env }}
        - name: {{ .name }}
          value: {{ tpl .value $ | quote }}
{{- end }}
{{- end }}
{{- if .command }}
        command:
        - {{ .command }}
{{- end }}
{{- if .args }}
        args:
{{- range .args }}
        - {{ . }}
{{- end }}
{{- end }}
{{- end }}
{{- if or $section.configMaps $section.secrets }}
        volumeMounts:
{{- range $section.configMaps }}
        - name: {{ $name }}-config
          mountPath: {{ .mountPath }}
          subPath: {{ .name }}
{{- end }}
{{- range $section.secrets }}
        - name: {{ .name }}
          mountPath: {{ .mountPath }}
          readOnly: true
{{- end }}
{{- range $folder, $path := $section.folders }}
        - name: {{ $folder }}
          mountPath: {{ $path }}
{{- end }}
      volumes:
      - name: {{ $name }}-config
        configMap:
          name: {{ $name }}
{{- range $section.secrets }}
      - name: {{ .name }}
        secret:
          secretName: {{ .name }}
{{- end }}
{{- range $folder, $path := $section.folders }}
      - name: {{ $folder }}
        emptyDir: {}
{{- end }}
{{- end }}
      hostname: {{ $name }}
      restartPolicy: {{ default $.Values.global.restartPolicy $section.restartPolicy }}
{{- end }}
{{- end }}
"""
)


def _configs() -> str:
    return "".join(f'{{{{- define "config {name}" -}}}}\n{text}\n{{{{- end -}}}}\n\n' for name, text in CONFIGS.items())


FILES: Mapping[str, str] = {
    "Chart.yaml": ABOUT,
    "templates/_configs.tpl": _configs(),
    "templates/configmaps.yaml": CONFIG_MAPS,
    "templates/deployments.yaml": DEPLOYMENTS,
    "templates/services.yaml": SERVICES,
    "values.yaml": yaml.safe_dump(VALUES, sort_keys=False, width=4096),
}
"""The chart's files, by path in its folder."""

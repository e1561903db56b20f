"""What the cluster's Prometheus and Alertmanager are told: where to scrape, by which rules to alert, whom to notify.

The configuration has the form of the Prometheus Helm chart 25.6.0; the rules are files of `catalog/rules`, in
Prometheus' own YAML, one a subject.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib.resources import files

RULES: Mapping[str, str] = {
    entry.name: entry.read_text(encoding="utf-8")
    for entry in sorted(files("aiops_gym.catalog").joinpath("rules").iterdir(), key=lambda entry: entry.name)
    if entry.name.endswith(".yaml")
}
"""Text by name of the file."""

_CONFIG = """\
global:
  evaluation_interval: 1m
  scrape_interval: 1m
  scrape_timeout: 10s
rule_files:
- /etc/config/*.rules.yml
alerting:
  alertmanagers:
  - static_configs:
    - targets:
      - prometheus-alertmanager.observe.svc:9093
"""

PROMETHEUS: Mapping[str, str] = {
    **{name.replace(".yaml", ".rules.yml"): text for name, text in RULES.items()},
    "prometheus.yml": _CONFIG,
}
"""Data of the ConfigMap `prometheus-server`."""

ALERTMANAGER: Mapping[str, str] = {
    "alertmanager.yml": """\
global: {}
receivers:
- name: default-receiver
route:
  group_by:
  - namespace
  - alertname
  group_interval: 5m
  group_wait: 10s
  receiver: default-receiver
  repeat_interval: 3h
templates:
- /etc/alertmanager/*.tmpl
"""
}
"""Data of the ConfigMap `prometheus-alertmanager`."""

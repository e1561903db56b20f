"""What Prometheus tells of itself: whom it scrapes, what metrics there are, how it is configured."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Protocol

from aiops_gym.sim.kernel.times import iso_nano
from aiops_gym.sim.promql import evaluate
from aiops_gym.sim.promql.durations import print_duration
from aiops_gym.sim.promql.parser import parse
from aiops_gym.sim.promql.selecting import LOOKBACK, MOST_SAMPLES
from aiops_gym.sim.promql.series import Source
from aiops_gym.sim.software.prometheus_api.parameters import Query, Wrong, get
from aiops_gym.types import Json

BUILD = {"version": "2.47.2", "revision": "3f3172cde1ee37f1c7b3a5f3d9b031190509b3ad", "branch": "HEAD"}
BUILD |= {"buildUser": "", "buildDate": "20231016-12:38:12", "goVersion": "go1.21.3"}
INTERVAL, TIMEOUT = "1m", "10s"
"""Of scrapes."""

ALERTMANAGER = "http://prometheus-alertmanager.observe.svc:9093/api/v2/alerts"

PROXIED = {"kubernetes-nodes": "/metrics", "kubernetes-nodes-cadvisor": "/metrics/cadvisor"}
"""Jobs that ask the kubelets through the API server, and for what."""


class Catalogue(Source, Protocol):
    """A source that knows its metrics."""

    def list_metrics(self) -> list[tuple[str, str, str]]:
        """Name, type and help of each."""
        ...


def _ask(source: Source, now: int, text: str) -> dict[tuple[str, str], tuple[Mapping[str, str], float]]:
    """An instant vector by job and instance."""
    found = evaluate.query(source, parse(text), now).series
    rows = [(dict(series.labels), float(series.values[0])) for series in found]
    return {(labels["job"], labels["instance"]): (labels, value) for labels, value in rows}


def _url(job: str, instance: str) -> str:
    if job in PROXIED:
        return f"https://kubernetes.default.svc:443/api/v1/nodes/{instance}/proxy{PROXIED[job]}"
    return f"{'https' if job == 'kubernetes-apiservers' else 'http'}://{instance}/metrics"


def list_targets(source: Catalogue, now: int, asked: Query) -> Json:
    """`/api/v1/targets`."""
    times, durations = _ask(source, now, "timestamp(up)"), _ask(source, now, "scrape_duration_seconds")
    found = list[Json]()
    for (job, instance), (labels, value) in _ask(source, now, "up").items():
        took = durations.get((job, instance), ({}, 0.0))[1]
        found.append(
            {
                "discoveredLabels": {"__address__": instance, "job": job},
                "labels": {name: text for name, text in labels.items() if name != "__name__"},
                "scrapePool": job,
                "scrapeUrl": _url(job, instance),
                "globalUrl": _url(job, instance),
                "lastError": "" if value else "server returned no metrics",
                "lastScrape": iso_nano(round(times[job, instance][1] * 1000)),
                "lastScrapeDuration": took,
                "health": "up" if value else "down",
                "scrapeInterval": INTERVAL,
                "scrapeTimeout": TIMEOUT,
            }
        )
    active = get(asked, "state") in ("", "any", "active")
    pool = get(asked, "scrapePool")
    kept = [each for each in found if pool in ("", each["scrapePool"])] if active else []
    return {"activeTargets": kept, "droppedTargets": [], "droppedTargetCounts": {}}


def list_metadata(source: Catalogue, now: int, asked: Query) -> Json:
    """`/api/v1/metadata`."""
    text = get(asked, "limit")
    if text and not text.removeprefix("-").isdecimal():
        raise Wrong("limit must be a number")
    most, wanted = int(text or -1), get(asked, "metric")
    found = [each for each in source.list_metrics() if wanted in ("", each[0])]
    kept = found if most < 0 else found[:most]
    return {name: [{"type": kind, "help": told, "unit": ""}] for name, kind, told in kept}


def show_configuration(source: Catalogue, now: int, asked: Query) -> Json:
    """`/api/v1/status/config`: the jobs of which there are targets."""
    lines = ["global:", f"  scrape_interval: {INTERVAL}", f"  scrape_timeout: {TIMEOUT}", "  evaluation_interval: 1m"]
    lines.append("scrape_configs:")
    for job in sorted({job for job, _ in _ask(source, now, "up")}):
        secure = job in PROXIED or job == "kubernetes-apiservers"
        lines += [f"- job_name: {job}", "  honor_timestamps: true", f"  scrape_interval: {INTERVAL}"]
        lines += [f"  scrape_timeout: {TIMEOUT}", "  metrics_path: /metrics"]
        lines.append(f"  scheme: {'https' if secure else 'http'}")
    return {"yaml": "\n".join([*lines, ""])}


def list_alertmanagers(source: Catalogue, now: int, asked: Query) -> Json:
    """`/api/v1/alertmanagers`."""
    return {"activeAlertmanagers": [{"url": ALERTMANAGER}], "droppedAlertmanagers": []}


def list_flags(source: Catalogue, now: int, asked: Query) -> Json:
    """`/api/v1/status/flags`: those that queries depend on."""
    return {
        "config.file": "/etc/config/prometheus.yml",
        "query.lookback-delta": print_duration(LOOKBACK),
        "query.max-samples": f"{MOST_SAMPLES}",
        "web.listen-address": "0.0.0.0:9090",
    }


ROUTES: Mapping[str, Callable[[Catalogue, int, Query], Json]] = {
    "/api/v1/targets": list_targets,
    "/api/v1/metadata": list_metadata,
    "/api/v1/status/buildinfo": lambda source, now, asked: BUILD,
    "/api/v1/status/config": show_configuration,
    "/api/v1/status/flags": list_flags,
    "/api/v1/alertmanagers": list_alertmanagers,
}


def write(source: Catalogue, now: int, where: str, asked: Query) -> str:
    """The data of one of the routes."""
    return json.dumps(ROUTES[where](source, now, asked), ensure_ascii=False, separators=(",", ":"))

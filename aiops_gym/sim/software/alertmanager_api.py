"""Alertmanager's HTTP API, version 2, as far as it reads; https://github.com/prometheus/alertmanager, `api/v2`."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import parse_qs, quote_plus

import yaml

from aiops_gym.sim.alerts.board import Alert, Labels
from aiops_gym.sim.kernel.patterns import compile_pattern
from aiops_gym.sim.kernel.times import MINUTE, iso_nano
from aiops_gym.sim.kernel.yamltext import load
from aiops_gym.types import Json

RECEIVER = "default-receiver"
VALID = 4 * MINUTE
"""For so long an alert stands that Prometheus tells of no more: four of its evaluations."""

MATCHER = re.compile(r'\s*"?([a-zA-Z_]\w*)"?\s*(=~|!~|!=|=)\s*(?:"((?:[^"\\]|\\.)*)"|([^",{}]*))\s*')
VERSION = {
    "branch": "HEAD",
    "buildDate": "20230824-11:09:02",
    "buildUser": "root@520df6c16a84",
    "goVersion": "go1.20.7",
}
VERSION |= {"revision": "d7b4f0c7322e7151d6e3b1e31cbc15361e295d8d", "version": "0.26.0"}

Query = Mapping[str, Sequence[str]]


def answer(alerts: Sequence[Alert], config: str, started: int, path: str, url: str) -> tuple[int, str]:
    """Status and body for a path with its query.

    Args:
        alerts: that Prometheus has sent: they fire, or ended a short time ago.
        config: YAML of the configuration.
        started: ms at which the process began.
        path: of the request.
        url: of Prometheus, as alerts name it.
    """
    where, _, text = path.partition("?")
    asked = parse_qs(text, keep_blank_values=True)
    try:
        if where == "/api/v2/alerts":
            return 200, _write([_shown(each, url) for each in _chosen(alerts, asked)])
        if where == "/api/v2/alerts/groups":
            return 200, _write(_grouped(_chosen(alerts, asked), _group_by(config), url))
    except ValueError as error:
        return 400, _write(str(error))
    if where == "/api/v2/receivers":
        return 200, _write([{"name": RECEIVER}])
    if where == "/api/v2/silences":
        return 200, _write([])
    if where == "/api/v2/status":
        cluster: Json = {"name": None, "peers": [], "status": "disabled"}
        told = {"cluster": cluster, "config": {"original": config}, "uptime": iso_nano(started)[:23] + "Z"}
        return 200, _write({**told, "versionInfo": VERSION})
    if where in ("/-/healthy", "/-/ready"):
        return 200, "OK"
    return 404, "404 page not found\n"


def _write(data: Json) -> str:
    return json.dumps(data, ensure_ascii=False, separators=(",", ":")) + "\n"


def _chosen(alerts: Sequence[Alert], asked: Query) -> list[Alert]:
    """Those that are asked for. Raises ValueError."""
    if asked.get("active", ["true"])[0] == "false":
        return []
    tests = [_matcher(text) for text in asked.get("filter", ())]
    active = [alert for alert in alerts if alert.ended is None]
    return sorted(
        (alert for alert in active if all(test(dict(alert.labels)) for test in tests)),
        key=lambda alert: fingerprint(alert.labels),
    )


def _matcher(text: str) -> Any:
    found = MATCHER.fullmatch(text)
    if found is None:
        raise ValueError(f"bad matcher format: {text}")
    name, op, value = found[1], found[2], found[3] if found[3] is not None else found[4]
    negative = op.startswith("!")
    if op in ("=", "!="):
        return lambda labels: (labels.get(name, "") == value) is not negative
    try:
        pattern: re.Pattern[str] = compile_pattern(value)
    except re.error as error:
        raise ValueError(f"error parsing regexp: {error}") from None
    return lambda labels: (pattern.fullmatch(labels.get(name, "")) is not None) is not negative


def _group_by(config: str) -> Sequence[str]:
    try:
        return [str(name) for name in load(config)["route"].get("group_by") or ()]
    except (yaml.YAMLError, AttributeError, KeyError, TypeError):
        return []


def _grouped(alerts: Sequence[Alert], names: Sequence[str], url: str) -> list[Json]:
    """Alerts by the labels that the route groups them by."""
    groups: dict[Labels, list[Alert]] = {}
    for alert in alerts:
        labels = alert.labels if "..." in names else tuple(pair for pair in alert.labels if pair[0] in names)
        groups.setdefault(labels, []).append(alert)
    return [
        {"alerts": [_shown(each, url) for each in members], "labels": dict(labels), "receiver": {"name": RECEIVER}}
        for labels, members in sorted(groups.items())
    ]


def _shown(alert: Alert, url: str) -> Json:
    newest = alert.last
    return {
        "annotations": dict(alert.annotations),
        "endsAt": _stamp(newest + VALID),
        "fingerprint": fingerprint(alert.labels),
        "receivers": [{"name": RECEIVER}],
        "startsAt": _stamp(alert.fired or alert.since),
        "status": {"inhibitedBy": [], "silencedBy": [], "state": "active"},
        "updatedAt": _stamp(newest + 4),
        "generatorURL": f"{url}/graph?g0.expr={quote_plus(alert.rule.expr)}&g0.tab=1",
        "labels": dict(alert.labels),
    }


def _stamp(ms: int) -> str:
    return f"{iso_nano(ms)[:23]}Z"


def fingerprint(labels: Labels) -> str:
    """The FNV-1a hash by which Alertmanager names a label set.

    >>> fingerprint((("alertname", "Watchdog"),))
    '003b0a0f7d3fa569'
    """
    found = 0xCBF29CE484222325
    for name, value in labels:
        for byte in (*name.encode(), 255, *value.encode(), 255):
            found = (found ^ byte) * 0x100000001B3 % 2**64
    return f"{found:016x}"

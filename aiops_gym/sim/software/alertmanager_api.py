"""Alertmanager's HTTP API, version 2: alerts and silences; https://github.com/prometheus/alertmanager, `api/v2`."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple
from urllib.parse import parse_qs, quote_plus

import yaml

from aiops_gym.sim.alerts.board import Alert, Labels
from aiops_gym.sim.kernel.patterns import compile_pattern
from aiops_gym.sim.kernel.times import MINUTE, iso_nano
from aiops_gym.sim.kernel.world import World
from aiops_gym.sim.kernel.yamltext import load
from aiops_gym.sim.software import silences
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

SILENCES, SILENCE = "/api/v2/silences", "/api/v2/silence/"

Query = Mapping[str, Sequence[str]]


class Received(NamedTuple):
    """An alert that Prometheus has sent, and the ids of the silences that keep it from anybody."""

    alert: Alert
    silenced: Sequence[str]


def answer(
    world: World, alerts: Callable[[], Sequence[Alert]], config: str, started: int, path: str, url: str
) -> tuple[int, str]:
    """Status and body for a GET of a path with its query.

    Args:
        world: whose silences they are.
        alerts: gives those that Prometheus has sent: they fire, or ended a short time ago.
        config: YAML of the configuration.
        started: ms at which the process began.
        path: of the request.
        url: of Prometheus, as alerts name it.
    """
    where, _, text = path.partition("?")
    asked = parse_qs(text, keep_blank_values=True)
    try:
        if where == "/api/v2/alerts":
            return 200, _write([_shown(each, url) for each in _chosen(world, alerts(), asked)])
        if where == "/api/v2/alerts/groups":
            return 200, _write(_grouped(_chosen(world, alerts(), asked), _group_by(config), url))
        if where == SILENCES:
            return _list_silences(world, asked)
    except ValueError as error:
        return 400, _write(str(error))
    if where == "/api/v2/receivers":
        return 200, _write([{"name": RECEIVER}])
    if where.startswith(SILENCE):
        return _answer(silences.show_silence(world, where.removeprefix(SILENCE)))
    if where == "/api/v2/status":
        cluster: Json = {"name": None, "peers": [], "status": "disabled"}
        told = {"cluster": cluster, "config": {"original": config}, "uptime": iso_nano(started)[:23] + "Z"}
        return 200, _write({**told, "versionInfo": VERSION})
    if where in ("/-/healthy", "/-/ready"):
        return 200, "OK"
    return 404, "404 page not found\n"


def change(world: World, method: str, path: str, body: str = "") -> tuple[int, str]:
    """Status and body for a request that is no GET: silences are all that it changes."""
    where = path.partition("?")[0]
    if method == "POST" and where == SILENCES:
        return _answer(silences.put_silence(world, body))
    if method == "DELETE" and where.startswith(SILENCE):
        return _answer(silences.expire_silence(world, where.removeprefix(SILENCE)))
    allowed = "GET,POST" if where == SILENCES else "DELETE,GET" if where.startswith(SILENCE) else "GET"
    told = f"method {method} is not allowed, but [{allowed}] are"
    return 405, _write({"code": 405, "message": told})


def _answer(found: silences.Answer) -> tuple[int, str]:
    status, data = found
    return status, "" if data is None else _write(data)


def _list_silences(world: World, asked: Query) -> tuple[int, str]:
    """Those that have a matcher like each of the filters. Raises ValueError."""
    wanted = [_split(text) for text in asked.get("filter", ())]
    status, found = silences.list_silences(world)
    return status, _write([each for each in found if all(want in _matchers(each) for want in wanted)])


def _matchers(silence: Mapping[str, Json]) -> list[tuple[str, str, str]]:
    signs = {(False, True): "=", (False, False): "!=", (True, True): "=~", (True, False): "!~"}
    return [(m["name"], signs[m["isRegex"], m["isEqual"]], m["value"]) for m in silence["matchers"]]


def _write(data: Json) -> str:
    return json.dumps(data, ensure_ascii=False, separators=(",", ":")) + "\n"


def _chosen(world: World, alerts: Sequence[Alert], asked: Query) -> list[Received]:
    """Those that are asked for: with `active=false` none that somebody is told of, with `silenced=false` only those."""
    tests = [_matcher(text) for text in asked.get("filter", ())]
    wanted = {flag: asked.get(flag, ["true"])[0] != "false" for flag in ("active", "silenced")}
    there = [alert for alert in alerts if alert.ended is None]
    told = [
        Received(alert, silences.find_silences(world, dict(alert.labels)))
        for alert in there
        if all(test(dict(alert.labels)) for test in tests)
    ]
    kept = [each for each in told if wanted["silenced" if each.silenced else "active"]]
    return sorted(kept, key=lambda each: fingerprint(each.alert.labels))


def _split(text: str) -> tuple[str, str, str]:
    """Name, sign and value of a matcher. Raises ValueError."""
    found = MATCHER.fullmatch(text)
    if found is None:
        raise ValueError(f"bad matcher format: {text}")
    return found[1], found[2], found[3] if found[3] is not None else found[4]


def _matcher(text: str) -> Any:
    name, op, value = _split(text)
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


def _grouped(alerts: Sequence[Received], names: Sequence[str], url: str) -> list[Json]:
    """Alerts by the labels that the route groups them by."""
    groups: dict[Labels, list[Received]] = {}
    for each in alerts:
        own = each.alert.labels
        labels = own if "..." in names else tuple(pair for pair in own if pair[0] in names)
        groups.setdefault(labels, []).append(each)
    return [
        {"alerts": [_shown(each, url) for each in members], "labels": dict(labels), "receiver": {"name": RECEIVER}}
        for labels, members in sorted(groups.items())
    ]


def _shown(received: Received, url: str) -> Json:
    alert, silenced = received
    newest, state = alert.last, "suppressed" if silenced else "active"
    return {
        "annotations": dict(alert.annotations),
        "endsAt": _stamp(newest + VALID),
        "fingerprint": fingerprint(alert.labels),
        "receivers": [{"name": RECEIVER}],
        "startsAt": _stamp(alert.fired or alert.since),
        "status": {"inhibitedBy": [], "silencedBy": [*silenced], "state": state},
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

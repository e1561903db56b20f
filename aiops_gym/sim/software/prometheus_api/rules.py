"""What can be asked of rules and alerts; https://prometheus.io/docs/prometheus/2.47/querying/api/#rules"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from aiops_gym.sim.alerts.board import FIRING, PENDING, Alert, list_times
from aiops_gym.sim.alerts.rules import Group, Rule
from aiops_gym.sim.alerts.source import Ruled
from aiops_gym.sim.kernel import draws
from aiops_gym.sim.kernel.times import iso_micro, iso_nano
from aiops_gym.sim.promql.errors import QueryError
from aiops_gym.sim.promql.golang import print_float
from aiops_gym.sim.promql.parser import parse
from aiops_gym.sim.promql.printer import print_query
from aiops_gym.sim.software.prometheus_api.parameters import Query, Wrong, get

KINDS = {"alert": "alerting", "record": "recording"}


def list_alerts(ruled: Ruled, asked: Query) -> str:
    """`/api/v1/alerts`: all that are pending or firing."""
    rules = [(group, rule) for group in ruled.groups for rule in group.rules if rule.alerting]
    return _write({"alerts": [_alert(each) for pair in rules for each in _active(ruled, *pair)]})


def list_rules(ruled: Ruled, asked: Query) -> str:
    """`/api/v1/rules`: the groups, and what each rule came to when it was evaluated last."""
    kind = get(asked, "type")
    if kind and kind not in KINDS:
        raise Wrong(f'not supported value "{kind}"', "type")
    names, groups, files = (set(asked.get(f"{name}[]", ())) for name in ("rule_name", "rule_group", "file"))
    told = []
    for group in ruled.groups:
        if (groups and group.name not in groups) or (files and group.file not in files):
            continue
        wanted = [rule for rule in group.rules if not names or rule.name in names]
        rules = [_rule(ruled, group, rule) for rule in wanted if not kind or rule.alerting == (kind == "alert")]
        if rules or not (names or kind):
            told.append(_group(ruled, group, rules))
    return _write({"groups": told})


def _active(ruled: Ruled, group: Group, rule: Rule) -> Sequence[Alert]:
    try:
        return [each for each in ruled.alerts(group, rule) if each.ended is None]
    except QueryError:
        return []


def _group(ruled: Ruled, group: Group, rules: Sequence[Mapping[str, Any]]) -> Mapping[str, Any]:
    return {
        "name": group.name,
        "file": group.file,
        "rules": rules,
        "interval": group.interval / 1000 if group.interval % 1000 else group.interval // 1000,
        "limit": 0,
        "evaluationTime": round(sum(rule["evaluationTime"] for rule in rules), 9),
        "lastEvaluation": _last(ruled, group),
    }


def _rule(ruled: Ruled, group: Group, rule: Rule) -> Mapping[str, Any]:
    error = ""
    try:
        query = print_query(parse(rule.expr))
        active = _active(ruled, group, rule) if rule.alerting else []
    except QueryError as wrong:
        query, active, error = rule.expr, [], str(wrong)
    head: dict[str, Any] = {"name": rule.name, "query": query}
    if rule.alerting:
        states = [alert.state for alert in active]
        state = next((each for each in (FIRING, PENDING) if each in states), "inactive")
        head = {"state": state, **head, "duration": rule.hold / 1000 if rule.hold % 1000 else rule.hold // 1000}
        head |= {"keepFiringFor": rule.keep // 1000, "labels": dict(rule.labels), "annotations": dict(rule.annotations)}
        head["alerts"] = [_alert(alert) for alert in active]
    elif rule.labels:
        head["labels"] = dict(rule.labels)
    head["health"] = "err" if error else "ok"
    head |= {"lastError": error} if error else {}
    took = round(draws.between(0.0002, 0.0011, ruled.seed, "rule", f"{group.name}/{rule.name}"), 9)
    last = {"evaluationTime": took, "lastEvaluation": _last(ruled, group)}
    return {**head, **last, "type": KINDS["alert" if rule.alerting else "record"]}


def _last(ruled: Ruled, group: Group) -> str:
    times = list_times(group, ruled.seed, ruled.start, ruled.now)
    return iso_micro(times[-1], 412) if times else "0001-01-01T00:00:00Z"


def _alert(alert: Alert) -> Mapping[str, Any]:
    return {
        "labels": dict(alert.labels),
        "annotations": dict(alert.annotations),
        "state": alert.state,
        "activeAt": iso_nano(alert.since),
        "value": write_value(alert.value),
    }


def write_value(value: float) -> str:
    """A number as Go's `FormatFloat(value, 'e', -1, 64)` writes it.

    >>> write_value(1.0), write_value(0.25)
    ('1e+00', '2.5e-01')
    """
    if not math.isfinite(value):
        return print_float(value)
    return next(text for text in (f"{value:.{digits}e}" for digits in range(18)) if float(text) == value)


def _write(data: Mapping[str, Any]) -> str:
    return json.dumps(data, ensure_ascii=False, separators=(",", ":"))


ROUTES: Mapping[str, Callable[[Ruled, Query], str]] = {"/api/v1/alerts": list_alerts, "/api/v1/rules": list_rules}

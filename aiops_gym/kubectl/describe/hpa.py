"""Horizontal pod autoscalers."""

from __future__ import annotations

import json
from collections.abc import Sequence

from aiops_gym.kubectl.describe import meta
from aiops_gym.kubectl.describe.meta import Object, format_time
from aiops_gym.kubectl.describe.page import Page
from aiops_gym.kubectl.describe.view import View
from aiops_gym.sim.kernel.objects import get

RESOURCES = ("horizontalpodautoscalers.autoscaling",)
PURE = True
UNKNOWN = "<unknown>"


def describe(page: Page, hpa: Object, view: View) -> None:
    """Write all about an autoscaler."""
    spec, status = hpa["spec"], hpa.get("status") or {}
    target = spec.get("scaleTargetRef") or {}
    meta.title(page, hpa)
    meta.write_metadata(page, hpa)
    page.line(f"CreationTimestamp:\t{format_time(hpa['metadata'].get('creationTimestamp'))}")
    page.line(f"Reference:\t{target.get('kind', '')}/{target.get('name', '')}")
    page.line("Metrics:\t( current / target )")
    measured = status.get("currentMetrics") or ()
    for number, metric in enumerate(spec.get("metrics") or ()):
        page.line(_metric(metric, measured[number] if number < len(measured) else {}), 1)
    page.line(f"Min replicas:\t{spec.get('minReplicas', '<unset>')}")
    page.line(f"Max replicas:\t{spec.get('maxReplicas', 0)}")
    if spec.get("behavior"):
        page.line("Behavior:")
        _behavior(page, "Scale Up", spec["behavior"].get("scaleUp"))
        _behavior(page, "Scale Down", spec["behavior"].get("scaleDown"))
    current, desired = status.get("currentReplicas", 0), status.get("desiredReplicas", 0)
    page.line(f"{target.get('kind', '')} pods:\t{current} current / {desired} desired")
    _conditions(page, status.get("conditions") or ())


def _metric(metric: Object, measured: Object) -> str:
    """One metric: what it is, how much there is and how much is wanted."""
    kind = str(metric.get("type", ""))
    field = kind[:1].lower() + kind[1:]
    part, now = metric.get(field) or {}, get(measured, field, "current", default={})
    goal, name = part.get("target") or {}, get(part, "metric", "name", default="")
    if kind in ("Resource", "ContainerResource"):
        return _resource(part, now, goal)
    if kind == "Pods":
        return f"{json.dumps(name)} on pods:\t{now.get('averageValue', UNKNOWN)} / {goal.get('averageValue', '0')}"
    average = "averageValue" in goal
    amount = "averageValue" if average else "value"
    words = f"(target {'average ' if average else ''}value):\t{now.get(amount, UNKNOWN)} / {goal.get(amount, '0')}"
    if kind == "External":
        return f"{json.dumps(name)} {words}"
    if kind == "Object":
        what = part.get("describedObject") or {}
        return f'"{name}" on {what.get("kind", "")}/{what.get("name", "")} {words}'
    return f"<unknown metric type {json.dumps(kind)}>"


def _resource(part: Object, now: Object, goal: Object) -> str:
    inside = f' of container "{part["container"]}"' if "container" in part else ""
    text = f"resource {part.get('name', '')}{inside} on pods"
    if "averageValue" in goal:
        return f"{text}:\t{now.get('averageValue', UNKNOWN)} / {goal['averageValue']}"
    current = UNKNOWN
    if now.get("averageUtilization") is not None:
        current = f"{now['averageUtilization']}% ({now.get('averageValue', '0')})"
    wanted = f"{goal['averageUtilization']}%" if "averageUtilization" in goal else "<auto>"
    return f"{text}  (as a percentage of request):\t{current} / {wanted}"


def _behavior(page: Page, heading: str, rules: Object | None) -> None:
    if not rules:
        return
    page.line(f"{heading}:", 1)
    if rules.get("stabilizationWindowSeconds") is not None:
        page.line(f"Stabilization Window: {rules['stabilizationWindowSeconds']} seconds", 2)
    if rules.get("policies"):
        page.line(f"Select Policy: {rules.get('selectPolicy', 'Max')}", 2)
        page.line("Policies:", 2)
        for policy in rules["policies"]:
            text = f"- Type: {policy['type']}\tValue: {policy['value']}\tPeriod: {policy['periodSeconds']} seconds"
            page.line(text, 3)


def _conditions(page: Page, found: Sequence[Object]) -> None:
    if found:
        page.line("Conditions:")
        page.rows([("Type", "Status", "Reason", "Message"), ("----", "------", "------", "-------")])
        page.rows((c["type"], c["status"], c.get("reason", ""), c.get("message", "")) for c in found)

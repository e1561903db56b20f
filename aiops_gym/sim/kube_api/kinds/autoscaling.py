"""HorizontalPodAutoscalers and PodDisruptionBudgets."""

from __future__ import annotations

from aiops_gym.sim.kernel import quantity
from aiops_gym.sim.kernel.digits import parse_natural
from aiops_gym.sim.kernel.objects import Obj, get
from aiops_gym.sim.kube_api import standing
from aiops_gym.sim.kube_api.kind import Draft, Kind, make_age_cell, parse_columns
from aiops_gym.sim.kube_api.pods.rules import validate_int_or_percent
from aiops_gym.sim.kube_api.status import Fault, invalid_value, required, unsupported
from aiops_gym.types import Json

SOURCES = {
    "ContainerResource": "containerResource",
    "External": "external",
    "Object": "object",
    "Pods": "pods",
    "Resource": "resource",
}
"""Types of metrics, and the field in which each has what belongs to it."""


def _default(draft: Draft) -> None:
    spec = draft.setdefault("spec", {})
    spec.setdefault("minReplicas", 1)
    if not spec.get("metrics"):
        target = {"type": "Utilization", "averageUtilization": 80}
        spec["metrics"] = [{"type": "Resource", "resource": {"name": "cpu", "target": target}}]


def _faults(draft: Draft) -> list[Fault]:
    spec, faults = draft["spec"], list[Fault]()
    for name in ("kind", "name"):
        if not get(spec, "scaleTargetRef", name):
            faults.append(required(f"spec.scaleTargetRef.{name}"))
    if spec.get("minReplicas", 1) < 1:
        faults.append(invalid_value("spec.minReplicas", spec["minReplicas"], "must be greater than or equal to 1"))
    if spec.get("maxReplicas", 0) < 1:
        faults.append(invalid_value("spec.maxReplicas", spec.get("maxReplicas", 0), "must be greater than 0"))
    elif spec["maxReplicas"] < spec.get("minReplicas", 1):
        faults.append(
            invalid_value("spec.maxReplicas", spec["maxReplicas"], "must be greater than or equal to `minReplicas`")
        )
    for index, metric in enumerate(spec.get("metrics") or ()):
        faults += _metric_faults(metric, f"spec.metrics[{index}]")
    for name, rules in (spec.get("behavior") or {}).items():
        faults += _scaling_faults(rules, f"spec.behavior.{name}")
    return faults


SELECTS = ("Disabled", "Max", "Min")
LONGEST_WINDOW, LONGEST_PERIOD = 3600, 1800
"""Seconds (`MaxStabilizationWindowSeconds` and `MaxPeriodSeconds` of pkg/apis/autoscaling/validation)."""


def _scaling_faults(rules: Json, path: str) -> list[Fault]:
    """What is wrong with the rules for one direction."""
    faults = _within(rules, "stabilizationWindowSeconds", 0, LONGEST_WINDOW, path)
    if rules.get("selectPolicy") and rules["selectPolicy"] not in SELECTS:
        faults.append(unsupported(f"{path}.selectPolicy", rules["selectPolicy"], SELECTS))
    for index, policy in enumerate(rules.get("policies") or ()):
        where = f"{path}.policies[{index}]"
        if policy["type"] not in ("Percent", "Pods"):
            faults.append(unsupported(f"{where}.type", policy["type"], ["Percent", "Pods"]))
        faults += _within(policy, "value", 1, None, where) + _within(policy, "periodSeconds", 1, LONGEST_PERIOD, where)
    return faults


def _within(found: Json, name: str, least: int, most: int | None, path: str) -> list[Fault]:
    number = found.get(name, least)
    if number < least:
        text = "must be greater than zero" if least else "must be greater than or equal to zero"
        return [invalid_value(f"{path}.{name}", number, text)]
    if most is not None and number > most:
        return [invalid_value(f"{path}.{name}", number, f"must be less than or equal to {most}")]
    return []


def _metric_faults(metric: Json, path: str) -> list[Fault]:
    kind = metric.get("type", "")
    if not kind:
        return [required(f"{path}.type", "must specify a metric source type")]
    if kind not in SOURCES:
        return [unsupported(f"{path}.type", kind, [*SOURCES])]
    source, path = metric.get(SOURCES[kind]), f"{path}.{SOURCES[kind]}"
    if not source:
        return [required(path, "must populate information for the given metric source")]
    if kind not in ("Resource", "ContainerResource"):
        return _target_faults(source.get("target") or {}, f"{path}.target")
    faults = [] if source.get("name") else [required(f"{path}.name", "must specify a resource name")]
    if kind == "ContainerResource" and not source.get("container"):
        faults.append(required(f"{path}.container", "must specify a container"))
    target = source.get("target") or {}
    faults += _target_faults(target, f"{path}.target")
    if target.get("averageUtilization") is None and not target.get("averageValue"):
        text = "must set either a target raw value or a target utilization"
        faults.append(required(f"{path}.target.averageUtilization", text))
    return faults


def _target_faults(target: Json, path: str) -> list[Fault]:
    faults = list[Fault]()
    if not target.get("type"):
        faults.append(required(f"{path}.type", "must specify a metric target type"))
    if target.get("type") not in ("Utilization", "Value", "AverageValue"):
        text = "must be either Utilization, Value, or AverageValue"
        faults.append(invalid_value(f"{path}.type", target.get("type", ""), text))
    for name in ("value", "averageValue"):
        if target.get(name) is not None and quantity.parse(target[name]) <= 0:
            faults.append(invalid_value(f"{path}.{name}", target[name], "must be positive"))
    if target.get("averageUtilization") is not None and target["averageUtilization"] < 1:
        number = target["averageUtilization"]
        faults.append(invalid_value(f"{path}.averageUtilization", number, "must be greater than 0"))
    return faults


def _target(metric: Json, current: list[Json], index: int) -> str:
    """One metric's present value and goal, `cpu: 10%/80%`."""
    if metric["type"] != "Resource":
        return "<unknown>/<unknown>"
    goal, name = metric["resource"]["target"], metric["resource"]["name"]
    now = current[index]["resource"]["current"] if index < len(current) and "resource" in current[index] else {}
    if goal.get("averageValue"):
        return f"{name}: {now.get('averageValue', '<unknown>')}/{goal['averageValue']}"
    known = f"{now['averageUtilization']}%" if "averageUtilization" in now else "<unknown>"
    return f"{name}: {known}/{goal.get('averageUtilization', 80)}%"


def _cells(obj: Obj) -> list[Json]:
    spec, status = obj["spec"], obj.get("status", {})
    metrics = [_target(m, status.get("currentMetrics") or [], i) for i, m in enumerate(spec.get("metrics") or ())]
    more = f" + {len(metrics) - 2} more..." if len(metrics) > 2 else ""
    reference = spec["scaleTargetRef"]
    return [
        obj["metadata"]["name"],
        f"{reference['kind']}/{reference['name']}",
        (", ".join(metrics[:2]) + more) or "<none>",
        str(spec["minReplicas"]) if "minReplicas" in spec else "<unset>",
        spec["maxReplicas"],
        status.get("currentReplicas", 0),
        make_age_cell(obj),
    ]


def _budget_cells(obj: Obj) -> list[Json]:
    spec = obj.get("spec", {})
    bounds = [str(spec.get(name, "N/A")) for name in ("minAvailable", "maxUnavailable")]
    return [obj["metadata"]["name"], *bounds, get(obj, "status", "disruptionsAllowed", default=0), make_age_cell(obj)]


BOUNDS = ("minAvailable", "maxUnavailable")


def _budget_faults(draft: Draft) -> list[Fault]:
    spec, faults = draft.get("spec") or {}, list[Fault]()
    if all(name in spec for name in BOUNDS):
        faults.append(invalid_value("spec", dict(spec), "minAvailable and maxUnavailable cannot be both set"))
    for name in BOUNDS:
        if name in spec:
            faults += validate_int_or_percent(spec[name], f"spec.{name}")
            if str(spec[name]).endswith("%") and (parse_natural(str(spec[name])[:-1]) or 0) > 100:
                faults.append(invalid_value(f"spec.{name}", spec[name], "must not be greater than 100%"))
    policy = spec.get("unhealthyPodEvictionPolicy")
    if policy not in (None, "IfHealthyBudget", "AlwaysAllow"):
        faults.append(unsupported("spec.unhealthyPodEvictionPolicy", policy, ["AlwaysAllow", "IfHealthyBudget"]))
    return faults


def _scale_cells(scale: Obj) -> list[Json]:
    wanted, present = get(scale, "spec", "replicas", default=0), get(scale, "status", "replicas", default=0)
    return [scale["metadata"]["name"], wanted, present, make_age_cell(scale)]


KINDS = (
    Kind(resource="scales.autoscaling", columns=parse_columns("Name/Desired#/Available#/Age"), cells=_scale_cells),
    Kind(
        resource="horizontalpodautoscalers.autoscaling",
        columns=parse_columns("Name/Reference/Targets/MinPods/MaxPods#/Replicas#/Age"),
        cells=_cells,
        default=_default,
        validate=_faults,
        validate_status=standing.counts("currentReplicas", "desiredReplicas"),
        status={"currentMetrics": None, "desiredReplicas": 0},
    ),
    Kind(
        resource="poddisruptionbudgets.policy",
        columns=parse_columns("Name/Min Available/Max Unavailable/Allowed Disruptions#/Age"),
        cells=_budget_cells,
        validate=_budget_faults,
        validate_status=standing.counts("disruptionsAllowed", "currentHealthy", "desiredHealthy", "expectedPods"),
        status={"currentHealthy": 0, "desiredHealthy": 0, "disruptionsAllowed": 0, "expectedPods": 0},
        generation=True,
    ),
)

"""LimitRanges: defaults and bounds for containers, pods and claims of a namespace (admission plugin `LimitRanger`)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from decimal import Decimal
from typing import Any

from aiops_gym.sim.kernel import quantity
from aiops_gym.sim.kernel.objects import get
from aiops_gym.sim.kernel.world import World
from aiops_gym.sim.kube_api.kind import Draft
from aiops_gym.sim.kube_api.resources import RESOURCES
from aiops_gym.sim.kube_api.status import Fault, duplicate, forbidden, invalid_value

NOTE = "kubernetes.io/limit-ranger"
COUNTED = (
    "configmaps",
    "persistentvolumeclaims",
    "pods",
    "replicationcontrollers",
    "resourcequotas",
    "secrets",
    "services",
)
"""Objects of the core group that a quota can count by their plain name."""

Amounts = Mapping[str, Any]


def _rules(world: World, draft: Draft) -> Iterable[Mapping[str, Any]]:
    for limits in world.store.all("limitranges", draft["metadata"].get("namespace", "")):
        yield from get(limits, "spec", "limits", default=[])


def fill_pod(world: World, draft: Draft) -> None:
    """Give a new pod's containers what they leave open: before any webhook is asked (`LimitRanger.Admit`)."""
    rules = list(_rules(world, draft))
    spec, notes = draft["spec"], list[str]()
    for rule in rules:
        if rule.get("type") == "Container":
            for name, kind in (("containers", "container"), ("initContainers", "init container")):
                for container in spec.get(name) or ():
                    notes += _fill(container, kind, rule)
    if notes:
        annotations = draft["metadata"].get("annotations") or {}
        draft["metadata"]["annotations"] = {**annotations, NOTE: f"LimitRanger plugin set: {'; '.join(notes)}"}


def check_pod(world: World, draft: Draft) -> None:
    """Check a new pod as webhooks have left it (`LimitRanger.Validate`). Raises Forbidden."""
    _refuse("pods", draft, [fault for rule in _rules(world, draft) for fault in _pod_faults(draft["spec"], rule)])


def admit_claim(world: World, draft: Draft) -> None:
    """Check the size of a new claim. Raises Forbidden."""
    faults = []
    for rule in _rules(world, draft):
        if rule.get("type") == "PersistentVolumeClaim":
            requests = get(draft, "spec", "resources", "requests", default={})
            faults += _least(rule, "PersistentVolumeClaim", requests, {})
            for what, most in sorted((rule.get("max") or {}).items()):
                if what in requests and quantity.parse(requests[what]) > quantity.parse(most):
                    found = f"maximum {what} usage per PersistentVolumeClaim is {most}, but request is {requests[what]}"
                    faults.append(found)
    _refuse("persistentvolumeclaims", draft, faults)


def _refuse(resource: str, draft: Draft, faults: list[str]) -> None:
    if faults:
        name = str(draft["metadata"].get("name") or draft["metadata"].get("generateName", ""))
        why = faults[0] if len(faults) == 1 else f"[{', '.join(faults)}]"
        raise forbidden(RESOURCES[resource], name, why)


def _fill(container: Draft, kind: str, rule: Mapping[str, Any]) -> list[str]:
    """Fill in a container's requests and limits; what was filled in, as the pod's annotation says it."""
    resources, notes = container.setdefault("resources", {}), []
    for part, source, word in (("requests", "defaultRequest", "request"), ("limits", "default", "limit")):
        given = resources.get(part) or {}
        added = {what: amount for what, amount in (rule.get(source) or {}).items() if what not in given}
        if added:
            resources[part] = {**given, **added}
            notes.append(f"{', '.join(sorted(added))} {word} for {kind} {container['name']}")
    return notes


def _pod_faults(spec: Draft, rule: Mapping[str, Any]) -> list[str]:
    faults: list[str] = []
    if rule.get("type") == "Container":
        for container in (*(spec.get("containers") or ()), *(spec.get("initContainers") or ())):
            resources = container.get("resources") or {}
            faults += _bounds(rule, "Container", resources.get("requests") or {}, resources.get("limits") or {})
    elif rule.get("type") == "Pod":
        requests, limits = (_together(spec, kind) for kind in ("requests", "limits"))
        faults += _bounds(rule, "Pod", requests, limits)
    return faults


def _together(spec: Draft, kind: str) -> dict[str, str]:
    """What the containers of a pod have together, or its greediest init container."""
    total: dict[str, Decimal] = {}
    suffix: dict[str, str] = {}
    for name, first in (("containers", False), ("initContainers", True)):
        for container in spec.get(name) or ():
            for what, text in get(container, "resources", kind, default={}).items():
                before, amount = total.get(what, Decimal(0)), quantity.parse(text)
                total[what] = max(before, amount) if first else before + amount
                suffix.setdefault(what, str(text).lstrip("+-.0123456789"))
    return {what: quantity.write(amount, suffix[what]) for what, amount in total.items()}


def _bounds(rule: Mapping[str, Any], kind: str, requests: Amounts, limits: Amounts) -> list[str]:
    return (
        _least(rule, kind, requests, limits)
        + _most(rule, kind, requests, limits)
        + _ratio(rule, kind, requests, limits)
    )


def _least(rule: Mapping[str, Any], kind: str, requests: Amounts, limits: Amounts) -> list[str]:
    faults = []
    for what, least in sorted((rule.get("min") or {}).items()):
        text = f"minimum {what} usage per {kind} is {least}"
        if what not in requests:
            faults.append(f"{text}.  No request is specified")
        elif quantity.parse(requests[what]) < quantity.parse(least):
            faults.append(f"{text}, but request is {requests[what]}")
        elif what in limits and quantity.parse(limits[what]) < quantity.parse(least):
            faults.append(f"{text}, but limit is {limits[what]}")
    return faults


def _most(rule: Mapping[str, Any], kind: str, requests: Amounts, limits: Amounts) -> list[str]:
    faults = []
    for what, most in sorted((rule.get("max") or {}).items()):
        text = f"maximum {what} usage per {kind} is {most}"
        if what not in limits:
            faults.append(f"{text}.  No limit is specified")
        elif quantity.parse(limits[what]) > quantity.parse(most):
            faults.append(f"{text}, but limit is {limits[what]}")
        elif what in requests and quantity.parse(requests[what]) > quantity.parse(most):
            faults.append(f"{text}, but request is {requests[what]}")
    return faults


def _ratio(rule: Mapping[str, Any], kind: str, requests: Amounts, limits: Amounts) -> list[str]:
    faults = []
    for what, most in sorted((rule.get("maxLimitRequestRatio") or {}).items()):
        text = f"{what} max limit to request ratio per {kind} is {most}, but"
        asked, allowed = (quantity.parse(str(amounts.get(what, "0"))) for amounts in (requests, limits))
        if not asked:
            faults.append(f"{text} no request is specified or request is 0")
        elif not allowed:
            faults.append(f"{text} no limit is specified or limit is 0")
        elif allowed / asked > quantity.parse(most):
            faults.append(f"{text} provided ratio is {allowed / asked:.6f}")
    return faults


def complete_defaults(draft: Draft) -> None:
    """What a rule for containers leaves open follows from its other bounds."""
    for rule in (draft.get("spec") or {}).get("limits") or ():
        if rule.get("type") != "Container":
            continue
        values = {**(rule.get("max") or {}), **(rule.get("default") or {})}
        asked = {**(rule.get("min") or {}), **values, **(rule.get("defaultRequest") or {})}
        for name, found in (("default", values), ("defaultRequest", asked)):
            if found:
                rule[name] = found


ORDERS = (
    ("min", "max", "min", "min value {} is greater than max value {}"),
    ("min", "defaultRequest", "defaultRequest", "min value {} is greater than default request value {}"),
    ("defaultRequest", "max", "defaultRequest", "default request value {} is greater than max value {}"),
    ("defaultRequest", "default", "defaultRequest", "default request value {} is greater than default limit value {}"),
    ("min", "default", "default", "min value {} is greater than default value {}"),
    ("default", "max", "default", "default value {} is greater than max value {}"),
)
"""(lower bound, upper bound, field to blame, text)"""


def validate_limit_range(draft: Draft) -> list[Fault]:
    """What is wrong with a LimitRange."""
    found: list[Fault] = []
    seen: list[str] = []
    for index, rule in enumerate((draft.get("spec") or {}).get("limits") or ()):
        where, kind = f"spec.limits[{index}]", str(rule.get("type", ""))
        if kind in seen:
            found.append(duplicate(f"{where}.type", kind))
        seen.append(kind)
        for low, high, blamed, text in ORDERS:
            lower, upper = rule.get(low) or {}, rule.get(high) or {}
            for what in sorted(lower.keys() & upper.keys()):
                if quantity.parse(lower[what]) > quantity.parse(upper[what]):
                    value = (rule.get(blamed) or {})[what]
                    message = text.format(lower[what], upper[what])
                    found.append(invalid_value(f"{where}.{blamed}[{what}]", value, message))
    return found

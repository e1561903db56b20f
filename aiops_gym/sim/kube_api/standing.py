"""What may be written into an object's `status`: the rules of the real server, kind by kind.

Most of a status is taken as it comes (a controller's word), so whoever reads one must expect fields that are missing.
Rules: `ValidatePodStatusUpdate` and its like in `pkg/apis/*/validation/validation.go` of Kubernetes 1.32.
"""

from __future__ import annotations

from collections.abc import Callable
from ipaddress import ip_address

from aiops_gym.sim.kernel import quantity
from aiops_gym.sim.kernel.objects import Obj, get
from aiops_gym.sim.kube_api import names
from aiops_gym.sim.kube_api.kind import Draft
from aiops_gym.sim.kube_api.status import Fault, duplicate, field_forbidden, invalid_value, required
from aiops_gym.types import Json

Rule = Callable[[Draft, Obj], list[Fault]]

POSITIVE = "must be greater than or equal to 0"
ADDRESS = "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)"
IMMUTABLE = "field is immutable"
OWN_CONDITIONS = ("PodScheduled", "Ready", "Initialized")


def ip_faults(value: str, path: str) -> list[Fault]:
    """What is wrong with an address."""
    try:
        ip_address(value)
    except ValueError:
        return [invalid_value(path, value, ADDRESS)]
    return []


def counts(*fields: str) -> Rule:
    """The rule that these numbers are none below zero."""

    def rule(draft: Draft, old: Obj) -> list[Fault]:
        status = draft.get("status") or {}
        low = [name for name in fields if (status.get(name) or 0) < 0]
        return [invalid_value(f"status.{name}", status[name], POSITIVE) for name in low]

    return rule


def no_more_than_replicas(*fields: str, above: tuple[str, ...] = ()) -> Rule:
    """The rule that a workload's counts are at most its replicas, but for those that may be `above` them."""
    positive = counts("replicas", *fields, "observedGeneration", *above)

    def rule(draft: Draft, old: Obj) -> list[Fault]:
        status = draft.get("status") or {}
        replicas = status.get("replicas", 0)
        found = positive(draft, old)
        for name in fields:
            if name in status and status[name] > replicas:
                text = "cannot be greater than status.replicas"
                found.append(invalid_value(f"status.{name}", status[name], text))
        if "availableReplicas" in status and status["availableReplicas"] > status.get("readyReplicas", 0):
            text = "cannot be greater than readyReplicas"
            found.append(invalid_value("status.availableReplicas", status["availableReplicas"], text))
        return found

    return rule


def pod(draft: Draft, old: Obj) -> list[Fault]:
    """A pod's status: addresses, and containers that have ended for good."""
    status, before = draft.get("status") or {}, old.get("status") or {}
    found: list[Fault] = []
    for index, condition in enumerate(status.get("conditions") or ()):
        kind = condition.get("type", "")
        if kind not in OWN_CONDITIONS:
            path = f"metadata.conditions[{index}].Type"
            found += [invalid_value(path, kind, why) for why in names.validate_qualified_name(kind)]
    node = status.get("nominatedNodeName", "")
    if node and node != before.get("nominatedNodeName"):
        found += [invalid_value("status.nominatedNodeName", node, why) for why in names.validate_dns_subdomain(node)]
    if status.get("qosClass", "") != before.get("qosClass", ""):
        found.append(invalid_value("status.qosClass", status.get("qosClass", ""), IMMUTABLE))
    policy = get(draft, "spec", "restartPolicy", default="Always")
    for kind, may in (("containerStatuses", policy), ("ephemeralContainerStatuses", "Never")):
        found += _ended(status.get(kind) or (), before.get(kind) or (), may, f"status.{kind}")
    init = "OnFailure" if policy != "Never" else "Never"
    found += _ended(
        status.get("initContainerStatuses") or (),
        before.get("initContainerStatuses") or (),
        init,
        "status.initContainerStatuses",
    )
    for name in ("podIPs", "hostIPs"):
        found += _addresses([a.get("ip", "") for a in status.get(name) or ()], f"status.{name}")
    return found


def _ended(new: Json, before: Json, policy: str, path: str) -> list[Fault]:
    """A container that will not be restarted stays as it ended."""
    if policy == "Always":
        return []
    now = {status["name"]: status for status in new}
    found = []
    for index, status in enumerate(before):
        end = get(status, "state", "terminated")
        if end is None or (end.get("exitCode") and policy == "OnFailure") or status["name"] not in now:
            continue
        if get(now[status["name"]], "state", "terminated") is None:
            found.append(field_forbidden(f"{path}[{index}].state", "may not be transitioned to non-terminated state"))
    return found


def _addresses(given: list[str], path: str) -> list[Fault]:
    found = [fault for i, address in enumerate(given) for fault in ip_faults(address, f"{path}[{i}]")]
    if not found and len(given) > 1:
        if len(given) > 2 or len({ip_address(address).version for address in given}) == 1:
            found.append(invalid_value(path, given, "may specify no more than one IP for each IP family"))
        if len(set(given)) < len(given):
            found.append(duplicate(f"{path}[1]", given[1]))
    return found


def same_addresses(draft: Draft) -> None:
    """The first of a pod's (or its host's) addresses stands beside the list of them; where they differ, it counts."""
    status = draft.get("status") or {}
    for one, many in (("podIP", "podIPs"), ("hostIP", "hostIPs")):
        first, listed = status.get(one), status.get(many) or []
        if first and (not listed or listed[0].get("ip") != first):
            status[many] = [{"ip": first}]
        elif listed and not first and one == "podIP":
            status[one] = listed[0].get("ip", "")
    draft["status"] = status


def balancer(draft: Draft, old: Obj) -> list[Fault]:
    """Addresses at which a load balancer answers."""
    found: list[Fault] = []
    for index, ingress in enumerate(get(draft, "status", "loadBalancer", "ingress", default=())):
        path = f"status.loadBalancer.ingress[{index}]"
        if address := ingress.get("ip"):
            found += ip_faults(address, f"{path}.ip")
        if host := ingress.get("hostname"):
            found += [invalid_value(f"{path}.hostname", host, why) for why in names.validate_dns_subdomain(host)]
    return found


def namespace(draft: Draft, old: Obj) -> list[Fault]:
    """A namespace's phase follows from whether it is being deleted."""
    phase = get(draft, "status", "phase", default="")
    going = "deletionTimestamp" in draft["metadata"]
    if phase == ("Terminating" if going else "Active"):
        return []
    text = "if `deletionTimestamp` is not empty" if going else "if `deletionTimestamp` is empty"
    wanted = "Terminating" if going else "Active"
    return [invalid_value("status.Phase", phase, f"may only be '{wanted}' {text}")]


def amounts(*fields: str) -> Rule:
    """The rule that these maps hold amounts of known things, none below zero."""

    def rule(draft: Draft, old: Obj) -> list[Fault]:
        found: list[Fault] = []
        for name in fields:
            for key, amount in sorted((get(draft, "status", name) or {}).items()):
                path = f"status.{name}[{key}]"
                found += [invalid_value(path, key, why) for why in names.validate_qualified_name(key)]
                if quantity.parse(str(amount)) < 0:
                    found.append(invalid_value(path, str(amount), POSITIVE))
        return found

    return rule


def job(draft: Draft, old: Obj) -> list[Fault]:
    """A Job's counts and conditions agree with each other."""
    status = draft.get("status") or {}
    found = counts("active", "succeeded", "failed", "ready", "terminating")(draft, old)
    true = {c["type"] for c in status.get("conditions") or () if c["status"] == "True"}
    end = status.get("completionTime")
    if {"Complete", "Failed"} <= true:
        found.append(
            Fault(
                "FieldValueInvalid",
                "status.conditions",
                "Invalid value: field.omitValueType{}: cannot set Complete=True and Failed=true conditions",
            )
        )
    if end and "Complete" not in true:
        found.append(
            invalid_value(
                "status.completionTime", end, "cannot set completionTime when there is no Complete=True condition"
            )
        )
    if "Complete" in true and not end:
        found.append(required("status.completionTime", "completionTime is required for Complete jobs"))
    if end and status.get("startTime", "") > end:
        found.append(invalid_value("status.completionTime", end, "completionTime cannot be set before startTime"))
    if true & {"Complete", "Failed"} and status.get("active"):
        found.append(invalid_value("status.active", status["active"], "active>0 is invalid for finished job"))
    return found

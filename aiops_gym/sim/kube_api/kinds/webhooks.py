"""Configurations of admission webhooks; who asks them is in `kube_api.webhooks`."""

from __future__ import annotations

from aiops_gym.sim.kernel.objects import Obj
from aiops_gym.sim.kube_api.kind import Draft, Kind, make_age_cell, parse_columns
from aiops_gym.sim.kube_api.status import Fault, invalid_value, required, unsupported
from aiops_gym.sim.kube_api.webhooks import MUTATING, VALIDATING
from aiops_gym.types import Json

CLOSED = {
    "failurePolicy": ("Fail", "Ignore"),
    "matchPolicy": ("Equivalent", "Exact"),
    "sideEffects": ("None", "NoneOnDryRun"),
}
"""Fields whose value is one of a list."""


def _default(draft: Draft) -> None:
    draft["metadata"].setdefault("generation", 1)
    for hook in draft.get("webhooks") or ():
        usual: dict[str, Json] = {"failurePolicy": "Fail", "matchPolicy": "Equivalent", "namespaceSelector": {}}
        usual |= {"objectSelector": {}, "timeoutSeconds": 10}
        if draft["kind"].startswith("Mutating"):
            usual["reinvocationPolicy"] = "Never"
        for field, value in usual.items():
            hook.setdefault(field, value)
        for rule in hook.get("rules") or ():
            rule.setdefault("scope", "*")
        if service := (hook.get("clientConfig") or {}).get("service"):
            service.setdefault("port", 443)


def _validate(draft: Draft) -> list[Fault]:
    found: list[Fault] = []
    for index, hook in enumerate(draft.get("webhooks") or ()):
        at = f"webhooks[{index}]"
        if len(str(hook.get("name") or "").split(".")) < 3:
            why = "should be a domain with at least three segments separated by dots"
            found.append(invalid_value(f"{at}.name", hook.get("name", ""), why))
        if not hook.get("admissionReviewVersions"):
            found.append(required(f"{at}.admissionReviewVersions", "must specify one of v1, v1beta1"))
        client = hook.get("clientConfig") or {}
        if bool(client.get("url")) == bool(client.get("service")):
            found.append(required(f"{at}.clientConfig", "exactly one of url or service is required"))
        for field, allowed in CLOSED.items():
            if hook.get(field) not in allowed:
                found.append(unsupported(f"{at}.{field}", hook.get(field, ""), allowed))
        if not 1 <= int(hook.get("timeoutSeconds") or 0) <= 30:
            why = "the timeout value must be between 1 and 30 seconds"
            found.append(invalid_value(f"{at}.timeoutSeconds", hook.get("timeoutSeconds"), why))
    return found


def _cells(obj: Obj) -> list[Json]:
    return [obj["metadata"]["name"], len(obj.get("webhooks") or ()), make_age_cell(obj)]


KINDS = tuple(
    Kind(
        resource=resource,
        columns=parse_columns("Name/Webhooks#/Age"),
        cells=_cells,
        default=_default,
        validate=_validate,
    )
    for resource in (MUTATING, VALIDATING)
)

"""The parameters of a request that are checked before it is looked into: what a server refuses of them."""

from __future__ import annotations

from collections.abc import Mapping

from aiops_gym.sim.kube_api.resources import Resource
from aiops_gym.sim.kube_api.status import ApiError, Fault, field_forbidden, invalid, required, too_long, unsupported
from aiops_gym.types import Request

KINDS = {"create": "CreateOptions", "update": "UpdateOptions", "patch": "PatchOptions", "delete": "DeleteOptions"}
MATCHES = ("Exact", "NotOlderThan")
VALIDATIONS = ("", "Ignore", "Strict", "Warn")
LONGEST_MANAGER = 128
"""Characters of a field manager's name (`FieldManagerMaxLength`)."""

APPLY = "application/apply-patch+yaml"
MATCH = "resourceVersionMatch"


def check(request: Request) -> None:
    """Refuse parameters that make no sense. Raises Invalid."""
    query = request.query
    if request.verb in ("list", "watch"):
        if MATCH in query or "continue" in query or "sendInitialEvents" in query:
            _refuse("ListOptions", _list_faults(query, request.verb == "watch"))
    elif request.verb in KINDS and (query or request.content_type == APPLY):
        _refuse(KINDS[request.verb], _write_faults(query, request))


def _list_faults(query: Mapping[str, str], watch: bool) -> list[Fault]:
    match, version = query.get(MATCH, ""), query.get("resourceVersion", "")
    initial = query.get("sendInitialEvents", "")
    if initial and not watch:
        return [field_forbidden("sendInitialEvents", "sendInitialEvents is forbidden for list")]
    if initial and match != "NotOlderThan":
        return [field_forbidden(MATCH, "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan")]
    if not match or initial:
        return []
    if watch:
        return [
            field_forbidden(MATCH, "resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided")
        ]
    faults = []
    if not version:
        faults.append(field_forbidden(MATCH, "resourceVersionMatch is forbidden unless resourceVersion is provided"))
    if query.get("continue"):
        faults.append(field_forbidden(MATCH, "resourceVersionMatch is forbidden when continue is provided"))
    if match not in MATCHES:
        faults.append(unsupported(MATCH, match, [*MATCHES, ""]))
    elif match == "Exact" and version == "0":
        faults.append(field_forbidden(MATCH, 'resourceVersionMatch "Exact" is forbidden for resourceVersion "0"'))
    return faults


def _write_faults(query: Mapping[str, str], request: Request) -> list[Fault]:
    faults, manager = list[Fault](), query.get("fieldManager", "")
    if request.verb == "patch" and not request.content_type.startswith(APPLY):
        if query.get("force"):
            faults.append(field_forbidden("force", "may not be specified for non-apply patch"))
    elif request.verb == "patch" and not manager:
        faults.append(required("fieldManager", "is required for apply patch"))
    if len(manager.encode()) > LONGEST_MANAGER:
        faults.append(too_long("fieldManager", LONGEST_MANAGER))
    if query.get("dryRun", "") not in ("", "All"):
        faults.append(unsupported("dryRun", [query["dryRun"]], ["All"]))
    if query.get("fieldValidation", "") not in VALIDATIONS:
        faults.append(unsupported("fieldValidation", query["fieldValidation"], VALIDATIONS))
    return faults


def _refuse(kind: str, faults: list[Fault]) -> None:
    if faults:
        options = Resource(
            name="options.meta.k8s.io", plural="options", singular="", kind=kind, group="meta.k8s.io", version="v1",
            namespaced=False,
        )  # fmt: skip
        error: ApiError = invalid(options, "", faults)
        raise error

"""Containers that join a running pod, as `kubectl debug` adds them (`pods/NAME/ephemeralcontainers`).

Source: `ValidatePodEphemeralContainersUpdate` and `validateEphemeralContainers` of `pkg/apis/core/validation`, 1.32.
"""

from __future__ import annotations

from typing import Any

from aiops_gym.sim.kernel.objects import Obj
from aiops_gym.sim.kube_api.decode import copy_json
from aiops_gym.sim.kube_api.kind import Draft
from aiops_gym.sim.kube_api.pods import containers, defaults
from aiops_gym.sim.kube_api.status import Fault, field_forbidden, format_value, quote

PATH = "spec.ephemeralContainers"
NOT_FOR_THEM = ("ports", "livenessProbe", "readinessProbe", "startupProbe", "lifecycle", "resources", "resizePolicy")
"""Fields that containers have and these may not."""


def take_over(draft: Draft, old: Obj) -> Draft:
    """The pod as it is, with the ephemeral containers of a draft."""
    found: Draft = copy_json(old)
    if added := (draft.get("spec") or {}).get("ephemeralContainers"):
        found["spec"] = {**found["spec"], "ephemeralContainers": copy_json(added)}
        for one in found["spec"]["ephemeralContainers"]:
            defaults.container(one)
    return found


def validate(draft: Draft, old: Obj) -> list[Fault]:
    """What is wrong with them: they only ever become more."""
    spec, now = draft["spec"], draft["spec"].get("ephemeralContainers") or []
    plain = [*(spec.get("initContainers") or ()), *spec["containers"]]
    volumes, used = {volume["name"] for volume in spec.get("volumes") or ()}, {str(one["name"]) for one in plain}
    faults = containers.validate_containers(now, volumes, PATH, used)
    for index, one in enumerate(now):
        where = f"{PATH}[{index}]"
        faults += [
            field_forbidden(f"{where}.{name}", "field not allowed for ephemeral containers")
            for name in NOT_FOR_THEM
            if one.get(name)
        ]
        target = one.get("targetContainerName")
        if target and target not in [each["name"] for each in plain]:
            faults.append(
                Fault("FieldValueNotFound", f"{where}.targetContainerName", f"Not found: {format_value(target)}")
            )
    return faults + _kept(now, old)


def _kept(now: list[Any], old: Obj) -> list[Fault]:
    by_name = {one.get("name"): one for one in now}
    faults = []
    for was in old["spec"].get("ephemeralContainers") or ():
        if by_name.get(was["name"]) != was:
            what = "changed" if was["name"] in by_name else "removed"
            faults.append(
                field_forbidden(PATH, f"existing ephemeral containers {quote(was['name'])} may not be {what}\n")
            )
    return faults

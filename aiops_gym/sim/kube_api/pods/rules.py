"""Rules for pods and for what makes pods, with the messages of the API server."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any
from zoneinfo import available_timezones

from aiops_gym.sim.kernel.objects import Obj, get
from aiops_gym.sim.kube_api import cron, metadata, names
from aiops_gym.sim.kube_api.decode import copy_json
from aiops_gym.sim.kube_api.kind import Draft
from aiops_gym.sim.kube_api.pods import containers, dns
from aiops_gym.sim.kube_api.selectors import of_object
from aiops_gym.sim.kube_api.status import (
    Fault,
    field_forbidden,
    format_value,
    invalid_value,
    quote,
    required,
    unsupported,
)
from aiops_gym.types import Json

IMMUTABLE = "field is immutable"
POSITIVE = containers.POSITIVE


def spec(found: Mapping[str, Any], path: str) -> list[Fault]:
    """What is wrong with a pod's spec."""
    faults, volume_names = containers.validate_volumes(found.get("volumes") or (), f"{path}.volumes")
    used: set[str] = set()
    plain = found.get("containers") or ()
    if not plain:
        faults.append(required(f"{path}.containers"))
    faults += containers.validate_containers(plain, volume_names, f"{path}.containers", used)
    faults += containers.validate_containers(
        found.get("initContainers") or (), volume_names, f"{path}.initContainers", used
    )
    if found["restartPolicy"] not in ("Always", "OnFailure", "Never"):
        faults.append(unsupported(f"{path}.restartPolicy", found["restartPolicy"], ["Always", "OnFailure", "Never"]))
    faults += dns.validate(found, path)
    if "nodeSelector" in found:
        faults += metadata.validate_labels(found["nodeSelector"], f"{path}.nodeSelector")
    if account := found.get("serviceAccountName"):
        faults += [
            invalid_value(f"{path}.serviceAccountName", account, why) for why in names.validate_dns_subdomain(account)
        ]
    for name in ("hostname", "subdomain"):
        if found.get(name):
            faults += [
                invalid_value(f"{path}.{name}", found[name], why) for why in names.validate_dns_label(found[name])
            ]
    deadline = found.get("activeDeadlineSeconds")
    if deadline is not None and not 1 <= deadline <= 2147483647:
        text = "must be between 1 and 2147483647, inclusive"
        faults.append(invalid_value(f"{path}.activeDeadlineSeconds", deadline, text))
    return faults + _tolerations(found.get("tolerations") or (), f"{path}.tolerations")


def _tolerations(found: Sequence[Mapping[str, Any]], path: str) -> list[Fault]:
    faults = []
    for index, one in enumerate(found):
        where, operator, effect = f"{path}[{index}]", one.get("operator", ""), one.get("effect", "")
        if operator not in ("", "Equal", "Exists"):
            faults.append(unsupported(f"{where}.operator", operator, ["Equal", "Exists"]))
        if not one.get("key") and operator != "Exists":
            text = 'operator must be Exists when `key` is empty, which means "match all values and all keys"'
            faults.append(invalid_value(f"{where}.operator", operator, text))
        if operator == "Exists" and one.get("value"):
            faults.append(invalid_value(f"{where}.operator", one, "value must be empty when `operator` is 'Exists'"))
        if effect not in ("", "NoSchedule", "PreferNoSchedule", "NoExecute"):
            faults.append(unsupported(f"{where}.effect", effect, ["NoSchedule", "PreferNoSchedule", "NoExecute"]))
        if "tolerationSeconds" in one and effect != "NoExecute":
            text = "effect must be 'NoExecute' when `tolerationSeconds` is set"
            faults.append(invalid_value(f"{where}.effect", effect, text))
    return faults


def validate_pod(draft: Draft) -> list[Fault]:
    """What is wrong with a pod."""
    return spec(draft["spec"], "spec")


MAY_CHANGE = (
    "pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,"
    "`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),"
    "`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)"
)


def validate_pod_update(draft: Draft, old: Obj) -> list[Fault]:
    """A pod is what it is: little more than its images may change."""
    new, before = draft["spec"], old["spec"]
    if new == before:
        return []
    if len(new.get("containers") or ()) != len(before["containers"]):
        return [field_forbidden("spec.containers", "pod updates may not add or remove containers")]
    if len(new.get("initContainers") or ()) != len(before.get("initContainers") or ()):
        return [field_forbidden("spec.initContainers", "pod updates may not add or remove containers")]
    faults = []
    kept = before.get("tolerations") or []
    if [t for t in kept if t not in (new.get("tolerations") or [])]:
        text = "existing toleration can not be modified except its tolerationSeconds"
        faults.append(field_forbidden("spec.tolerations", text))
    same = copy_json(new)
    for kind in ("containers", "initContainers"):
        for one, was in zip(same.get(kind) or (), before.get(kind) or (), strict=True):
            one["image"] = was.get("image", "")
    for name in ("activeDeadlineSeconds", "tolerations"):
        same.pop(name, None)
        if name in before:
            same[name] = before[name]
    if same != before:
        faults.append(field_forbidden("spec", f"{MAY_CHANGE}\n{_difference(before, same)}"))
    return faults


def _difference(old: Mapping[str, Any], new: Mapping[str, Any]) -> str:
    """The changed fields, as a short form of the comparison that the server prints."""
    lines = ["  core.PodSpec{"]
    for name in sorted({*old, *new}):
        if old.get(name) != new.get(name):
            title = name[0].upper() + name[1:]
            lines += [f"- \t{title}: {format_value(old.get(name))},", f"+ \t{title}: {format_value(new.get(name))},"]
    return "\n".join([*lines, "  }", ""])


def template(draft: Mapping[str, Any], path: str = "spec.template") -> list[Fault]:
    """What is wrong with a pod template."""
    return _template_meta(draft, path) + spec(draft["spec"], f"{path}.spec")


def _template_meta(draft: Mapping[str, Any], path: str) -> list[Fault]:
    meta = draft.get("metadata") or {}
    faults = metadata.validate_labels(meta.get("labels") or {}, f"{path}.metadata.labels")
    return faults + metadata.validate_annotations(meta.get("annotations") or {}, f"{path}.metadata.annotations")


def _lasting(found: Mapping[str, Any], kind: str) -> list[Fault]:
    """What keeps pods running has none that end by themselves."""
    path, inside = "spec.template.spec", get(found, "template", "spec", default={})
    policy, faults = inside.get("restartPolicy"), list[Fault]()
    if policy not in ("Always", None):
        faults.append(unsupported(f"{path}.restartPolicy", policy, ["Always"]))
    if inside.get("activeDeadlineSeconds") is not None:
        text = f"activeDeadlineSeconds in {kind} is not Supported"
        faults.append(field_forbidden(f"{path}.activeDeadlineSeconds", text))
    return faults


def go_selector(selector: Mapping[str, Any]) -> str:
    """A label selector as Go's `%#v` prints it."""
    labels = format_value(selector["matchLabels"]) if selector.get("matchLabels") else "map[string]string(nil)"
    items = ", ".join(
        f"v1.LabelSelectorRequirement{{Key:{quote(e['key'])}, Operator:{quote(e['operator'])}, "
        f"Values:{format_value(e['values']) if e.get('values') else '[]string(nil)'}}}"
        for e in selector.get("matchExpressions") or ()
    )
    listing = f"[]v1.LabelSelectorRequirement{{{items}}}" if items else "[]v1.LabelSelectorRequirement(nil)"
    return f"v1.LabelSelector{{MatchLabels:{labels}, MatchExpressions:{listing}}}"


def selector_faults(found: Mapping[str, Any], kind: str) -> list[Fault]:
    """What is wrong with a workload's selector, and whether its own pods would match it."""
    selector = found.get("selector")
    faults: list[Fault] = []
    if selector is None:
        faults.append(required("spec.selector"))
    elif not selector.get("matchLabels") and not selector.get("matchExpressions"):
        text = f"Invalid value: {go_selector(selector)}: empty selector is invalid for {kind}"
        faults.append(Fault("FieldValueInvalid", "spec.selector", text))
    labels = get(found, "template", "metadata", "labels", default={})
    if not selector or not of_object(selector)(labels):
        shown_labels = format_value(labels) if labels else "map[string]string(nil)"
        text = f"Invalid value: {shown_labels}: `selector` does not match template `labels`"
        faults.append(Fault("FieldValueInvalid", "spec.template.metadata.labels", text))
    return faults


def _counts(found: Mapping[str, Any], *count_names: str) -> list[Fault]:
    return [
        invalid_value(f"spec.{name}", found[name], f"{POSITIVE}")
        for name in count_names
        if found.get(name) is not None and found[name] < 0
    ]


def validate_workload(draft: Draft) -> list[Fault]:
    """What is wrong with a ReplicaSet."""
    found = draft["spec"]
    faults = _counts(found, "replicas", "minReadySeconds", "revisionHistoryLimit")
    faults += selector_faults(found, draft["kind"].lower()) + template(found["template"])
    return faults + _lasting(found, draft["kind"])


def validate_stateful_set(draft: Draft) -> list[Fault]:
    """What is wrong with a StatefulSet: what its pods' spec says is looked at when a pod is made of it.

    Volumes come in with each pod's claims (`ValidatePodTemplateSpecForStatefulSet` in `pkg/apis/apps/validation`).
    """
    found = draft["spec"]
    faults = _counts(found, "replicas", "minReadySeconds", "revisionHistoryLimit")
    faults += selector_faults(found, "statefulset") + _template_meta(found["template"], "spec.template")
    return faults + _lasting(found, "StatefulSet")


def validate_replication_controller(draft: Draft) -> list[Fault]:
    """What is wrong with a ReplicationController."""
    found = draft["spec"]
    faults = _counts(found, "replicas", "minReadySeconds") + template(found["template"])
    return faults + _lasting(found, draft["kind"])


def validate_daemon_set(draft: Draft) -> list[Fault]:
    """What is wrong with a DaemonSet."""
    found = draft["spec"]
    faults = selector_faults(found, "daemonset") + template(found["template"]) + _lasting(found, draft["kind"])
    if found["updateStrategy"]["type"] not in ("RollingUpdate", "OnDelete"):
        kind = found["updateStrategy"]["type"]
        faults.append(unsupported("spec.updateStrategy.type", kind, ["RollingUpdate", "OnDelete"]))
    else:
        faults += _bounds(found["updateStrategy"].get("rollingUpdate") or {})
    return faults + _counts(found, "minReadySeconds", "revisionHistoryLimit")


def _bounds(rolling: Mapping[str, Any]) -> list[Fault]:
    """What is wrong with how many pods of a DaemonSet may be missing or doubled (`ValidateRollingUpdateDaemonSet`)."""
    path, faults = "spec.updateStrategy.rollingUpdate", list[Fault]()
    missing, extra = rolling.get("maxUnavailable", 0), rolling.get("maxSurge", 0)
    for name, value in (("maxUnavailable", missing), ("maxSurge", extra)):
        faults += validate_int_or_percent(value, f"{path}.{name}")
    none = [str(value).rstrip("%").lstrip("0") == "" for value in (missing, extra)]
    if not faults and rolling and all(none):
        text = "cannot be 0 when maxSurge is 0"
        faults.append(
            Fault("FieldValueInvalid", f"{path}.maxUnavailable", f"Invalid value: {_go_part(missing)}: {text}")
        )
    elif not faults and not any(none):
        text = "may not be set when maxUnavailable is non-zero"
        faults.append(Fault("FieldValueInvalid", f"{path}.maxSurge", f"Invalid value: {_go_part(extra)}: {text}"))
    return faults


def validate_deployment(draft: Draft) -> list[Fault]:
    """What is wrong with a Deployment."""
    found = draft["spec"]
    faults = _counts(found, "replicas")
    faults += selector_faults(found, "deployment") + template(found["template"]) + _lasting(found, "ReplicaSet")
    faults += _strategy(found["strategy"])
    faults += _counts(found, "minReadySeconds", "revisionHistoryLimit", "progressDeadlineSeconds")
    deadline = found.get("progressDeadlineSeconds")
    if deadline is not None and deadline <= found.get("minReadySeconds", 0):
        text = "must be greater than minReadySeconds"
        faults.append(invalid_value("spec.progressDeadlineSeconds", deadline, text))
    return faults


def _strategy(found: Mapping[str, Any]) -> list[Fault]:
    kind, rolling = found["type"], found.get("rollingUpdate") or {}
    if kind == "Recreate":
        if "rollingUpdate" not in found:
            return []
        text = "may not be specified when strategy `type` is 'Recreate'"
        return [field_forbidden("spec.strategy.rollingUpdate", text)]
    if kind != "RollingUpdate":
        return [unsupported("spec.strategy.type", kind, ["Recreate", "RollingUpdate"])]
    faults: list[Fault] = []
    for name in ("maxUnavailable", "maxSurge"):
        faults += validate_int_or_percent(rolling[name], f"spec.strategy.rollingUpdate.{name}")
    if not faults and all(str(rolling[n]).rstrip("%") == "0" for n in ("maxUnavailable", "maxSurge")):
        text = f"Invalid value: {_go_part(rolling['maxUnavailable'])}: may not be 0 when `maxSurge` is 0"
        faults.append(Fault("FieldValueInvalid", "spec.strategy.rollingUpdate.maxUnavailable", text))
    return faults


def _go_part(value: Json) -> str:
    kind = "1" if isinstance(value, str) else "0"
    number, text = ("0", value) if isinstance(value, str) else (str(value), "")
    return f'intstr.IntOrString{{Type:{kind}, IntVal:{number}, StrVal:"{text}"}}'


def validate_int_or_percent(value: Json, path: str) -> list[Fault]:
    """A number of pods, or a percentage of them."""
    if isinstance(value, int):
        return [] if value >= 0 else [invalid_value(path, value, POSITIVE)]
    if re.fullmatch(r"[0-9]{1,18}%", value):  # more digits than a number of 64 bits has are none for anybody who counts
        return []
    text = "a valid percent string must be a numeric string followed by an ending '%'"
    pattern = "(e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')"
    return [Fault("FieldValueInvalid", path, f"Invalid value: {_go_part(value)}: {text} {pattern}")]


def validate_selector_update(draft: Draft, old: Obj) -> list[Fault]:
    """A workload keeps its selector for life."""
    new, before = draft["spec"].get("selector"), old["spec"].get("selector")
    if new == before or new is None:
        return []
    return [Fault("FieldValueInvalid", "spec.selector", f"Invalid value: {go_selector(new)}: {IMMUTABLE}")]


STATEFUL_SET_MAY = (
    "replicas",
    "ordinals",
    "template",
    "updateStrategy",
    "persistentVolumeClaimRetentionPolicy",
    "minReadySeconds",
)


def validate_stateful_set_update(draft: Draft, old: Obj) -> list[Fault]:
    """A StatefulSet keeps all but a few fields for life."""
    new = {k: v for k, v in draft["spec"].items() if k not in STATEFUL_SET_MAY}
    before = {k: v for k, v in old["spec"].items() if k not in STATEFUL_SET_MAY}
    if new == before:
        return []
    first = ", ".join(f"'{name}'" for name in STATEFUL_SET_MAY[:-1])
    text = f"updates to statefulset spec for fields other than {first} and '{STATEFUL_SET_MAY[-1]}' are forbidden"
    return [field_forbidden("spec", text)]


def validate_job(draft: Draft) -> list[Fault]:
    """What is wrong with a Job."""
    return job_spec(draft["spec"], "spec")


def job_spec(found: Mapping[str, Any], path: str) -> list[Fault]:
    """What is wrong with the spec of a Job or of what a CronJob makes."""
    faults = [
        invalid_value(f"{path}.{name}", found[name], POSITIVE)
        for name in ("parallelism", "completions", "backoffLimit", "ttlSecondsAfterFinished", "activeDeadlineSeconds")
        if found.get(name) is not None and found[name] < 0
    ]
    faults += template(found["template"], f"{path}.template")
    policy = found["template"]["spec"]["restartPolicy"]
    if policy == "Always":
        text = 'valid values: "OnFailure", "Never"'
        faults.append(required(f"{path}.template.spec.restartPolicy", text))
    return faults


def validate_job_update(draft: Draft, old: Obj) -> list[Fault]:
    """A Job keeps what its pods are for life."""
    faults = []
    for name, what in (("completions", "*int32"), ("selector", ""), ("template", "core.PodTemplateSpec{...}")):
        new, before = draft["spec"].get(name), old["spec"].get(name)
        if new != before and new is not None:
            value = go_selector(new) if name == "selector" else what if name == "template" else format_value(new)
            faults.append(Fault("FieldValueInvalid", f"spec.{name}", f"Invalid value: {value}: {IMMUTABLE}"))
    return faults


def validate_cron_job(draft: Draft) -> list[Fault]:
    """What is wrong with a CronJob."""
    found = draft["spec"]
    faults: list[Fault] = []
    if not found.get("schedule"):
        faults.append(required("spec.schedule"))
    else:
        faults += _schedule(found["schedule"])
    zone = found.get("timeZone")
    if zone is not None and zone not in available_timezones():
        faults.append(invalid_value("spec.timeZone", zone, f"unknown time zone {zone}"))
    faults += [
        invalid_value(f"spec.{name}", found[name], POSITIVE)
        for name in ("startingDeadlineSeconds", "successfulJobsHistoryLimit", "failedJobsHistoryLimit")
        if found.get(name) is not None and found[name] < 0
    ]
    if found["concurrencyPolicy"] not in ("Allow", "Forbid", "Replace"):
        faults.append(unsupported("spec.concurrencyPolicy", found["concurrencyPolicy"], ["Allow", "Forbid", "Replace"]))
    return faults + job_spec(found["jobTemplate"]["spec"], "spec.jobTemplate.spec")


def _schedule(text: str) -> list[Fault]:
    if "TZ" in text:
        return [
            invalid_value("spec.schedule", text, "cannot use TZ or CRON_TZ in schedule, use timeZone field instead")
        ]
    try:
        cron.parse(text)
    except ValueError as error:
        return [invalid_value("spec.schedule", text, str(error))]
    return []

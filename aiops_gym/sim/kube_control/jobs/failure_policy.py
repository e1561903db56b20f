"""A Job's podFailurePolicy: what a failed pod means to the Job."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from aiops_gym.sim.kernel.objects import Obj, get, key_of
from aiops_gym.sim.kube_control.jobs import pods as jobpods


def judge(job: Obj, pod: Obj) -> tuple[str, str]:
    """What the first matching rule says to a failed pod: (action, message); ("", "") without a rule."""
    for number, rule in enumerate(get(job, "spec", "podFailurePolicy", "rules", default=())):
        action = str(rule["action"])
        if rule.get("onExitCodes") is not None:
            why = _exit_rule(pod, rule["onExitCodes"])
        else:
            why = _condition_rule(pod, rule.get("onPodConditions") or ())
        if why:
            return action, f"{why} matching {action} rule at index {number}"
    return "", ""


def counts(job: Obj, pod: Obj) -> bool:
    """Whether a failed pod counts against the limit."""
    return judge(job, pod)[0] != "Ignore"


def find_verdict(job: Obj, pods: Sequence[Obj]) -> str:
    """Why one of the pods ends the whole Job, "" if none does."""
    if get(job, "spec", "podFailurePolicy") is None:
        return ""
    found = (judge(job, pod) for pod in pods if jobpods.has_failed(job, pod))
    return next((message for action, message in found if action == "FailJob"), "")


def _exit_rule(pod: Obj, rule: Mapping[str, Any]) -> str:
    for kind in ("containerStatuses", "initContainerStatuses"):
        for status in get(pod, "status", kind, default=()):
            code = get(status, "state", "terminated", "exitCode", default=0)
            meant = code and rule.get("containerName") in (None, status["name"])
            if meant and (code in (rule.get("values") or ())) == (rule.get("operator") == "In"):
                return f"Container {status['name']} for pod {key_of(pod)} failed with exit code {code}"
    return ""


def _condition_rule(pod: Obj, patterns: Iterable[Mapping[str, Any]]) -> str:
    there = {c["type"]: c["status"] for c in get(pod, "status", "conditions", default=())}
    for pattern in patterns:
        if there.get(pattern["type"]) == pattern.get("status", "True"):
            return f"Pod {key_of(pod)} has condition {pattern['type']}"
    return ""

"""Signs of trouble that a component or another object may show in what was printed.

Read off kubectl's and the kubelet's own words; nothing here knows an application or a fault.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence

from aiops_gym.wrappers.reading.entity import AGES, TRAFFIC
from aiops_gym.wrappers.reading.spans import Operation

SIGNS = (
    "crashing",  # its container ends and is started again
    "no_image",
    "pending",  # no node takes its pod
    "not_started",  # its container waits for something before it can start
    "unready",
    "restarted",  # in the last minutes
    "young",  # its pod is of the last minutes
    "scaled_to_zero",
    "unavailable",
    "no_endpoints",
    "crowded",  # more pods answer for its service than it has
    "strange_settings",  # a file of its ConfigMap is unlike all others of that name
    "warned",
    "probe",
    "mount",
    "refused_pod",  # its pod could not be created at all
    "replaced",  # has older replica sets: somebody changed it
    "errors",  # in its own logs
    "unreachable",  # its own logs say that something else cannot be reached
    "denied",
    "blamed",  # named where another component's logs tell of an error
    "drifts",  # has a field that none of its peers has like that
    "failing_spans",
    "slow_spans",
    "strained",  # loses packets, has errors or is held back, by its metrics
    "alerted",  # named in an alert
    "kin",  # shares its name with one in trouble, as a database does with whom it serves
)
"""What a component may show."""

OF_OTHERS = ("blamed", "exhausted", "tainted", "cordoned", "revised", "new", "about_trouble")
"""What another object may show: named in a warning, nothing left of it, closed to pods, changed since it was made, made
in the last minutes, chooses pods of a component in trouble."""

LOOKS = ("described", "logs_read", "previous_read")
"""What has been looked at of a component; no sign of anything."""

TROUBLE = frozenset({"crashing", "no_image", "pending", "not_started", "unready", "denied", "unreachable"})
HARM = TROUBLE | {"failing_spans", "slow_spans", "no_endpoints", "errors"}
"""Signs of a component that cannot do its work."""

STRONG = 0.95
"""From here on, a field is one that no peer has like that."""

SLOW, OFTEN = 0.02, 0.05
"""Seconds above which an operation counts as slow, and the share above which it counts as failing."""

RECENT = 10.0
"""Minutes for which something counts as recent."""

POD_STATUS: Mapping[str, str] = {
    "CrashLoopBackOff": "crashing",
    "Error": "crashing",
    "OOMKilled": "crashing",
    "RunContainerError": "crashing",
    "StartError": "crashing",
    "ErrImagePull": "no_image",
    "ImagePullBackOff": "no_image",
    "InvalidImageName": "no_image",
    "Pending": "pending",
    "ContainerCreating": "not_started",
    "PodInitializing": "not_started",
    "CreateContainerConfigError": "not_started",
    "CreateContainerError": "not_started",
}
"""The STATUS column of `kubectl get pods`; those that begin with `Init:` have not started either."""

EVENTS: Mapping[str, str] = {
    "BackOff": "crashing",
    "FailedScheduling": "pending",
    "FailedMount": "mount",
    "FailedAttachVolume": "mount",
    "ProvisioningFailed": "mount",
    "FailedCreate": "refused_pod",
    "Unhealthy": "probe",
}
"""Reasons of warnings."""

ERROR = re.compile(
    r"\b(?:error|err|panic|pnc|fatal|ftl|exception|failed|failure|cannot|could not|denied|refused)\b", re.I
)
UNREACHABLE = re.compile(
    r"connection refused|no reachable|timed? ?out|deadline|no such host|unreachable|i/o timeout", re.I
)
DENIED = re.compile(r"not authorized|unauthorized|authentication fail|auth fail|access denied|permission denied", re.I)

FROM_PODS = ("crashing", "no_image", "pending", "not_started", "unready", "restarted", "young")
FROM_DEPLOYMENTS = ("scaled_to_zero", "unavailable")
FROM_EVENTS = ("warned", "probe", "mount", "refused_pod")
FROM_LOGS = ("errors", "unreachable", "denied")

OWNED = (re.compile(r"(.+?)-[a-z0-9]{8,10}-[a-z0-9]{5}"), re.compile(r"(.+)-[a-z0-9]{8,10}"))
"""Names of pods and of replica sets, after those of their deployments."""

_AGO = re.compile(r"\(([0-9a-z]+) ago\)")
_UNITS = {"d": 1440.0, "h": 60.0, "m": 1.0, "s": 1 / 60}
_PART = re.compile(r"(\d+)([dhms])")


def parse_age(age: str) -> float:
    """Minutes of an age as kubectl prints it.

    >>> parse_age("2m44s") < 3, parse_age("5h") == 300, parse_age("<unknown>")
    (True, True, inf)
    """
    parts = _PART.findall(age)
    return sum(int(number) * _UNITS[unit] for number, unit in parts) if parts else float("inf")


def read_pod(row: Mapping[str, str]) -> set[str]:
    """Signs in a row of `kubectl get pods`; none in one that has done its work.

    >>> sorted(read_pod({"READY": "0/1", "STATUS": "Error", "RESTARTS": "4 (66s ago)", "AGE": "33m"}))
    ['crashing', 'restarted', 'unready']
    """
    status = row["STATUS"]
    if status in ("Completed", "Succeeded"):
        return set()
    found = {"not_started"} if status.startswith("Init:") else set()
    found |= {POD_STATUS[status]} if status in POD_STATUS else set()
    ready, _, wanted = row["READY"].partition("/")
    found |= {"unready"} if ready != wanted else set()
    ago = _AGO.search(row["RESTARTS"])
    found |= {"restarted"} if ago and parse_age(ago[1]) < RECENT else set()
    return found | ({"young"} if parse_age(row.get("AGE", "")) < RECENT else set())


def read_ages(row: Mapping[str, str]) -> dict[str, float]:
    """Numbers from 0 to 1 in a row of `kubectl get pods`, by `AGES`.

    >>> found = read_ages({"RESTARTS": "5 (60s ago)", "AGE": "9m"})
    >>> found["restarted_just_now"], found["restarted_often"], found["made_just_now"]
    (0.5, 0.5, 0.1)
    """
    ago = _AGO.search(row["RESTARTS"])
    count = row["RESTARTS"].partition(" ")[0]
    numbers = (_lately(parse_age(ago[1])) if ago else 0.0, min(1.0, int(count) / 10) if count.isdecimal() else 0.0)
    return dict(zip(AGES, (*numbers, _lately(parse_age(row.get("AGE", "")))), strict=True))


def _lately(past: float) -> float:
    return 1 / (1 + past)


def read_deployment(row: Mapping[str, str]) -> set[str]:
    """Signs in a row of `kubectl get deployments`."""
    wanted = row["READY"].partition("/")[2]
    if wanted == "0":
        return {"scaled_to_zero"}
    return {"unavailable"} if row["AVAILABLE"] != wanted else set()


def read_log(text: str) -> set[str]:
    """Signs in a log."""
    found = {"errors"} if ERROR.search(text) else set()
    found |= {"unreachable"} if UNREACHABLE.search(text) else set()
    return found | ({"denied"} if DENIED.search(text) else set())


def find_wrong_lines(text: str) -> str:
    """The lines of a log that tell of an error."""
    return "\n".join(line for line in text.splitlines() if ERROR.search(line) or UNREACHABLE.search(line))


def read_traffic(name: str, rows: Sequence[Operation]) -> dict[str, float]:
    """What operations tell of a component, by `TRAFFIC`.

    >>> rows = [Operation("cart", "db", 0.5, 0.0002), Operation("cart", "", 0.0, 3.0)]
    >>> read_traffic("cart", rows)["calls_fail"], round(read_traffic("cart", rows)["slow_itself"], 2)
    (1.0, 0.87)
    """
    found = dict.fromkeys(TRAFFIC, 0.0)
    called: dict[str, list[Operation]] = {}
    for row in rows:
        to, by = row.called == name, row.caller == name
        if by and row.called:
            called.setdefault(row.called, []).append(row)
        for how, fails, slow in (
            (to, "called_fails", "called_slow"),
            (by and not row.called, "fails_itself", "slow_itself"),
        ):
            if how:
                found[fails] = max(found[fails], row.failed)
                found[slow] = max(found[slow], _slowness(row.seconds))
    if called:
        found["calls_fail"] = sum(any(row.failed > OFTEN for row in each) for each in called.values()) / len(called)
        found["calls_slow"] = sum(any(row.seconds > SLOW for row in each) for each in called.values()) / len(called)
    return found


def _slowness(seconds: float) -> float:
    """0 up to a millisecond, 1 from ten seconds on, even steps for each factor between them."""
    return min(1.0, max(0.0, (math.log10(max(seconds, 1e-9)) + 3) / 4))


def read_spans(traffic: Mapping[str, float]) -> set[str]:
    """Signs in what traces tell."""
    found = {"failing_spans"} if max(traffic["called_fails"], traffic["fails_itself"]) > OFTEN else set()
    return found | ({"slow_spans"} if max(traffic["called_slow"], traffic["slow_itself"]) > _slowness(SLOW) else set())


def read_other(kind: str, facts: Mapping[str, str]) -> set[str]:
    """Signs in a row of another kind of object.

    >>> read_other("quota", {"REQUEST": "pods: 19/10", "LIMIT": ""})
    {'exhausted'}
    """
    found = (
        {"exhausted"}
        if kind == "quota" and any(_full(*each) for each in _USED.findall(" ".join(facts.values())))
        else set()
    )
    if kind == "node":
        own = [
            each
            for each in facts.get("TAINTS", "").split(",")
            if each not in ("", "<none>") and "kubernetes.io/" not in each
        ]
        found |= {"tainted"} if own else set()
        found |= {"cordoned"} if facts.get("UNSCHEDULABLE") == "true" else set()
    found |= {"new"} if parse_age(facts.get("AGE", "")) < RECENT else set()
    return found | ({"revised"} if kind == "release" and facts.get("REVISION", "1") != "1" else set())


def _full(used: str, hard: str) -> bool:
    return float(used) >= float(hard)


_USED = re.compile(r": (\d+)/(\d+)\b")

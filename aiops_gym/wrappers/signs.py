"""Signs of trouble that a component may show in what was printed, and how suspicious each makes it.

Read off kubectl's and the kubelet's own words; nothing here knows an application or a fault.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

SIGNS: Mapping[str, float] = {
    "crashing": 3.0,  # its container ends and is started again
    "no_image": 4.0,
    "pending": 4.0,  # no node takes its pod
    "not_started": 3.0,  # its container waits for something before it can start
    "unready": 2.0,
    "restarted": 1.0,  # in the last minutes
    "young": 0.5,  # its pod is of the last minutes
    "scaled_to_zero": 5.0,
    "unavailable": 2.0,
    "no_endpoints": 2.0,
    "warned": 0.5,
    "probe": 1.0,
    "mount": 2.0,
    "refused_pod": 2.0,  # its pod could not be created at all
    "replaced": 1.0,  # has older replica sets: somebody changed it
    "errors": 1.0,  # in its own logs
    "unreachable": 0.5,  # its own logs say that something else cannot be reached
    "denied": 0.5,
    "blamed": 1.5,  # named where another component's logs tell of an error
    "port_differs": 6.0,  # its service sends to a port that its container does not declare
    "selector_differs": 6.0,
    "failing_spans": 1.5,
    "slow_spans": 1.5,
    "kin": 1.5,  # its name holds that of one in trouble, as that of a database does
}
"""Weight of each sign, from 0 up. Only the order of components follows from it."""

LOOKS = ("described", "service_described", "logs_read", "history_read")
"""What has been looked at of a component; no sign of anything."""

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

_AGO = re.compile(r"\(([0-9a-z]+) ago\)")
_UNITS = {"d": 1440.0, "h": 60.0, "m": 1.0, "s": 1 / 60}
_PART = re.compile(r"(\d+)([dhms])")


def minutes(age: str) -> float:
    """Minutes of an age as kubectl prints it.

    >>> minutes("2m44s") < 3, minutes("5h") == 300, minutes("<unknown>")
    (True, True, inf)
    """
    parts = _PART.findall(age)
    return sum(int(number) * _UNITS[unit] for number, unit in parts) if parts else float("inf")


def of_pod(row: Mapping[str, str]) -> set[str]:
    """Signs in a row of `kubectl get pods`; none in one that has done its work.

    >>> sorted(of_pod({"READY": "0/1", "STATUS": "Error", "RESTARTS": "4 (66s ago)", "AGE": "33m"}))
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
    found |= {"restarted"} if ago and minutes(ago[1]) < RECENT else set()
    return found | ({"young"} if minutes(row.get("AGE", "")) < RECENT else set())


def of_deployment(row: Mapping[str, str]) -> set[str]:
    """Signs in a row of `kubectl get deployments`."""
    wanted = row["READY"].partition("/")[2]
    if wanted == "0":
        return {"scaled_to_zero"}
    return {"unavailable"} if row["AVAILABLE"] != wanted else set()


def of_log(text: str) -> set[str]:
    """Signs in a log."""
    found = {"errors"} if ERROR.search(text) else set()
    found |= {"unreachable"} if UNREACHABLE.search(text) else set()
    return found | ({"denied"} if DENIED.search(text) else set())

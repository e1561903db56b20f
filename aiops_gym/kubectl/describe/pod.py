"""Pods."""

from __future__ import annotations

from collections.abc import Sequence

from aiops_gym.kubectl.describe import meta
from aiops_gym.kubectl.describe.containers import write_containers, write_spread_constraints, write_tolerations
from aiops_gym.kubectl.describe.meta import Object, format_time
from aiops_gym.kubectl.describe.page import Page
from aiops_gym.kubectl.describe.view import View
from aiops_gym.kubectl.describe.volumes import write_volumes
from aiops_gym.sim.kernel.objects import get

RESOURCES = ("pods",)
PURE = True
MIRROR = "kubernetes.io/config.mirror"


def events(pod: Object, view: View) -> Sequence[Object]:
    """Events about a pod; those of a static pod carry the uid that its kubelet gave it."""
    return view.events(pod, uid=get(pod, "metadata", "annotations", MIRROR))


def describe(page: Page, pod: Object, view: View) -> None:
    """Write all about a pod."""
    spec, status = pod.get("spec") or {}, pod.get("status") or {}
    meta.title(page, pod)
    _place(page, spec, status)
    meta.write_metadata(page, pod)
    _phase(page, pod, status, view)
    page.line(f"IP:\t{status.get('podIP', '')}")
    addresses = status.get("podIPs") or ()
    page.line("IPs:" if addresses else "IPs:\t<none>")
    for address in addresses:
        page.line(f"IP:\t{address.get('ip', '')}", 1)
    meta.write_controller(page, pod)
    if status.get("nominatedNodeName"):
        page.line(f"NominatedNodeName:\t{status['nominatedNodeName']}")
    for heading, field, states in (
        ("Init Containers", "initContainers", "initContainerStatuses"),
        ("Containers", "containers", "containerStatuses"),
        ("Ephemeral Containers", "ephemeralContainers", "ephemeralContainerStatuses"),
    ):
        if spec.get(field) or field == "containers":
            write_containers(page, heading, spec.get(field) or (), status.get(states), pod)
    told = {each["type"]: each["status"] for each in status.get("conditions") or ()}
    gates = {each["conditionType"]: "<none>" for each in spec.get("readinessGates") or ()}
    for heading, rows in (("Readiness Gates", gates | {k: told[k] for k in gates.keys() & told}), ("Conditions", told)):
        if rows:
            page.line(f"{heading}:")
            page.line("  Type\tStatus")
            page.rows((f"{name} ", f"{state} ") for name, state in rows.items())
    write_volumes(page, spec.get("volumes") or ())
    page.line(f"QoS Class:\t{status.get('qosClass') or 'BestEffort'}")
    meta.write_labels(page, "Node-Selectors", spec.get("nodeSelector"))
    write_tolerations(page, "Tolerations", spec.get("tolerations") or ())
    write_spread_constraints(page, spec.get("topologySpreadConstraints") or ())


def _place(page: Page, spec: Object, status: Object) -> None:
    if spec.get("priority") is not None:
        page.line(f"Priority:\t{spec['priority']}")
    for heading, field in (
        ("Priority Class Name", "priorityClassName"),
        ("Runtime Class Name", "runtimeClassName"),
        ("Service Account", "serviceAccountName"),
    ):
        if spec.get(field):
            page.line(f"{heading}:\t{spec[field]}")
    node = spec.get("nodeName")
    page.line(f"Node:\t{node}/{status.get('hostIP', '')}" if node else "Node:\t<none>")
    if status.get("startTime"):
        page.line(f"Start Time:\t{format_time(status['startTime'])}")


def _phase(page: Page, pod: Object, status: Object, view: View) -> None:
    metadata, phase = pod["metadata"], status.get("phase", "")
    if "deletionTimestamp" in metadata and phase not in ("Failed", "Succeeded"):
        page.line(f"Status:\tTerminating (lasts {view.age(metadata['deletionTimestamp'])})")
        page.line(f"Termination Grace Period:\t{metadata.get('deletionGracePeriodSeconds', 0)}s")
    else:
        page.line(f"Status:\t{phase}")
    for heading in ("Reason", "Message"):
        if status.get(heading.lower()):
            page.line(f"{heading}:\t{status[heading.lower()]}")
    if kind := get(pod, "spec", "securityContext", "seccompProfile", "type"):
        page.line(f"SeccompProfile:\t{kind}")

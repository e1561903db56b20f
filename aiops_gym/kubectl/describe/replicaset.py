"""Replica sets, and how the pods of any controller fare."""

from __future__ import annotations

from aiops_gym.kubectl.describe import meta
from aiops_gym.kubectl.describe.containers import write_template
from aiops_gym.kubectl.describe.meta import Object
from aiops_gym.kubectl.describe.page import Page
from aiops_gym.kubectl.describe.view import View
from aiops_gym.sim.kernel.objects import controller_of, get

RESOURCES = ("replicasets.apps",)


def describe(page: Page, rs: Object, view: View) -> None:
    """Write all about a replica set."""
    status = rs.get("status") or {}
    meta.title(page, rs)
    page.line(f"Selector:\t{meta.format_selector(rs['spec'].get('selector'))}")
    meta.write_metadata(page, rs)
    meta.write_controller(page, rs)
    page.line(f"Replicas:\t{status.get('replicas', 0)} current / {rs['spec'].get('replicas', 1)} desired")
    page.line(f"Pods Status:\t{format_pods_status(rs, view)}")
    write_template(page, rs["spec"].get("template") or {})
    meta.write_conditions(page, status.get("conditions") or ())


def format_pods_status(owner: Object, view: View) -> str:
    """How many pods of a controller are in which phase."""
    uid, namespace = owner["metadata"].get("uid"), owner["metadata"].get("namespace", "")
    counts = {"Running": 0, "Pending": 0, "Succeeded": 0, "Failed": 0}
    for pod in view.list("pods", namespace, labels=meta.format_selector(owner["spec"].get("selector"))):
        controller = controller_of(pod)
        phase = get(pod, "status", "phase", default="")
        if controller and controller["uid"] == uid and phase in counts:
            counts[phase] += 1
    running, pending, succeeded, failed = counts.values()
    return f"{running} Running / {pending} Waiting / {succeeded} Succeeded / {failed} Failed"

"""Persistent volume claims."""

from __future__ import annotations

from aiops_gym.kubectl.describe import meta
from aiops_gym.kubectl.describe.meta import Object, format_time
from aiops_gym.kubectl.describe.page import Page
from aiops_gym.kubectl.describe.persistentvolume import format_finalizers, format_modes, format_phase
from aiops_gym.kubectl.describe.view import View
from aiops_gym.sim.kernel.objects import get

RESOURCES = ("persistentvolumeclaims",)


def describe(page: Page, claim: Object, view: View) -> None:
    """Write all about a claim, and which pods use it."""
    spec, status, name = claim.get("spec") or {}, claim.get("status") or {}, claim["metadata"]["name"]
    bound = bool(spec.get("volumeName"))
    meta.title(page, claim)
    page.line(f"StorageClass:\t{spec.get('storageClassName', '')}")
    page.line(f"Status:\t{format_phase(claim, view)}")
    page.line(f"Volume:\t{spec.get('volumeName', '')}")
    meta.write_metadata(page, claim)
    page.line(f"Finalizers:\t{format_finalizers(claim)}")
    page.line(f"Capacity:\t{get(status, 'capacity', 'storage', default='0') if bound else ''}")
    page.line(f"Access Modes:\t{format_modes(status.get('accessModes')) if bound else ''}")
    if spec.get("volumeMode"):
        page.line(f"VolumeMode:\t{spec['volumeMode']}")
    pods = [
        pod["metadata"]["name"]
        for pod in view.list("pods", claim["metadata"].get("namespace", ""))
        for volume in get(pod, "spec", "volumes", default=())
        if get(volume, "persistentVolumeClaim", "claimName") == name
    ]
    meta.write_several(page, "Used By", sorted(pods))
    if status.get("conditions"):
        page.line("Conditions:")
        page.line("  Type\tStatus\tLastProbeTime\tLastTransitionTime\tReason\tMessage")
        page.line("  ----\t------\t-----------------\t------------------\t------\t-------")
        for c in status["conditions"]:
            times = f"{format_time(c.get('lastProbeTime'))} \t{format_time(c.get('lastTransitionTime'))}"
            page.line(f"  {c['type']} \t{c['status']} \t{times} \t{c.get('reason', '')} \t{c.get('message', '')}")

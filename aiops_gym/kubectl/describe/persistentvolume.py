"""Persistent volumes."""

from __future__ import annotations

from collections.abc import Sequence

from aiops_gym.kubectl.describe import meta
from aiops_gym.kubectl.describe.meta import Object
from aiops_gym.kubectl.describe.page import Page
from aiops_gym.kubectl.describe.view import View
from aiops_gym.kubectl.describe.volumes import write_source
from aiops_gym.sim.kernel.objects import get

RESOURCES = ("persistentvolumes",)
PURE = True
SHORT = {"ReadWriteOnce": "RWO", "ReadOnlyMany": "ROX", "ReadWriteMany": "RWX", "ReadWriteOncePod": "RWOP"}


def describe(page: Page, volume: Object, view: View) -> None:
    """Write all about a persistent volume."""
    spec, status = volume.get("spec") or {}, volume.get("status") or {}
    meta.title(page, volume, namespaced=False)
    meta.write_metadata(page, volume)
    page.line(f"Finalizers:\t{format_finalizers(volume)}")
    page.line(f"StorageClass:\t{spec.get('storageClassName', '')}")
    page.line(f"Status:\t{format_phase(volume, view)}")
    claim = spec.get("claimRef")
    page.line("Claim:\t" + (f"{claim.get('namespace', '')}/{claim.get('name', '')}" if claim else ""))
    page.line(f"Reclaim Policy:\t{spec.get('persistentVolumeReclaimPolicy', '')}")
    page.line(f"Access Modes:\t{format_modes(spec.get('accessModes'))}")
    if spec.get("volumeMode"):
        page.line(f"VolumeMode:\t{spec['volumeMode']}")
    page.line(f"Capacity:\t{get(spec, 'capacity', 'storage', default='0')}")
    _affinity(page, get(spec, "nodeAffinity", "required"))
    page.line(f"Message:\t{status.get('message', '')}")
    page.line("Source:")
    write_source(page, spec)


def format_modes(found: Sequence[str] | None) -> str:
    """Access modes in short, in kubectl's order."""
    return ",".join(short for mode, short in SHORT.items() if mode in (found or ()))


def format_finalizers(obj: Object) -> str:
    """Finalizers, as a Go list."""
    return f"[{' '.join(obj['metadata'].get('finalizers') or ())}]"


def format_phase(obj: Object, view: View) -> str:
    """The phase, or since when it goes away."""
    if deleted := obj["metadata"].get("deletionTimestamp"):
        return f"Terminating (lasts {view.age(deleted)})"
    return str(get(obj, "status", "phase", default=""))


def _affinity(page: Page, required: Object | None) -> None:
    if required is None:
        page.line("Node Affinity:\t<none>")
        return
    terms = required.get("nodeSelectorTerms") or ()
    page.line("Node Affinity:\t")
    page.line("Required Terms:\t" + ("" if terms else "<none>"), 1)
    for number, term in enumerate(terms):
        lines = []
        for rule in term.get("matchExpressions") or ():
            text = f"{rule['key']} {rule['operator'].lower()}"
            lines.append(f"{text} [{', '.join(rule['values'])}]" if rule.get("values") else text)
        meta.write_several(page, f"    Term {number}", lines, "    ")

"""Stateful sets."""

from __future__ import annotations

from collections.abc import Sequence

from aiops_gym.kubectl.describe import meta
from aiops_gym.kubectl.describe.containers import write_template
from aiops_gym.kubectl.describe.meta import Object, format_time
from aiops_gym.kubectl.describe.page import Page
from aiops_gym.kubectl.describe.replicaset import format_pods_status
from aiops_gym.kubectl.describe.view import View
from aiops_gym.sim.kernel.objects import get

RESOURCES = ("statefulsets.apps",)


def describe(page: Page, sts: Object, view: View) -> None:
    """Write all about a stateful set."""
    spec = sts["spec"]
    meta.title(page, sts)
    page.line(f"CreationTimestamp:\t{format_time(sts['metadata'].get('creationTimestamp'))}")
    page.line(f"Selector:\t{meta.format_selector(spec.get('selector'))}")
    meta.write_metadata(page, sts)
    page.line(f"Replicas:\t{spec.get('replicas', 1)} desired | {get(sts, 'status', 'replicas', default=0)} total")
    page.line(f"Update Strategy:\t{get(spec, 'updateStrategy', 'type', default='')}")
    partition = get(spec, "updateStrategy", "rollingUpdate", "partition")
    if partition is not None:
        page.line(f"Partition:\t{partition}", 1)
    page.line(f"Pods Status:\t{format_pods_status(sts, view)}")
    write_template(page, spec.get("template") or {})
    _claims(page, spec.get("volumeClaimTemplates") or ())


def _claims(page: Page, found: Sequence[Object]) -> None:
    page.line("Volume Claims:" + ("" if found else "\t<none>"))
    for claim in found:
        metadata, spec = claim.get("metadata") or {}, claim.get("spec") or {}
        page.line(f"Name:\t{metadata.get('name', '')}", 1)
        page.line(f"StorageClass:\t{spec.get('storageClassName', '')}", 1)
        meta.write_labels(page, "Labels", metadata.get("labels"), "  ")
        meta.write_labels(page, "Annotations", metadata.get("annotations"), "  ")
        page.line(f"Capacity:\t{get(spec, 'resources', 'requests', 'storage', default='<default>')}", 1)
        page.line(f"Access Modes:\t[{' '.join(spec.get('accessModes') or ())}]", 1)

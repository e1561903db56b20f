"""Deployments."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from aiops_gym.kubectl.describe import meta
from aiops_gym.kubectl.describe.containers import write_template
from aiops_gym.kubectl.describe.meta import Object, format_time
from aiops_gym.kubectl.describe.page import Page
from aiops_gym.kubectl.describe.view import View
from aiops_gym.sim.kernel.objects import controller_of, get

RESOURCES = ("deployments.apps",)
HASH = "pod-template-hash"


def describe(page: Page, deployment: Object, view: View) -> None:
    """Write all about a deployment."""
    spec, status = deployment["spec"], deployment.get("status") or {}
    meta.title(page, deployment)
    page.line(f"CreationTimestamp:\t{format_time(deployment['metadata'].get('creationTimestamp'))}")
    meta.write_metadata(page, deployment)
    page.line(f"Selector:\t{meta.format_selector(spec.get('selector'))}")
    numbers = [f"{status.get(field, 0)} {word}" for field, word in COUNTS]
    page.line(f"Replicas:\t{spec.get('replicas', 1)} desired | {' | '.join(numbers)}")
    page.line(f"StrategyType:\t{get(spec, 'strategy', 'type', default='')}")
    page.line(f"MinReadySeconds:\t{spec.get('minReadySeconds', 0)}")
    if rolling := get(spec, "strategy", "rollingUpdate"):
        unavailable, surge = rolling.get("maxUnavailable", 0), rolling.get("maxSurge", 0)
        page.line(f"RollingUpdateStrategy:\t{unavailable} max unavailable, {surge} max surge")
    write_template(page, spec["template"])
    meta.write_conditions(page, status.get("conditions") or ())
    old, new = find_replica_sets(deployment, view)
    if old or new:
        page.line(f"OldReplicaSets:\t{_created(old)}")
        page.line(f"NewReplicaSet:\t{_created(new)}")


COUNTS = (
    ("updatedReplicas", "updated"),
    ("replicas", "total"),
    ("availableReplicas", "available"),
    ("unavailableReplicas", "unavailable"),
)


def owned(deployment: Object, view: View) -> list[Object]:
    """Replica sets of a deployment, in the order of the list."""
    uid, namespace = deployment["metadata"].get("uid"), deployment["metadata"].get("namespace", "")
    found = view.list("replicasets.apps", namespace, labels=meta.format_selector(deployment["spec"].get("selector")))
    return [rs for rs in found if (owner := controller_of(rs)) and owner["uid"] == uid]


def find_replica_sets(deployment: Object, view: View) -> tuple[list[Object], list[Object]]:
    """Older replica sets (oldest first), and the one of the present template as a list of one or none."""
    ordered = sorted(
        owned(deployment, view), key=lambda rs: (rs["metadata"]["creationTimestamp"], rs["metadata"]["name"])
    )
    wanted = strip_template_hash(deployment["spec"]["template"])
    new = next((rs for rs in ordered if strip_template_hash(rs["spec"]["template"]) == wanted), None)
    return [rs for rs in ordered if rs is not new], [] if new is None else [new]


def strip_template_hash(found: Object) -> Any:
    """A pod template without the label that tells replica sets apart."""
    metadata = found.get("metadata") or {}
    labels = {k: v for k, v in (metadata.get("labels") or {}).items() if k != HASH}
    return {k: v for k, v in metadata.items() if k not in ("labels", "creationTimestamp")}, labels, found.get("spec")


def _created(found: Sequence[Object]) -> str:
    texts = []
    for rs in found:
        have, want = get(rs, "status", "replicas", default=0), rs["spec"].get("replicas", 1)
        texts.append(f"{rs['metadata']['name']} ({have}/{want} replicas created)")
    return ", ".join(texts) or "<none>"

"""The revisions that a workload went through, and how to go back to one of them."""

from __future__ import annotations

from collections.abc import Mapping

from aiops_gym.kubectl.changes import make_query
from aiops_gym.kubectl.client import JSON_PATCH, STRATEGIC, Client, find_resource
from aiops_gym.kubectl.describe.containers import write_template
from aiops_gym.kubectl.describe.deployment import HASH, find_replica_sets, strip_template_hash
from aiops_gym.kubectl.describe.page import Page, align
from aiops_gym.kubectl.describe.view import View
from aiops_gym.kubectl.errors import Failure, ServerError
from aiops_gym.kubectl.filed import Info
from aiops_gym.kubectl.output.structs import Struct
from aiops_gym.kubectl.verb import Invocation
from aiops_gym.sim.kernel.digits import integer
from aiops_gym.sim.kernel.objects import controller_of, dissoc, get
from aiops_gym.types import Json

Object = Mapping[str, Json]

CAUSE = "kubernetes.io/change-cause"
PREFIX = "deployment.kubernetes.io/"
REVISION = f"{PREFIX}revision"
KEPT = (
    "kubectl.kubernetes.io/last-applied-configuration",
    REVISION,
    f"{PREFIX}revision-history",
    f"{PREFIX}desired-replicas",
    f"{PREFIX}max-replicas",
    "deprecated.deployment.rollback.to",
)
"""Annotations that belong to the deployment, not to a revision of it."""

VISITED = ("Job", "Pod", "ReplicaSet", "ReplicationController", "CronJob")
"""Kinds that kubectl knows to have no revisions."""


def collect_revisions(client: Client, info: Info) -> dict[int, Object]:
    """What remembers each revision: a replica set or a controller revision, by its number."""
    kind = info.resource.kind
    if kind == "Deployment":
        old, new = find_replica_sets(info.obj, View(client.cluster))
        found = []
        for rs in (*old, *new):
            number = integer(get(rs, "metadata", "annotations", REVISION, default="0"))
            if number is not None:  # of a set whose annotation is no number, kubectl logs a warning
                found.append((number, rs))
    elif kind in ("DaemonSet", "StatefulSet"):
        uid = info.obj["metadata"].get("uid")
        stored = client.list(find_resource("controllerrevisions.apps"), info.namespace)["items"]
        owned = [item for item in stored if (owner := controller_of(item)) and owner.get("uid") == uid]
        found = [(int(item.get("revision", 0)), item) for item in owned]
    else:
        raise Failure(_no_visitor("history", info))
    return dict(sorted(found, key=lambda pair: pair[0]))


def _no_visitor(what: str, info: Info) -> str:
    kind = info.resource.group_kind
    if info.resource.kind in VISITED:
        return f'no {"history viewer" if what == "history" else what} has been implemented for "{kind}"'
    shown = f"{{{info.resource.group} {info.resource.kind}}}"
    return f'error retrieving {what} for "{kind}", no visitor method exists for {shown}'


def pod_template(info: Info, revision: Object) -> Json:
    """The pod template of a revision, as its author wrote it."""
    if info.resource.kind == "Deployment":
        return revision["spec"]["template"]
    kept: Json = get(revision, "data", "spec", "template", default={})
    kept = kept if isinstance(kept, dict) else {}
    return {name: value for name, value in kept.items() if name != "$patch"}


def restore_revision(info: Info, revision: Object) -> Json:
    """What `-o` prints of a revision: a replica set, or the owner as it was then."""
    if info.resource.kind == "Deployment":
        return revision
    return Struct({**info.obj, "spec": {**info.obj["spec"], "template": pod_template(info, revision)}})


def format_table(client: Client, info: Info) -> str:
    """All revisions with the reason given for each."""
    found = collect_revisions(client, info)
    if not found:
        return "No rollout history found."
    rows = [f"{number}\t{get(rev, 'metadata', 'annotations', CAUSE) or '<none>'}" for number, rev in found.items()]
    return align("\n".join(["REVISION\tCHANGE-CAUSE", *rows]))


def format_details(client: Client, info: Info, number: int) -> str:
    """The pod template of one revision; kubectl does not align it."""
    found = collect_revisions(client, info)
    if number not in found:
        raise Failure("unable to find the specified revision")
    return template_text(info, found[number])


def template_text(info: Info, revision: Object) -> str:
    """A revision's pod template, with tabs."""
    page, shown = Page(), pod_template(info, revision)
    cause = get(revision, "metadata", "annotations", CAUSE)
    if cause:
        metadata = shown.get("metadata") or {}
        shown = {
            **shown,
            "metadata": {**metadata, "annotations": {**(metadata.get("annotations") or {}), CAUSE: cause}},
        }
    write_template(page, shown)
    return "".join(f"{line}\n" for line in page.lines)


def undo(call: Invocation, info: Info, number: int, mode: str) -> str:
    """Go back to a revision (0 = the one before); says what was done. Raises Failure."""
    if number < 0:
        raise Failure(f"unable to find specified revision {number} in history")
    if info.resource.kind not in ("Deployment", "DaemonSet", "StatefulSet"):
        raise Failure(_no_visitor("rollbacker", info))
    chosen = _chosen(info, collect_revisions(call.client, info), number)
    if mode == "client":
        prefix = "" if info.resource.kind == "Deployment" else "will roll back to "
        return prefix + template_text(info, chosen)
    if info.resource.kind == "Deployment":
        return _undo_deployment(call, info, chosen, number)
    if strip_template_hash(pod_template(info, chosen)) == strip_template_hash(info.obj["spec"]["template"]):
        return f"skipped rollback (current template already matches revision {chosen.get('revision', 0)})"
    call.client.patch(
        info.resource,
        info.name,
        chosen.get("data") or {},
        STRATEGIC,
        info.namespace,
        query=make_query(call, "kubectl-rollout"),
    )
    return "rolled back"


def _chosen(info: Info, found: Mapping[int, Object], number: int) -> Object:
    if number > 0:
        if number not in found:
            raise Failure(f"unable to find specified revision {number} in history")
        return found[number]
    if len(found) < 2:
        if info.resource.kind == "Deployment":
            raise Failure(f'no rollout history found for deployment "{info.name}"')
        raise Failure("no last revision to roll back to")
    return found[sorted(found)[-2]]


def _undo_deployment(call: Invocation, info: Info, chosen: Object, number: int) -> str:
    if info.obj["spec"].get("paused"):
        raise Failure(
            "you cannot rollback a paused deployment; resume it first with 'kubectl rollout resume' and try again"
        )
    if strip_template_hash(chosen["spec"]["template"]) == strip_template_hash(info.obj["spec"]["template"]):
        return f"skipped rollback (current template already matches revision {number})"
    present = info.obj["metadata"].get("annotations") or {}
    annotations = {key: value for key, value in present.items() if key in KEPT}
    earlier = chosen["metadata"].get("annotations") or {}
    annotations |= {key: value for key, value in earlier.items() if key not in KEPT}
    patch = [
        {
            "op": "replace",
            "path": "/spec/template",
            "value": dissoc(chosen["spec"]["template"], ("metadata", "labels", HASH)),
        },
        {"op": "replace", "path": "/metadata/annotations", "value": annotations},
    ]
    try:
        call.client.patch(
            info.resource, info.name, patch, JSON_PATCH, info.namespace, query=make_query(call, "kubectl-rollout")
        )
    except ServerError as error:
        raise Failure(f"failed restoring revision {number}: {error.message}") from None
    return "rolled back"

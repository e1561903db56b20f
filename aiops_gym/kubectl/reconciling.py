"""`kubectl auth reconcile`: roles and bindings of files, brought into the cluster with what is there already."""

from __future__ import annotations

from typing import Final

from aiops_gym.clients.flags import Flag
from aiops_gym.kubectl.changes import DRY_RUN, prepare, read_dry_run, report
from aiops_gym.kubectl.errors import Failure, Failures, ServerError
from aiops_gym.kubectl.filed import Info
from aiops_gym.kubectl.output import FLAGS
from aiops_gym.kubectl.targets import FILES, select
from aiops_gym.kubectl.verb import Invocation, Verb
from aiops_gym.types import Json

PARTS: Final = {"Role": "rules", "ClusterRole": "rules", "RoleBinding": "subjects", "ClusterRoleBinding": "subjects"}
SHOWN: Final = {
    "rules": (
        ("Verbs", "verbs"),
        ("APIGroups", "apiGroups"),
        ("Resources", "resources"),
        ("ResourceNames", "resourceNames"),
        ("NonResourceURLs", "nonResourceURLs"),
    ),
    "subjects": (("Kind", "kind"), ("APIGroup", "apiGroup"), ("Name", "name"), ("Namespace", "namespace")),
}
"""The fields of a rule and of a subject as Go prints them."""


def run(call: Invocation) -> None:
    """Create what is missing, and add what is missing in what is there."""
    flags = call.flags
    if not flags.items("filename") and not flags.text("kustomize"):
        raise Failure("must specify one of -f and -k")
    if call.args:
        raise Failure("no arguments are allowed")
    try:
        mode = read_dry_run(call)
    except Failure as error:
        raise Failure(f"error accessing --dry-run flag for command reconcile: {error.inner}") from None
    if mode == "server":
        raise Failure("--dry-run=server for command reconcile is not supported yet")
    selection = select(call, [])
    prepare(call)
    errors = selection.each(lambda info: _reconcile(call, info))
    if errors:
        raise Failures(errors)


def _reconcile(call: Invocation, info: Info) -> None:
    part = PARTS.get(info.resource.kind)
    if part is None:
        return
    if info.resource.namespaced and not (info.obj.get("metadata") or {}).get("namespace"):
        raise Failure("resource name may not be empty")  # kubectl makes sure of the file's own namespace
    extra_flag = "remove-extra-permissions" if part == "rules" else "remove-extra-subjects"
    wanted = list(info.obj.get(part) or ())
    try:
        live = call.client.get(info.resource, info.name, info.namespace)
    except ServerError as error:
        if error.reason != "NotFound":
            raise
        live = None
    present = list(live.get(part) or ()) if live else []
    missing = [entry for entry in wanted if entry not in present]
    extra = [entry for entry in present if entry not in wanted] if call.flags.on(extra_flag) else []
    obj = {**(live or info.obj), part: [entry for entry in present if entry not in extra] + missing}
    if read_dry_run(call) == "none" and (missing or extra or live is None):
        act = call.client.update if live else call.client.create
        obj = act(info.resource, obj, info.namespace)
    report(call, info.resource, obj, "reconciled")
    if live is not None and not missing and not extra:
        return
    call.warn(f"\treconciliation required {'update' if live else 'create'}")
    for title, entries in (("missing {} added", missing), ("extra {} removed", extra)):
        if entries:
            call.warn(f"\t{title.format(part)}:")
            for entry in entries:
                call.warn(f"\t\t{_shown(entry, part)}")


def _shown(entry: Json, part: str) -> str:
    def value(field: str) -> str:
        found = entry.get(field)
        return f"[{' '.join(found or ())}]" if part == "rules" else str(found or "")

    return "{" + " ".join(f"{name}:{value(field)}" for name, field in SHOWN[part]) + "}"


VERB: Final = Verb(
    "reconcile",
    run,
    flags=(
        Flag("remove-extra-permissions", "bool", help="If true, removes extra permissions added to roles"),
        Flag("remove-extra-subjects", "bool", help="If true, removes extra subjects added to rolebindings"),
        DRY_RUN,
        *FILES,
        *FLAGS,
    ),
    usage="auth reconcile -f FILENAME",
    short="Reconciles rules for RBAC role, role binding, cluster role, and cluster role binding objects",
)

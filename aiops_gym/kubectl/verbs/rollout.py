"""`kubectl rollout`: status, history, undo, restart, pause, resume."""

from __future__ import annotations

from typing import Any

from aiops_gym.clients.flags import Flag
from aiops_gym.kubectl import output
from aiops_gym.kubectl.changes import DRY_RUN, MANAGER, add_kind, make_query, read_dry_run, report
from aiops_gym.kubectl.errors import Failure, Failures, ServerError
from aiops_gym.kubectl.filed import Info
from aiops_gym.kubectl.output.structs import Struct
from aiops_gym.kubectl.rollouts import history
from aiops_gym.kubectl.rollouts.status import VIEWERS
from aiops_gym.kubectl.targets import FILES, SELECTOR, Selection, select
from aiops_gym.kubectl.verb import Invocation, Verb
from aiops_gym.kubectl.waiting import wait_until
from aiops_gym.sim.kernel.objects import get
from aiops_gym.sim.kernel.times import iso
from aiops_gym.types import Json, Request

RESTARTED = "kubectl.kubernetes.io/restartedAt"


def status(call: Invocation) -> int | None:
    """Follow a rollout until it is done."""
    if call.flags.number("revision") < 0:
        _required(call)
        raise Failure(f"revision must be a positive integer: {call.flags.number('revision')}")
    seen: list[bool] = []
    errors = _selected(call).each(lambda info: seen.append(all(seen) and _follow(call, info)))
    if not all(seen):
        return None
    if errors:
        raise Failures(errors)
    if not seen:
        call.warn(f"No resources found in {call.namespace} namespace.")
    return None


def _follow(call: Invocation, info: Info) -> bool:
    """Print each step of one rollout; False when the time is used up."""
    viewer = VIEWERS.get(info.resource.kind)
    if viewer is None:
        raise Failure(f"no status viewer has been implemented for {info.resource.group_kind}")
    revision, seen = call.flags.number("revision"), ""

    def done() -> bool:
        nonlocal seen
        answer = call.client.cluster.handle(Request("get", info.resource.name, info.namespace, info.name))
        if answer.code >= 400:
            raise Failure("object has been deleted") if seen else ServerError(answer.body)
        version = answer.body["metadata"].get("resourceVersion", "")
        if version == seen:
            return False
        seen = version
        progress = viewer(answer.body, revision)
        call.write(progress.text)
        return progress.done or not call.flags.on("watch")

    end = wait_until(call.client.cluster, done, call.flags.seconds("timeout"))
    if end == "timeout":
        raise Failure("timed out waiting for the condition")
    return end == "done"


def show(call: Invocation) -> int | None:
    """Print the revisions of a workload, or one of them."""
    number = call.flags.number("revision")
    _required(call)
    if number < 0:
        raise Failure(f"revision must be a positive integer: {number}")
    selection = _selected(call)
    output.choose_printer(call)
    errors = selection.each(lambda info: _show(call, info, number))
    if errors:
        raise Failures(errors)
    return None


def _show(call: Invocation, info: Info, number: int) -> None:
    if call.flags.text("output"):
        found = history.collect_revisions(call.client, info)
        if number and number not in found:
            raise Failure("unable to find the specified revision")
        for revision in [number] if number else sorted(found):
            report(call, info.resource, history.restore_revision(info, found[revision]), "")
        return
    if number:
        report(
            call,
            info.resource,
            info.obj,
            f"with revision #{number}\n{history.format_details(call.client, info, number)}",
        )
    else:
        report(call, info.resource, info.obj, f"\n{history.format_table(call.client, info)}")


def undo(call: Invocation) -> int | None:
    """Go back to an earlier revision."""
    mode = read_dry_run(call)
    number = call.flags.number("to-revision")
    errors = _selected(call).each(
        lambda info: report(call, info.resource, info.obj, history.undo(call, info, number, mode))
    )
    if errors:
        raise Failures(errors)
    return None


def restart(call: Invocation) -> int | None:
    """Have all pods of a workload replaced, by a change of its pod template."""
    now = iso(int(call.client.cluster.now() * 1000))

    def patch(info: Info) -> Json:
        if get(info.obj, "spec", "paused"):
            raise Failure("can't restart paused deployment (run rollout resume first)")
        if info.resource.kind not in VIEWERS:
            raise Failure("restarting is not supported")
        if get(info.obj, "spec", "template", "metadata", "annotations", RESTARTED) == now:
            return None
        return {"spec": {"template": {"metadata": {"annotations": {RESTARTED: now}}}}}

    return _patch_each(call, patch, "restarted")


def pause(call: Invocation) -> int | None:
    """Stop reacting to changes of the pod template."""

    def patch(info: Info) -> Json:
        if info.resource.kind != "Deployment":
            raise Failure("pausing is not supported")
        if get(info.obj, "spec", "paused"):
            raise Failure("is already paused")
        return {"spec": {"paused": True}}

    return _patch_each(call, patch, "paused")


def resume(call: Invocation) -> int | None:
    """React to changes of the pod template again."""

    def patch(info: Info) -> Json:
        if info.resource.kind != "Deployment":
            raise Failure("resuming is not supported")
        if not get(info.obj, "spec", "paused"):
            raise Failure("is not paused")
        return {"spec": {"paused": None}}

    return _patch_each(call, patch, "resumed")


def _patch_each(call: Invocation, patch: Any, operation: str) -> int | None:
    infos, errors = _selected(call).visit()
    for info in infos:
        try:
            change = patch(info)
        except Failure as error:
            errors.append(Failure(f'error: {info.resource.name} "{info.name}" {error.inner}'))
            continue
        if change is None:
            why = (
                "if restart has already been triggered within the past second, please wait before attempting to trigger"
            )
            errors.append(Failure(f"failed to create patch for {info.name}: {why} another"))
            continue
        try:
            changed = call.client.patch(
                info.resource, info.name, change, namespace=info.namespace, query=make_query(call, "kubectl-rollout")
            )
        except ServerError as error:
            errors.append(Failure(f"failed to patch: {error.message}"))
            continue
        report(call, info.resource, Struct(add_kind(info.resource, changed)), operation)
    if errors:
        raise Failures(errors)
    if not infos:
        call.warn(f"No resources found in {call.namespace} namespace.")
    return None


def _required(call: Invocation) -> None:
    if not call.args and not call.flags.items("filename"):
        raise Failure("required resource not specified")


def _selected(call: Invocation) -> Selection:
    _required(call)
    return select(
        call,
        call.args,
        empty_selector=True,
        latest=True,
    )


WHICH = (SELECTOR, *FILES)
verb = Verb(
    "rollout",
    verbs=(
        Verb(
            "status",
            status,
            flags=(
                Flag("watch", "bool", short="w", default=True, help="Watch the status of the rollout until it's done."),
                Flag("revision", "int", help="Pin to a specific revision for showing its status."),
                Flag("timeout", "duration", help="The length of time to wait before ending watch, zero means never."),
                *WHICH,
            ),
            usage="rollout status (TYPE NAME | TYPE/NAME) [flags]",
            short="Show the status of the rollout",
        ),
        Verb(
            "history",
            show,
            flags=(Flag("revision", "int", help="See the details of the revision specified"), *WHICH, *output.FLAGS),
            usage="rollout history (TYPE NAME | TYPE/NAME) [flags]",
            short="View rollout history",
        ),
        Verb(
            "undo",
            undo,
            flags=(
                Flag("to-revision", "int", help="The revision to rollback to. Default to 0 (last revision)."),
                DRY_RUN,
                *WHICH,
                *output.FLAGS,
            ),
            usage="rollout undo (TYPE NAME | TYPE/NAME) [flags]",
            short="Undo a previous rollout",
        ),
        *(
            Verb(
                name,
                run,
                flags=(MANAGER, *WHICH, *output.FLAGS),
                usage=f"rollout {name} RESOURCE",
                short=short,
            )
            for name, run, short in (
                ("restart", restart, "Restart a resource"),
                ("pause", pause, "Mark the provided resource as paused"),
                ("resume", resume, "Resume a paused resource"),
            )
        ),
    ),
    usage="rollout SUBCOMMAND",
    short="Manage the rollout of a resource",
    helpful=True,
)

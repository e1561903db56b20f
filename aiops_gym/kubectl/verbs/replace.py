"""`kubectl replace`."""

from __future__ import annotations

from dataclasses import replace

from aiops_gym.clients.flags import Flag
from aiops_gym.kubectl import raw
from aiops_gym.kubectl.applying import (
    LAST_APPLIED,
    add_last_applied,
    annotations_of,
    make_validation_query,
    read_files,
    read_validation,
)
from aiops_gym.kubectl.changes import SAVING, VALIDATE, prepare, read_dry_run, report
from aiops_gym.kubectl.errors import Failure, Failures, KubectlError, ServerError
from aiops_gym.kubectl.filed import Info
from aiops_gym.kubectl.targets import FILES, Selection
from aiops_gym.kubectl.verb import Invocation, Verb
from aiops_gym.kubectl.verbs.delete import DELETING, check_cascade, remove
from aiops_gym.sim.golang.literals import go_quote
from aiops_gym.sim.kernel.objects import get
from aiops_gym.types import Json, Request


def run(call: Invocation) -> int | None:
    """Put the objects of files in the place of those in the cluster."""
    flags, _ = call.flags, read_validation(call)
    shown = prepare(call)
    call.client.configure()
    check_cascade(call)
    if flags.number("grace-period") >= 0 and not flags.on("force"):
        raise Failure("--grace-period must have --force specified")
    if flags.seconds("timeout") and not flags.on("force"):
        raise Failure("--timeout must have --force specified")
    if flags.text("raw"):
        raw.act(call, "update")
        return None
    selection = read_files(call)
    if flags.on("force"):
        _clear(call, selection)
    done: list[Info] = []

    def put(info: Info) -> None:
        done.append(info)
        report(call, info.resource, _replaced(call, info, recreate=flags.on("force")), "replaced", shown=shown)

    if errors := selection.each(put):
        raise Failures(errors)
    if not done:
        raise Failure("no objects passed to replace")
    return None


def _clear(call: Invocation, selection: Selection) -> None:
    """Delete what is to be made anew. Raises KubectlError."""
    infos, errors = selection.visit()
    if infos:
        places: list[Info | KubectlError] = [replace(info, obj=None) for info in infos]
        grace = call.flags.number("grace-period")
        remove(call, replace(selection, named=places), grace=grace or 1, lenient=True, late="context deadline exceeded")
    if len(errors) == 1 and not infos:
        raise errors[0]
    if errors:
        raise KubectlError("".join(f"{error.inner}\n" for error in errors))


def _replaced(call: Invocation, info: Info, *, recreate: bool) -> Json:
    obj, asked = info.obj, make_validation_query(call, "kubectl-replace")
    if call.flags.on("save-config") or LAST_APPLIED in annotations_of(obj):
        obj = add_last_applied(obj)
    if read_dry_run(call) == "client":
        return obj
    try:
        if recreate:
            return call.client.create(info.resource, obj, info.namespace, **asked)
        if not get(obj, "metadata", "resourceVersion"):
            obj = _versioned(call, info, obj)
        return call.client.update(info.resource, obj, info.namespace, call.flags.text("subresource"), **asked)
    except ServerError as error:
        raise (error if recreate else error.about("replacing", info.source)) from None
    except Failure as error:
        raise Failure(f"error when replacing {go_quote(info.source)}: {error.inner}") from None


def _versioned(call: Invocation, info: Info, obj: Json) -> Json:
    """The object with the version that is in the cluster now: replace overwrites."""
    below = call.flags.text("subresource")
    answer = call.client.cluster.handle(Request("get", info.resource.name, info.namespace, info.name, below))
    if answer.code >= 400:
        return obj
    version = answer.body["metadata"]["resourceVersion"]
    return {**obj, "metadata": {**obj["metadata"], "resourceVersion": version}}


verb = Verb(
    "replace",
    run,
    flags=(
        Flag("save-config", "bool", help="If true, the configuration will be saved in its annotation."),
        Flag("raw", help="Raw URI to PUT to the server."),
        Flag("subresource", help="If specified, replace will operate on the subresource of the requested object."),
        VALIDATE,
        *DELETING,
        *FILES,
        *SAVING,
    ),
    usage="replace -f FILENAME",
    short="Replace a resource by file name or stdin",
)

"""`kubectl create`: from files, or one of the modules of `creating/`."""

from __future__ import annotations

from aiops_gym.clients.flags import Flag
from aiops_gym.kubectl import output, raw
from aiops_gym.kubectl.applying import (
    add_last_applied,
    make_validation_query,
    read_files,
    read_validation,
    require_files,
)
from aiops_gym.kubectl.changes import CHANGING, VALIDATE, read_dry_run, report
from aiops_gym.kubectl.errors import Failure, Failures, ServerError, UsageFailure
from aiops_gym.kubectl.filed import Info
from aiops_gym.kubectl.targets import FILES, SELECTOR
from aiops_gym.kubectl.verb import Invocation, Verb
from aiops_gym.scan import scan


def run(call: Invocation) -> int | None:
    """Create the objects of files."""
    if call.args:
        raise UsageFailure(f"Unexpected args: [{' '.join(call.args)}]")
    mode = read_dry_run(call)
    read_validation(call)
    shown, done = output.choose_printer(call), list[Info]()
    require_files(call)
    if call.flags.text("raw"):
        raw.act(call, "create")
        return None

    def put(info: Info) -> None:
        done.append(info)
        obj = add_last_applied(info.obj) if call.flags.on("save-config") else info.obj
        try:
            if mode != "client":
                asked = make_validation_query(call, "kubectl-create")
                obj = call.client.create(info.resource, obj, info.namespace, **asked)
        except ServerError as error:
            raise error.about("creating", info.source) from None
        report(call, info.resource, obj, "created", shown=shown)

    if errors := read_files(call).each(put):
        raise Failures(errors)
    if not done:
        raise Failure("no objects passed to create")
    return None


verb = Verb(
    "create",
    run,
    flags=(
        Flag("edit", "bool", help="Edit the API resource before creating"),
        Flag("raw", help="Raw URI to POST to the server."),
        Flag("save-config", "bool", help="If true, the configuration will be saved in its annotation."),
        Flag("windows-line-endings", "bool", help="Only relevant if --edit=true."),
        VALIDATE,
        SELECTOR,
        *FILES,
        *CHANGING,
    ),
    verbs=tuple(scan("aiops_gym.kubectl.creating", "verb").values()),
    usage="create -f FILENAME",
    short="Create a resource from a file or from stdin",
)

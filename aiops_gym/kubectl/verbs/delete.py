"""`kubectl delete`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from aiops_gym.clients.flags import Flag
from aiops_gym.kubectl import raw
from aiops_gym.kubectl.changes import DRY_RUN, SUFFIX, read_dry_run
from aiops_gym.kubectl.client import kind_group
from aiops_gym.kubectl.errors import Failure, Failures, KubectlError, ServerError, gather
from aiops_gym.kubectl.filed import Info
from aiops_gym.kubectl.targets import EVERYWHERE, FIELDS, FILES, SELECTOR, Selection, select
from aiops_gym.kubectl.verb import Invocation, Verb
from aiops_gym.kubectl.waiting import wait_until
from aiops_gym.sim.golang.literals import go_quote
from aiops_gym.sim.kernel.objects import get
from aiops_gym.types import Request

WEEK = 168 * 3600.0
"""Seconds that kubectl waits when it is told to wait for ever."""

AT_ONCE = (
    "Warning: Immediate deletion does not wait for confirmation that the running resource has been terminated. "
    "The resource may continue to run on the cluster indefinitely."
)
CASCADE = {
    "background": "Background",
    "true": "Background",
    "orphan": "Orphan",
    "false": "Orphan",
    "foreground": "Foreground",
}


def run(call: Invocation) -> int | None:
    """Delete objects, and wait until they are gone."""
    flags = call.flags
    if flags.text("raw"):
        if flags.on("interactive"):
            raise Failure("--interactive can not be used with --raw")
        raw.act(call, "delete")
        return None
    grace = _grace(call)
    check_cascade(call)
    read_dry_run(call)
    selection = select(
        call,
        call.args,
        everything=flags.on("all"),
    )
    if flags.text("output") not in ("", "name"):
        raise Failure(f"unexpected -o output mode: {flags.text('output')}. We only support '-o name'")
    if flags.on("force"):
        if grace > 0:
            raise Failure("--force and --grace-period greater than 0 cannot be specified together")
        call.warn(AT_ONCE)
    if flags.on("interactive") and not _confirmed(call, selection):
        return None
    searching = flags.on("all") or flags.text("selector") or flags.text("field-selector")
    lenient = flags.on("ignore-not-found") if flags.given("ignore-not-found") else bool(searching)
    remove(call, selection, grace=grace, lenient=lenient)
    return None


def _confirmed(call: Invocation, selection: Selection) -> bool:
    """Show what would be deleted, and read the answer."""
    infos, errors = selection.visit()
    if errors:
        raise Failures(errors)
    if not infos:
        return True
    call.say(f"You are about to delete the following {len(infos)} resource(s):")
    for info in infos:
        call.say(f"{kind_group(info.resource)}/{info.name}")
    call.write("Do you want to continue? (y/n): ")
    if call.context.stdin.strip().lower()[:1] == "y":
        return True
    call.say("deletion is cancelled")
    return False


def remove(
    call: Invocation, selection: Selection, *, grace: int, lenient: bool, quiet: bool = False, late: str = ""
) -> None:
    """Delete what is selected, say so, and wait for it; `late` is said where that takes too long. Raises Failures."""
    deleted: list[Info] = []
    errors: list[KubectlError] = []
    wanted, unread = _wanted(selection)
    warned = not (call.client.explicit and not call.flags.values.get("all-namespaces"))
    for info in wanted:
        if not info.resource.namespaced and not warned:
            call.warn("Warning: deleting cluster-scoped resources, not scoped to the provided namespace")
            warned = True
        try:
            if info.wrong is not None:
                raise info.wrong
            deleted.append(info)
            _delete(call, info, grace, quiet)
        except ServerError as error:
            if not (lenient and error.reason == "NotFound"):
                errors.append(error.about("deleting", info.source) if info.source else error)
        except Failure as error:
            errors.append(error)
    if errors := gather(unread, errors):
        raise Failures(errors)
    if not deleted:
        call.say("No resources found")
    elif call.flags.on("wait") and read_dry_run(call) == "none":
        _wait(call, deleted, late)


def _wanted(selection: Selection) -> tuple[list[Info], list[KubectlError]]:
    """What to delete, and what could not be read: names are not looked up first, searches are."""
    found = [info for info in selection.named if isinstance(info, Info) and selection.takes(info)]
    unread = [error for error in selection.named if isinstance(error, KubectlError)]
    for query in selection.queries:
        more, failed = Selection(selection.client, [], [query], single=False).visit()
        found += more
        unread += failed
    return found, unread


def _delete(call: Invocation, info: Info, grace: int, quiet: bool) -> None:
    mode = read_dry_run(call)
    options: dict[str, Any] = {"propagationPolicy": _cascade(call.flags.text("cascade"))}
    if grace >= 0:
        options["gracePeriodSeconds"] = grace
    if mode == "server":
        options["dryRun"] = ["All"]
    if not info.name:
        raise Failure(f"error when deleting {go_quote(info.source)}: resource name may not be empty")
    if mode != "client":
        answer = call.client.delete(info.resource, info.name, info.namespace, options)
        info.obj = {"metadata": {"uid": get(answer, "metadata", "uid") or get(answer, "details", "uid")}}
    if quiet:
        return
    if call.flags.values.get("output") == "name":
        call.say(f"{kind_group(info.resource)}/{info.name}")
        return
    operation = "force deleted" if grace == 0 else "deleted"
    call.say(f'{kind_group(info.resource)} "{info.name}" {operation}{SUFFIX[mode]}')


def _wait(call: Invocation, deleted: list[Info], late: str) -> None:
    """Wait until all are gone. Raises Failures for those that take too long."""
    errors: list[KubectlError] = []
    for info in deleted:
        end = wait_until(call.client.cluster, _gone(call, info), call.flags.seconds("timeout") or WEEK)
        if end == "stopped":
            return
        if end == "timeout":
            what = f"timed out waiting for the condition on {info.resource.plural}/{info.name}"
            errors.append(Failure(late or what))
    if errors:
        raise Failures(errors)


def _gone(call: Invocation, info: Info) -> Callable[[], bool]:
    uid = get(info.obj or {}, "metadata", "uid")

    def gone() -> bool:
        answer = call.client.cluster.handle(Request("get", info.resource.name, info.namespace, info.name))
        return answer.code >= 400 or (uid is not None and answer.body["metadata"].get("uid") != uid)

    return gone


def _grace(call: Invocation) -> int:
    """Seconds of grace, -1 for what each object says. Zero needs --force."""
    grace, force = call.flags.number("grace-period"), call.flags.on("force")
    if call.flags.on("now"):
        if grace != -1:
            raise Failure("--now and --grace-period cannot be specified together")
        grace = 1
    if grace == 0 and not force:
        return 1
    return 0 if force and grace < 0 else grace


def _cascade(word: str) -> str:
    if word not in CASCADE:
        raise Failure(f'invalid cascade value ({word}). Must be "background", "foreground", or "orphan"')
    return CASCADE[word]


def check_cascade(call: Invocation) -> None:
    """Refuse a `--cascade` that is none, and warn of an old one. Raises Failure."""
    word = call.flags.text("cascade")
    if word in ("true", "false"):
        new = CASCADE[word].lower()
        call.warn(f"warning: --cascade={word} is deprecated (boolean value) and can be replaced with --cascade={new}.")
    _cascade(word)


WAIT = Flag("wait", "bool", default=True, help="If true, wait for resources to be gone before returning.")
DELETING = (
    Flag("cascade", default="background", bare="background", help='Must be "background", "orphan", or "foreground".'),
    Flag("force", "bool", help="If true, immediately remove resources from API and bypass graceful deletion."),
    Flag("grace-period", "int", default=-1, help="Period of time in seconds given to the resource to terminate."),
    Flag("timeout", "duration", help="The length of time to wait before giving up on a delete."),
    WAIT,
)
verb = Verb(
    "delete",
    run,
    flags=(
        Flag("all", "bool", help="Delete all resources, in the namespace of the specified resource types."),
        Flag("ignore-not-found", "bool", help='Treat "resource not found" as a successful delete.'),
        Flag("interactive", "bool", short="i", help="If true, delete resource only when user confirms."),
        Flag("now", "bool", help="If true, resources are signaled for immediate shutdown."),
        Flag("output", short="o", help='Output mode. Use "-o name" for shorter output (resource/name).'),
        Flag("raw", help="Raw URI to DELETE to the server."),
        *DELETING,
        SELECTOR,
        FIELDS,
        EVERYWHERE,
        *FILES,
        DRY_RUN,
    ),
    usage="delete ([-f FILENAME] | [-k DIRECTORY] | TYPE [(NAME | -l label | --all)])",
    short="Delete resources by file names, stdin, resources and names, or by resources and label selector",
)

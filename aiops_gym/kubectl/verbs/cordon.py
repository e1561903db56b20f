"""`kubectl cordon`, and what `uncordon` and `drain` share with it."""

from __future__ import annotations

from aiops_gym.kubectl.changes import DRY_RUN, read_dry_run, report
from aiops_gym.kubectl.client import find_resource
from aiops_gym.kubectl.errors import Failure, Failures, KubectlError, ServerError, UsageFailure
from aiops_gym.kubectl.filed import Info
from aiops_gym.kubectl.targets import SELECTOR, select
from aiops_gym.kubectl.verb import Invocation, Verb
from aiops_gym.sim.kernel.objects import get


def select_nodes(call: Invocation) -> list[Info]:
    """The nodes that a command is about. Raises Failure."""
    labels = call.flags.text("selector")
    if labels and call.args:
        raise UsageFailure("cannot specify both a node name and a --selector option")
    if not labels and not call.args:
        raise UsageFailure(f"USAGE: {call.path.removeprefix('kubectl ')} NODE [flags]")
    read_dry_run(call)
    call.client.configure()
    words = [word if "/" in word else f"node/{word}" for word in call.args] or ["nodes"]
    return select(call, words, empty_selector=bool(labels), keep_going=False).infos()


def mark(call: Invocation, info: Info, unschedulable: bool) -> None:
    """Close a node for new pods, or open it. Raises Failure."""
    word = "cordon" if unschedulable else "uncordon"
    if bool(get(info.obj, "spec", "unschedulable")) == unschedulable:
        report(call, info.resource, info.obj, f"already {word}ed")
        return
    if read_dry_run(call) != "client":
        patch = {"spec": {"unschedulable": True if unschedulable else None}}
        try:
            call.client.patch(find_resource("nodes"), info.name, patch, query=query_of(call))
        except ServerError as error:
            raise Failure(f"unable to {word} node {info.name}: {error.message}") from None
    report(call, info.resource, info.obj, f"{word}ed")


def query_of(call: Invocation) -> dict[str, str]:
    """The parameters of a request about a node."""
    return {"dryRun": "All"} if read_dry_run(call) == "server" else {}


def run(call: Invocation) -> int | None:
    """Close nodes for new pods."""
    return _each(call, True)


def run_uncordon(call: Invocation) -> int | None:
    """Open nodes for new pods."""
    return _each(call, False)


def _each(call: Invocation, unschedulable: bool) -> int | None:
    errors: list[KubectlError] = []
    for info in select_nodes(call):
        try:
            mark(call, info, unschedulable)
        except KubectlError as error:
            errors.append(error)
    if errors:
        raise Failures(errors)
    return None


FLAGS = (DRY_RUN, SELECTOR)
verb = Verb("cordon", run, flags=FLAGS, usage="cordon NODE", short="Mark node as unschedulable")

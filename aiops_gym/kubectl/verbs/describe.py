"""`kubectl describe`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from aiops_gym.clients.flags import Flag
from aiops_gym.kubectl.describe import View, describe
from aiops_gym.kubectl.errors import Failure, Failures, KubectlError, ServerError, join
from aiops_gym.kubectl.filed import Info
from aiops_gym.kubectl.targets import EVERYWHERE, FILES, SELECTOR, select
from aiops_gym.kubectl.verb import Invocation, Verb


def run(call: Invocation) -> int | None:
    """Print what is known of objects, with their events."""
    flags = call.flags
    files = flags.items("filename")
    if not call.args and not files:
        raise Failure(
            "You must specify the type of resource to describe. "
            'Use "kubectl api-resources" for a complete list of supported resources.'
        )
    everywhere = flags.on("all-namespaces")
    selection = select(
        call,
        call.args,
        empty_selector=True,
    )
    infos, errors = selection.visit()
    view = View(call.client.cluster, flags.on("show-events"))
    if len(errors) == 1 and len(call.args) == 2 and _not_found(errors[0]):
        _by_prefix(call, view, errors[0])
        return None
    texts: list[str] = []
    failed: dict[str, KubectlError] = {}
    for info in infos:
        try:
            obj = call.client.get(info.resource, info.name, info.namespace) if info.source else info.obj
            texts.append(_text(view, replace(info, obj=obj)))
        except KubectlError as error:
            failed.setdefault(error.text, error)
    call.write("\n\n".join(texts))
    errors = [join(errors)] if errors and failed else selection.told(errors)
    if errors or failed:
        raise Failures([*errors, *failed.values()])
    if not infos:
        call.warn("No resources found" if everywhere else f"No resources found in {call.namespace} namespace.")
    return None


def _text(view: View, info: Info) -> str:
    return describe(view, info.resource.name, info.resource.kind, info.obj)


def _not_found(error: KubectlError) -> bool:
    return isinstance(error, ServerError) and error.reason == "NotFound"


def _by_prefix(call: Invocation, view: View, error: KubectlError) -> None:
    """Describe all objects whose names begin with what was typed. Raises the first error when there are none."""
    kind, prefix = call.args
    found: Sequence[Info] = select(call, [kind], labels="", empty_selector=True).infos()
    matching = [info for info in found if info.name.startswith(prefix)]
    if not matching:
        raise error
    for info in matching:
        call.say(_text(view, info))


verb = Verb(
    "describe",
    run,
    flags=(
        *FILES,
        SELECTOR,
        EVERYWHERE,
        Flag("show-events", "bool", default=True, help="If true, display events related to the described object."),
        Flag("chunk-size", "int", default=500, help="Return large lists in chunks rather than all at once."),
    ),
    usage="describe (-f FILENAME | TYPE [NAME_PREFIX | -l label] | TYPE/NAME)",
    short="Show details of a specific resource or group of resources",
)

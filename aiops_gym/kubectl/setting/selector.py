"""`kubectl set selector`."""

from __future__ import annotations

from typing import Any

from aiops_gym.clients.flags import Flag
from aiops_gym.kubectl.changes import prepare
from aiops_gym.kubectl.errors import Failure, gather
from aiops_gym.kubectl.filed import Info
from aiops_gym.kubectl.pairs import parse_selector
from aiops_gym.kubectl.podspec import RECORDING, finish, patch_each, read_selection
from aiops_gym.kubectl.verb import Invocation, Verb


def run(call: Invocation) -> int | None:
    """Change which pods a service sends its traffic to."""
    prepare(call)
    if not call.args:
        raise Failure("one selector is required")
    *resources, words = call.args
    infos, before = read_selection(call, resources).visit()
    selector = parse_selector(words)

    def change(info: Info) -> Any:
        if info.resource.kind != "Service":
            raise Failure("setting a selector is only supported for Services")
        if rows := selector.get("matchExpressions"):
            shown = " ".join(f"{{{r['key']} {r['operator']} [{' '.join(r.get('values') or ())}]}}" for r in rows)
            raise Failure(f"match expression [{shown}] not supported on this object")
        wanted = selector.get("matchLabels") or {}
        present = info.obj["spec"].get("selector") or {}
        changes = {key: None for key in present if key not in wanted} | wanted
        return {"spec": {"selector": changes}} if present != wanted else None

    failed = "failed to patch selector"
    errors = patch_each(call, infos, change, done="selector updated", failed=failed, named=False)
    finish(gather(before, errors) if call.flags.items("filename") else [*errors, *before])
    return None


verb = Verb(
    "selector",
    run,
    flags=(
        Flag("resource-version", help="The update will only succeed if this is the current version."),
        Flag("recursive", "bool", short="R", default=True, help="Process the directory used in -f recursively."),
        *(flag for flag in RECORDING if flag.name not in ("selector", "kustomize")),
    ),
    usage="set selector (-f FILENAME | TYPE NAME) EXPRESSIONS [--resource-version=version]",
    short="Set the selector on a resource",
)

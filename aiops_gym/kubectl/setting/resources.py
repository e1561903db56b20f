"""`kubectl set resources`."""

from __future__ import annotations

from typing import Any

from aiops_gym.clients.flags import Flag
from aiops_gym.kubectl.errors import Failure, Failures
from aiops_gym.kubectl.filed import Info
from aiops_gym.kubectl.podspec import (
    RECORDING,
    choose_containers,
    find_pod_spec,
    finish,
    patch_each,
    read_infos,
    wrap_patch,
)
from aiops_gym.kubectl.verb import Invocation, Verb
from aiops_gym.sim.kernel import quantity


def run(call: Invocation) -> int | None:
    """Change requests and limits of containers."""
    infos = read_infos(call, call.args)
    limits, requests = call.flags.text("limits"), call.flags.text("requests")
    if not limits and not requests:
        raise Failure("you must specify an update to requests or limits (in the form of --requests/--limits)")
    wanted = {name: parse_amounts(text) for name, text in (("limits", limits), ("requests", requests)) if text}
    pattern = call.flags.text("containers")
    missing: list[Failure] = []

    def change(info: Info) -> Any:
        spec = find_pod_spec(info)
        found = [
            (field, c)
            for field in ("initContainers", "containers")
            for c in choose_containers(spec.get(field) or (), pattern)
        ]
        if not found:
            missing.append(Failure(f"error: unable to find container named {pattern}"))
            return None
        changed: dict[str, list[Any]] = {}
        for field, container in found:
            present = container.get("resources") or {}
            if any((present.get(name) or {}).get(k) != v for name, part in wanted.items() for k, v in part.items()):
                changed.setdefault(field, []).append({"name": container["name"], "resources": wanted})
        return wrap_patch(info, changed) if changed else None

    errors = patch_each(
        call,
        infos,
        change,
        done="resource requirements updated",
        failed="failed to patch resources update to pod template",
        colon=False,
    )
    if missing:
        raise Failures([*missing, *errors])
    finish(errors)
    return None


def parse_amounts(text: str) -> dict[str, str]:
    """`cpu=200m,memory=512Mi` as a resource list. Raises Failure."""
    found = {}
    for part in text.split(","):
        name, equals, amount = part.partition("=")
        if not equals or "=" in amount:
            raise Failure(f"Invalid argument syntax {part}, expected <resource>=<value>")
        try:
            found[name] = quantity.canonical(amount)
        except ValueError as error:
            raise Failure(str(error)) from None
    return found


verb = Verb(
    "resources",
    run,
    flags=(
        Flag("containers", short="c", default="*", help="The names of containers to change; may use wildcards."),
        Flag("limits", help="The resource requirement limits for this container."),
        Flag("requests", help="The resource requirement requests for this container."),
        *RECORDING,
    ),
    usage="set resources (-f FILENAME | TYPE NAME)  ([--limits=LIMITS & --requests=REQUESTS]",
    short="Update resource requests/limits on objects with pod templates",
)

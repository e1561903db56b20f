"""`kubectl set serviceaccount`."""

from __future__ import annotations

from typing import Any

from aiops_gym.kubectl.changes import prepare
from aiops_gym.kubectl.errors import Failure
from aiops_gym.kubectl.filed import Info
from aiops_gym.kubectl.podspec import RECORDING, find_pod_spec, finish, patch_each, read_infos, wrap_patch
from aiops_gym.kubectl.targets import SELECTOR
from aiops_gym.kubectl.verb import Invocation, Verb


def run(call: Invocation) -> int | None:
    """Change the service account that pods run as."""
    prepare(call)
    if not call.args:
        raise Failure("serviceaccount is required")
    *resources, account = call.args
    infos = read_infos(call, resources)

    def change(info: Info) -> Any:
        if find_pod_spec(info).get("serviceAccountName") == account:
            return None
        return wrap_patch(info, {"serviceAccountName": account})

    failed = "failed to patch ServiceAccountName"
    finish(patch_each(call, infos, change, done="serviceaccount updated", failed=failed, colon=False))
    return None


verb = Verb(
    "serviceaccount",
    run,
    flags=tuple(flag for flag in RECORDING if flag != SELECTOR),
    aliases=("sa",),
    usage="set serviceaccount (-f FILENAME | TYPE NAME) SERVICE_ACCOUNT",
    short="Update the service account of a resource",
)

"""What all verbs that change something share: dry runs, what they say, and how they ask."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Final

from aiops_gym.clients.flags import Flag
from aiops_gym.kubectl import output
from aiops_gym.kubectl.client import api_version, kind_group
from aiops_gym.kubectl.errors import Failure
from aiops_gym.kubectl.verb import Invocation
from aiops_gym.sim.kube_api.resources import Resource
from aiops_gym.types import Json

DRY_RUN: Final = Flag("dry-run", default="none", bare="unchanged", help='Must be "none", "server", or "client".')
MANAGER: Final = Flag("field-manager", help="Name of the manager used to track field ownership.")
RECORD: Final = Flag(
    "record", "bool", help="Record current kubectl command.", deprecated="--record will be removed in the future"
)
LOCAL: Final = Flag("local", "bool", help="If true, will NOT contact api-server but run locally.")
ALL: Final = Flag("all", "bool", help="Select all resources in the namespace of the specified resource types.")
VALIDATE: Final = Flag("validate", default="strict", bare="strict", help="Must be one of: strict, warn, ignore.")
SAVING: Final = (DRY_RUN, MANAGER, *output.FLAGS)
"""The flags of verbs that change something."""

CHANGING: Final = (*SAVING, RECORD)
"""Those of the older ones, which could write the command line down."""

DEPRECATED: Final = "--dry-run is deprecated and can be replaced with --dry-run=client."
SUFFIX: Final[Mapping[str, str]] = {"none": "", "client": " (dry run)", "server": " (server dry run)"}


def read_dry_run(call: Invocation, bare: str = "") -> str:
    """`none`, `client` or `server`; `bare` is what the flag means without a value. Raises Failure."""
    value = call.flags.text("dry-run")
    if value == "unchanged":
        if not any("deprecated and can be replaced" in line for _, line in call.pieces):
            stamp = datetime.fromtimestamp(call.client.cluster.now(), UTC)
            call.warn(f"W{stamp:%m%d %H:%M:%S.%f}     100 helpers.go:702] {DEPRECATED}")
        return bare or "client"
    if value not in SUFFIX:
        raise Failure(f'Invalid dry-run value ({value}). Must be "none", "server", or "client".')
    return value


def prepare(call: Invocation) -> output.Printer | None:
    """The printer of `-o`, after a look at `--dry-run`: most verbs do both before anything else. Raises Failure."""
    read_dry_run(call)
    return output.choose_printer(call)


def make_query(call: Invocation, manager: str) -> dict[str, str]:
    """The parameters of a request that changes something."""
    found = {"fieldManager": call.flags.values.get("field-manager") or manager}
    if "dry-run" in call.flags.values and read_dry_run(call) == "server":
        found["dryRun"] = "All"
    return found


def report(
    call: Invocation,
    resource: Resource,
    obj: Json,
    operation: str,
    *,
    mode: str | None = None,
    shown: output.Printer | None = None,
) -> None:
    """Say what was done to an object, or print it as `-o` asks; `shown` where one printer serves several objects."""
    if shown is None and "output" in call.flags.values:
        shown = output.choose_printer(call)
    if shown is not None:
        call.write(shown.one(add_kind(resource, obj)))
        return
    if mode is None:
        mode = read_dry_run(call) if "dry-run" in call.flags.values else "none"
    name = (obj.get("metadata") or {}).get("name") or "<unknown>"
    call.say(f"{kind_group(resource)}/{name} {operation}{SUFFIX[mode]}")


def add_kind(resource: Resource, obj: Json) -> Json:
    """The object with its kind, which the items of a list do not carry."""
    return obj if "kind" in obj else {"apiVersion": api_version(resource), "kind": resource.kind, **obj}

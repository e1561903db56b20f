"""`kubectl version`"""

from __future__ import annotations

from typing import Any, Final

import orjson

from aiops_gym.clients import as_yaml
from aiops_gym.clients.flags import Flag
from aiops_gym.kubectl.errors import Failure
from aiops_gym.kubectl.verb import Invocation, Verb
from aiops_gym.sim.kube_api import VERSION

KUSTOMIZE: Final = "v5.5.0"
CLIENT: Final[dict[str, Any]] = {
    "major": "1",
    "minor": "32",
    "gitVersion": "v1.32.1",
    "gitCommit": "e9c9be4007d1664e68796af02b8978640d2c1b26",
    "gitTreeState": "clean",
    "buildDate": "2025-01-15T14:40:53Z",
    "goVersion": "go1.23.4",
    "compiler": "gc",
    "platform": "linux/amd64",
}


def run(call: Invocation) -> int | None:
    """Print the versions of client and server."""
    output = call.flags.text("output")
    if call.args:
        raise Failure(f"extra arguments: [{' '.join(call.args)}]")
    if output not in ("", "yaml", "json"):
        raise Failure("--output must be 'yaml' or 'json'")
    found: dict[str, Any] = {"clientVersion": CLIENT, "kustomizeVersion": KUSTOMIZE}
    if not call.flags.on("client"):
        found["serverVersion"] = VERSION
    if output == "json":
        call.write(orjson.dumps(found, option=orjson.OPT_INDENT_2).decode() + "\n")
    elif output == "yaml":
        call.write(as_yaml.text(found) + "\n")
    else:
        call.say(f"Client Version: {CLIENT['gitVersion']}")
        call.say(f"Kustomize Version: {KUSTOMIZE}")
        if not call.flags.on("client"):
            call.say(f"Server Version: {VERSION['gitVersion']}")
    return 0


verb = Verb(
    "version",
    run,
    flags=(
        Flag("client", "bool", help="If true, shows client version only (no server required)."),
        Flag("output", short="o", help="One of 'yaml' or 'json'."),
    ),
    usage="version [flags]",
    short="Print the client and server version information",
)

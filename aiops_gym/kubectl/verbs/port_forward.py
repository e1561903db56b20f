"""`kubectl port-forward`: the connection it needs cannot be made from here."""

from __future__ import annotations

from aiops_gym.clients.flags import Flag
from aiops_gym.kubectl.errors import Failure, UsageFailure
from aiops_gym.kubectl.targets import select
from aiops_gym.kubectl.verb import Invocation, Verb
from aiops_gym.sim.kernel.objects import get


def run(call: Invocation) -> int | None:
    """Check what is asked for, then fail to upgrade the connection."""
    if len(call.args) < 2:
        raise UsageFailure("TYPE/NAME and list of ports are required for port-forward")
    word = call.args[0]
    target = word if "/" in word else f"pod/{word}"
    (info,) = select(call, [target], latest=True).infos()
    phase = get(info.obj, "status", "phase", default="")
    if info.resource.kind == "Pod" and phase != "Running":
        raise Failure(f"unable to forward port because pod is not running. Current status={phase}")
    raise Failure("error upgrading connection: unable to upgrade connection: Forbidden")


verb = Verb(
    "port-forward",
    run,
    flags=(
        Flag("address", "list", default=("localhost",), help="Addresses to listen on (comma separated)."),
        Flag("pod-running-timeout", "duration", default=60.0, help="How long to wait until a pod is running."),
    ),
    usage="port-forward TYPE/NAME [options] [LOCAL_PORT:]REMOTE_PORT [...[LOCAL_PORT_N:]REMOTE_PORT_N]",
    short="Forward one or more local ports to a pod",
)

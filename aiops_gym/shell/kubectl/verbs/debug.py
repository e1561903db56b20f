"""`kubectl debug`: not possible from this shell, and it says so."""

from __future__ import annotations

from aiops_gym.shell.kubectl.errors import Failure
from aiops_gym.shell.kubectl.flags import Flag
from aiops_gym.shell.kubectl.verb import Invocation, Verb


def run(call: Invocation) -> int | None:
    """Refuse."""
    raise Failure(
        'Create debugging sessions for troubleshooting workloads and nodes|ephemeral containers are disabled for this cluster (error from server: "the server could not find the requested resource").'
    )


verb = Verb(
    "debug",
    run,
    flags=(
        Flag("image", help="Container image to use for debug container."),
        Flag("stdin", "bool", short="i", help="Keep stdin open on the container(s) in the pod."),
        Flag("tty", "bool", short="t", help="Allocate a TTY for the debugging container."),
        Flag("target", help="Target processes in this container name."),
        Flag("container", short="c", help="Container name to use for debug container."),
        Flag("copy-to", help="Create a copy of the target Pod with this name."),
        Flag("profile", default="legacy", help="Options are legacy, general, baseline, netadmin, restricted."),
    ),
    usage="debug (POD ",
    short=" TYPE[[.VERSION].GROUP]/NAME) [ -- COMMAND [args...] ]",
)

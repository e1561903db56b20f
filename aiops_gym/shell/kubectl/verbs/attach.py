"""`kubectl attach`: not possible from this shell, and it says so."""

from __future__ import annotations

from aiops_gym.shell.kubectl.errors import Failure
from aiops_gym.shell.kubectl.flags import Flag
from aiops_gym.shell.kubectl.verb import Invocation, Verb


def run(call: Invocation) -> int | None:
    """Refuse."""
    raise Failure(
        "Attach to a running container|unable to upgrade connection: attaching is not offered here; use logs or exec"
    )


verb = Verb(
    "attach",
    run,
    flags=(
        Flag("container", short="c", help="Container name."),
        Flag("stdin", "bool", short="i", help="Pass stdin to the container"),
        Flag("tty", "bool", short="t", help="Stdin is a TTY"),
    ),
    usage="attach (POD ",
    short=" TYPE/NAME) -c CONTAINER",
)

"""`kubectl proxy`: not possible from this shell, and it says so."""

from __future__ import annotations

from aiops_gym.shell.kubectl.errors import Failure
from aiops_gym.shell.kubectl.flags import Flag
from aiops_gym.shell.kubectl.verb import Invocation, Verb


def run(call: Invocation) -> int | None:
    """Refuse."""
    raise Failure("listen tcp 127.0.0.1:8001: socket: operation not permitted")


verb = Verb(
    "proxy",
    run,
    flags=(Flag("port", "int", short="p", default=8001, help="The port on which to run the proxy."),),
    usage="proxy [--port=PORT] [--www=static-dir] [--www-prefix=prefix] [--api-prefix=prefix]",
    short="Run a proxy to the Kubernetes API server",
)

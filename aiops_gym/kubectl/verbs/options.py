"""`kubectl options`"""

from __future__ import annotations

from aiops_gym.kubectl import help
from aiops_gym.kubectl.verb import Invocation, Verb


def run(call: Invocation) -> int | None:
    """Print the flags of every command."""
    call.write(help.format_options())
    return 0


verb = Verb("options", run, usage="options", short="Print the list of flags inherited by all commands")

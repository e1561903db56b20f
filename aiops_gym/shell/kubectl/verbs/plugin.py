"""`kubectl plugin`: not possible from this shell, and it says so."""

from __future__ import annotations

from aiops_gym.shell.kubectl.errors import Failure
from aiops_gym.shell.kubectl.verb import Invocation, Verb


def run(call: Invocation) -> int | None:
    """Refuse."""
    raise Failure("unable to find any kubectl plugins in your PATH")


verb = Verb("plugin", run, usage="plugin [flags]", short="Provides utilities for interacting with plugins")

"""`hostname`: the name and addresses of the machine."""

from __future__ import annotations

from aiops_gym.clients.context import Context
from aiops_gym.shell.host import ADDRESS, NAME
from aiops_gym.types import Output


def run(context: Context, argv: list[str]) -> Output:
    """`hostname [-f|-s|-i|-I|-d]`; it cannot be changed."""
    flags = [word for word in argv[1:] if word.startswith("-")]
    if len(flags) < len(argv) - 1:
        return Output("", "hostname: you must be root to change the host name\n", 1)
    if "-i" in flags or "-I" in flags or "--ip-address" in flags:
        return Output(f"{ADDRESS}{' ' if '-I' in flags else ''}\n")
    return Output("\n" if "-d" in flags else f"{NAME}\n")

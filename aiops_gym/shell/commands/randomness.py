"""`openssl rand` and `uuidgen`: from the shell's own stream."""

from __future__ import annotations

from base64 import b64encode
from uuid import UUID

from aiops_gym.clients.context import Context
from aiops_gym.sim.kernel.digits import parse_natural
from aiops_gym.types import Output

NAMES = ("openssl", "uuidgen")
MOST = 65_536
"""Random bytes at once: more text than any observation holds."""


def _openssl(context: Context, argv: list[str]) -> Output:
    """`openssl rand [-hex|-base64] COUNT` and `openssl version`."""
    if argv[1:2] == ["version"]:
        return Output("OpenSSL 3.0.15 3 Sep 2024 (Library: OpenSSL 3.0.15 3 Sep 2024)\n")
    if argv[1:2] != ["rand"]:
        name = argv[1] if len(argv) > 1 else ""
        return Output("", f"Invalid command '{name}'; type \"help\" for a list.\n", 1)
    counts = [number for word in argv[2:] if (number := parse_natural(word)) is not None]
    if not counts or counts[0] > MOST:
        return Output("", "rand: Use -help for summary.\n", 1)
    data = bytes(int(context.draw() * 256) for _ in range(counts[0]))
    if "-hex" in argv:
        return Output(data.hex() + "\n")
    return Output(b64encode(data).decode() + "\n" if "-base64" in argv else data.decode("latin-1"))


def _uuidgen(context: Context, argv: list[str]) -> Output:
    """A version 4 UUID; all options are taken for `-r`."""
    number = int(context.draw() * 2**53) << 75 | int(context.draw() * 2**53) << 22 | int(context.draw() * 2**22)
    return Output(f"{UUID(int=number, version=4)}\n")


def run(context: Context, argv: list[str]) -> Output:
    """Something that nobody can guess."""
    return (_openssl if argv[0] == "openssl" else _uuidgen)(context, argv)

"""`uuidgen`: an identifier from the shell's own stream."""

from __future__ import annotations

from uuid import UUID

from aiops_gym.clients.context import Context
from aiops_gym.types import Output


def run(context: Context, argv: list[str]) -> Output:
    """A version 4 UUID; all options are taken for `-r`."""
    number = int(context.draw() * 2**53) << 75 | int(context.draw() * 2**53) << 22 | int(context.draw() * 2**22)
    return Output(f"{UUID(int=number, version=4)}\n")

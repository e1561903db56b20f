"""`uname`: the kernel of the machine."""

from __future__ import annotations

from aiops_gym.clients.context import Context
from aiops_gym.shell.host import KERNEL, NAME
from aiops_gym.types import Output

FIELDS = {
    "s": "Linux",
    "n": NAME,
    "r": KERNEL,
    "v": "#1 SMP PREEMPT_DYNAMIC Debian 6.1.119-1 (2024-11-22)",
    "m": "x86_64",
    "p": "unknown",
    "i": "unknown",
    "o": "GNU/Linux",
}
LONG = {"kernel-name": "s", "nodename": "n", "kernel-release": "r", "kernel-version": "v", "machine": "m", "all": "a"}
LONG |= {"processor": "p", "hardware-platform": "i", "operating-system": "o"}


def run(context: Context, argv: list[str]) -> Output:
    """`uname [-asnrvmpio]`."""
    asked = ""
    for word in argv[1:]:
        asked += LONG.get(word[2:], "?") if word.startswith("--") else word.lstrip("-")
    unknown = [letter for letter in asked if letter not in "asnrvmpio"]
    if unknown:
        return Output("", f"uname: invalid option -- '{unknown[0]}'\nTry 'uname --help' for more information.\n", 1)
    letters = "snrvmo" if "a" in asked else asked or "s"
    return Output(" ".join(FIELDS[letter] for letter in FIELDS if letter in letters) + "\n")

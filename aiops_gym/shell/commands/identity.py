"""`hostname`, `uname`, and who the user is, which is root."""

from __future__ import annotations

from aiops_gym.clients.context import Context
from aiops_gym.shell.host import ADDRESS, KERNEL, NAME
from aiops_gym.types import Output

NAMES = ("groups", "hostname", "id", "logname", "uname", "whoami")
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


def _hostname(context: Context, argv: list[str]) -> Output:
    """`hostname [-f|-s|-i|-I|-d]`; it cannot be changed."""
    flags = [word for word in argv[1:] if word.startswith("-")]
    if len(flags) < len(argv) - 1:
        return Output("", "hostname: you must be root to change the host name\n", 1)
    if "-i" in flags or "-I" in flags or "--ip-address" in flags:
        return Output(f"{ADDRESS}{' ' if '-I' in flags else ''}\n")
    return Output("\n" if "-d" in flags else f"{NAME}\n")


def _user(context: Context, argv: list[str]) -> Output:
    """`id [-u] [-g] [-n] [USER]`."""
    if argv[0] != "id":
        return Output("root\n")
    flags = "".join(word.lstrip("-") for word in argv[1:] if word.startswith("-"))
    users = [word for word in argv[1:] if not word.startswith("-")]
    if users and users[0] not in ("root", "0"):
        return Output("", f"id: ‘{users[0]}’: no such user\n", 1)
    if any(letter in flags for letter in "ugG"):
        return Output("root\n" if "n" in flags else "0\n")
    return Output("uid=0(root) gid=0(root) groups=0(root)\n")


def _uname(context: Context, argv: list[str]) -> Output:
    """`uname [-asnrvmpio]`."""
    asked = ""
    for word in argv[1:]:
        asked += LONG.get(word[2:], "?") if word.startswith("--") else word.lstrip("-")
    unknown = [letter for letter in asked if letter not in "asnrvmpio"]
    if unknown:
        return Output("", f"uname: invalid option -- '{unknown[0]}'\nTry 'uname --help' for more information.\n", 1)
    letters = "snrvmo" if "a" in asked else asked or "s"
    return Output(" ".join(FIELDS[letter] for letter in FIELDS if letter in letters) + "\n")


def run(context: Context, argv: list[str]) -> Output:
    """What the machine and its user are called."""
    return {"hostname": _hostname, "uname": _uname}.get(argv[0], _user)(context, argv)

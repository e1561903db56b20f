"""`id`, `whoami`, `groups`: the user is root."""

from __future__ import annotations

from aiops_gym.clients.context import Context
from aiops_gym.types import Output

NAMES = ("id", "whoami", "groups", "logname")


def run(context: Context, argv: list[str]) -> Output:
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

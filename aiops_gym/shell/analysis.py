"""What a call of a utility may do, from its words alone: change files, or start other commands."""

from __future__ import annotations

from collections.abc import Sequence

from aiops_gym.shell.awk import only_prints
from aiops_gym.shell.words import split_words

READERS = split_words(
    """
    : [ [[ true false test echo printf cat head tail grep egrep fgrep rg wc uniq cut tr rev tac nl fold column
    paste join comm diff cmp seq expr basename dirname realpath readlink pwd cd ls stat du df free date sleep
    env printenv id whoami hostname uname uptime ps top jq base64 md5sum sha1sum sha256sum cksum od xxd hexdump
    strings less more which type command hash let read exit return break continue shift set shopt export local
    declare unset alias unalias trap wait jobs true kill kubectl helm curl nc ping nslookup dig host bc numfmt
    tree file getent envsubst
    """
)
"""Commands that change no file by themselves; our own tell when they write."""

FLAT = (
    READERS | split_words("awk gawk mawk sed sort touch mkdir rm mv cp chmod ln tee history mktemp shuf clear")
) - split_words("bc expr test [ let command exec trap alias watch yq tree kill")
"""Commands that start no other and whose work does not nest: the stack of any thread is enough for them."""

WRAPPERS = split_words("xargs sudo env time timeout nohup nice command exec watch stdbuf")


def may_nest(argv: Sequence[str]) -> bool:
    """Whether a call may start others, or its work nest as deep as its input does."""
    name, *arguments = argv
    if name in FLAT:
        return False
    if name in ("find", "test", "[", "let"):
        return "-exec" in arguments or "-execdir" in arguments
    if name in ("sudo", "xargs"):
        rest = [word for word in arguments if not word.startswith("-")]
        return not rest or may_nest(rest)
    return True


def may_write(argv: Sequence[str]) -> bool:
    """Whether a call may change files."""
    name, *arguments = argv
    if name in READERS:
        return False
    if name in WRAPPERS:
        rest = [word for word in arguments if not word.startswith("-")]
        return not rest or rest[0] not in READERS
    if name == "sort":
        return any(a.startswith(("-o", "--output")) for a in arguments)
    if name in ("awk", "gawk", "mawk"):
        return any((_redirects(a) and not only_prints(a)) for a in arguments)
    if name == "sed":
        return any(a.startswith(("-i", "--in-place", "-n -i")) or "w " in a for a in arguments)
    return True


def _redirects(program: str) -> bool:
    return ">" in program and ("print" in program or "system" in program or "|" in program)

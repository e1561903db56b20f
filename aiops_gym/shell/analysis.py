"""What a call of a utility may do, from its words alone: change files, or start other commands."""

from __future__ import annotations

import re
from collections.abc import Sequence
from shlex import join as quoted
from typing import NamedTuple

from aiops_gym import caches
from aiops_gym.shell import chance, heavy
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

MOST_WORDS, LONGEST_WORD = 50, 1_000
"""Of calls that are kept."""

WRAPPERS = split_words("xargs sudo env time timeout nohup nice command exec watch stdbuf")


_TIMES = re.compile(r"-[no]t\b|newer|touch|cp|mv|rsync|tar|zip|install")
"""What calls that look at the times of files have in them; our own commands know them anyway."""

_STARTING = split_words("xargs find watch nice env make flock")
"""Utilities that start other commands: in a shell of their own, so that nothing of them is left for others."""

_ENVIRONMENT = frozenset({"-exec", "-execdir", "env", "envsubst", "printenv", "watch", "xargs"})
"""Words of calls to which the variables of their environment make a difference."""

_BINARY = split_words(
    """
    gzip gunzip bzip2 bunzip2 zcat bzcat tar xxd base64 base32 basenc openssl iconv zip unzip dd cat head tail tac cut
    tr
    """
)
"""Utilities that may print what is no text."""

CHECKED = split_words("nl xxd tar")
"""Utilities that are not called before they have been looked at by a command of ours: see `calls`."""


class Traits(NamedTuple):
    """What the words of a call say of it.

    Attributes:
        alone: it cannot run among others in a pipeline.
        writes: it may change files.
        nests: it may start others, or its work nest as deep as its input does.
        starts: it may start other commands.
        exports: the variables of its environment make a difference to it.
        timed: it looks at the times of files.
        keeps: files are as old after it as they were under other names before.
        binary: it may print what is no text.
        text: it as bash reads it; "" where files of the kernel, the clock or chance have a part in it.
    """

    alone: bool
    writes: bool
    nests: bool
    starts: bool
    exports: bool
    timed: bool
    keeps: bool
    binary: bool
    text: str


def look(argv: Sequence[str]) -> Traits:
    """Look at the words of a call.

    >>> look(["sort", "-r"]).text, look(["sort", "-R"]).text, look(["sort", "-o", "f"]).writes
    ('sort -r', '', True)
    """
    words = tuple(argv)
    return _look(words) if len(words) < MOST_WORDS and max(map(len, words)) < LONGEST_WORD else _look_anew(words)


def _look_anew(argv: tuple[str, ...]) -> Traits:
    name, text = argv[0], quoted(argv)
    starts = name in _STARTING or heavy.may_start(argv)
    endless = name in heavy.ENDLESS and not heavy.may_start(argv) and heavy.may_be_endless(argv)
    varies = "/dev/" in text or "/proc/" in text or name == "xargs" or (name in chance.AWKS and "-f" in argv)
    return Traits(
        alone=name in CHECKED or endless,
        writes=may_write(argv),
        nests=may_nest(argv),
        starts=starts,
        exports=not _ENVIRONMENT.isdisjoint(argv) or "ENVIRON" in text or "system" in text,
        timed=starts or _TIMES.search(text) is not None,
        keeps=name == "mv" or (name == "cp" and any(word[:1] == "-" and ("p" in word or "a" in word) for word in argv)),
        binary=name in _BINARY,
        text="" if varies or chance.is_chancy(argv) else text,
    )


@caches.function(512, "looking at a call of a utility")
def _look(argv: tuple[str, ...]) -> Traits:
    return _look_anew(argv)


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

"""`tar`: the interpreter packs a folder in no order, by the host's clock and as another user.

So the files are named one by one, sorted, the archive is made beside, and its headers are written anew: with the times
that the files have on the cluster's clock, and as the user that the shell is.
"""

from __future__ import annotations

import re
from posixpath import join
from shlex import join as quoted
from shlex import quote
from typing import NamedTuple

from aiops_gym.clients.context import Context
from aiops_gym.shell.drive import Drive
from aiops_gym.sim.kernel.digits import parse_natural

ORDER = "__tar"
"""What prints the script of a call of tar, and, with `STAMP`, writes an archive's headers anew."""

STAMP = "--stamp"
MADE = "/var/tmp/.archive"
"""Where an archive lies until its headers are right."""

BLOCK = 512
PACKERS = {"z": "gzip -c", "j": "bzip2 -c"}

_CREATES = re.compile(r"(?<![\w./-])tar\s+(?:-{0,2}[\w=]+\s+)*?(?:-?\w*c|--create)")
_LONG = {"--create": "c", "--gzip": "z", "--bzip2": "j", "--verbose": "v"}


class Call(NamedTuple):
    """A call of tar that packs.

    Attributes:
        letters: its options.
        target: the archive, `-` for standard output.
        members: (folder that was changed to, path) of each.
    """

    letters: str
    target: str
    members: list[tuple[str, str]]


def make_opening(script: str) -> str:
    """What makes the calls of tar in a script ask for the order; "" when it packs nothing."""
    return f'tar() {{ eval "$({ORDER} "$@" </dev/null)"; }}; ' if _CREATES.search(script) else ""


def make_script(context: Context, argv: list[str]) -> str:
    """What a call of tar is to do instead."""
    call = parse_call(argv)
    if call is None or not call.members:
        return f"command tar {quoted(argv)}"
    words, times, before = list[str](), list[str](), ""
    for folder, path in call.members:
        words += ["-C", folder] if folder != before else []
        before = folder
        for leaf in _leaves(context, folder, path):
            about = context.files.about(join(folder, leaf))
            words.append(leaf)
            times += [leaf.lstrip("/"), str(int(about.time if about is not None else context.cluster.now()))]
    verbose = "-v" if "v" in call.letters else ""
    packer = next((PACKERS[letter] for letter in call.letters if letter in PACKERS), "cat")
    target = "" if call.target == "-" else f" > {quote(call.target)}"
    aside = " >&2" if verbose and not target else ""
    return (
        f"command tar -c {verbose} -f {MADE} {quoted(words)}{aside}; set -- $?; "
        f"{ORDER} {STAMP} {quoted(times)}; [ ! -e {MADE} ] || {packer} < {MADE}{target}; rm -f {MADE}; return $1"
    )


def parse_call(argv: list[str]) -> Call | None:
    """The parts of a call that packs; None for all others, and for one with options that tar does not have here.

    >>> parse_call(["czf", "a.tgz", "-C", "/srv", "b"])
    Call(letters='czfC', target='a.tgz', members=[('/srv', 'b')])
    """
    letters, target, folder, members, rest = "", "-", "", list[tuple[str, str]](), list(argv)
    if rest and not rest[0].startswith("-"):
        rest[0] = f"-{rest[0]}"
    while rest:
        word = rest.pop(0)
        if not word.startswith("-") or word == "-":
            members.append((folder, word))
            continue
        found = _LONG.get(word, "") if word.startswith("--") else word[1:]
        letters += found
        for letter in found:
            if letter not in "cvfzjCp" or (letter in "fC" and not rest):
                return None
            if letter == "f":
                target = rest.pop(0)
            elif letter == "C":
                folder = join(folder, rest.pop(0))
        if not found:
            return None
    return Call(letters, target, members) if "c" in letters else None


def stamp(drive: Drive, words: list[str]) -> None:
    """Write the headers of the archive anew; the words are the names of what is in it, each with its time."""
    if not drive.exists(MADE):
        return
    times = dict(zip(words[::2], words[1::2], strict=True))
    data, at = bytearray(drive.read_file(MADE)), 0
    while at + BLOCK <= len(data) and data[at]:
        name = data[at : at + 100].split(b"\0")[0].decode(errors="replace")
        time = parse_natural(times.get(name.rstrip("/"), times.get(name, ""))) or 0
        data[at : at + BLOCK] = _header(data[at : at + BLOCK], time)
        size = int(data[at + 124 : at + 135].split(b"\0")[0] or b"0", 8)
        at += BLOCK + -(-size // BLOCK) * BLOCK
    drive.write_file(MADE, bytes(data))


def _header(block: bytearray, time: int) -> bytearray:
    """A header as root's tar writes it: numbers are octal, and the sum of all bytes is one of them."""
    block[108:124] = b"0000000\x000000000\x00"
    block[136:148] = b"%011o\0" % time
    block[265:329] = b"root".ljust(32, b"\0") * 2
    block[148:156] = b" " * 8
    block[148:156] = b"%06o\0 " % sum(block)
    return block


def _leaves(context: Context, folder: str, path: str) -> list[str]:
    inside = context.files.entries(join(folder, path)) if path else ()
    if not inside:
        return [path]
    return [leaf for name, _ in inside for leaf in _leaves(context, folder, join(path, name))]

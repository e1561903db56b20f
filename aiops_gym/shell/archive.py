"""`tar`: the interpreter packs a folder in no order, by the host's clock and as another user.

So the files are named one by one, sorted, the archive is made beside, and its headers are written anew: with the times
that the files have on the cluster's clock, and as the user that the shell is.
"""

from __future__ import annotations

from collections.abc import Mapping
from posixpath import join
from typing import NamedTuple

from aiops_gym.clients.context import Context

MADE = "/var/tmp/.archive"
"""Where an archive lies until its headers are right."""

NOWHERE = """tar: {}: Cannot open: No such file or directory
tar: Error is not recoverable: exiting now
"""
BLOCK = 512
PACKERS = {"z": "gzip", "j": "bzip2"}

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


class Packing(NamedTuple):
    """What a call of tar that packs comes to.

    Attributes:
        argv: the call that makes the archive `MADE`.
        times: of what is in it, by name.
        packer: what makes it smaller, "" for nothing.
        target: where it is to lie, `-` for standard output.
    """

    argv: list[str]
    times: dict[str, int]
    packer: str
    target: str


def prepare(context: Context, argv: list[str]) -> Packing | None:
    """What a call of tar is to do instead; None for one that packs nothing."""
    call = parse_call(argv)
    if call is None or not call.members:
        return None
    words, times, before = list[str](), dict[str, int](), ""
    for folder, path in call.members:
        words += ["-C", folder] if folder != before else []
        before = folder
        for leaf in _leaves(context, folder, path):
            about = context.files.about(join(folder, leaf))
            words.append(leaf)
            times[leaf.lstrip("/")] = int(about.time if about is not None else context.cluster.now())
    verbose = ["-v"] if "v" in call.letters else []
    packer = next((PACKERS[letter] for letter in call.letters if letter in PACKERS), "")
    return Packing(["tar", "-c", *verbose, "-f", MADE, *words], times, packer, call.target)


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


def stamp(archive: bytes, times: Mapping[str, int]) -> bytes:
    """The archive with headers that are written anew, with the times of what is in it."""
    data, at = bytearray(archive), 0
    while at + BLOCK <= len(data) and data[at]:
        name = data[at : at + 100].split(b"\0")[0].decode(errors="replace")
        time = times.get(name.rstrip("/"), times.get(name, 0))
        data[at : at + BLOCK] = _header(data[at : at + BLOCK], time)
        size = int(data[at + 124 : at + 135].split(b"\0")[0] or b"0", 8)
        at += BLOCK + -(-size // BLOCK) * BLOCK
    return bytes(data)


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

"""`du`: what files take on a disk of 4 KiB blocks, folders in the order of their names."""

from __future__ import annotations

from posixpath import join

from aiops_gym.clients.context import Context, FileInfo
from aiops_gym.shell.commands.ls import format_size
from aiops_gym.sim.kernel.digits import parse_natural
from aiops_gym.types import Output

KNOWN = frozenset("abchkmsSx")
LONG = {"--all": "a", "--bytes": "b", "--total": "c", "--human-readable": "h", "--summarize": "s"}
BLOCK = 4096
"""Bytes by which files take room, as on ext4."""


def run(context: Context, argv: list[str]) -> Output:
    """`du [-abchkms] [-d N|--max-depth=N] [PATH...]`."""
    flags, depth, paths, rest = set[str](), 1 << 30, list[str](), argv[1:]
    while rest:
        word = rest.pop(0)
        if word in ("-d", "--max-depth") and rest:
            word = f"--max-depth={rest.pop(0)}"
        value = word.removeprefix("--max-depth=") if word.startswith("--") else word.removeprefix("-d")
        if value != word:
            number = parse_natural(value)
            if number is None:
                return Output("", f"du: invalid maximum depth ‘{value}’\nTry 'du --help' for more information.\n", 1)
            depth = number
        elif word in LONG:
            flags.add(LONG[word])
        elif word in ("--apparent-size", "--time"):
            flags.add(word)
        elif word.startswith("-") and len(word) > 1:
            letter = next((c for c in word[1:] if c not in KNOWN), "")
            if letter:
                what = f"unrecognized option '{word}'" if word.startswith("--") else f"invalid option -- '{letter}'"
                return Output("", f"du: {what}\nTry 'du --help' for more information.\n", 1)
            flags |= set(word[1:])
        else:
            paths.append(word)
    depth = 0 if "s" in flags else depth
    lines, errors, total = list[str](), list[str](), 0
    for path in paths or ["."]:
        about = context.files.about(path)
        if about is None:
            errors.append(f"du: cannot access '{path}': No such file or directory\n")
            continue
        total += _measured(context, path, about, flags, depth, lines)
    if "c" in flags:
        lines.append(f"{_shown(total, flags)}\ttotal\n")
    return Output("".join(lines), "".join(errors), 1 if errors else 0)


def _measured(
    context: Context, path: str, about: FileInfo, flags: set[str], depth: int, lines: list[str], level: int = 0
) -> int:
    """Bytes of a file or of all in a folder; its lines are added to `lines`, what is deeper before it."""
    exact = bool(flags & {"b", "--apparent-size"})
    size = about.size if exact else 0 if about.kind == "symlink" else -(-about.size // BLOCK) * BLOCK
    if about.kind == "directory":
        for name, inner in context.files.entries(path):
            size += _measured(context, join(path, name), inner, flags, depth, lines, level + 1)
    if level <= depth and (about.kind == "directory" or "a" in flags or level == 0):
        lines.append(f"{_shown(size, flags)}\t{path}\n")
    return size


def _shown(size: int, flags: set[str]) -> str:
    if "h" in flags:
        return format_size(size) if size else "0"
    if "b" in flags:
        return str(size)
    return str(-(-size // (1_048_576 if "m" in flags else 1024)))

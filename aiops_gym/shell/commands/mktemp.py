"""`mktemp`: a new file or folder, its name from the shell's own stream."""

from __future__ import annotations

from posixpath import dirname, join

from aiops_gym.clients.context import Context
from aiops_gym.types import Output

LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
LONGEST = 4_095
"""Characters of a path."""


def run(context: Context, argv: list[str]) -> Output:
    """`mktemp [-d] [-u] [-t] [-p DIR] [--suffix=S] [TEMPLATE]`."""
    rest, folder, dry, base, suffix = argv[1:], False, False, "", ""
    template: str | None = None
    while rest:
        word = rest.pop(0)
        if word in ("-p", "--tmpdir") or word.startswith("--tmpdir="):
            base = word.partition("=")[2] or (rest.pop(0) if word == "-p" and rest else "/tmp")
        elif word.startswith("--suffix="):
            suffix = word[9:]
        elif word.startswith("-") and word != "-":
            flags = word.lstrip("-")
            if word.startswith("--"):
                flags = {"directory": "d", "dry-run": "u", "quiet": "q"}.get(flags, "?")
            if set(flags) - set("dutq"):
                return Output("", f"mktemp: invalid option -- '{flags[:1]}'\n", 1)
            folder, dry = folder or "d" in flags, dry or "u" in flags
            base = base or ("/tmp" if "t" in flags else "")
        else:
            template = word
    if "/" in suffix:
        return Output("", f"mktemp: invalid suffix ‘{suffix}’, contains directory separator\n", 1)
    if template is not None and "XXX" not in template:
        return Output("", f"mktemp: too few X's in template ‘{template}’\n", 1)
    head, tail = (template or "tmp.XXXXXXXXXX"), ""
    end = head.rindex("X") + 1
    head, tail = head[:end], head[end:] + suffix
    stem = head.rstrip("X")
    where = base or context.env.get("TMPDIR", "/tmp") if base or template is None else ""
    form = join(where, f"{head}{tail}")
    if len(form) > LONGEST:
        fault, path = "File name too long", ""
    else:
        drawn = "".join(LETTERS[int(context.draw() * len(LETTERS))] for _ in range(len(head) - len(stem)))
        path = join(where, f"{stem}{drawn}{tail}")
        fault = "" if dry else _made(context, path, folder)
    if fault:
        kind = "directory" if folder else "file"
        return Output("", f"mktemp: failed to create {kind} via template ‘{form}’: {fault}\n", 1)
    return Output(path + "\n")


def _made(context: Context, path: str, folder: bool) -> str:
    """Make a new file or folder; what is wrong with its name, "" if nothing."""
    if not context.files.exists(dirname(path) or "."):
        return "No such file or directory"
    try:
        if folder:
            context.files.make_folder(path)
        else:
            context.files.write(path, "")
    except OSError as error:
        return error.strerror or str(error)
    return ""

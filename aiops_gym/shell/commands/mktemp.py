"""`mktemp`: a new file or folder, its name from the shell's own stream."""

from __future__ import annotations

from posixpath import dirname, join

from aiops_gym.shell.context import Context
from aiops_gym.types import Output

LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"


def run(context: Context, argv: list[str]) -> Output:
    """`mktemp [-d] [-u] [-t] [-p DIR] [--suffix=S] [TEMPLATE]`."""
    rest, folder, dry, base, suffix, template = argv[1:], False, False, "", "", ""
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
    if template and "XXX" not in template:
        return Output("", f"mktemp: too few X's in template ‘{template}’\n", 1)
    head, tail = (template or "tmp.XXXXXXXXXX"), ""
    end = head.rindex("X") + 1
    head, tail = head[:end], head[end:] + suffix
    stem = head.rstrip("X")
    path = stem + "".join(LETTERS[int(context.draw() * len(LETTERS))] for _ in range(len(head) - len(stem))) + tail
    if base or not template:
        path = join(base or context.env.get("TMPDIR", "/tmp"), path)
    if not context.files.exists(dirname(path) or "."):
        kind = "directory" if folder else "file"
        message = f"mktemp: failed to create {kind} via template ‘{head}{tail}’: No such file or directory\n"
        return Output("", message, 1)
    if not dry:
        if folder:
            context.files.make_folder(path)
        else:
            context.files.write(path, "")
    return Output(path + "\n")

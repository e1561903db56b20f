"""`tee`: copies its input to files and to its output."""

from __future__ import annotations

import posixpath

from aiops_gym.clients.context import Context
from aiops_gym.types import Output

APPEND = {"-a", "--append"}
IGNORED = {"-i", "-p", "--ignore-interrupts"}


def run(context: Context, argv: list[str]) -> Output:
    """Write the input to each file named, and print it."""
    flags = [word for word in argv[1:] if word.startswith("-") and word != "-"]
    wrong = [flag for flag in flags if flag not in APPEND | IGNORED | {"--", "-ai", "-ia"}]
    if wrong:
        return Output("", f"tee: unrecognized option '{wrong[0]}'\nTry 'tee --help' for more information.\n", 1)
    append = any(flag in APPEND or (not flag.startswith("--") and "a" in flag) for flag in flags)
    errors = [_write(context, word, append) for word in argv[1:] if not word.startswith("-")]
    text = "".join(errors)
    return Output(context.stdin, text, 1 if text else 0)


def _write(context: Context, path: str, append: bool) -> str:
    """What is wrong with a file, "" if it was written."""
    if path in {"/dev/null", "/dev/stdout", "/dev/stderr", "/dev/tty"}:
        return ""
    folder = posixpath.dirname(posixpath.join(context.cwd, path)) or "/"
    if not context.files.exists(folder):
        return f"tee: {path}: No such file or directory\n"
    try:
        context.files.list(path)
        return f"tee: {path}: Is a directory\n"
    except OSError:
        pass  # a file, or nothing yet
    try:
        before = context.files.read(path) if append and context.files.exists(path) else ""
        context.files.write(path, before + context.stdin)
    except OSError as error:
        return f"tee: {path}: {error.strerror or error}\n"
    return ""

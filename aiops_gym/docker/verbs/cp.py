"""`docker cp`: texts from a container to the host and back."""

from __future__ import annotations

from posixpath import basename, join

from aiops_gym.docker.call import Call, Failure, clean
from aiops_gym.docker.formats import say_size


def _split(word: str) -> tuple[str, str]:
    """(container, path); no container for a path of the host."""
    name, colon, path = word.partition(":")
    return (name, path) if colon and "/" not in name else ("", word)


def run(call: Call) -> int:
    """Copy a file, or a folder with all in it."""
    (source, from_), (target, to) = map(_split, call.args)
    if source and target:
        raise Failure("copying between containers is not supported")
    if not source and not target:
        raise Failure("must specify at least one container source")
    size = _fetch(call, source, from_, to) if source else _bring(call, from_, target, to)
    if not call.flags.on("quiet"):
        where = f"{target}:{to}" if target else to
        call.complain(f"Successfully copied {say_size(max(size, 1_536))} to {where}\n")
    return 0


def _fetch(call: Call, name: str, path: str, to: str) -> int:
    found = call.ask("GET", f"/containers/{clean(name)}/archive", {"path": path})
    about = call.context.files.about(to)
    base = join(to, basename(path.rstrip("/"))) if about is not None and about.kind == "directory" else to
    for inner, text in found["files"].items():
        call.context.files.write(join(base, inner) if inner else base, text)
    return sum(len(text) + 512 for text in found["files"].values())


def _bring(call: Call, path: str, name: str, to: str) -> int:
    try:
        text = call.context.files.read(path)
    except FileNotFoundError:
        raise Failure(f"lstat {path}: no such file or directory") from None
    except IsADirectoryError:
        raise Failure("this host copies single files into containers") from None
    try:
        folder = call.ask("GET", f"/containers/{clean(name)}/archive", {"path": to})["kind"] == "directory"
    except Failure as error:
        if "No such container" in str(error):
            raise
        folder = to.endswith("/")
    place = join(to, basename(path)) if folder else to
    call.ask("PUT", f"/containers/{clean(name)}/archive", {"path": place}, {"text": text})
    return len(text) + 512

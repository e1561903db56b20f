"""`docker cp`: texts from a container to the host and back."""

from __future__ import annotations

from posixpath import basename, dirname, join, normpath

from aiops_gym.docker.call import Call, Failure, clean
from aiops_gym.docker.formats import say_size
from aiops_gym.types import Json

BLOCK, TRAILER = 512, 1_024
"""Bytes of a header in an archive, to which texts are padded, and at its end."""


def _split(word: str) -> tuple[str, str]:
    """(container, path); no container for a path of the host."""
    name, colon, path = word.partition(":")
    return (name, path) if colon and "/" not in name else ("", word)


def run(call: Call) -> None:
    """Copy a file, or a folder with all in it."""
    (source, from_), (target, to) = map(_split, call.args)
    if source and target:
        raise Failure("copying between containers is not supported")
    if not source and not target:
        raise Failure("must specify at least one container source")
    if to == "-":
        raise Failure("cowardly refusing to copy to a terminal")
    found = _fetch(call, source, from_, to) if source else _bring(call, from_, target, to)
    if not call.flags.on("quiet"):
        where = f"{target}:{to}" if target else to
        call.complain(f"Successfully copied {say_size(_measure(found))} to {where}\n")


def _measure(found: Json) -> int:
    """Bytes of the archive in which all of it travels."""
    texts = sum(BLOCK + -(-len(text.encode()) // BLOCK) * BLOCK for text in found["files"].values())
    return TRAILER + texts + BLOCK * (len(found["folders"]) + int(found["kind"] == "directory"))


def _place(kind: str, there: str, path: str, to: str) -> str:
    """Where a file or folder goes, by what kind of thing lies at the target now. Raises Failure."""
    if there == "directory":
        return to if path.endswith("/.") else join(to, basename(normpath(path)))
    if kind == "directory" and there:
        raise Failure("cannot copy directory")
    if kind != "directory" and to.endswith("/"):
        raise Failure("no such directory")
    return to.rstrip("/") or "/"


def _fetch(call: Call, name: str, path: str, to: str) -> Json:
    files, found = call.context.files, call.ask("GET", f"/containers/{clean(name)}/archive", {"path": path})
    about, above = files.about(to.rstrip("/") or "/"), dirname(to.rstrip("/"))
    if above and not files.exists(above):
        raise Failure(f'invalid output path: directory "{above}" does not exist')
    base = _place(found["kind"], about.kind if about is not None else "", path, to)
    for folder in ["", *found["folders"]] if found["kind"] == "directory" else []:
        files.make_folder(join(base, folder).rstrip("/") or "/")
    for inner, text in found["files"].items():
        files.write(join(base, inner) if inner else base, text)
    return found


def _gather(call: Call, path: str) -> Json:
    """What lies at a path of the host, as the daemon tells it of a container. Raises Failure."""
    files, about = call.context.files, call.context.files.about(path.rstrip("/") or "/")
    if about is None:
        raise Failure(f"lstat {path}: no such file or directory")
    if about.kind != "directory":
        return {"kind": "file", "files": {"": files.read(path)}, "folders": []}
    found: Json = {"kind": "directory", "files": {}, "folders": []}
    for name, entry in files.entries(path):
        inner = _gather(call, join(path, name)) if entry.kind == "directory" else None
        found["folders"] += [name, *(f"{name}/{each}" for each in inner["folders"])] if inner else []
        more = {f"{name}/{each}": text for each, text in inner["files"].items()} if inner else {}
        found["files"] |= more if inner else {name: files.read(join(path, name))}
    return found


def _bring(call: Call, path: str, name: str, to: str) -> Json:
    found, place = _gather(call, path), f"/containers/{clean(name)}/archive"
    try:
        there = call.ask("GET", place, {"path": to})["kind"]
    except Failure as error:
        if "Could not find" not in str(error):
            raise
        there = ""
    base = _place(found["kind"], there, path, to)
    for folder in ["", *found["folders"]] if found["kind"] == "directory" else []:
        if folder or not there or base != to:
            call.ask("PUT", place, {"path": join(base, folder).rstrip("/")}, {})
    for inner, text in found["files"].items():
        call.ask("PUT", place, {"path": join(base, inner) if inner else base}, {"text": text})
    return found

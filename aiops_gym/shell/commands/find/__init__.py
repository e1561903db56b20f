"""`find`: files of the shell in the order of their names, with times of the cluster's clock."""

from __future__ import annotations

from posixpath import join

from aiops_gym.clients.context import Context, FileInfo
from aiops_gym.shell.commands.find.expression import Expression, Test, launch
from aiops_gym.shell.commands.find.place import Place, Search, Wrong
from aiops_gym.types import Output

DEEPEST = 60
"""Folders inside each other, links followed."""


def run(context: Context, argv: list[str]) -> Output:
    """`find [-L] [PATH...] [EXPRESSION]`; see `shell.commands.find.expression` for the tests and actions."""
    rest, follow = argv[1:], False
    while rest and rest[0] in ("-H", "-L", "-P"):
        follow = rest.pop(0) == "-L"
    starts = []
    while rest and not rest[0].startswith("-") and rest[0] not in ("(", "!", ")"):
        starts.append(rest.pop(0))
    search = Search(context)
    try:
        test = Expression(rest, search).whole()
    except Wrong as wrong:
        return Output("", f"find: {wrong}\n", 1)
    for start in starts or ["."]:
        about = context.files.about(start)
        if about is None:
            search.errors.append(f"find: ‘{start}’: No such file or directory\n")
            search.code = 1
        elif not search.done:
            _walk(search, test, Place(start, _followed(context, start, about, follow), 0, start), follow)
    for command, paths in search.batches:
        if paths and not launch(search, [*command, *paths]):
            search.code = 1
    return Output("".join(search.out), "".join(search.errors), search.code)


def _walk(search: Search, test: Test, place: Place, follow: bool) -> None:
    if not search.depth_first:
        _look(search, test, place)
    inside = place.about.kind == "directory" and not place.pruned and place.depth < min(search.most, DEEPEST)
    if inside and not search.done:
        for name, about in search.context.files.entries(place.path):
            path = f"{place.path}{name}" if place.path.endswith("/") else join(place.path, name)
            below = _followed(search.context, path, about, follow)
            _walk(search, test, Place(path, below, place.depth + 1, place.start), follow)
            if search.done:
                return
    if search.depth_first:
        _look(search, test, place)


def _look(search: Search, test: Test, place: Place) -> None:
    if place.depth >= search.least and not search.done and test(place) and not search.acts:
        search.out.append(f"{place.path}\n")


def _followed(context: Context, path: str, about: FileInfo, follow: bool) -> FileInfo:
    """What a link points to, if links are followed; of a link to a folder above, the link."""
    if not follow or about.kind != "symlink":
        return about
    target = join(path.rpartition("/")[0] or "/", about.target)
    there = context.files.about(target)
    loops = there is not None and there.kind == "directory" and (join(path, "").startswith(join(target, "")))
    return about if there is None or loops else there

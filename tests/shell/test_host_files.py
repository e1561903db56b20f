"""The files of a script do what a real file system does with the same calls, and what was given before stays."""

from __future__ import annotations

import os
import shutil
from contextlib import suppress
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from aiops_gym.shell.disk import File, tree_of
from aiops_gym.shell.host_files import HostFiles, HostTree

ROOT = "/w"
NAMES = st.sampled_from(["a", "b", "a/x", "a/y", "a/x/z", "b/x", "l", "l/x", "m/y"])
CALLS = st.one_of(
    st.tuples(st.just("write"), NAMES, st.sampled_from(["", "1\n", "two"])),
    st.tuples(st.just("append"), NAMES, st.just("+")),
    st.tuples(st.just("folder"), NAMES, st.just("")),
    st.tuples(st.just("remove"), NAMES, st.just("")),
    st.tuples(st.just("link"), st.sampled_from(["l", "m", "a/x"]), st.sampled_from(["a", "b", "a/x", "l", "../w"])),
)


def _ours(files: HostFiles, call: str, name: str, text: str) -> None:
    path = f"{ROOT}/{name}"
    if call in ("write", "append"):
        files.write(path, text, append=call == "append")
    elif call == "remove":
        files.remove(path)
    elif files.kind(os.path.dirname(path)) == "directory" and not _is_there(files, path):
        if call == "folder":
            files.folder(path)
        else:
            files.tree.put(files.tree.find(path, last=False), File("symlink", 0o777, text.encode()))


def _is_there(files: HostFiles, path: str) -> bool:
    return files.tree.get(files.tree.find(path, last=False)) is not None


def _real(root: Path, call: str, name: str, text: str) -> None:
    path = root / name
    with suppress(OSError):
        if call in ("write", "append"):
            with path.open("w" if call == "write" else "a") as file:
                file.write(text)
        elif call == "folder":
            path.mkdir()
        elif call == "link":
            path.symlink_to(text.replace("../w", f"../{root.name}"))
        elif path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink()


def _look(root: Path, name: str) -> tuple[str, str | None]:
    try:
        path = (root / name).resolve(strict=True)
    except (OSError, RuntimeError):
        return "", None
    return ("directory", None) if path.is_dir() else ("file", path.read_text())


@given(st.lists(CALLS, max_size=12))
@settings(max_examples=150, deadline=None)
def test_files_are_those_that_a_kernel_would_have(tmp_path_factory, calls):
    root = tmp_path_factory.mktemp("w")
    files = HostFiles(HostTree(tree_of({f"{ROOT}/.keep": ""}), lambda: 0.0))
    for call in calls:
        _real(root, *call)
        _ours(files, *call)
        for name in ("a", "b", "a/x", "a/y", "b/x", "l", "l/x", "m", "m/y", "m/x/z"):
            path = f"{ROOT}/{name}"
            assert (files.kind(path), files.read(path)) == _look(root, name), (call, name)


@given(st.lists(CALLS, max_size=8))
@settings(max_examples=60, deadline=None)
def test_who_was_given_the_files_keeps_them(calls):
    tree = HostTree(tree_of({f"{ROOT}/a": "before"}), lambda: 0.0)
    given_before = tree.freeze()
    copy = dict(given_before)
    for call in calls:
        _ours(HostFiles(tree), *call)
    assert given_before == copy
    if not calls:
        assert tree.freeze() is given_before

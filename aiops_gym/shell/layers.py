"""The files of a container: of its image, of its mounts and volumes, and what was written since it started."""

from __future__ import annotations

from collections.abc import Mapping

from aiops_gym import caches
from aiops_gym.caches import ByValue
from aiops_gym.shell import chance
from aiops_gym.shell.disk import UNSEEN, File, Tree, add, pack, unpack
from aiops_gym.sim.kernel import draws
from aiops_gym.sim.kernel.blueprint import Image
from aiops_gym.sim.machine import executables
from aiops_gym.sim.machine.container import Container
from aiops_gym.sim.machine.scripts.files import FOLDERS, STICKY, Files, list_places, list_stored
from aiops_gym.sim.software import programs

LARGEST_LAYER = 4_000_000
"""Bytes of files in a container, its image's text files included; it travels with each snapshot."""

BUILT_AGO = (40, 400)
"""Days before the cluster was created at which an image was built."""

BINARY = b"\x7fELF\x02\x01\x01\x00" + bytes(56)

PROC = f"{chance.PROC}/"
"""Where the files of the process 1 lie for the interpreter, whose own `/proc` is not the container's."""


def load(c: Container, image: Image) -> tuple[Tree, Tree]:
    """(the files without what was written in the container's layer, the files as they are)."""
    fresh = tuple((path, text) for path, text in c.files().items() if path not in image.files)
    built = c.world.blueprint.start / 1000 - 86_400.0 * draws.between(*BUILT_AGO, 0, "built", image.digest)
    row, workdir = c.process, str(c.spec().get("workingDir") or image.workdir)
    tree = dict(_image_tree(row["image"], ByValue(image), workdir, built))
    for path, text in fresh:
        add(tree, path, File("file", 0o644, text.encode(), row["started"] / 1000))
    for path, file in _volumes(c).items():
        add(tree, path, file)
    base = dict(sorted(tree.items()))
    kept = c.world.table("scratch").get(c.key)
    return base, unpack(kept["files"], base) if kept is not None and kept["process"] == row["id"] else base


@caches.function(64, "laying out the files of an image")
def _image_tree(name: str, given: ByValue, workdir: str, built: float) -> Tree:
    image: Image = given.data
    tree: dict[str, File] = {}
    for path, text in image.files.items():
        add(tree, path, File("file", 0o644, text.encode(), built))
    for folder in (*sorted(FOLDERS - UNSEEN - {"/"}), workdir.rstrip("/")):
        if folder and folder not in tree:
            add(tree, folder, File("directory", 0o755, b"", built))
    for folder in STICKY:
        add(tree, folder, File("directory", 0o1777, b"", built))
    for path in executables.list_installed(image):
        add(tree, path, File("file", 0o755, BINARY, built))
    return tree


def _volumes(c: Container) -> Mapping[str, File]:
    """Mounted folders and the files in them, and the folder in which a program keeps its data."""
    found: dict[str, File] = {}
    time = c.process["started"] / 1000
    for folder in list_places(c):
        found[folder] = File("directory", 0o755, b"", time)
        disk = c.disk(folder)
        for name in disk.names():
            if name.startswith("file:"):
                kind, text, *given = disk.get(name)
                mode = given[0] if given else 0o755 if kind == "directory" else 0o644
                found[f"{folder}/{name[5:]}"] = File(kind, mode, text.encode(), time)
    for path, (size, mode) in list_stored(c).items():
        found[path] = File("file" if mode == 0o600 else "directory", mode, bytes(size), time)
    return found


def store(c: Container, base: Tree, before: Tree, after: Tree) -> bool:
    """Keep what a command changed: in volumes as long as they live, else with the container. False without room."""
    if after is before:
        return True
    if sum(len(file.data) for file in after.values()) > LARGEST_LAYER:
        return False
    _store_volumes(c, before, after)
    within = [m + "/" for m in Files(c).mounts()]
    inside = [p for p in {**before, **after} if any(p.startswith(m) for m in within)]
    layer = {p: f for p, f in after.items() if p not in base or p not in inside}
    layer |= {p: base[p] for p in inside if p in base}
    for path in inside:
        if path not in base:
            layer.pop(path, None)
    written = pack(dict(sorted(layer.items())), base)
    scratch = c.world.table("scratch")
    kept = scratch.get(c.key)
    known = kept["files"] if kept is not None and kept["process"] == c.process["id"] else {"changed": {}, "removed": []}
    if written != known:
        scratch[c.key] = {"process": c.process["id"], "files": written}
    return True


def _store_volumes(c: Container, before: Tree, after: Tree) -> None:
    files = Files(c)
    for folder in files.mounts():
        prefix = f"{folder}/"
        gone = [p for p in before if p.startswith(prefix) and p not in after]
        if gone:
            names = [p[len(prefix) :] for p in gone]
            for kind in programs.list_kinds():
                programs.find(kind).erased(c.disk(folder), names)
            for path in gone:
                files.remove(path)
        for path, file in after.items():
            if path.startswith(prefix) and before.get(path) is not file:
                if file.kind == "directory":
                    files.folder(path)
                elif path not in before or before[path].data != file.data:
                    files.write(path, file.data.decode(errors="replace"))
                if file.kind == "file" and file.mode != files.mode(path):
                    files.change_mode(path, file.mode)

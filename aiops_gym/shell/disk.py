"""The files of a shell as data, and how they get into an interpreter and back.

A `Tree` is never changed but replaced, so that forks share it and what differs from another tree is found by identity.
"""

from __future__ import annotations

from base64 import b64decode, b64encode
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from posixpath import dirname, join, normpath
from shlex import quote
from zlib import compress, crc32, decompress, error

from aiops_gym.errors import SnapshotError
from aiops_gym.shell.drive import Drive
from aiops_gym.types import Json

UNSEEN = frozenset({"/bin", "/usr/bin", "/proc", "/dev"})
"""Folders whose content the interpreter makes up; nothing in them is an agent's file."""

SYSTEM = tuple(f"{folder}/" for folder in sorted(UNSEEN))

STDIN = "/var/tmp/.stdin"
"""What a command reads that another one starts; no file of anybody's."""

LARGEST = 32_000_000
"""Bytes that the files of one shell may take, as a small disk would."""


@dataclass(frozen=True, slots=True)
class File:
    """A file, folder or link.

    Attributes:
        kind: `file`, `directory` or `symlink`; the data of a link is its target.
        time: Unix seconds of the last change, on the cluster's clock.
    """

    kind: str = "file"
    mode: int = 0o644
    data: bytes = b""
    time: float = 0.0


Tree = Mapping[str, File]
"""Absolute path -> file, parents before what is in them."""


def tree_of(files: Mapping[str, str | File], time: float = 0.0) -> Tree:
    """A tree of these files, with the folders above them.

    >>> list(tree_of({"/etc/motd": "hello"}))
    ['/etc', '/etc/motd']
    """
    tree: dict[str, File] = {}
    for path, content in sorted(files.items()):
        file = content if isinstance(content, File) else File("file", 0o644, content.encode(), time)
        add(tree, path, file)
    return tree


def add(tree: dict[str, File], path: str, file: File) -> None:
    """Put a file into a tree that is being made, with the folders above it."""
    for folder in list_parents(path):
        if folder not in tree:
            tree[folder] = File("directory", 0o755, b"", file.time)
    tree[path] = file


def list_parents(path: str) -> list[str]:
    """The folders above a path, outermost first, without `/`."""
    found: list[str] = []
    while (path := dirname(path)) not in ("/", ""):
        found.append(path)
    return found[::-1]


def make_absolute(path: str, cwd: str) -> str:
    """The path from the root, without `.` and `..`."""
    return normpath(join(cwd, path)).replace("//", "/")


Stamp = tuple[float, int, int]
"""What tells whether a file was changed: time of the interpreter, size, mode; for a link a checksum of its target."""


class Disk:
    """What one interpreter's file system holds: a tree, and the times at which the interpreter wrote it.

    Args:
        drive: the file system.
        run: runs a script over it.
        earlier: seconds by which files are dated back.

    Attributes:
        full: the last `save` had to leave files out.
        lost: no file can be put here any more, since the root was removed or the disk is torn.
        torn: a file lies in a folder that is not there, or in one of the interpreter's own.
        undated: what does not have the time of the tree yet. Dating costs more than writing, and few scripts look.
    """

    def __init__(self, drive: Drive, run: Callable[[str], object], earlier: int = 0) -> None:
        self.drive = drive
        self._run = run
        self._earlier = earlier
        self.tree: Tree = {}
        self.stamps: dict[str, Stamp] = {}
        self.undated: dict[str, None] = {}
        self.full = self.lost = self.torn = False
        self._system = _listing(drive)
        self.save(0.0)

    def load(self, tree: Tree, drive: Drive | None = None) -> None:
        """Make the file system hold this tree; only what differs is touched.

        While a utility runs, its callbacks must reach the files through a `drive` of their own.
        """
        before, self.full = self.tree, False
        if tree is before:
            return
        drive = drive or self.drive
        for path in [p for p in reversed(list(before)) if p not in tree or tree[p].kind != before[p].kind]:
            with suppress(OSError, RuntimeError):
                drive.remove(path, True)
            self.stamps.pop(path, None)
        changed = [(path, file) for path, file in tree.items() if before.get(path) is not file]
        new = [path for path, _ in sorted(changed, key=_by_age)]
        # Worlds that take turns here have much the same files: what only has another date is not written again.
        written = [path for path in new if not _alike(before.get(path), tree[path])]
        for path in written:
            _put(drive, path, tree[path])
        self.tree = tree
        self.undated.update(dict.fromkeys(new))
        if drive is self.drive:
            for path in written:
                self.stamps[path] = _seen(drive, path, tree[path])
        else:
            self.stamps = dict(self._scan(drive))

    def save(self, time: float, drive: Drive | None = None) -> Tree:
        """Read back what was changed since `load`; the tree itself when nothing was."""
        drive = drive or self.drive
        # What the interpreter makes up is nobody's to write to: the next shell on it would read what this one wrote.
        self.torn = self.torn or _listing(drive) != self._system
        seen = dict(self._scan(drive))
        self.full = False
        self.lost = self.torn or not drive.exists("/")
        if seen == self.stamps:
            return self.tree
        kept = {path: file for path, file in self.tree.items() if path in seen}
        for path, stamp in seen.items():
            if self.stamps.get(path) != stamp or path not in kept:
                self.undated[path] = None
                dated_back = 0 < stamp[0] < self._earlier // 2  # a copy that has the time of its original
                file = _get(drive, path, stamp, stamp[0] + self._earlier if dated_back else time)
                old = kept.get(path)
                if old is None or (old.kind, old.mode, old.data) != (file.kind, file.mode, file.data):
                    kept[path] = file
                elif file.kind == "file":
                    kept[path] = File(old.kind, old.mode, old.data, time)
        self.full = sum(len(file.data) for file in kept.values()) > LARGEST
        if self.full:
            kept, seen = _fitting(drive, kept, self.tree), dict(self._scan(drive))
        self.tree = kept
        self.stamps = seen
        return kept

    def date(self) -> None:
        """Give files the times of the tree: the interpreter itself dates them by the wall clock."""
        dates: dict[int, list[str]] = {}
        for path in self.undated:
            if path in self.tree and self.tree[path].kind != "symlink":
                dates.setdefault(int(self.tree[path].time) - self._earlier, []).append(path)
        self.undated = {}
        if dates:
            named = ((time, " ".join(map(quote, paths))) for time, paths in dates.items())
            self._run("\n".join(f"touch -d @{time} {words}" for time, words in named))
            self.stamps |= {p: _stamp(self.tree[p], self._earlier) for paths in dates.values() for p in paths}

    def _scan(self, drive: Drive) -> Iterator[tuple[str, Stamp]]:
        folders = ["/"] if drive.exists("/") else []
        while folders:
            folder = folders.pop()
            try:
                entries = drive.read_dir(folder)
            except RuntimeError:  # a file was written where its folder had been removed: nothing leads there any more
                self.torn = True
                continue
            for entry in sorted(entries, key=lambda e: str(e["name"])):
                path = join(folder, entry["name"])
                about = entry["metadata"]
                kind = about["file_type"]
                if path in UNSEEN or path == STDIN:
                    continue
                if kind == "directory":
                    folders.append(path)
                    yield path, (0.0, -1, about["mode"])
                elif kind == "symlink":
                    yield path, (0.0, -2, crc32(drive.read_link(path).encode()))
                else:
                    yield path, (about["modified"], about["size"], about["mode"])


def _listing(drive: Drive) -> list[tuple[str, str, int]]:
    """What lies in the interpreter's own folders: paths, kinds and, where they do not change by themselves, sizes."""
    found, folders = [], sorted(UNSEEN)
    while folders:
        folder = folders.pop()
        try:
            entries = drive.read_dir(folder)
        except RuntimeError:
            continue
        for entry in entries:
            path, about = join(folder, entry["name"]), entry["metadata"]
            if about["file_type"] == "directory":
                folders.append(path)
            size = 0 if path.startswith("/proc/") else int(about["size"])
            found.append((path, str(about["file_type"]), size))
    return sorted(found)


def _seen(drive: Drive, path: str, file: File) -> Stamp:
    """The stamp of a file as it lies there."""
    if file.kind != "file" or not drive.exists(path):
        return _stamp(file, 0)
    about = drive.stat(path)
    return about["modified"], about["size"], about["mode"]


def _stamp(file: File, earlier: int) -> Stamp:
    """The stamp of a file that was given the time of its tree."""
    if file.kind == "directory":
        return 0.0, -1, file.mode
    if file.kind == "symlink":
        return 0.0, -2, crc32(file.data)
    return float(int(file.time) - earlier), len(file.data), file.mode


def _fitting(drive: Drive, tree: Tree, before: Tree) -> dict[str, File]:
    """What fits on the disk: files that were there first, then the new ones while there is room."""
    room, kept = LARGEST, dict[str, File]()
    for path, file in sorted(tree.items(), key=lambda item: (before.get(item[0]) is not item[1], item[0])):
        room -= len(file.data)
        if room >= 0:
            kept[path] = file
        else:
            room += len(file.data)
            drive.remove(path)
    return {path: kept[path] for path in tree if path in kept}


def _alike(old: File | None, new: File) -> bool:
    return old is not None and (old.kind, old.mode, old.data) == (new.kind, new.mode, new.data)


def _by_age(item: tuple[str, File]) -> tuple[int, float, str]:
    """Folders first, then files from old to new, so that `-nt` holds among them."""
    path, file = item
    return (0, 0.0, path) if file.kind == "directory" else (1, file.time, path)


def _put(drive: Drive, path: str, file: File) -> None:
    with suppress(OSError, RuntimeError):  # a place where nothing can be written loses the file, as a full disk does
        if file.kind == "directory":
            drive.mkdir(path, True)
        elif file.kind == "symlink":
            if drive.exists(path):
                drive.remove(path)
            drive.symlink(file.data.decode(), path)
            return
        else:
            drive.write_file(path, file.data)
        drive.chmod(path, file.mode)


def _get(drive: Drive, path: str, stamp: Stamp, time: float) -> File:
    _, size, mode = stamp  # of a link the mode means nothing
    if size == -1:
        return File("directory", mode, b"", time)
    if size == -2:
        return File("symlink", 0o777, drive.read_link(path).encode(), time)
    return File("file", mode, drive.read_file(path), time)


def pack(tree: Tree, base: Tree) -> Json:
    """What a tree differs in from `base`, as JSON data."""
    changed = {}
    for path, file in tree.items():
        if base.get(path) is not file:
            data = b64encode(compress(file.data, 1)).decode() if file.data else ""
            changed[path] = [file.kind, file.mode, file.time, data]
    return {"changed": changed, "removed": [path for path in base if path not in tree]}


def unpack(difference: Json, base: Tree) -> Tree:
    """The tree whose difference from `base` this is. Raises SnapshotError."""
    try:
        changed, removed = difference["changed"], set(difference["removed"])
        if not changed and not removed:
            return base
        tree = {path: file for path, file in base.items() if path not in removed}
        for path, (kind, mode, time, data) in changed.items():
            content = decompress(b64decode(data)) if data else b""
            tree[str(path)] = File(str(kind), int(mode), content, float(time))
    except (KeyError, TypeError, ValueError, AttributeError, error) as broken:
        raise SnapshotError(f"not a snapshot of a shell: {broken!r}") from broken
    return tree


def list_below(tree: Tree, folder: str) -> Iterable[str]:
    """Paths of the files below a folder, sorted."""
    prefix = folder.rstrip("/") + "/"
    return sorted(path for path, file in tree.items() if path.startswith(prefix) and file.kind != "directory")

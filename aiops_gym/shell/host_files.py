"""The files of a shell while a script runs: one tree, as scripts, our commands and utilities see it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from errno import EISDIR, ENAMETOOLONG, ENOENT, ENOSPC, ENOTDIR
from os import strerror
from posixpath import dirname, join, normpath

from aiops_gym.clients.context import FileInfo
from aiops_gym.shell.disk import LARGEST, UNSEEN, File, Tree, add, make_absolute
from aiops_gym.shell.engine import read_system
from aiops_gym.shell.host import INSTALLED

MOST_LINKS = 40
"""Links that may lead to each other, as in Linux."""

LONGEST_PATH, LONGEST_NAME = 4096, 255
DEVICES = frozenset({"/dev/null", "/dev/stdout", "/dev/stderr", "/dev/stdin", "/dev/tty"})
LENT = "/dev/fd/"
"""Where files lie that are there only for one command."""

FOLDER = File("directory", 0o755, b"", INSTALLED)


class HostTree:
    """A tree that is changed while a script runs; who was given it before keeps what was there then.

    Args:
        tree: the files.
        now: Unix seconds on the cluster's clock.

    Attributes:
        full: something did not fit on the disk.
    """

    def __init__(self, tree: Tree, now: Callable[[], float]) -> None:
        self._tree: dict[str, File] = {}
        self._given: Tree = tree
        self._own = False
        self._size: int | None = None
        self._links: bool | None = None
        self.lent: dict[str, bytes] = {}
        self.now = now
        self.full = False

    @property
    def files(self) -> Tree:
        """The files as they are, to be looked at now."""
        return self._tree if self._own else self._given

    def freeze(self) -> Tree:
        """The files as they are, which nobody changes any more."""
        if self._own:
            self._given, self._own = self._tree, False
        return self._given

    def replace(self, tree: Tree) -> None:
        """Put other files in the place of all."""
        if tree is not self._given or self._own:
            self._given, self._own, self._size, self._links = tree, False, None, None

    def _writable(self) -> dict[str, File]:
        if not self._own:
            self._tree, self._own = dict(self._given), True
        return self._tree

    def find(self, path: str, last: bool = True) -> str:
        """Where a path leads, links followed; that of a last name only if that is asked for."""
        if self._links is None:
            self._links = any(file.kind == "symlink" for file in self.files.values())
        if not self._links:
            return path
        for _ in range(MOST_LINKS):
            names, at = path.split("/"), ""
            for place, name in enumerate(names[1:], 2):
                at = f"{at}/{name}"
                file = self.files.get(at)
                if file is not None and file.kind == "symlink" and (last or place < len(names)):
                    path = make_absolute(join(file.data.decode(errors="replace"), *names[place:]), dirname(at))
                    break
            else:
                return path
        return f"{path}/"  # a ring, at whose end nothing is

    def get(self, path: str) -> File | None:
        """The file of a path without links; None where there is none."""
        found = self.files.get(path)
        if found is not None:
            return found
        if path == "/":
            return FOLDER
        if path.startswith(LENT):
            data = self.lent.get(path)
            return None if data is None else File("file", 0o600, data, self.now())
        return read_system().get(path) if path.startswith(SYSTEM) else None

    def put(self, path: str, file: File) -> bool:
        """Write a file of a path without links. False, and nothing, where the disk is full."""
        if path in self.lent:
            self.lent[path] = file.data
            return True
        before = self.files.get(path)
        more = len(file.data) - (0 if before is None else len(before.data))
        if self._size is None:
            self._size = sum(len(each.data) for each in self.files.values())
        if more > 0 and self._size + more > LARGEST:
            self.full = True
            return False
        self._size += more
        self._writable()[path] = file
        if file.kind == "symlink":
            self._links = True
        return True

    def remove(self, path: str) -> None:
        """Take a file, or a folder with all in it, away."""
        if self.lent.pop(path, None) is not None:
            return
        prefix = f"{path}/"
        tree = self._writable()
        for name in [each for each in tree if each == path or each.startswith(prefix)]:
            del tree[name]
        self._size = self._links = None

    def inside(self, folder: str) -> Iterator[tuple[str, File]]:
        """Names in a folder, with their files."""
        prefix = f"{folder.rstrip('/')}/"
        found = self.files if not f"{prefix}x".startswith(SYSTEM) else {**self.files, **read_system()}
        if folder == "/":
            found = {**found, **dict.fromkeys(("/bin", "/dev", "/proc", "/usr"), FOLDER)}
        for path, file in found.items():
            if path.startswith(prefix) and "/" not in path[len(prefix) :]:
                yield path[len(prefix) :], file
        if prefix == "/usr/" and "/usr/bin" not in found:
            yield "bin", FOLDER


SYSTEM = tuple(f"{folder}/" for folder in sorted(UNSEEN)) + tuple(sorted(UNSEEN))


class HostFiles:
    """The files as a script sees them: see `sim.machine.scripts.files.Files`.

    Texts hold bytes that are no UTF-8 as lone surrogates, as Python does for names of files.
    """

    binary = True

    def __init__(self, tree: HostTree, mask: int = 0o022) -> None:
        self.tree, self.mask = tree, mask

    def _get(self, path: str) -> File | None:
        return self.tree.get(self.tree.find(path.rstrip("/") or "/"))

    def read(self, path: str) -> str | None:
        """Text of a file, None if there is none."""
        if path in DEVICES:
            return ""
        file = self._get(path)
        if file is None or file.kind != "file":
            return None
        return file.data.decode(errors="surrogateescape")

    def kind(self, path: str) -> str:
        """`file`, `directory` or "" if there is nothing."""
        if path in DEVICES:
            return "file"
        file = self._get(path)
        return "" if file is None or file.kind == "symlink" else file.kind

    def follow(self, path: str) -> str:
        """What a link leads to; other paths as they are."""
        return self.tree.find(path)

    def mode(self, path: str) -> int:
        """The permissions of what is there."""
        file = self._get(path)
        return 0o644 if file is None else file.mode

    def time(self, path: str) -> float:
        """When a file was written, in seconds."""
        file = self._get(path)
        return 0.0 if file is None else file.time

    def is_written(self, path: str) -> bool:
        """Whether somebody may have changed a file."""
        return True

    def change_mode(self, path: str, mode: int) -> None:
        """Give what is there other permissions."""
        path = self.tree.find(path)
        if (file := self.tree.get(path)) is not None:
            self.tree.put(path, File(file.kind, mode, file.data, file.time))

    def write(self, path: str, text: str, append: bool = False) -> bool:
        """Put text into a file. False if the folder is not there or it is a folder itself."""
        if path in DEVICES:
            return True
        path = self.tree.find(path)
        before = self.tree.get(path)
        if before is not None and before.kind != "file":
            return False
        if before is None and not self._may_make(path):
            return False
        data = text.encode(errors="surrogateescape")
        data = before.data + data if append and before is not None else data
        mode = 0o666 & ~self.mask if before is None else before.mode
        self.tree.put(path, File("file", mode, data, self.tree.now()))
        return True

    def _may_make(self, path: str) -> bool:
        """Whether a file can be made there."""
        folder = self.tree.get(dirname(path))
        return folder is not None and folder.kind == "directory" and not path.startswith(SYSTEM) and fits(path)

    def lend(self, path: str, text: str) -> None:
        """Put a file where there is no folder for it: one of a process that is read or written."""
        self.tree.lent[path] = text.encode(errors="surrogateescape")

    def fill(self, path: str, size: int) -> bool:
        """Make a file of zeros of so many bytes."""
        return self.write(path, "\0" * min(size, LARGEST + 1))

    def folder(self, path: str) -> None:
        """Make a folder."""
        self.tree.put(self.tree.find(path), File("directory", 0o777 & ~self.mask, b"", self.tree.now()))

    def remove(self, path: str) -> None:
        """Take a file, or a folder with all in it, away."""
        self.tree.remove(self.tree.find(path, last=False))

    def paths(self, below: str = "/") -> list[str]:
        """All files and folders, those that the kernel makes up where they are asked for."""
        found: Mapping[str, File] = self.tree.files
        if below.startswith(SYSTEM):
            found = {**found, **read_system()}
        return sorted(found)

    def touch(self, path: str) -> None:
        """Give a file the present time."""
        path = self.tree.find(path)
        if (file := self.tree.get(path)) is not None:
            self.tree.put(path, File(file.kind, file.mode, file.data, self.tree.now()))

    def stores(self, paths: Sequence[str]) -> bool:
        """Whether a program keeps its data there: none does."""
        return False

    def size(self, path: str) -> int:
        """Bytes of a file."""
        file = self._get(path)
        return 0 if file is None or file.kind != "file" else len(file.data)


def fits(path: str) -> bool:
    """Whether a path is short enough."""
    return len(path) < LONGEST_PATH and all(
        len(name.encode(errors="replace")) <= LONGEST_NAME for name in path.split("/")
    )


class Overworked(Exception):
    """A command has looked at more files than there is time for."""


class OpenFiles:
    """The files as a command of ours sees them: see `clients.context.Files`.

    Args:
        tree: the files.
        cwd: where it stands.
        stdin: its standard input.
        room: how many files may be looked at; one more raises Overworked.

    Attributes:
        looked: how many files were looked at.
    """

    def __init__(self, tree: HostTree, cwd: str, stdin: str, room: int) -> None:
        self.tree, self._cwd, self._stdin, self._room = tree, cwd, stdin, room
        self.looked = 0

    def _place(self, path: str, last: bool = True) -> str:
        return self.tree.find(make_absolute(path, self.tree.find(self._cwd)), last)

    def read(self, path: str) -> str:
        """Text of a file. Raises FileNotFoundError or IsADirectoryError."""
        full = self._place(path)
        if full == "/dev/stdin":
            return self._stdin
        file = self.tree.get(full) if path else None
        if file is None and full in DEVICES:
            return ""
        if file is None or file.kind == "symlink":
            raise self._refusal(full, path)
        if file.kind == "directory":
            raise IsADirectoryError(path)
        return file.data.decode(errors="replace")

    def write(self, path: str, text: str) -> None:
        """Write a file, with the folders above it. Raises OSError."""
        full = self._place(path)
        if full in DEVICES:
            return
        before = self.tree.get(full)
        if before is not None and before.kind != "file":
            raise OSError(EISDIR, strerror(EISDIR), path)
        if before is None:
            self._make_above(full, path)
        mode = 0o644 if before is None else before.mode
        if not self.tree.put(full, File("file", mode, text.encode(errors="replace"), self.tree.now())):
            raise OSError(ENOSPC, strerror(ENOSPC), path)

    def _make_above(self, full: str, path: str) -> None:
        if full.startswith(SYSTEM) or not fits(full):
            raise OSError(
                ENOENT if fits(full) else ENAMETOOLONG, strerror(ENOENT if fits(full) else ENAMETOOLONG), path
            )
        if any((file := self.tree.get(each)) is not None and file.kind == "file" for each in _above(full)):
            raise OSError(ENOTDIR, strerror(ENOTDIR), path)
        folders: dict[str, File] = {}
        add(folders, full, File("file", 0o644, b"", self.tree.now()))
        for folder, file in folders.items():
            if folder != full and self.tree.get(folder) is None:
                self.tree.put(folder, file)

    def exists(self, path: str) -> bool:
        """Whether there is a file or a folder."""
        return self.tree.get(self._place(path)) is not None or self._place(path) in DEVICES

    def about(self, path: str) -> FileInfo | None:
        """What is known of a file itself, links not followed; None when there is none."""
        file = self.tree.get(self._place(path, last=False))
        return None if file is None else self._info(file)

    def _info(self, file: File) -> FileInfo:
        self.looked += 1
        if self.looked > self._room:
            raise Overworked
        target = file.data.decode(errors="replace") if file.kind == "symlink" else ""
        size = 4096 if file.kind == "directory" else len(file.data)
        return FileInfo(file.kind, file.mode, size, file.time, target)

    def date(self, path: str, time: float) -> None:
        """Say when a file was last changed, in Unix seconds."""
        full = self._place(path)
        if (file := self.tree.get(full)) is not None and not full.startswith(SYSTEM):
            self.tree.put(full, File(file.kind, file.mode, file.data, time))

    def make_folder(self, path: str) -> None:
        """Make a folder, with those above it. Raises OSError."""
        full = self._place(path)
        before = self.tree.get(full)
        if before is not None and before.kind != "directory":
            raise FileExistsError(path)
        if before is None:
            self._make_above(full, path)
            self.tree.put(full, File("directory", 0o755, b"", self.tree.now()))

    def list(self, path: str) -> Sequence[str]:
        """Names in a folder, sorted. Raises FileNotFoundError or NotADirectoryError."""
        full = self._place(path)
        file = self.tree.get(full)
        if file is None:
            raise FileNotFoundError(path)
        if file.kind != "directory":
            raise NotADirectoryError(path)
        return sorted(name for name, _ in self.tree.inside(full))

    def entries(self, path: str) -> Sequence[tuple[str, FileInfo]]:
        """What is in a folder, sorted by name; nothing when there is no such folder."""
        full = self._place(path)
        file = self.tree.get(full)
        if file is None or file.kind != "directory":
            return ()
        return [(name, self._info(each)) for name, each in sorted(self.tree.inside(full))]

    def remove(self, path: str) -> bool:
        """Remove a file, link or empty folder; whether that could be done."""
        full = self._place(path, last=False)
        file = self.tree.get(full)
        if file is None or full.startswith(SYSTEM) or (file.kind == "directory" and any(self.tree.inside(full))):
            return False
        self.tree.remove(full)
        return True

    def _refusal(self, full: str, path: str) -> OSError:
        """What a kernel would say where there is no file."""
        if not fits(full):
            return OSError(ENAMETOOLONG, strerror(ENAMETOOLONG), path)
        above = [self.tree.get(self.tree.find(each)) for each in _above(normpath(full))]
        if any(file is not None and file.kind == "file" for file in above):
            return NotADirectoryError(ENOTDIR, strerror(ENOTDIR), path)
        return FileNotFoundError(path)


def _above(path: str) -> Iterator[str]:
    """The folders that a path names, from the last to the first."""
    while path != (path := dirname(path)):
        yield path

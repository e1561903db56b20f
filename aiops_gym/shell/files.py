"""The files as a command sees them while a script runs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from errno import EINVAL, EISDIR, ELOOP, ENAMETOOLONG, ENOENT, ENOSPC, ENOTDIR
from os import strerror
from posixpath import dirname, join
from typing import Any

from aiops_gym.clients.context import FileInfo
from aiops_gym.shell.chance import STANDING_IN
from aiops_gym.shell.clock import Clock
from aiops_gym.shell.disk import UNSEEN, Disk, make_absolute
from aiops_gym.shell.drive import Drive
from aiops_gym.shell.engine import Invocation
from aiops_gym.shell.host import INSTALLED

ANY = 1 << 62
"""Files that may be looked at where nobody counts."""


class Overworked(Exception):
    """A command has looked at more files than there is time for."""


class OpenFiles:
    """See `clients.context.Files`.

    Args:
        clock: the time of what was just written.
        disk: the files when the script began.
        invocation: how to reach them now.
        still: nothing can have changed a file since the script began.
        room: how many files may be looked at; one more raises Overworked.

    Attributes:
        wrote: whether anything was changed through here.
        looked: how many files were looked at.
    """

    def __init__(self, clock: Clock, disk: Disk, invocation: Invocation, still: bool = False, room: int = ANY) -> None:
        self._clock = clock
        self._disk = disk
        self._invocation = invocation
        self._still = still
        self.wrote = False
        self.looked = 0
        self._room = room

    @property
    def _drive(self) -> Drive:
        """The files, all of them: the interpreter may have only those that the script itself reaches."""
        drive: Drive = self._invocation.drive
        self._disk.whole(drive)
        return drive

    def read(self, path: str) -> str:
        """Text of a file. Raises FileNotFoundError or IsADirectoryError."""
        full = make_absolute(path, self._invocation.cwd)
        if full == "/dev/stdin":
            return self._invocation.stdin
        known = self._disk.meant.get(full) if self._still and not self.wrote else None
        if known is not None and known.kind == "file":  # asking the interpreter from a callback costs 30 us and more
            return known.data.decode(errors="replace")
        drive = self._drive
        if not path or not drive.exists(full):
            raise FileNotFoundError(path)
        try:
            if drive.stat(full)["file_type"] == "directory":
                raise IsADirectoryError(path)
            return drive.read_file(full).decode(errors="replace")
        except RuntimeError as error:
            raise _refusal(error, drive, full, path) from error

    def write(self, path: str, text: str) -> None:
        """Write a file, with the folders above it. Raises OSError."""
        drive, full = self._drive, make_absolute(path, self._invocation.cwd)
        folder = full.rsplit("/", 1)[0]
        try:
            if folder and not drive.exists(folder):
                drive.mkdir(folder, True)
            drive.write_file(full, text.encode(errors="replace"))
        except RuntimeError as error:
            raise _refusal(error, drive, full, path) from error
        self.wrote = True

    def exists(self, path: str) -> bool:
        """Whether there is a file or a folder."""
        return self._drive.exists(make_absolute(path, self._invocation.cwd))

    def about(self, path: str) -> FileInfo | None:
        """What is known of a file itself, links not followed; None when there is none."""
        drive, full = self._drive, make_absolute(path, self._invocation.cwd)
        if full == "/" and drive.exists("/"):
            return FileInfo("directory", 0o755, 4096, INSTALLED)
        folder, _, name = full.rpartition("/")
        if not drive.exists(folder or "/"):
            return None
        found = next((e["metadata"] for e in drive.read_dir(folder or "/") if e["name"] == name), None)
        return None if found is None else self._info(drive, full, found)

    def _info(self, drive: Drive, full: str, found: Mapping[str, Any]) -> FileInfo:
        self.looked += 1
        if self.looked > self._room:
            raise Overworked
        disk, kind = self._disk, str(found["file_type"])
        stamp, known = disk.stamps.get(full), disk.tree.get(full)
        fresh = known is None or (kind == "file" and stamp is not None and stamp[0] != found["modified"])
        time = self._clock.now() if fresh or known is None else known.time
        time = INSTALLED if any(full == u or full.startswith(u + "/") for u in UNSEEN) else time
        target = drive.read_link(full) if kind == "symlink" else ""
        return FileInfo(kind, int(found["mode"]), 4096 if kind == "directory" else int(found["size"]), time, target)

    def make_folder(self, path: str) -> None:
        """Make a folder, with those above it. Raises OSError."""
        drive, full = self._drive, make_absolute(path, self._invocation.cwd)
        try:
            drive.mkdir(full, True)
        except RuntimeError as error:
            raise _refusal(error, drive, full, path) from error
        self.wrote = True

    def list(self, path: str) -> Sequence[str]:
        """Names in a folder, sorted. Raises FileNotFoundError or NotADirectoryError."""
        drive, full = self._drive, make_absolute(path, self._invocation.cwd)
        if not drive.exists(full):
            raise FileNotFoundError(path)
        if drive.stat(full)["file_type"] != "directory":
            raise NotADirectoryError(path)
        return sorted(str(entry["name"]) for entry in drive.read_dir(full) if _shown(full, entry))

    def entries(self, path: str) -> Sequence[tuple[str, FileInfo]]:
        """What is in a folder, sorted by name; nothing when there is no such folder."""
        drive, full = self._drive, make_absolute(path, self._invocation.cwd)
        if not drive.exists(full) or drive.stat(full)["file_type"] != "directory":
            return ()
        inside = [(str(e["name"]), e["metadata"]) for e in drive.read_dir(full) if _shown(full, e)]
        found = sorted(inside, key=lambda e: e[0])
        return [(name, self._info(drive, join(full, name), about)) for name, about in found]

    def remove(self, path: str) -> bool:
        """Remove a file, link or empty folder; whether that could be done."""
        drive, full = self._drive, make_absolute(path, self._invocation.cwd)
        try:
            drive.remove(full)
        except (OSError, RuntimeError):
            return False
        self.wrote = True
        return True


def _shown(folder: str, entry: Mapping[str, Any]) -> bool:
    """Whether an entry is a file of the machine, and not one that stands in for something else."""
    return join(folder, str(entry["name"])) not in STANDING_IN


def _refusal(error: RuntimeError, drive: Drive, full: str, path: str) -> OSError:
    """What a kernel would say where the interpreter's file system refuses a path."""
    text = str(error)
    if "too long" in text:
        number = ENAMETOOLONG
    elif any(drive.exists(each) and drive.stat(each)["file_type"] == "file" for each in _above(full)):
        number = ENOTDIR
    elif drive.exists(full) and drive.stat(full)["file_type"] == "directory":
        number = EISDIR
    elif "symlink" in text or "symbolic link" in text:
        number = ELOOP
    elif "not found" in text:
        number = ENOENT
    else:
        number = ENOSPC if "limit" in text or "exceed" in text else EINVAL
    return OSError(number, strerror(number), path)


def _above(path: str) -> Iterator[str]:
    """The folders that a path names, from the last to the first."""
    while path != (path := dirname(path)):
        yield path

"""`kubectl cp`: it runs tar in the container and speaks tar with it, so the archive is made and read here.

A container's files are text. What is not UTF-8 does not survive the way in.
"""

from __future__ import annotations

import io
import posixpath
import shlex
import tarfile
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from aiops_gym.types import Output

Exec = Callable[[list[str], str], Awaitable[Output]]

MOST_FILES = 1_000
LARGEST = 8 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Archive:
    """One run of tar.

    Attributes:
        out: whether files come out of the container.
        path: the file or folder that comes out, or the folder they go into.
    """

    out: bool
    path: str

    async def run(self, exec_: Exec, sent: bytes) -> tuple[Output, bytes]:
        """What tar says, and the archive that comes out."""
        return await self._pack(exec_) if self.out else (await self._unpack(exec_, sent), b"")

    async def _pack(self, exec_: Exec) -> tuple[Output, bytes]:
        listed = await exec_(["find", self.path, "-type", "f"], "")
        if listed.code:
            text = f"tar: {self.path.lstrip('/')}: Cannot stat: No such file or directory\n"
            return Output("", f"{text}tar: Exiting with failure status due to previous errors\n", 2), b""
        buffer = io.BytesIO()
        with tarfile.open(fileobj=buffer, mode="w", format=tarfile.USTAR_FORMAT) as archive:
            for path in listed.stdout.splitlines()[:MOST_FILES]:
                content = (await exec_(["cat", path], "")).stdout.encode("utf-8", "replace")
                info = tarfile.TarInfo(path.lstrip("/"))
                info.size = len(content)
                archive.addfile(info, io.BytesIO(content))
        said = "tar: Removing leading `/' from member names\n" if self.path.startswith("/") else ""
        return Output("", said), buffer.getvalue()

    async def _unpack(self, exec_: Exec, sent: bytes) -> Output:
        try:
            files = _files(sent)
        except (tarfile.TarError, EOFError):
            return Output("", "tar: This does not look like a tar archive\n", 2)
        for name, content in files:
            target = posixpath.join(self.path, name)
            folder, quoted = shlex.quote(posixpath.dirname(target)), shlex.quote(target)
            done = await exec_(["sh", "-c", f"mkdir -p {folder} && cat > {quoted}"], content)
            if done.code:
                return done
        return Output()


def _files(sent: bytes) -> list[tuple[str, str]]:
    """Names and texts of the files in an archive; names that lead out of the folder are left out."""
    found: list[tuple[str, str]] = []
    size = 0
    with tarfile.open(fileobj=io.BytesIO(sent), mode="r:") as archive:
        for member in archive:
            name, size = posixpath.normpath(member.name), size + member.size
            if size > LARGEST or len(found) >= MOST_FILES:
                raise tarfile.TarError("too much")
            content = archive.extractfile(member) if member.isreg() else None
            if content is not None and not name.startswith(("/", "..")):
                found.append((name, content.read().decode("utf-8", "replace")))
    return found


def find_archive(argv: list[str]) -> Archive | None:
    """The run of tar that a command is, None for any other command.

    >>> find_archive(["tar", "cf", "-", "/etc/hosts"]), find_archive(["tar", "-xmf", "-", "-C", "/tmp"])
    (Archive(out=True, path='/etc/hosts'), Archive(out=False, path='/tmp'))
    """
    match [word for word in argv if not word.startswith("--no-same-")]:
        case ["tar", "cf", "-", path]:
            return Archive(True, path)
        case ["tar", "-xmf" | "-xf" | "xf" | "xmf", "-"]:
            return Archive(False, ".")
        case ["tar", "-xmf" | "-xf" | "xf" | "xmf", "-", "-C", path]:
            return Archive(False, path)
    return None

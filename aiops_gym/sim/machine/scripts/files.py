"""The files that a script sees and changes: of the image, of mounts, of volumes, and those it wrote.

What is written outside volumes lies in table `scratch`, as commands run with `kubectl exec` leave it; what is written
to a volume lives as long as the volume, and all containers that mount it see it.
"""

from __future__ import annotations

from base64 import b64decode, b64encode
from collections.abc import Mapping
from posixpath import dirname, normpath
from typing import TYPE_CHECKING
from zlib import compress, decompress

from aiops_gym.sim.machine.mounts import find_container_spec
from aiops_gym.types import Json

if TYPE_CHECKING:
    from aiops_gym.sim.machine.container import Container

FOLDERS = ("/", "/bin", "/dev", "/etc", "/proc", "/root", "/tmp", "/usr", "/usr/bin", "/usr/local", "/var", "/var/tmp")
DEVICES = ("/dev/null", "/dev/zero", "/dev/urandom", "/dev/random", "/dev/stdout", "/dev/stderr", "/dev/stdin")
LARGEST_TEXT = 200_000
"""Bytes kept of a file; of longer ones only the size counts."""


class Files:
    """Files of one container.

    Args:
        c: the container.
    """

    def __init__(self, c: Container) -> None:
        self.c = c
        self.scratch = c.world.table("scratch")

    def read(self, path: str) -> str | None:
        """Text of a file, None if there is none."""
        if path in DEVICES:
            return ""
        if (entry := self._volume(path)) is not None:
            return str(entry[1]) if entry[0] == "file" else None
        kept = self._kept()
        if path in kept["changed"]:
            kind, _, _, data = kept["changed"][path]
            return decompress(b64decode(data)).decode(errors="replace") if data else "" if kind == "file" else None
        return None if path in kept["removed"] else self.c.read(path)

    def kind(self, path: str) -> str:
        """`file`, `directory` or "" if there is nothing."""
        path = path.rstrip("/") or "/"
        if path in DEVICES:
            return "file"
        if (entry := self._volume(path)) is not None:
            return str(entry[0])
        kept = self._kept()
        if path in kept["changed"]:
            return str(kept["changed"][path][0])
        if path in kept["removed"]:
            return ""
        if self.c.read(path) is not None:
            return "file"
        inner = (*kept["changed"], *self._mounts(), *self.c.files())
        folder = path in FOLDERS or path in self._mounts() or any(name.startswith(f"{path}/") for name in inner)
        return "directory" if folder else ""

    def write(self, path: str, text: str, append: bool = False) -> bool:
        """Put text into a file. False if the folder is not there or it is a folder itself."""
        if path in DEVICES:
            return True
        if self.kind(dirname(path)) != "directory" or self.kind(path) == "directory":
            return False
        before = (self.read(path) or "") if append else ""
        self._put(path, ["file", (before + text)[:LARGEST_TEXT]])
        self._measure(path, self.size(path) + len(text) if append and len(before) == LARGEST_TEXT else None)
        return True

    def fill(self, path: str, size: int) -> bool:
        """Make a file of zeros of so many bytes."""
        if not self.write(path, ""):
            return False
        self._measure(path, size)
        return True

    def folder(self, path: str) -> None:
        """Make a folder."""
        self._put(path, ["directory", ""])

    def remove(self, path: str) -> None:
        """Take a file, or a folder with all in it, away."""
        for name in [p for p in self.paths() if p == path or p.startswith(f"{path}/")]:
            if (found := self._place(name)) is not None:
                self.c.disk(found[0]).remove(f"file:{found[1]}")
            else:
                kept = self._kept()
                changed = {p: entry for p, entry in kept["changed"].items() if p != name}
                self._keep(changed, [*(p for p in kept["removed"] if p != name), name])
            self._measure(name, 0)
        self.c.world.touch()

    def paths(self) -> list[str]:
        """All files and folders that were written, and all files that were there before."""
        kept = self._kept()
        found = {*self.c.files(), *kept["changed"]} - set(kept["removed"])
        for mount in self._mounts():
            names = self.c.disk(mount).names()
            found |= {f"{mount}/{name.removeprefix('file:')}" for name in names if name.startswith("file:")}
        return sorted(found)

    def size(self, path: str) -> int:
        """Bytes of a file."""
        sizes: Mapping[str, int] = self.c.state.get("sizes") or {}
        return sizes.get(path) or len((self.read(path) or "").encode())

    def _measure(self, path: str, size: int | None) -> None:
        sizes = dict(self.c.state.get("sizes") or {})
        before = dict(sizes)
        sizes.pop(path, None)
        if size:
            sizes[path] = size
        if sizes != before:
            self.c.remember(sizes=sizes)
            self.c.world.touch()

    def _put(self, path: str, entry: list[Json]) -> None:
        if (found := self._place(path)) is not None:
            self.c.disk(found[0]).put(f"file:{found[1]}", entry)
        else:
            kept = self._kept()
            data = b64encode(compress(entry[1].encode(), 1)).decode() if entry[1] else ""
            mode = 0o755 if entry[0] == "directory" else 0o644
            changed = {**kept["changed"], path: [entry[0], mode, self.c.now / 1000, data]}
            self._keep(changed, [p for p in kept["removed"] if p != path])
        self.c.world.touch()

    def _kept(self) -> Mapping[str, Json]:
        entry = self.scratch.get(self.c.key)
        if entry is None or entry["process"] != self.c.process["id"]:
            return {"changed": {}, "removed": []}
        files: Mapping[str, Json] = entry["files"]
        return files

    def _keep(self, changed: Mapping[str, Json], removed: list[str]) -> None:
        files = {"changed": dict(changed), "removed": removed}
        self.scratch[self.c.key] = {"process": self.c.process["id"], "files": files}

    def _mounts(self) -> list[str]:
        """Folders of volumes that can be written."""
        pod = self.c.pod
        if pod is None:
            return []
        kinds = ("emptyDir", "hostPath", "persistentVolumeClaim")
        volumes = {v["name"] for v in pod["spec"].get("volumes") or () if any(kind in v for kind in kinds)}
        mounts = find_container_spec(pod, self.c.process["container"]).get("volumeMounts") or ()
        return [m["mountPath"].rstrip("/") for m in mounts if m["name"] in volumes]

    def _place(self, path: str) -> tuple[str, str] | None:
        """(folder of the volume, path in it) of a path in a volume."""
        found = [m for m in self._mounts() if path.startswith(f"{m}/")]
        return (mount := max(found, key=len), path[len(mount) + 1 :]) if found else None

    def _volume(self, path: str) -> list[Json] | None:
        found = self._place(path)
        entry: list[Json] | None = self.c.disk(found[0]).get(f"file:{found[1]}") if found else None
        return entry


def make_absolute(path: str, cwd: str) -> str:
    """A path from the root."""
    return normpath(path if path.startswith("/") else f"{cwd}/{path}").replace("//", "/")

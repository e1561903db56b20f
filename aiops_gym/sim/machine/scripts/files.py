"""The files that a script sees and changes: of the image, of mounts, of volumes, and those it wrote.

What is written outside volumes lies in table `scratch`, as commands run with `kubectl exec` leave it; what is written
to a volume lives as long as the volume, and all containers that mount it see it.
"""

from __future__ import annotations

import re
from base64 import b64decode, b64encode
from collections.abc import Mapping, Sequence
from functools import cached_property
from posixpath import dirname, normpath
from typing import TYPE_CHECKING
from zlib import compress, decompress

from aiops_gym.sim.machine import executables
from aiops_gym.sim.machine.mounts import find_container_spec
from aiops_gym.sim.machine.program import find, program_of
from aiops_gym.types import Json

if TYPE_CHECKING:
    from aiops_gym.sim.machine.container import Container

STICKY = ("/tmp", "/var/tmp")
_FOLDERS = """
    / /bin /dev /etc /home /mnt /opt /proc /root /run /sbin /srv /sys /usr /usr/bin /usr/local /usr/local/bin /usr/sbin
    /usr/share /var /var/lib /var/log /var/run
"""
FOLDERS = frozenset(_FOLDERS.split())
"""What every image has, besides what everybody may write to."""

MOST_LINKS = 8
DEVICES = ("/dev/null", "/dev/zero", "/dev/urandom", "/dev/random", "/dev/stdout", "/dev/stderr", "/dev/stdin")
PROC = re.compile(r"/proc/(?:1|self)/")
"""Of the first process; a command takes what is told of it for what is told of itself."""

LARGEST_ZEROS = 10_000
LARGEST_TEXT = 200_000
"""Bytes kept of a file; of longer ones only the size counts."""


class Files:
    """Files of one container.

    Args:
        c: the container.
        mask: permissions that new files do not get.

    Attributes:
        binary: whether texts hold bytes that are no text, as lone surrogates.
    """

    binary = False

    def __init__(self, c: Container, mask: int = 0o022) -> None:
        self.c, self.mask = c, mask
        self.scratch = c.world.table("scratch")

    def read(self, path: str) -> str | None:
        """Text of a file, None if there is none."""
        if path in DEVICES:
            return ""
        if (entry := self._volume(path)) is not None:
            return str(entry[1]) if entry[0] == "file" else None
        kept, path = self._kept(), self.follow(path)
        if path in kept["changed"]:
            kind, _, _, data = kept["changed"][path]
            return decompress(b64decode(data)).decode(errors="replace") if data else "" if kind == "file" else None
        if path in kept["removed"]:
            return None
        found = read_process(self.c, path) if path.startswith("/proc/") else self.c.read(path)
        stored = list_stored(self.c).get(path) if found is None and self.c.spec().get("volumeMounts") else None
        return found if stored is None else "\0" * min(stored[0], LARGEST_TEXT)

    def kind(self, path: str) -> str:
        """`file`, `directory` or "" if there is nothing."""
        path = path.rstrip("/") or "/"
        if path in DEVICES:
            return "file"
        if (entry := self._volume(path)) is not None:
            return str(entry[0])
        kept, path = self._kept(), self.follow(path)
        if path in kept["changed"]:
            return str(kept["changed"][path][0])
        if path in kept["removed"]:
            return ""
        if path in FOLDERS or path in STICKY:
            return "directory"
        if self._is_executable(path) or (path.startswith("/proc/") and read_process(self.c, path) is not None):
            return "file"
        return self._given.get(path, "")

    def follow(self, path: str) -> str:
        """What a link leads to; other paths as they are."""
        changed = self._kept()["changed"]
        links = {each: entry[3] for each, entry in changed.items() if entry[0] == "symlink"}
        for _ in range(MOST_LINKS if links else 0):
            above = next((each for each in links if path == each or path.startswith(f"{each}/")), None)
            if above is None:
                break
            target = decompress(b64decode(links[above])).decode()
            path = make_absolute(target + path[len(above) :], dirname(above))
        return path

    @cached_property
    def _given(self) -> Mapping[str, str]:
        """What was there before anything was written: path -> kind."""
        image = self.c.image()
        start = str(self.c.spec().get("workingDir") or (image.workdir if image is not None else "/"))
        stored = {path: "file" if mode == 0o600 else "directory" for path, (_, mode) in list_stored(self.c).items()}
        files = self.c.files()
        found = {
            **dict.fromkeys((start.rstrip("/"), *list_places(self.c)), "directory"),
            **dict.fromkeys(files, "file"),
        }
        for path in [*found, *stored]:
            while (path := dirname(path)) not in ("/", ""):
                found.setdefault(path, "directory")
        return {**found, **stored}

    def mode(self, path: str) -> int:
        """The permissions of what is there."""
        entry, path = self._volume(path), self.follow(path)
        given = (entry or ())[2:3] or self._kept()["changed"].get(path, ())[1:2]
        return (
            int(given[0]) if given else 0o755 if self.kind(path) == "directory" or self._is_executable(path) else 0o644
        )

    def time(self, path: str) -> float:
        """When a file was written, in seconds; 0 for what was there before."""
        path = self.follow(path)
        return float(self._kept()["changed"].get(path, (0, 0, 0.0))[2])

    def is_written(self, path: str) -> bool:
        """Whether a file was written, or changed, since the container started."""
        return self._volume(path) is not None or self.follow(path) in self._kept()["changed"]

    def change_mode(self, path: str, mode: int) -> None:
        """Give what is there other permissions."""
        path = self.follow(path)
        self._put(path, [self.kind(path), self.read(path) or ""], mode)

    def _is_executable(self, path: str) -> bool:
        image = self.c.image()
        return image is not None and executables.resolve(image, path, "/") != ""

    def write(self, path: str, text: str, append: bool = False) -> bool:
        """Put text into a file. False if the folder is not there or it is a folder itself."""
        if path in DEVICES:
            return True
        lent = path.startswith("/dev/fd/") and self.kind(path) == "file"
        if not lent and (self.kind(dirname(path)) != "directory" or self.kind(path) == "directory"):
            return False
        before, path = (self.read(path) or "") if append else "", self.follow(path)
        mode = self.mode(path) if self.kind(path) else 0o666 & ~self.mask
        self._put(path, ["file", (before + text)[:LARGEST_TEXT]], mode)
        self._measure(path, self.size(path) + len(text) if append and len(before) == LARGEST_TEXT else None)
        return True

    def lend(self, path: str, text: str) -> None:
        """Put a file where there is no folder for it: one of a process that is read or written."""
        self._put(path, ["file", text[:LARGEST_TEXT]], 0o600)

    def fill(self, path: str, size: int) -> bool:
        """Make a file of zeros of so many bytes; of a large one only their number is kept."""
        if size <= LARGEST_ZEROS:
            return self.write(path, "\0" * size)
        if not self.write(path, ""):
            return False
        self._measure(path, size)
        return True

    def folder(self, path: str) -> None:
        """Make a folder."""
        self._put(path, ["directory", ""], 0o777 & ~self.mask)

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

    def touch(self, path: str) -> None:
        """Give a file the present time."""
        if self.kind(path) == "file":
            self._put(self.follow(path), ["file", self.read(path) or ""], self.mode(path))

    def stores(self, paths: Sequence[str]) -> bool:
        """Whether what a program keeps on its disk lies at or below one of these paths."""
        return any(f"{stored}/".startswith(f"{path}/") for stored in list_stored(self.c) for path in paths)

    def paths(self, below: str = "/") -> list[str]:
        """All files and folders that were written, and all files that were there before."""
        kept = self._kept()
        found = {*FOLDERS, *STICKY, *self._given, *kept["changed"]} - {"/", *kept["removed"]}
        for mount in self.mounts():
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

    def _put(self, path: str, entry: list[Json], mode: int = 0o755) -> None:
        if (found := self._place(path)) is not None:
            usual = 0o755 if entry[0] == "directory" else 0o644
            self.c.disk(found[0]).put(f"file:{found[1]}", entry if mode == usual else [*entry, mode])
        else:
            kept = self._kept()
            data = b64encode(compress(entry[1].encode(), 1)).decode() if entry[1] else ""
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

    def mounts(self) -> list[str]:
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
        found = [m for m in self.mounts() if path.startswith(f"{m}/")]
        return (mount := max(found, key=len), path[len(mount) + 1 :]) if found else None

    def _volume(self, path: str) -> list[Json] | None:
        found = self._place(path)
        entry: list[Json] | None = self.c.disk(found[0]).get(f"file:{found[1]}") if found else None
        return entry


def list_places(c: Container) -> list[str]:
    """Mounted folders, and that in which a program keeps its data."""
    own, files = c.state.get("path"), c.files()
    places = {*(m["mountPath"].rstrip("/") for m in c.spec().get("volumeMounts") or ()), own}
    return sorted(folder for folder in places if isinstance(folder, str) and folder and folder not in files)


def list_stored(c: Container) -> Mapping[str, tuple[int, int]]:
    """What the data of programs amounts to: path -> size and mode."""
    found: dict[str, tuple[int, int]] = {}
    kinds = sorted({b.program for image in c.world.blueprint.images.values() for b in image.binaries.values()})
    for folder in list_places(c):
        disk = c.disk(folder)
        for kind in kinds if any(not name.startswith("file:") for name in disk.names()) else ():
            for name, size in find(c.world, kind).stored(disk).items():
                found[f"{folder}/{name.rstrip('/')}"] = size, 0o700 if name.endswith("/") else 0o600
    return found


def read_process(c: Container, path: str) -> str | None:
    """One of the files of `/proc/1` that people look at."""
    name = PROC.sub("", path)
    argv, pod = c.first_argv, c.process["uid"].replace("-", "_")
    command = argv[0].rpartition("/")[2][:15] if argv else ""
    if name == "cmdline":
        return "".join(f"{word}\0" for word in argv)
    if name == "comm":
        return f"{command}\n"
    if name == "environ":
        return "".join(f"{key}={value}\0" for key, value in c.env.items())
    if name == "cgroup" and c.pod is None:
        return "0::/\n"
    if name == "cgroup":
        return f"0::/kubelet.slice/kubelet-kubepods.slice/kubelet-kubepods-pod{pod}.slice/{c.process['id']}\n"
    if name != "status":
        return None
    kib = int(program_of(c.world, c.process).usage(c.process, 0.0, 0.0)["memory"]) // 1024
    head = f"Name:\t{command}\nUmask:\t0022\nState:\tS (sleeping)\nTgid:\t1\nPid:\t1\nPPid:\t0\nThreads:\t8\n"
    return f"{head}VmSize:\t{kib * 9:8d} kB\nVmRSS:\t{kib:8d} kB\n"


def make_absolute(path: str, cwd: str) -> str:
    """A path from the root."""
    return normpath(path if path.startswith("/") else f"{cwd}/{path}").replace("//", "/")

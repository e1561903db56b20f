"""Pasts of worlds in files: what one process has simulated, others read, in a tenth of the time.

A file holds what sets a past apart from a world that the reader has (`World.difference`): data, no code. Its folder is
called after all that a past follows from: the package's own files, what simulates with them, and Python. So an edit
begins a new folder, and nothing in it was made by anything else. A file that is damaged, or not there, or cannot be
written, costs the time of simulating, and is no error.
"""

from __future__ import annotations

import gc
import logging
import os
import platform
import shutil
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from hashlib import blake2b
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import orjson

from aiops_gym import files
from aiops_gym.caches import Entry
from aiops_gym.errors import SnapshotError
from aiops_gym.folders import cache_folder
from aiops_gym.sim.kernel.shared import fold, unfold
from aiops_gym.sim.kernel.world import World

PACKAGE = Path(__file__).parent.parent

PASTS = "pasts"
"""The folder in that of caches."""

KEPT = 3
"""Folders of as many states of the package, those used last."""

ROOMS = ("backends", "catalog", "clients", "docker", "helm", "kubectl", "shell", "sim")
"""Rooms of the package that a past follows from."""

OTHERS = ("bashkit", "orjson", "pyyaml", "quickjs-ng")
"""Packages that it follows from."""

DIGEST = 16
"""Bytes at the head of a file that say whether the rest is what was written."""

_log = logging.getLogger(__name__)

ENTRY = Entry(
    f"{__name__}.files",
    "simulating a past that another process has simulated",
    key="the package's files, versions of Python and of four packages, the machine; the past's name",
    bound=KEPT,
    unit="folders on disk",
    ends="an edit of the package, which begins a new folder; damage, which a digest shows",
)


def get(name: str, shift: int, begin: Callable[[], World], simulate: Callable[[], World]) -> World:
    """A past, read from its file or else simulated and written there.

    Args:
        name: of the past among all of them; it becomes the name of a file.
        shift: ms by which it lies later than usual: what begins at this moment is met once, and leaves no file.
        begin: makes a world of which the past becomes a part by `World.become`; equal whenever it is called.
        simulate: makes the past itself.
    """
    if shift or ENTRY.off or not _state():
        return simulate()
    ENTRY.met = True
    path = cache_folder() / PASTS / _state() / name
    found = _read(path, begin)
    if found is None:
        simulated = simulate()
        _write(path, simulated, begin())
        found = _read(path, begin) or simulated  # what was read is half as large
    return found


def _read(path: Path, begin: Callable[[], World]) -> World | None:
    try:
        data = path.read_bytes()
    except OSError:
        return None
    if _digest(data[DIGEST:]) != data[:DIGEST]:
        _log.warning("%s is damaged, and made anew", path)
        return None
    world = begin()
    try:
        with _no_looking_for_garbage():
            world.become(unfold(orjson.loads(zlib.decompress(data[DIGEST:]))))
    except (zlib.error, LookupError, TypeError, ValueError, SnapshotError) as error:
        _log.warning("%s is damaged, and made anew: %s", path, error)
        return None
    with suppress(OSError):
        os.utime(path.parent)  # it is used: `_make_room`
    return world


@contextmanager
def _no_looking_for_garbage() -> Iterator[None]:
    """A hundred thousand new dicts and lists are none, and looking through them takes longer than reading them."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def _write(path: Path, world: World, base: World) -> None:
    data = zlib.compress(orjson.dumps(fold(world.difference(base))), 1)
    try:
        if not path.parent.is_dir():
            _make_room(path.parent.parent)
        files.write(path, _digest(data) + data)
    except OSError as error:
        _log.info("pasts are not kept: %s", error)


def _make_room(folder: Path) -> None:
    """Remove the pasts of other states of the package, but for those used last: an edit takes none from a long run."""
    old = sorted((each for each in folder.glob("*") if each.is_dir()), key=lambda each: each.stat().st_mtime)
    for each in old[: 1 - KEPT]:
        shutil.rmtree(each, ignore_errors=True)


def _digest(data: bytes) -> bytes:
    return blake2b(data, digest_size=DIGEST).digest()


@cache
def _state() -> str:
    """A name for all that pasts follow from; "" where the package is no folder of files, and nothing tells."""
    found, sources = blake2b(digest_size=10), list(_sources())
    if not sources:
        return ""
    for path in sources:
        found.update(f"{os.path.relpath(path, PACKAGE)}\0".encode() + path.read_bytes())
    others = [_version(name) for name in OTHERS]
    found.update(repr((platform.python_version(), platform.machine(), others)).encode())
    return found.hexdigest()


def _sources() -> Iterator[Path]:
    """The package's own files, in an order that is the same everywhere."""
    yield from sorted(PACKAGE.glob("*.py"))
    for room in ROOMS:
        for folder, inner, names in os.walk(PACKAGE / room):
            inner[:] = sorted(name for name in inner if name != "__pycache__")
            yield from (Path(folder, name) for name in sorted(names))


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return ""

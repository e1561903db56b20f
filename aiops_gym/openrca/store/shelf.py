"""Which files are converted, which are stale, and the making of those that are missing: once, whoever asks.

A conversion's folder is called after what its file was: size, time of change, head and tail, columns and format. It
is made under another name beside it and renamed when all of it is on the disk, so that it is there whole or not at
all. One lock a file lets one process convert while the others wait for it.
"""

from __future__ import annotations

import errno
import logging
import os
import shutil
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from hashlib import blake2b
from pathlib import Path

from aiops_gym import locks
from aiops_gym.errors import BackendError, CatalogError
from aiops_gym.folders import VARIABLE
from aiops_gym.openrca.model import Table
from aiops_gym.openrca.store.complaint import about
from aiops_gym.openrca.store.layout import ALL, VERSION, Damaged
from aiops_gym.openrca.store.opened import Store

Progress = Callable[[Path, int, int], None]
"""Called with the file, the bytes of it that were read, and all its bytes."""

NEEDED = 0.6
"""Room on the disk that a conversion may take, as a share of the CSV: what stays and what is needed on the way."""

PACKED = 8
"""How many times as long a CSV is as it is packed by gzip, about."""

_log = logging.getLogger(__name__)
_ENDS = 1 << 16
_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
_stores: dict[tuple[str, int, int, str], Store] = {}
_guard = threading.Lock()


def _renew_guard() -> None:
    """A lock that another thread held at a fork would never be released in the child."""
    global _guard  # noqa: PLW0603
    _guard = threading.Lock()


if hasattr(os, "register_at_fork"):  # where processes fork
    os.register_at_fork(after_in_child=_renew_guard)


def open_store(path: Path, table: Table, cache: Path, progress: Progress | None = None, strict: bool = False) -> Store:
    """The columns of a file, converted first where they are not. The same object while the file stays the same.

    Args:
        strict: refuse a file that is not all that the table says; else what can be read of it is.

    Raises:
        CatalogError: the file is not there, or is refused.
        BackendError: the cache cannot be written, or its disk is full.
    """
    size, changed = _identity(path)
    key = (str(path), size, changed, str(cache))
    found = _stores.get(key)
    if found is None:
        opened = _open(path, table, cache, progress, strict)  # Not under the guard: others may go on meanwhile.
        with _guard:
            for stale in [each for each in _stores if each[0] == key[0] and each[3] == key[3] and each != key]:
                del _stores[stale]
            found = _stores.setdefault(key, opened)
    else:
        found.look_again()
    if strict and found.meta.odd:
        raise about(path, table, next(iter(found.meta.odd)))
    return found


def forget() -> None:
    """Close what is open; for tests and measurements."""
    with _guard:
        _stores.clear()


def find_state(path: Path, table: Table, cache: Path) -> str:
    """`ready`, `stale` or `missing`: what there is of a file's conversion."""
    shelf = _shelf(path, cache)
    if (shelf / _fingerprint(path, table) / ALL).is_file():
        return "ready"
    return "stale" if any(shelf.glob(f"*/{ALL}")) else "missing"


def measure_size(path: Path, table: Table, cache: Path) -> int:
    """Bytes of a file's conversion; 0 when there is none."""
    folder = _shelf(path, cache) / _fingerprint(path, table)
    return sum(each.stat().st_size for each in folder.iterdir()) if folder.is_dir() else 0


def ensure_converted(
    path: Path, table: Table, cache: Path, progress: Progress | None = None, strict: bool = False
) -> bool:
    """Convert a file where it is not. True when this call did it."""
    folder = _shelf(path, cache) / _fingerprint(path, table)
    return not (folder / ALL).is_file() and _make(path, table, folder, progress, strict)


def verify(path: Path, table: Table, cache: Path) -> str:
    """The first file of a conversion that is not as it was written; "" where all are, or there is none yet."""
    folder = _shelf(path, cache) / _fingerprint(path, table)
    return _find_damage(folder, table) if (folder / ALL).is_file() else ""


def repair(path: Path, table: Table, cache: Path) -> None:
    """Convert a file anew where its conversion is damaged. Raises as `heal` does."""
    heal(path, table, _shelf(path, cache) / _fingerprint(path, table))


def heal(path: Path, table: Table, folder: Path) -> None:
    """Make a conversion anew where its files are damaged; nothing where another process has done so already.

    Raises:
        BackendError: the file that it was made from has changed since, or is gone.
    """
    with _locked(folder.parent):
        damage = _find_damage(folder, table)
        if not damage:
            return
        if not path.is_file() or _fingerprint(path, table) != folder.name:
            raise BackendError(f"{folder / damage} is damaged, and {path}, which it was made from, is not what it was")
        _log.warning("%s was damaged; %s is converted anew", folder / damage, path)
        shutil.rmtree(folder, ignore_errors=True)
        try:
            _check_room(path, folder.parent)
            _convert(path, table, folder, None, strict=False)
        except OSError as error:
            raise _explained(path, folder, error) from None


def _find_damage(folder: Path, table: Table) -> str:
    try:
        return Store(folder, table, _never).find_damage()
    except (Damaged, OSError):
        return ALL


def _never() -> None:
    raise Damaged


def _open(path: Path, table: Table, cache: Path, progress: Progress | None, strict: bool) -> Store:
    for _ in range(3):
        folder = _shelf(path, cache) / _fingerprint(path, table)
        if not (folder / ALL).is_file():
            _make(path, table, folder, progress, strict)
        try:
            return Store(folder, table, partial(heal, path, table, folder))
        except (FileNotFoundError, Damaged):
            # Another process put a new conversion in place of this one, or somebody changed its files.
            if folder.is_dir() and _fingerprint(path, table) == folder.name:
                heal(path, table, folder)
    raise BackendError(f"{folder} changes while it is read: is another program at work there?")


def _shelf(path: Path, cache: Path) -> Path:
    """Folder of all conversions of a file, named so that people find their way."""
    absolute = path.absolute()
    digest = blake2b(os.fsencode(absolute), digest_size=5).hexdigest()
    return cache / "openrca" / f"{absolute.parent.parent.name}-{path.stem}-{digest}"


def _identity(path: Path) -> tuple[int, int]:
    try:
        found = os.stat(path)
    except OSError as error:
        raise CatalogError(f"{path} cannot be read: {error.strerror}") from None
    return found.st_size, found.st_mtime_ns


def _fingerprint(path: Path, table: Table) -> str:
    size, changed = _identity(path)
    schema = [(column.name, column.kind) for column in table.columns]
    digest = blake2b(repr((VERSION, size, changed, schema, table.unit)).encode(), digest_size=10)
    try:
        with path.open("rb") as file:
            digest.update(file.read(_ENDS))
            file.seek(max(0, size - _ENDS))
            digest.update(file.read(_ENDS))
    except OSError as error:
        raise CatalogError(f"{path} cannot be read: {error.strerror}") from None
    return digest.hexdigest()


def _make(path: Path, table: Table, folder: Path, progress: Progress | None, strict: bool) -> bool:
    """Convert under the file's lock; False when another process did so meanwhile."""
    try:
        with _locked(folder.parent):
            if (folder / ALL).is_file():
                return False
            for left in folder.parent.iterdir():
                if left.is_dir():
                    shutil.rmtree(left)  # A conversion that was killed, or one of what the file was before.
            _check_room(path, folder.parent)
            _convert(path, table, folder, progress, strict)
            return True
    except OSError as error:
        raise _explained(path, folder, error) from None


def _convert(path: Path, table: Table, folder: Path, progress: Progress | None, strict: bool) -> None:
    from aiops_gym.openrca.store.convert import convert  # noqa: PLC0415  # Brings pyarrow's reader of CSV.

    before = _identity(path)
    making = folder.parent / "making"
    making.mkdir()
    try:
        convert(path, table, making, (lambda done: progress(path, done, before[0])) if progress else None, strict)
        if _identity(path) != before:
            raise CatalogError(f"{path} changed while it was converted; ask again when it is complete")
        _sync(making)
        making.rename(folder)
        _sync(folder.parent)
    finally:
        shutil.rmtree(making, ignore_errors=True)


def _sync(folder: Path) -> None:
    """Have the names in a folder on the disk too, where the system lets a folder be opened."""
    if os.name == "nt":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    folder.mkdir(parents=True, exist_ok=True)
    with locks.take(folder / "lock"):
        yield


def _check_room(path: Path, folder: Path) -> None:
    whole = path.stat().st_size * (PACKED if path.suffix == ".gz" else 1)
    needed, free = int(whole * NEEDED), shutil.disk_usage(folder).free
    if free < needed:
        raise OSError(errno.ENOSPC, f"{needed >> 20} MB are needed, {free >> 20} MB are free")


def _explained(path: Path, folder: Path, error: OSError) -> BackendError:
    where = f"{path} cannot be converted into {folder.parent}"
    way = f"set {VARIABLE} to a folder with room (or to 'beside': next to the data)"
    if error.errno in _FULL:
        detail = error.strerror if error.errno == errno.ENOSPC and "MB" in str(error.strerror) else "no room left"
        return BackendError(f"{where}: the disk is full ({detail}); {way}")
    return BackendError(f"{where}: {error.strerror or error}; {way}")

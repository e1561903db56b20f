"""The CSV files of a data set, and what there is of their conversions."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from aiops_gym.errors import CatalogError
from aiops_gym.folders import cache_folder
from aiops_gym.openrca import domains, layout
from aiops_gym.openrca.model import Domain, Table
from aiops_gym.openrca.store import shelf


@dataclass(frozen=True)
class DataFile:
    """One CSV file."""

    path: Path
    day: date
    table: Table
    cache: Path

    @property
    def bytes(self) -> int:
        """Its size; 0 where it is missing."""
        return self.path.stat().st_size if self.path.is_file() else 0

    def state(self) -> str:
        """`ready`, `stale`, `missing`, or `no file`."""
        return shelf.find_state(self.path, self.table, self.cache) if self.path.is_file() else "no file"

    def size(self) -> int:
        """Bytes of the conversion."""
        return shelf.measure_size(self.path, self.table, self.cache) if self.path.is_file() else 0


def find_domain_folders(root: str | os.PathLike[str], name: str | None = None) -> Iterator[tuple[Domain, str, Path]]:
    """The domains whose data are below a root: domain, cloudbed and folder.

    Raises:
        CatalogError: there are none, or the root is no folder.
    """
    wanted = domains.find(name) if name is not None else None
    found = False
    for each in domains.list_domains():
        domain, _ = domains.find(each)
        for cloudbed in domain.folders:
            if wanted is not None and (wanted[0] is not domain or wanted[1] not in ("", cloudbed)):
                continue
            try:
                folder = layout.domain_folder(domain, cloudbed, root)
            except CatalogError:
                continue
            found = True
            yield domain, cloudbed, folder
    if not found:
        if not Path(root).is_dir():
            raise CatalogError(f"{root} is no folder")
        known = ", ".join(
            folder for each in domains.list_domains() for folder in domains.find(each)[0].folders.values()
        )
        raise CatalogError(f"{root} has no data{f' of {name}' if name else ''}; it should hold one of: {known}")


def list_known_days(folder: Path) -> tuple[date, ...]:
    """The days of a domain's folder; none where it holds labels only."""
    return layout.list_days(folder) if (folder / "telemetry").is_dir() else ()


def find_data_files(
    root: str | os.PathLike[str], name: str | None = None, cache: str | os.PathLike[str] | None = None
) -> list[DataFile]:
    """All files that are there, of all domains or of one."""
    found = [
        DataFile(layout.table_file(folder, day, table), day, table, cache_folder(folder, cache))
        for domain, _, folder in find_domain_folders(root, name)
        for day in list_known_days(folder)
        for table in domain.tables
    ]
    return [each for each in found if each.path.is_file()]

"""Where the files of a domain lie on disk. Read only: the data may be the user's own."""

from __future__ import annotations

import os
import re
from datetime import date
from pathlib import Path

from aiops_gym.errors import CatalogError
from aiops_gym.openrca.model import Domain, Table

VARIABLE = "AIOPS_GYM_OPENRCA"
"""Environment variable that names the root."""

_DAY = re.compile(r"\d{4}_(?:0[1-9]|1[0-2])_(?:0[1-9]|[12]\d|3[01])")


def domain_folder(domain: Domain, cloudbed: str, root: str | os.PathLike[str]) -> Path:
    """The folder that holds a domain's record.csv, query.csv and telemetry.

    Args:
        root: the folder that holds `Bank`, `Market` and `Telecom`, or the domain's own folder.

    Raises:
        CatalogError: it is neither.
    """
    base, below = Path(root).expanduser(), domain.folders[cloudbed]
    for candidate in (base / below, base / "dataset" / below, base / cloudbed, base):
        if (candidate / "telemetry").is_dir() or (candidate / "query.csv").is_file():
            if candidate == base and base.name.lower() != below.rpartition("/")[2].lower():
                break
            return candidate
    raise CatalogError(
        f"{base} has no data of {domain.title}: there should be {base / below / 'telemetry'}. "
        f"Unpack the original there, or make one: aiops-gym openrca synthesize {base} --domain {domain.name}"
    )


def list_days(folder: Path) -> tuple[date, ...]:
    """The days that a domain has telemetry of, sorted. Stray files are left out.

    Raises:
        CatalogError: there is no telemetry, or it cannot be read.
    """
    try:
        entries = [entry.name for entry in (folder / "telemetry").iterdir() if entry.is_dir()]
    except FileNotFoundError:
        raise CatalogError(
            f"{folder / 'telemetry'} is not there; it should hold a folder for each day, such as 2021_03_04"
        ) from None
    except OSError as error:
        raise CatalogError(f"{folder / 'telemetry'} cannot be read: {error.strerror}") from None
    return tuple(sorted(day for name in entries if (day := _day(name))))


def _day(name: str) -> date | None:
    """The day that a folder's name says, None where it is another folder."""
    try:
        return date(*map(int, name.split("_"))) if _DAY.fullmatch(name) else None
    except ValueError:
        return None


def table_file(folder: Path, day: date, table: Table) -> Path:
    """The CSV file of a table and a day, or the one packed by gzip that lies in its place; neither need exist."""
    path = folder / "telemetry" / day.strftime("%Y_%m_%d") / table.path
    packed = path.with_name(f"{path.name}.gz")
    return packed if not path.is_file() and packed.is_file() else path

"""What a data set holds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import typer

from aiops_gym.cli.common import show, show_json
from aiops_gym.errors import CatalogError
from aiops_gym.folders import cache_folder
from aiops_gym.openrca import labels, layout
from aiops_gym.openrca.files import DataFile, find_domain_folders, list_known_days
from aiops_gym.openrca.origin import SYNTHETIC, read_origin
from aiops_gym.openrca.store import shelf
from aiops_gym.openrca.store.oddities import explain

SAID = {
    "ready": "converted",
    "stale": "changed since it was converted",
    "missing": "not converted yet",
    "no file": "without a file",
}
"""What the states of a day's file mean to people."""


def command(
    root: Annotated[Path, typer.Argument(help="Folder that holds Bank, Market and Telecom, or one of them.")],
    cache: Annotated[str | None, typer.Option(help="Folder of the conversions, or `beside` the data.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Say which domains and days there are, how many rows and failures, what is converted, and what was odd in it."""
    report = list(_report(root, cache))
    if as_json:
        show_json(report)
        return
    for each in report:
        counts = f"{each['failures']} failures, {each['queries']} queries, {len(each['days'])} days"
        show(f"{each['domain']}: {counts}{', synthetic' if each['data'] == SYNTHETIC else ''}")
        show(f"  days       {', '.join(each['days'])}" if each["days"] else "  no telemetry")
        for name, table in each["tables"].items() if each["days"] else ():
            states = ", ".join(f"{count} {SAID[state]}" for state, count in table["files"].items())
            rows = f", {table['rows']:,} rows in what is converted" if table["rows"] else ""
            show(f"  {name:18} {table['bytes'] / 1e6:>9,.1f} MB CSV; {states}{rows}")
            for day, said in table["odd"].items():
                show("".join(f"    {day}: {line}\n" for line in said).rstrip())
        show(f"  cache      {each['cache_bytes'] / 1e6:,.1f} MB in {each['cache']}")


def _report(root: Path, cache: str | None) -> Iterator[dict[str, Any]]:
    for domain, cloudbed, folder in find_domain_folders(root):
        where, days = cache_folder(folder, cache), list_known_days(folder)
        tables: dict[str, Any] = {}
        size = 0
        for table in domain.tables:
            files = [DataFile(layout.table_file(folder, day, table), day, table, where) for day in days]
            states = [file.state() for file in files]
            converted = [file for file, state in zip(files, states, strict=True) if state == "ready"]
            size += sum(file.size() for file in converted)
            tables[table.name] = {
                "files": dict(sorted(Counter(states).items())),
                "bytes": sum(file.bytes for file in files),
                "rows": sum(shelf.open_store(file.path, table, where).rows for file in converted),
                "odd": {
                    str(file.day): said
                    for file in converted
                    if (said := explain(shelf.open_store(file.path, table, where).meta.odd))
                },
            }
        yield {
            "domain": domain.prefix(cloudbed),
            "folder": str(folder),
            "data": read_origin(folder),
            "days": [str(day) for day in days],
            "failures": _count(labels.read_records, folder),
            "queries": _count(labels.read_queries, folder),
            "tables": tables,
            "cache": str(where),
            "cache_bytes": size,
        }


def _count(read: Any, folder: Path) -> int:
    """How many there are; 0 where there is no such file: telemetry alone is worth looking at."""
    try:
        return len(read(folder))
    except CatalogError:
        return 0

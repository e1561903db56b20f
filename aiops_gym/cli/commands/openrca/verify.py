"""Whether converted telemetry is as it was written."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from aiops_gym.cli.common import show
from aiops_gym.openrca.files import find_data_files
from aiops_gym.openrca.store import shelf


def command(
    root: Annotated[Path, typer.Argument(help="Folder that holds Bank, Market and Telecom, or one of them.")],
    domain: Annotated[str | None, typer.Option(help="Only this one: bank, market, cloudbed-1, telecom ...")] = None,
    cache: Annotated[str | None, typer.Option(help="Folder of the conversions, or `beside` the data.")] = None,
) -> None:
    """Read every byte of the conversions, and convert anew what is damaged."""
    files = [each for each in find_data_files(root, domain, cache) if each.state() == "ready"]
    damaged = 0
    for file in files:
        if found := shelf.verify(file.path, file.table, file.cache):
            damaged += 1
            show(f"{file.path}: {found} of its conversion was damaged; it is converted anew")
            shelf.repair(file.path, file.table, file.cache)
    show(f"{len(files)} conversions, {damaged} damaged")

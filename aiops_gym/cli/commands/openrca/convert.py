"""Convert recorded telemetry ahead of its first use."""

from __future__ import annotations

import multiprocessing
from collections.abc import Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from aiops_gym.cli.common import show
from aiops_gym.errors import CatalogError
from aiops_gym.openrca import bar
from aiops_gym.openrca.files import DataFile, find_data_files
from aiops_gym.openrca.store import shelf

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

_done: Any = None
"""In a worker: how many bytes of each file were read, shared with the parent."""


def command(
    root: Annotated[Path, typer.Argument(help="Folder that holds Bank, Market and Telecom, or one of them.")],
    domain: Annotated[str | None, typer.Option(help="Only this one: bank, market, cloudbed-1, telecom ...")] = None,
    jobs: Annotated[int, typer.Option(min=1, help="Files converted at a time; each takes up to 300 MB.")] = 1,
    cache: Annotated[str | None, typer.Option(help="Folder of the results, or `beside` the data.")] = None,
    strict: Annotated[bool, typer.Option(help="Refuse files that are not all they should be, by line.")] = False,
) -> None:
    """Convert each CSV file that is not converted yet, so that the first questions are fast too."""
    files = find_data_files(root, domain, cache)
    missing = [each for each in files if each.state() != "ready"]
    show(f"{len(files)} files, {len(files) - len(missing)} converted already")
    if not missing:
        return
    problems = []
    with bar.display_on_stderr() as display:
        total = display.add_task(f"{len(missing)} files", total=sum(each.bytes for each in missing))
        for file, problem in _convert(missing, jobs, display, total, strict):
            said = problem or f"{bar.shorten_path(file.path)}: {file.size() / max(1, file.bytes):.2f} of the CSV"
            display.console.print(said, highlight=False, markup=False, soft_wrap=True)
            problems += [problem] if problem else []
    size = sum(each.size() for each in missing)
    show(f"{len(missing) - len(problems)} files converted, {size / 1e6:,.1f} MB in {missing[0].cache}")
    if problems:
        raise CatalogError(f"{len(problems)} files could not be converted; the first: {problems[0]}")


def _convert(
    files: Sequence[DataFile], jobs: int, display: Progress, total: TaskID, strict: bool
) -> Iterator[tuple[DataFile, str]]:
    """Convert files, and give each when it is done, with what was wrong with it."""
    context = multiprocessing.get_context("spawn")
    shared = context.Array("q", len(files), lock=False)
    with ProcessPoolExecutor(min(jobs, len(files)), context, _prepare, (shared,)) as pool:
        waiting: dict[Future[str], DataFile] = {
            pool.submit(_one, number, file, strict): file for number, file in enumerate(files)
        }
        try:
            while waiting:
                finished, _ = wait(waiting, timeout=0.2, return_when=FIRST_COMPLETED)
                display.update(total, completed=sum(shared))
                for future in finished:
                    yield waiting.pop(future), future.result()
        finally:
            pool.shutdown(cancel_futures=True)


def _prepare(shared: Any) -> None:
    global _done  # noqa: PLW0603  # A worker's own; executors hand over data in no other way.
    _done = shared


def _one(number: int, file: DataFile, strict: bool) -> str:
    """Convert a file; what was wrong with it. A full disk is the end of all, and is raised."""

    def progress(_: Path, done: int, total: int) -> None:
        _done[number] = done

    try:
        shelf.ensure_converted(file.path, file.table, file.cache, progress, strict)
    except CatalogError as error:
        return str(error)
    return ""

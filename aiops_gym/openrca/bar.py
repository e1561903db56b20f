"""A progress bar for conversions that a person waits for."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.progress import Progress as Display
    from rich.progress import TaskID


class Bar:
    """Shows how far the conversion of a file is, on stderr; a callback of `Recording`."""

    def __init__(self) -> None:
        self._shown: dict[Path, tuple[Display, TaskID]] = {}

    @classmethod
    def for_people(cls) -> Bar | None:
        """A bar where stderr is a terminal."""
        return cls() if sys.stderr.isatty() else None

    def __call__(self, path: Path, done: int, total: int) -> None:
        """Show one more step."""
        if path not in self._shown:
            display = display_on_stderr()
            display.start()
            self._shown[path] = display, display.add_task(shorten_path(path), total=total)
        display, task = self._shown[path]
        display.update(task, completed=done)
        if done >= total:
            display.stop()
            del self._shown[path]


def shorten_path(path: Path) -> str:
    """The end of a path that tells the files of a data set apart.

    >>> shorten_path(Path("/data/Bank/telemetry/2021_03_04/trace/trace_span.csv"))
    'Bank 2021_03_04 trace_span'
    """
    parts = path.parts
    return " ".join((*parts[-5:-4], *parts[-3:-2], path.stem))


def display_on_stderr() -> Display:
    """An empty display of progress bars, with bytes and the time that is left."""
    from rich import console, progress  # noqa: PLC0415  # Only where somebody looks on.

    return progress.Progress(
        progress.TextColumn("converting {task.description}"),
        progress.BarColumn(),
        progress.DownloadColumn(),
        progress.TimeRemainingColumn(),
        console=console.Console(stderr=True),
    )

"""Episodes as pages for a browser."""

from __future__ import annotations

import json
import webbrowser
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import typer

from aiops_gym.cli.common import show
from aiops_gym.errors import AiopsGymError
from aiops_gym.files import write
from aiops_gym.runs import Episode
from aiops_gym.runs.view import Entry, read_entry, render_listing, render_page

FOLDER = "view"
"""Where the pages of a folder are written, within it."""

UNFINISHED = ".unfinished.json"
"""Ends the name of what there is of an episode in which the agent gave up."""

SHOWN = 5
"""Damaged files that are named."""


def command(
    source: Annotated[Path, typer.Argument(help="A saved episode, or a folder of them.", exists=True)],
    out: Annotated[Path | None, typer.Option(help="Page to write, or folder of pages for a folder.")] = None,
    open_: Annotated[bool, typer.Option("--open", help="Open it in the browser.")] = False,
) -> None:
    """Write an episode as one HTML page that needs no network, or a folder of them as a list and a page each."""
    written = _folder(source, out or source / FOLDER) if source.is_dir() else _file(source, out)
    show(str(written))
    if open_:
        webbrowser.open(written.absolute().as_uri())


def _file(source: Path, out: Path | None) -> Path:
    target = out or source.with_suffix(".html")
    if target.is_dir():
        target /= f"{source.stem}.html"
    if target.resolve() == source.resolve():
        raise AiopsGymError(f"{target} is the episode itself: name another file for the page")
    write(target, render_page(Episode.load(source)))
    return target


def _folder(source: Path, out: Path) -> Path:
    if out.suffix == ".html" or out.is_file():
        raise AiopsGymError(f"{out} is to hold many pages: name a folder")
    broken: list[Path] = []
    found = _entries(source, out, broken)
    entries = sorted(found, key=lambda each: (each.problem, each.agent, len(each.seed), each.seed, each.address))
    if broken:
        more = f" and {len(broken) - SHOWN} more" if len(broken) > SHOWN else ""
        typer.echo(f"aiops-gym: passed over as damaged: {', '.join(map(str, broken[:SHOWN]))}{more}", err=True)
    if not entries:
        raise AiopsGymError(f"there are no saved episodes in {source}")
    index = out / "index.html"
    write(index, render_listing(entries, f"Episodes of {source.resolve().name}"))
    return index


def _entries(source: Path, out: Path, broken: list[Path]) -> Iterator[Entry]:
    """A page for each episode below a folder, one in memory at a time; other JSON files are passed over.

    Args:
        broken: gets the files that are no JSON or half an episode.
    """
    for path in sorted(source.rglob("*.json")):
        relative = path.relative_to(source).with_suffix(".html")
        data = _read(path)
        if data is None:
            broken.append(path)
            continue
        if not data.keys() >= {"agent", "problem_id", "session_id"}:
            if data.keys() >= {"agent", "problem", "error", "kind"} and not path.with_suffix(UNFINISHED).exists():
                yield _failure(data)  # else what there is of its episode is listed, and says the same
            continue
        try:
            episode = Episode.load(path)
        except AiopsGymError:
            broken.append(path)
            continue
        up = "/".join([*[".."] * (len(relative.parts) - 1), "index.html"])
        address = relative.as_posix()
        if address == "index.html":
            address = "index.episode.html"
        write(out / address, render_page(episode, up))
        yield read_entry(episode, address)


def _read(path: Path) -> dict[str, Any] | None:
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except ValueError:
        return None
    return data if isinstance(data, dict) else {}


def _failure(data: dict[str, Any]) -> Entry:
    """What an evaluation noted where there is no episode."""
    problem, agent, error = (str(data[key]) for key in ("problem", "agent", "error"))
    return Entry(address="", problem=problem, agent=agent, seed=str(data.get("seed", "")), error=error)

"""Results of a long measurement, kept one by one: who is interrupted goes on where he was."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Executor, Future, as_completed
from dataclasses import fields
from functools import cache
from pathlib import Path
from typing import Any, Generic, TypeVar, cast

import aiops_gym
from aiops_gym import files

Given = TypeVar("Given")
Found = TypeVar("Found")


@cache
def digest_code() -> str:
    """What tells this package's code from any other: figures of different code do not mix."""
    root = Path(aiops_gym.__file__).parent
    found = hashlib.sha256()
    for path in sorted(root.rglob("*")):
        if path.suffix in {".py", ".yaml", ".json", ".txt"}:
            found.update(path.relative_to(root).as_posix().encode() + b"\0" + path.read_bytes())
    return found.hexdigest()[:16]


class Kept(Generic[Found]):
    """The results of one kind of work, a file each.

    Args:
        read: makes a result from its fields, through JSON; a result is a data class whose fields are JSON data.
        folder: where they lie; None keeps nothing.
    """

    def __init__(self, read: Callable[[Any], Found], folder: Path | None) -> None:
        self.read, self.folder = read, folder

    def find(self, name: str) -> Found | None:
        """What was found before, by the very code that would find it now."""
        path = self._path(name)
        if path is None or not path.is_file():
            return None
        row = json.loads(path.read_text("utf-8"))
        return self.read(row["found"]) if row["code"] == digest_code() else None

    def keep(self, name: str, found: Found) -> Found:
        """Write a result down, whole or not at all."""
        path = self._path(name)
        if path is not None:
            # As it is, not by `asdict`, which makes nonsense of a Counter.
            row = {
                "code": digest_code(),
                "found": {each.name: getattr(found, each.name) for each in fields(cast("Any", found))},
            }
            files.write(path, json.dumps(row, indent=1))
        return found

    def work(
        self,
        do: Callable[[Given], Found],
        given: Mapping[str, Given],
        pool: Executor | None = None,
        tell: Callable[[], None] = lambda: None,
    ) -> list[Found]:
        """Results in the order of what they are made from; what is there already is not made again.

        Args:
            do: makes one; a function that another process can be told of.
            given: what they are made from, by the name under which a result is kept.
            pool: processes that make them; None makes them here.
            tell: called once for each.
        """
        found: dict[str, Found] = {}
        for name, result in self._results(do, given, pool):
            found[name] = result
            tell()
        return [found[name] for name in given]

    def _results(
        self, do: Callable[[Given], Found], given: Mapping[str, Given], pool: Executor | None
    ) -> Iterator[tuple[str, Found]]:
        """Those that are there first, the others as they come."""
        known = {name: found for name in given if (found := self.find(name)) is not None}
        yield from known.items()
        missing = {name: each for name, each in given.items() if name not in known}
        if pool is None:
            yield from ((name, self.keep(name, do(each))) for name, each in missing.items())
            return
        asked: dict[Future[Found], str] = {pool.submit(do, each): name for name, each in missing.items()}
        try:
            yield from ((asked[made], self.keep(asked[made], made.result())) for made in as_completed(asked))
        finally:
            for each in asked:
                each.cancel()  # who interrupts does not wait for what has not begun

    def _path(self, name: str) -> Path | None:
        return None if self.folder is None else self.folder / f"{name}.json"

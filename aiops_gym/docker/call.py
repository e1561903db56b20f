"""What a verb of `docker` is given, and how it asks the daemon."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from importlib.resources import files
from typing import Final, cast
from urllib.parse import quote

import yaml

from aiops_gym.clients.context import Context
from aiops_gym.clients.flags import Flag, Parsed
from aiops_gym.types import DockerHost, Json, Printed

KNOWN: Mapping[str, Json] = yaml.safe_load(files("aiops_gym.docker").joinpath("commands.yaml").read_text("utf-8"))
"""Subcommands, the keys of Compose files, and texts of several lines."""

LATE: Final = 124
"""Exit code where the time of the script is up."""

STEP: Final = 0.1
"""Seconds between two looks at a container that is waited for."""


class Failure(Exception):
    """What ends a verb: a text for the error stream, and an exit code."""

    def __init__(self, text: str, code: int = 1) -> None:
        super().__init__(text)
        self.code = code


@dataclass(frozen=True)
class Verb:
    """A subcommand, as `commands.yaml` says; `run` does it and returns an exit code, or None for 0."""

    name: str
    run: Callable[[Call], int | None]
    usage: str
    short: str
    flags: tuple[Flag, ...] = ()
    least: int = 0
    most: int = -1
    aliases: tuple[str, ...] = ()
    strict: bool = False
    row: str = ""
    shown: int = 0
    headers: Mapping[str, str] = field(default_factory=dict)
    filters: Mapping[str, list[str] | None] = field(default_factory=dict)


@dataclass
class Call:
    """One call of a verb."""

    context: Context
    verb: Verb
    flags: Parsed
    pieces: list[tuple[int, str]] = field(default_factory=list)

    @property
    def args(self) -> list[str]:
        """What is no flag."""
        return self.flags.args

    def write(self, text: str) -> None:
        """To stdout."""
        self.pieces.append((1, text))

    def complain(self, text: str) -> None:
        """To stderr."""
        self.pieces.append((2, text))

    def result(self, code: int) -> Printed:
        """All that was written."""
        return Printed.of(self.pieces, code)

    def ask(self, method: str, path: str, query: Mapping[str, str] | None = None, body: Json = None) -> Json:
        """What the daemon answers. Raises Failure."""
        answer = cast("DockerHost", self.context.cluster).docker(method, path, query, body)
        if answer.code >= 400:
            raise Failure(f"Error response from daemon: {answer.body['message']}")
        return answer.body

    def inspect(self, name: str) -> Json:
        """A container. Raises Failure."""
        return self.ask("GET", f"/containers/{clean(name)}/inspect")

    def wait(self, seconds: float) -> None:
        """Let time pass. Raises Failure where there is none left."""
        if not self.context.cluster.wait(seconds):
            raise Failure("", LATE)

    def each(self, names: Iterable[str], act: Callable[[str], str | None], summary: str = "") -> int:
        """Do something to containers one by one, print what comes of it, or the name, and in the end what failed."""
        errors, failed = [], []
        for name in names:
            try:
                self.write(f"{act(name) or name}\n")
            except Failure as error:
                if error.code == LATE:
                    raise
                errors.append(str(error))
                failed.append(name)
        errors += [f"{summary}: {', '.join(failed)}"] if failed and summary else []
        self.complain("".join(f"{error}\n" for error in errors))
        return int(bool(errors))

    def each_ended(self, names: Iterable[str], verb: str) -> int:
        """Ask all of them to `stop` or `restart`, and wait for one after the other."""
        wait = self.flags.number("time" if "time" in self.flags.values else "timeout")
        query = {"t": str(max(0, min(wait, 86_400)))}
        started, refused = dict[str, str](), dict[str, str]()
        for name in names:
            try:
                started[name] = self.inspect(name)["State"]["StartedAt"]
                self.ask("POST", f"/containers/{clean(name)}/{verb}", query)
            except Failure as error:
                refused[name] = str(error)

        def finish(name: str) -> None:
            if name in refused:
                raise Failure(refused[name])
            self.await_end(name, started[name])

        return self.each(names, finish)

    def await_end(self, name: str, started: str = "") -> Json:
        """The state of a container once the run that began then, or the one of now, is over. Raises Failure."""
        state = self.inspect(name)["State"]
        begun = started or state["StartedAt"]
        while state["Running"] and state["StartedAt"] == begun:
            self.wait(STEP)
            state = self.inspect(name)["State"]
        return state


def clean(name: str) -> str:
    """A name as it may stand in a path."""
    return quote(name.removeprefix("/"), safe="")

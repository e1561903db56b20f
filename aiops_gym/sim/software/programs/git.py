"""git, as far as scripts use it to fetch files: `git clone` of repositories that are known, at once.

Params: `repositories`, by URL: text files by path.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from posixpath import dirname
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from aiops_gym.sim.machine.program import Program, Tool
from aiops_gym.sim.machine.scripts.files import Files, make_absolute
from aiops_gym.sim.network import routes
from aiops_gym.types import Json, Output

if TYPE_CHECKING:
    from aiops_gym.sim.machine.container import Container

VERSION = "git version 2.45.2\n"
USAGE = "usage: git [-v | --version] [-h | --help] [-C <path>] [-c <name>=<value>]\n           <command> [<args>]\n"
VALUED = ("--depth", "-b", "--branch", "-o", "--origin")
FATAL = 128
"""git's exit code after a line that begins with `fatal:`."""


class Git(Program):
    """Does one thing and ends."""

    def start(self, c: Container) -> None:
        """Run the command line."""
        done = _git(c, c.argv, "")
        c.log(*(done.stdout + done.stderr).splitlines())
        c.exit_in(int(c.between(200, 1_500, "run")), done.code)

    def tools(self, c: Container) -> Mapping[str, Tool]:
        """The command, for scripts."""
        return {"git": _git}


def _git(c: Container, argv: Sequence[str], stdin: str) -> Output:
    words = list(argv[1:])
    if words[:1] in (["--version"], ["-v"], ["version"]):
        return Output(VERSION)
    if words[:1] == ["clone"]:
        return _clone(c, words[1:])
    if not words or words[0] in ("--help", "-h", "help"):
        return Output(USAGE, "", 0 if words else 1)
    if words[0] in ("status", "log", "pull", "fetch", "diff", "branch", "checkout"):
        return Output("", "fatal: not a git repository (or any of the parent directories): .git\n", FATAL)
    return Output("", f"git: '{words[0]}' is not a git command. See 'git --help'.\n", 1)


def _clone(c: Container, words: list[str]) -> Output:
    """Put the files of a repository into a folder, named after it unless given."""
    plain: list[str] = []
    while words:
        word = words.pop(0)
        if word in VALUED and words:
            words.pop(0)
        elif not word.startswith("-"):
            plain.append(word)
    if not plain:
        return Output("", "fatal: You must specify a repository to clone.\n", FATAL + 1)
    url = plain[0]
    folder = plain[1] if len(plain) > 1 else url.rstrip("/").rpartition("/")[2].removesuffix(".git")
    told, files = f"Cloning into '{folder}'...\n", Files(c)
    place = make_absolute(folder, "/")
    if any(path.startswith(f"{place}/") for path in files.paths()):
        problem = f"destination path '{folder}' already exists and is not an empty directory."
        return Output("", f"fatal: {problem}\n", FATAL)
    known: Mapping[str, Json] = c.params.get("repositories") or _repositories(c)
    if not routes.dns_works(c.world, c.process):
        host = urlsplit(url).hostname or url
        return Output("", f"{told}fatal: unable to access '{url}': Could not resolve host: {host}\n", FATAL)
    if url not in known:
        return Output("", f"{told}fatal: repository '{url}' not found\n", FATAL)
    files.folder(place)
    for name, text in known[url].items():
        path = f"{place}/{name}"
        _folders(files, dirname(path))
        files.write(path, text)
    return Output("", told)


def _repositories(c: Container) -> Mapping[str, Json]:
    """What the git of the container's image knows, when it is run beside another program."""
    image = c.image()
    for binary in image.binaries.values() if image is not None else ():
        if binary.program == "git":
            found: Mapping[str, Json] = binary.params.get("repositories") or {}
            return found
    return {}


def _folders(files: Files, path: str) -> None:
    """Make a folder and those above it, as far as they are missing."""
    parts = path.strip("/").split("/")
    for number in range(1, len(parts) + 1):
        folder = "/" + "/".join(parts[:number])
        if not files.kind(folder):
            files.folder(folder)


program = Git()

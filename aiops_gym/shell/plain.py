"""A shell over given commands, without a cluster: for tests, recordings and other people's tools."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from aiops_gym.clients.context import CommandModule, Context
from aiops_gym.shell.sandbox import Sandbox
from aiops_gym.types import Command, Output, Request, Response

BEGAN = 1_772_442_000.0
"""Unix seconds at which the clock of such a shell starts: 2026-03-02 09:00 UTC."""


class Timer:
    """A clock without a cluster: time passes when something waits."""

    def __init__(self, now: float = BEGAN) -> None:
        self._now = now

    def handle(self, request: Request) -> Response:
        """There is no API server here."""
        message = f'the server could not find the requested resource "{request.resource}"'
        status = {"kind": "Status", "apiVersion": "v1", "status": "Failure", "reason": "NotFound", "code": 404}
        return Response(404, {**status, "message": message})

    def now(self) -> float:
        """Unix seconds."""
        return self._now

    def wait(self, seconds: float) -> bool:
        """Let time pass; always possible."""
        self._now += seconds
        return True


class PlainShell:
    """A shell whose `run` gives what a process would: stdout, stderr and exit code. Files stay, variables do not."""

    def __init__(self, commands: Mapping[str, Command], seed: int = 0) -> None:
        self._sandbox = Sandbox(Timer(), seed, {name: _adapted(command) for name, command in commands.items()})

    def run(self, script: str, timeout: float = 900.0) -> tuple[str, str, int]:
        """Run a script for at most `timeout` seconds of the shell's own clock: stdout, stderr, exit code."""
        result = self._sandbox.run(script, timeout)
        return result.stdout, result.stderr, result.code

    def read_file(self, path: str) -> str:
        """Text of a file. Raises FileNotFoundError or IsADirectoryError."""
        return self._sandbox.read_file(path)

    def write_file(self, path: str, text: str) -> None:
        """Write a file, with the folders above it."""
        self._sandbox.write_file(path, text)

    def list_files(self, path: str) -> Sequence[str]:
        """Full paths of all files below a folder, sorted."""
        return self._sandbox.list_files(path)


def make_shell(commands: Mapping[str, Command]) -> PlainShell:
    """A shell that knows these commands besides those of bash.

    Each run is a new shell over the same files. A command is a callable (argv with its own name first, stdin) ->
    (stdout, stderr, exit code); an exception in it comes out of `run`.

    >>> shell = make_shell({"greet": lambda argv, stdin: (f"hello {argv[1]}\\n", "", 0)})
    >>> shell.run("greet world | tr a-z A-Z")
    ('HELLO WORLD\\n', '', 0)
    """
    return PlainShell(commands)


def _adapted(command: Command) -> CommandModule:
    def run(context: Context, argv: list[str]) -> Output:
        return Output(*command(argv, context.stdin))

    return run

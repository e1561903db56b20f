"""The command line. With the "human" rendering the only code that prints."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import cast

import typer

import aiops_gym
from aiops_gym.errors import AiopsGymError, ArgumentError
from aiops_gym.scan import list_modules, scan, scan_one

# Typer carries its own copy of click in newer versions: this is its base of errors, wherever it lives.
_Refused = cast("type[Exception]", typer.BadParameter.__mro__[2])

MISTAKEN = 2
"""How a command ends that was asked for what there is not."""

INTERRUPTED = 130
"""How a command ends after Ctrl-C, as shells count it."""


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"aiops_gym {aiops_gym.__version__}")
        raise typer.Exit


def _root(
    version: bool = typer.Option(False, "--version", callback=_version, is_eager=True, help="Show the version."),
) -> None:
    """Incidents in a simulated cluster: look at them, play them, let agents play them."""


def app() -> typer.Typer:
    """All commands: each module in `commands` is one, named as the module, and each folder a group of them."""
    made = _group("aiops_gym.cli.commands", _root.__doc__)
    made.callback()(_root)
    return made


def _group(package: str, about: str | None) -> typer.Typer:
    made = typer.Typer(no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False, help=about)
    found = scan(package, "command")
    for name in list_modules(package):
        if name in found:
            made.command(name)(found[name])
        else:
            made.add_typer(_group(f"{package}.{name}", scan_one(package, name, "__doc__")), name=name)
    return made


def run(arguments: Sequence[str] | None = None) -> int:
    """Run one command: 0 is well, 1 a failure, 2 a mistake in the arguments, 130 Ctrl-C. An error is one plain line."""
    try:
        code = app()(args=list(sys.argv[1:] if arguments is None else arguments), standalone_mode=False)
    except _Refused as error:
        return _fail(error.format_message(), error.exit_code)  # type: ignore[attr-defined]
    except ArgumentError as error:
        return _fail(str(error), MISTAKEN)
    except (AiopsGymError, ValueError, OSError) as error:
        if isinstance(error, BrokenPipeError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            return 1
        return _fail(str(error), 1)
    except (typer.Abort, KeyboardInterrupt):
        code = INTERRUPTED
    if code == INTERRUPTED:  # newer versions of Typer return it, older ones raise
        return _fail("interrupted", INTERRUPTED)
    return code if isinstance(code, int) else 0


def _fail(message: str, code: int) -> int:
    if message:
        sys.stderr.write(f"aiops-gym: {' '.join(message.split())}\n")
    return code


def main() -> None:
    """Entry point of the console script."""
    sys.exit(run())

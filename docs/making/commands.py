"""Writes the reference of the command line from the commands themselves, in place of `<!-- commands -->`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import typer

from aiops_gym.cli import app

MARK = "<!-- commands -->"


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Called by MkDocs for each page."""
    if MARK not in markdown:
        return markdown
    return markdown.replace(MARK, "\n\n".join(_group("aiops-gym", typer.main.get_command(app()))))


def _group(name: str, group: Any) -> Iterator[str]:
    for word, command in sorted(group.commands.items()):
        if hasattr(command, "commands"):
            yield from _group(f"{name} {word}", command)
        else:
            yield _command(f"{name} {word}", command)


def _command(name: str, command: Any) -> str:
    parameters = [each for each in command.params if each.name != "help"]
    arguments = [each for each in parameters if each.param_type_name == "argument"]
    options = ["[OPTIONS]"] if len(parameters) > len(arguments) else []
    usage = " ".join([name, *map(_place, arguments), *options])
    rows = [f"| {_names(each)} | {_default(each)} | {_cell(each.help or '')} |" for each in parameters]
    table = "\n".join(["| | default | |", "|---|---|---|", *rows]) if rows else ""
    return f"## `{name}`\n\n{command.help}\n\n```\n{usage}\n```\n\n{table}".rstrip()


def _place(parameter: Any) -> str:
    name = parameter.name.upper()
    return name if parameter.required else f"[{name}]"


def _names(parameter: Any) -> str:
    if parameter.param_type_name == "argument":
        return f"`{parameter.name.upper()}`"
    return ", ".join(f"`{each}`" for each in (*parameter.opts, *parameter.secondary_opts))


def _default(parameter: Any) -> str:
    value = parameter.default
    return "" if value is None or value == () or callable(value) or value is False else f"`{_cell(str(value))}`"


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")

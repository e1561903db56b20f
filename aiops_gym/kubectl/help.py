"""What kubectl says about itself: the list of its commands, usage and flags."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import yaml

from aiops_gym.clients.flags import GLOBAL, Flag

if TYPE_CHECKING:
    from aiops_gym.kubectl.verb import Verb

_TEXTS: Final = yaml.safe_load(Path(__file__).with_name("help.yaml").read_text(encoding="utf-8"))
GROUPS: Final[Mapping[str, Mapping[str, str]]] = _TEXTS["groups"]
LONG: Final[Mapping[str, str]] = _TEXTS["long"]
"""What the help of a command begins with, where that is not its one line."""

_SHOWN: Final = [name for group in GROUPS.values() for name in group]
_LAST: Final = ("config", "plugin", "version", "api-versions", "api-resources", "options")
COMMANDS: Final = (*(name for name in _SHOWN if name not in _LAST), *_LAST)
"""All commands in the order in which kubectl builds them, which is the order of its suggestions."""

FOOT: Final = (
    'Use "{path} <command> --help" for more information about a given command.\n'
    'Use "kubectl options" for a list of global command-line options (applies to all commands).\n'
)


def of_kubectl() -> str:
    """`kubectl` alone, or `kubectl --help`."""
    lines = ["kubectl controls the Kubernetes cluster manager.", ""]
    lines += [" Find more information at: https://kubernetes.io/docs/reference/kubectl/", ""]
    for title, commands in GROUPS.items():
        if title == "Other Commands":
            lines += ["Subcommands provided by plugins:", ""]
        lines += [f"{title}:", *(f"  {name:<15} {text}" for name, text in commands.items()), ""]
    lines += ["Usage:", "  kubectl [flags] [options]", ""]
    return "\n".join(lines) + "\n" + FOOT.format(path="kubectl")


def of_verb(verb: Verb, path: str) -> str:
    """`kubectl VERB --help`: what it does, its subcommands or flags, and its usage."""
    parts = [LONG.get(path.removeprefix("kubectl "), f"{verb.short or path}.") + "\n"]
    if verb.verbs:
        width = max(11, *(len(child.name) for child in verb.verbs)) + 3
        children = sorted(verb.verbs, key=lambda child: child.name)
        rows = "".join(f"  {child.name:<{width}}{child.short}\n" for child in children)
        parts.append(f"Available Commands:\n{rows}")
    if verb.flags:
        parts.append("Options:\n" + "\n".join(_option(flag) for flag in sorted(verb.flags, key=lambda f: f.name)))
    usage = verb.usage or f"{path.removeprefix('kubectl ')} [flags]"
    parts.append(f"Usage:\n  kubectl {usage} [options]\n")
    parts.append(FOOT.format(path=path) if verb.verbs else FOOT.splitlines(keepends=True)[1])
    return "\n".join(parts)


def format_options() -> str:
    """`kubectl options`."""
    return "The following options can be passed to any command:\n\n" + "\n".join(
        _option(flag) for flag in GLOBAL if flag.name != "help"
    )


def _option(flag: Flag) -> str:
    start = f"-{flag.short}, " if flag.short else ""
    return f"    {start}--{flag.name}={_shown(flag.start())}:\n\t{flag.help}\n"


def _shown(value: Any) -> str:
    """A default as it stands in the help."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return f"'{value}'"
    if isinstance(value, float):
        return f"{value:g}s"
    return "[" + ",".join(value) + "]" if isinstance(value, tuple) else str(value)

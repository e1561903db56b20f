"""Options of agents, as the command line takes them."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Sequence
from typing import Any

import typer


def read(pairs: Sequence[str], model: str = "", base_url: str = "") -> dict[str, Any]:
    """Options from `name=value`; a value is JSON where it can be read as such, and text otherwise.

    >>> read(["temperature=0.5", "stop=[\\"END\\"]", "system=Be brief."], model="m")
    {'temperature': 0.5, 'stop': ['END'], 'system': 'Be brief.', 'model': 'm'}
    """
    options: dict[str, Any] = {}
    for pair in pairs:
        name, equals, value = pair.partition("=")
        if not equals or not name.isidentifier() or name in ("env", "seed"):
            raise typer.BadParameter("an option of an agent is name=value, such as temperature=0.5")
        options[name] = _value(value)
    return options | {name: value for name, value in (("model", model), ("base_url", base_url)) if value}


def find_yours() -> None:
    """Let `module:function` name a module in the folder that one is in, as `python -m` does; what is installed wins."""
    if os.getcwd() not in sys.path:
        sys.path.append(os.getcwd())


def _value(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text

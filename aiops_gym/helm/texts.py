"""YAML of charts and releases: read fast where a text is plain, and with all care where it is not."""

from __future__ import annotations

import re
from typing import Any

import yaml

from aiops_gym.clients import goyaml

PLAIN_DEPTH = 40
"""Levels of brackets and blanks up to which a text is plain."""

_MARKS = re.compile(r"(?:^|[\s\[{,])[&*][\w-]|- - - |\? \? ")
"""Anchors, aliases, and what nests without brackets and blanks."""

_BRACKETS = re.compile(r"[\[\]{}]")
_Base: Any = getattr(yaml, "CSafeLoader", goyaml.Loader)


class _Fast(_Base):  # type: ignore[misc]
    """Reads what `goyaml.Loader` reads, without counting."""

    yaml_implicit_resolvers = goyaml.Loader.yaml_implicit_resolvers
    bool_values = goyaml.Loader.bool_values


def load(text: str) -> Any:
    """The value of a document. Raises yaml.YAMLError."""
    return yaml.load(text, _Fast if _plain(text) else goyaml.Loader)


def _plain(text: str) -> bool:
    if _MARKS.search(text) or " " * (2 * PLAIN_DEPTH) in text:
        return False
    depth = deepest = 0
    for sign in _BRACKETS.findall(text):
        depth += 1 if sign in "[{" else -1
        deepest = max(deepest, depth)
    return deepest <= PLAIN_DEPTH


def explain_error(error: yaml.YAMLError) -> str:
    """What is wrong, in the words of Helm's library."""
    return f"error converting YAML to JSON: {goyaml.explain_error(error)}"

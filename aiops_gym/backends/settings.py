"""Files of settings by what they say: reformatted JSON or YAML, a blank line or a comment change nothing."""

from __future__ import annotations

import json

import yaml

from aiops_gym import caches
from aiops_gym.types import Json

LONGEST = 20_000
"""Characters of a file that is still read for its meaning; a longer one is compared by its text."""


@caches.function(1024, "reading what a file of settings says")
def read_settings(text: str) -> Json:
    """What a file says, in a form that can be compared: parsed as JSON or YAML where it is one of them, else its lines.

    >>> read_settings('{"a": 1,  "b": 2}') == read_settings('{ "b": 2, "a": 1 }')
    True
    >>> read_settings("a: 1  # one") == read_settings("a: 1")
    True
    >>> read_settings("listen 80;  # http") == read_settings("  listen   80;")
    True
    """
    if len(text) > LONGEST:
        return text
    for load in (json.loads, yaml.safe_load):
        try:
            found = load(text)
            if isinstance(found, dict | list):
                return json.dumps(found, sort_keys=True, default=str)
        except (ValueError, TypeError, OverflowError, yaml.YAMLError, RecursionError):
            continue  # neither a file of this kind nor one that has a meaning as one: its lines count
    return [line for line in map(_strip, text.splitlines()) if line]


def _strip(line: str) -> str:
    """A line without its comment, in single blanks; a `#` inside a word or quotes is none."""
    before, mark, _ = line.partition(" #")
    kept = "" if line.lstrip().startswith("#") else before if mark and before.count('"') % 2 == 0 else line
    return " ".join(kept.split())

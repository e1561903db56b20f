"""How deeply data nests: one limit for all that somebody else has written, met before anything climbs into it.

Go's readers of JSON and YAML stop at 10,000 levels, which no object comes near; Python's stack would end long before.
"""

from __future__ import annotations

import re

from aiops_gym.types import Json

DEEPEST = 100
"""Levels that data may have."""

JSON_WORDS = "exceeded max depth"
YAML_WORDS = "exceeded max depth of 10000"
"""What the readers of Kubernetes say of more."""

_STRINGS = re.compile(r'"(?:[^"\\]|\\.)*"')
_BRACKETS = re.compile(r"[\[\]{}]")


def is_deep_text(text: str) -> bool:
    """Whether the brackets of a text nest too deeply, those inside JSON strings left out.

    >>> is_deep_text("[" * 101), is_deep_text("[]" * 101), is_deep_text('"' + "[" * 101 + '"')
    (True, False, False)
    """
    if text.count("[") + text.count("{") <= DEEPEST:
        return False
    level = 0
    for bracket in _BRACKETS.findall(_STRINGS.sub("", text)):
        level += 1 if bracket in "[{" else -1
        if level > DEEPEST:
            return True
    return False


def is_deep(value: Json) -> bool:
    """Whether data nests too deeply; looked at level by level, not by recursion.

    >>> is_deep({"a": [{}]}), is_deep(7)
    (False, False)
    """
    level, depth = [value], 0
    while level and depth < DEEPEST:
        inner = [v.values() if isinstance(v, dict) else v for v in level if isinstance(v, dict | list)]
        level, depth = [item for items in inner for item in items if isinstance(item, dict | list)], depth + 1
    return any(isinstance(item, dict | list) for item in level)

"""JSON that somebody else has written: read no deeper than the rest of the world can follow."""

from __future__ import annotations

import json

from aiops_gym.sim.kernel.nesting import JSON_WORDS, is_deep_text
from aiops_gym.types import Json


def load(text: str) -> Json:
    """The data of a text. Raises ValueError.

    >>> load('{"a": [1]}')
    {'a': [1]}
    >>> load("[" * 50_000)
    Traceback (most recent call last):
        ...
    ValueError: exceeded max depth
    """
    if is_deep_text(text):
        raise ValueError(JSON_WORDS)
    return json.loads(text)

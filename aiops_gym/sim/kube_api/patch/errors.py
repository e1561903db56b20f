"""What a patch that cannot be applied raises, and how Go shows values in such texts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


class PatchError(ValueError):
    """A patch that does not fit, in the words of Kubernetes' libraries."""


def go(value: Any) -> str:
    """A value as Go's `%v` prints it.

    >>> go({"b": [1, None], "a": True})
    'map[a:true b:[1 <nil>]]'
    """
    if isinstance(value, Mapping):
        return f"map[{' '.join(f'{k}:{go(v)}' for k, v in sorted(value.items()))}]"
    if isinstance(value, list):
        return f"[{' '.join(go(v) for v in value)}]"
    if isinstance(value, bool):
        return "true" if value else "false"
    return "<nil>" if value is None else str(value)

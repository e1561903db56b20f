"""JSON merge patch (RFC 7386)."""

from __future__ import annotations

from typing import Any


def apply_merge_patch(original: Any, patch: Any) -> Any:
    """`original` with a merge patch applied: nulls delete, objects merge, all else replaces.

    >>> apply_merge_patch({"a": {"b": 1, "c": 2}, "d": [1]}, {"a": {"b": None, "e": {"f": None}}, "d": [2]})
    {'a': {'c': 2, 'e': {}}, 'd': [2]}
    """
    if not isinstance(patch, dict):
        return _pruned(patch)
    merged = dict(original) if isinstance(original, dict) else {}
    for key, value in patch.items():
        if value is None:
            merged.pop(key, None)
        else:
            merged[key] = apply_merge_patch(merged.get(key), value)
    return merged


def _pruned(value: Any) -> Any:
    """A list that replaces another, without the nulls in its objects."""
    if isinstance(value, dict):
        return {k: _pruned(v) for k, v in value.items() if v is not None}
    return [_pruned(v) for v in value] if isinstance(value, list) else value


def create_merge_patch(old: Any, new: Any) -> Any:
    """The smallest merge patch that turns `old` into `new`, both objects.

    >>> create_merge_patch({"a": 1, "b": {"c": 1}}, {"b": {"c": 2}})
    {'b': {'c': 2}, 'a': None}
    """
    patch: dict[str, Any] = {}
    for key, value in new.items():
        if key not in old:
            patch[key] = value
        elif isinstance(value, dict) and isinstance(old[key], dict):
            if inner := create_merge_patch(old[key], value):
                patch[key] = inner
        elif value != old[key]:
            patch[key] = value
    return patch | {key: None for key in old if key not in new}

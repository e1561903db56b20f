"""Which part of an object is printed."""

from __future__ import annotations

from aiops_gym.types import Json


def hide_managed_fields(obj: Json) -> Json:
    """The object without its managedFields, which kubectl leaves out unless asked."""
    meta = obj.get("metadata") if isinstance(obj, dict) else None
    if not isinstance(meta, dict) or "managedFields" not in meta:
        return obj
    return {**obj, "metadata": {key: value for key, value in meta.items() if key != "managedFields"}}

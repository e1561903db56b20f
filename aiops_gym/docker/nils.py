"""Go's nil values in templates: they print as their type does, count as false, and are `null` in JSON."""

from __future__ import annotations

from typing import Any, Final

from aiops_gym.types import Json


class NilPointer(str):
    """Prints as `<nil>`."""

    __slots__ = ()

    def __bool__(self) -> bool:
        return False


NilList, NilMap = type("NilList", (list,), {}), type("NilMap", (dict,), {})
HIDDEN: Final = ("Health", "Healthcheck", "SizeRootFs", "SizeRw")
"""Pointers that JSON leaves out where they are nil."""

POINTERS: Final = (*HIDDEN, "IPAMConfig", "MemorySwappiness", "OomKillDisable", "PidsLimit")
MAPS: Final = ("DriverOpts", "Labels", "Options", "Volumes")


def mark(value: Json, name: str = "") -> Json:
    """The same value with the nil of its type in place of each null."""
    if value is None:
        return NilPointer("<nil>") if name in POINTERS else NilMap() if name in MAPS else NilList()
    if isinstance(value, dict):
        return {key: mark(inner, key) for key, inner in value.items()}
    return [mark(inner) for inner in value] if isinstance(value, list) else value


def remove(value: Any) -> Json:
    """The same value with null in place of each nil."""
    if isinstance(value, dict) and not isinstance(value, NilMap):
        return {key: remove(inner) for key, inner in value.items()}
    if isinstance(value, list) and not isinstance(value, NilList):
        return [remove(inner) for inner in value]
    return None if isinstance(value, NilPointer | dict | list) else value

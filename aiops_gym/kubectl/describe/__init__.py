"""What `kubectl describe` prints: one kind a file, found by scanning this folder.

A module that describes has `RESOURCES` (names as in `deployments.apps`) and `describe(page, obj, view)`. One whose text
follows from the object alone says `PURE = True`, and its text is kept with the object.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from types import ModuleType
from typing import Any

from aiops_gym import caches
from aiops_gym.kubectl.describe import generic, meta
from aiops_gym.kubectl.describe.page import Page, align
from aiops_gym.kubectl.describe.view import View
from aiops_gym.scan import load_modules
from aiops_gym.sim.kernel.objects import Obj

_TEXT = caches.slot(f"{__name__}.text", "describing an object", key="the stored object, how the text ends")

__all__ = ["View", "describe"]


@cache
def describers() -> Mapping[str, ModuleType]:
    """Modules by the resource that they describe."""
    return {
        resource: module for module in load_modules(__name__).values() for resource in getattr(module, "RESOURCES", ())
    }


def describe(view: View, resource: str, kind: str, obj: Mapping[str, Any]) -> str:
    """The description of an object, with its events where the kind shows them."""
    module = describers().get(resource, generic)
    page = Page()
    found = None
    if view.show_events and getattr(module, "EVENTS", True):
        found = module.events(obj, view) if hasattr(module, "events") else view.events(obj, kind=kind)
    if not getattr(module, "PURE", False) or not isinstance(obj, Obj) or "deletionTimestamp" in obj["metadata"]:
        module.describe(page, obj, view)
        if found is not None:
            meta.write_events(page, found, view)
        return page.text()
    text = _kept(module, obj, view, "" if found is None or found else "Events:\t<none>")
    if not found:
        return text
    meta.write_events(page, found, view)
    return text + page.text()


def _kept(module: ModuleType, obj: Obj, view: View, end: str) -> str:
    """A description that follows from the object alone, made once for each of its two ends."""
    text = obj.memo.get((_TEXT, end))
    if text is None:
        page = Page()
        module.describe(page, obj, view)
        text = obj.memo[_TEXT, end] = align("\n".join([*page.lines, end] if end else page.lines))
    return str(text)

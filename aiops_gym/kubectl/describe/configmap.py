"""Config maps, with their data."""

from __future__ import annotations

from aiops_gym.kubectl.describe import meta
from aiops_gym.kubectl.describe.meta import Object
from aiops_gym.kubectl.describe.page import Page
from aiops_gym.kubectl.describe.view import View

RESOURCES = ("configmaps",)
PURE = True


def describe(page: Page, config: Object, view: View) -> None:
    """Write a config map with all its data."""
    meta.title(page, config)
    meta.write_metadata(page, config)
    page.extend(["", "Data", "===="])
    for key, value in sorted((config.get("data") or {}).items()):
        page.extend([f"{key}:", "----", value, ""])
    page.extend(["", "BinaryData", "===="])
    for key, value in sorted((config.get("binaryData") or {}).items()):
        page.line(f"{key}: {len(value) * 3 // 4 - value.count('=')} bytes")
    page.line()

"""Kinds that kubectl has no words for: every field with a readable name."""

from __future__ import annotations

import re

from aiops_gym.kubectl.describe import meta
from aiops_gym.kubectl.describe.page import Page
from aiops_gym.kubectl.describe.view import View
from aiops_gym.types import Json

PURE = True
SHOWN_ABOVE = {
    ".metadata.managedFields",
    ".metadata.name",
    ".metadata.namespace",
    ".metadata.labels",
    ".metadata.annotations",
}
ACRONYMS = {"API", "URL", "UID", "OSB", "GUID"}
PARTS = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z][a-z]*|[a-z]+|-+")


def describe(page: Page, obj: meta.Object, view: View) -> None:
    """Write name, labels and all fields of an object of any kind."""
    meta.title(page, obj)
    meta.write_metadata(page, obj)
    content(page, obj, 0, "")


def content(page: Page, value: meta.Object, level: int, path: str) -> None:
    """Write the fields of a dict, sorted, deeper ones indented."""
    for field in sorted(value):
        inner, where = value[field], f"{path}.{field}"
        if where in SHOWN_ABOVE:
            continue
        if isinstance(inner, dict):
            page.line(f"{label(field)}:", level)
            content(page, inner, level + 1, where)
        elif isinstance(inner, list):
            page.line(f"{label(field)}:", level)
            for child in inner:
                if isinstance(child, dict):
                    content(page, child, level + 1, where)
                else:
                    page.line(plain(child), level + 1)
        else:
            page.line(f"{label(field)}:\t{plain(inner)}", level)


def label(field: str) -> str:
    """The name of a field in words.

    >>> label("apiVersion"), label("holderIdentity"), label("app.kubernetes.io/name")
    ('API Version', 'Holder Identity', 'app.kubernetes.io/name')
    """
    if not all(c.isalpha() or c == "-" for c in field):
        return field
    parts = PARTS.findall(field)
    return " ".join(p.upper() if p.upper() in ACRONYMS else p[:1].upper() + p[1:] for p in parts)


def plain(value: Json) -> str:
    """A scalar as Go's `%v` prints it."""
    if value is None:
        return "<nil>"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list):
        return "[" + " ".join(plain(v) for v in value) + "]"
    return str(value)

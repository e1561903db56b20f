"""go-template (being filled in)."""

from __future__ import annotations

from typing import Any


class TemplateError(Exception):
    """A template that does not parse or does not fit."""


class Template:
    """A parsed template."""

    def render(self, data: Any, strict: bool = False) -> str:
        """The text."""
        return ""


def parse(text: str) -> Template:
    """Parse."""
    return Template()

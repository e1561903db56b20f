"""Shows the examples in docstrings as code. Markdown would take `>>>` for a quotation of a quotation of a quotation."""

from __future__ import annotations

import re
from typing import Any

from griffe import Extension, Object

EXAMPLE = re.compile(r"^(?P<indent> *)>>> .*?(?=\n\s*\n|\Z)", re.DOTALL | re.MULTILINE)


class Doctests(Extension):
    """Puts a fence around each run of lines that begins with a prompt."""

    def on_object(self, *, obj: Object, **_: Any) -> None:
        """Change a docstring before it is parsed."""
        if obj.docstring and ">>>" in obj.docstring.value:
            obj.docstring.value = fenced(obj.docstring.value)


def fenced(text: str) -> str:
    """A docstring with its examples in fences, as deep as they are."""
    return EXAMPLE.sub(lambda found: f"{found['indent']}```pycon\n{found[0].rstrip()}\n{found['indent']}```", text)

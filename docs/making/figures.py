"""Pages that commands write take a while: those that nobody has written yet are left out, and so are links to them.

Any other page must be there.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

WRITTEN = ("agents.md", "benchmark.md", "learning.md", "problems.md")

LINK = re.compile(r"\[(?P<text>[^\]]+)\]\((?:\.\./)*(?P<page>[\w-]+\.md)(?:#[^)]*)?\)")


def on_config(config: Any, **_: Any) -> Any:
    """Called by MkDocs before it reads the pages."""
    missing = _missing(config)
    config.nav = [_without(missing, each) for each in config.nav]
    return config


def on_page_markdown(markdown: str, *, config: Any, **_: Any) -> str:
    """Called by MkDocs for each page."""
    missing = _missing(config)
    return LINK.sub(lambda link: link["text"] if link["page"] in missing else link[0], markdown)


def _missing(config: Any) -> set[str]:
    return {name for name in WRITTEN if not (Path(config.docs_dir) / name).exists()}


def _without(missing: set[str], entry: Any) -> Any:
    """A section of the navigation without those pages."""
    if not isinstance(entry, dict):
        return entry
    ((title, pages),) = entry.items()
    return {title: [each for each in pages if _page(each) not in missing] if isinstance(pages, list) else pages}


def _page(entry: Any) -> str:
    return str(next(iter(entry.values())) if isinstance(entry, dict) else entry)

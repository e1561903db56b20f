"""What goes wrong with a release or a chart."""

from __future__ import annotations


class HelmError(Exception):
    """A refusal; the text is Helm's, without the `Error: ` before it."""

"""An answer with warnings, as `Warning:` headers carry them."""

from __future__ import annotations

from aiops_gym.types import Response


class Answer(Response):
    """A response that kubectl prints warnings for: `getattr(response, "warnings", ())`."""

    warnings: tuple[str, ...] = ()

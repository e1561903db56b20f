"""The verbs of kubectl, one a file; the folder is the registry."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from aiops_gym.kubectl.verb import Verb
from aiops_gym.scan import scan


@cache
def load_verbs() -> Mapping[str, Verb]:
    """All verbs by name and alias."""
    return {name: verb for verb in scan(__name__, "verb").values() for name in (verb.name, *verb.aliases)}

"""The verbs of kubectl, one a file; the folder is the registry."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Mapping
from functools import cache

from aiops_gym.kubectl.verb import Verb


@cache
def registry() -> Mapping[str, Verb]:
    """All verbs by name and alias."""
    found: dict[str, Verb] = {}
    for module in pkgutil.iter_modules(__path__):
        verb: Verb = importlib.import_module(f"{__name__}.{module.name}").verb
        found |= dict.fromkeys((verb.name, *verb.aliases), verb)
    return found

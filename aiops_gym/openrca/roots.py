"""Which data set is meant where none is named."""

from __future__ import annotations

import os
from pathlib import Path

from aiops_gym.openrca.default import default_root
from aiops_gym.openrca.layout import VARIABLE
from aiops_gym.openrca.model import Domain
from aiops_gym.openrca.profiles import HARD


def root_of(
    domain: Domain, cloudbed: str = "", root: str | os.PathLike[str] | None = None, profile: str = HARD
) -> Path:
    """The root that was named, or that of the environment variable, or that of the synthetic default, made once.

    Args:
        profile: of the synthetic default.
    """
    if root is not None:
        return Path(root).expanduser()
    if named := os.environ.get(VARIABLE):
        return Path(named).expanduser()
    return default_root(domain, cloudbed, profile)

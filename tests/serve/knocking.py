"""What the tests of the doors share: names, and what a program left behind."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

NAMESPACE = "test-hotel-reservation"
PROBLEM = "revoke_auth_mongodb-mitigation-1"


class Ran(NamedTuple):
    """What a program left behind."""

    code: int
    out: str
    err: str


Kubectl = Callable[..., Ran]


def write(folder: Path, name: str, text: str) -> str:
    """A file to pass to kubectl."""
    path = folder / name
    path.write_text(text)
    return str(path)

"""Where what can be made again lies: converted telemetry, data made where the user has none, pasts of worlds."""

from __future__ import annotations

import os
from pathlib import Path

VARIABLE = "AIOPS_GYM_CACHE"
"""Environment variable that names the folder, or is the word `beside`."""

BESIDE = "beside"
"""Keeps what is made from a domain's data in that domain's own folder, in `.aiops_gym`."""


def cache_folder(data: Path | None = None, cache: str | os.PathLike[str] | None = None) -> Path:
    """The folder of caches; it need not exist.

    Args:
        data: folder of the domain's data, for `beside`; without data, `beside` is the user's own.
        cache: a folder or `beside`; None asks the environment variable, then the operating system for the user's own.

    >>> cache_folder(Path("/data/Bank"), "beside").as_posix(), cache_folder(cache="/tmp/x").as_posix()
    ('/data/Bank/.aiops_gym', '/tmp/x')
    """
    chosen = cache if cache is not None else os.environ.get(VARIABLE) or None
    if str(chosen) == BESIDE and data is not None:
        return data / ".aiops_gym"
    if chosen is None or str(chosen) == BESIDE:
        from platformdirs import user_cache_path  # noqa: PLC0415  # Only where no folder was chosen.

        return user_cache_path("aiops_gym")
    return Path(chosen).expanduser()

"""The data set that is used where a user has none: small, synthetic, made once in the user's cache."""

from __future__ import annotations

import fcntl
from hashlib import blake2b
from pathlib import Path

from aiops_gym.openrca.cache import cache_folder
from aiops_gym.openrca.model import Domain

DAYS, SCALE, SEED = 3, 0.005, 0
"""Two days to train on and one to test on, at a two-hundredth of the volume."""


_MADE: dict[str, Path] = {}


def default_root(domain: Domain, cloudbed: str = "") -> Path:
    """The root of the default data set, in which this domain is there.

    The folder's name follows from the generator's own code, so that a newer generator never meets older data. Processes
    that ask at the same time wait for the one that makes it.
    """
    below = domain.folders[cloudbed]
    if below in _MADE:
        return _MADE[below]
    base = cache_folder() / "openrca-synthetic"
    root = base / _version()
    base.mkdir(parents=True, exist_ok=True)
    with (base / f".{below.replace('/', '-')}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (root / below / "query.csv").is_file():
            from aiops_gym.openrca import synth  # noqa: PLC0415  # It brings pandas, and is needed but once.

            synth.synthesize(root, below.lower(), days=DAYS, scale=SCALE, seed=SEED)
    _MADE[below] = root
    return root


def _version() -> str:
    digest = blake2b(digest_size=6)
    for path in sorted((Path(__file__).parent / "synth").rglob("*.py")):
        digest.update(path.read_bytes())
    return digest.hexdigest()

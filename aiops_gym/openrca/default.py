"""The data set that is used where a user has none: small, synthetic, made once in the user's cache."""

from __future__ import annotations

import shutil
from functools import cache
from hashlib import blake2b
from pathlib import Path

from aiops_gym import locks
from aiops_gym.errors import BackendError
from aiops_gym.folders import VARIABLE as CACHE
from aiops_gym.folders import cache_folder
from aiops_gym.openrca.layout import VARIABLE as ROOT
from aiops_gym.openrca.model import Domain
from aiops_gym.openrca.profiles import HARD

DAYS, SCALE, SEED = 3, 0.005, 0
"""Two days to train on and one to test on, at a two-hundredth of the volume."""


def default_root(domain: Domain, cloudbed: str = "", profile: str = HARD) -> Path:
    """The root of the default data set of a profile, in which this domain is there.

    The folder's name follows from the generator's own code, so that a newer generator never meets older data. Processes
    that ask at the same time wait for the one that makes it.

    Raises:
        BackendError: the cache cannot be written, or its disk is full.
    """
    below = domain.folders[cloudbed]
    base = cache_folder() / "openrca-synthetic"
    root = base / f"{_version()}-{profile}"
    if not _is_there(root / below):
        try:
            _make(base, root, below, profile)
        except OSError as error:
            raise BackendError(
                f"the synthetic default data of {domain.title} cannot be made in {base}: {error.strerror or error}; "
                f"set {CACHE} to a folder with room, or {ROOT} to data that you have"
            ) from error
    return root


def _make(base: Path, root: Path, below: str, profile: str) -> None:
    base.mkdir(parents=True, exist_ok=True)
    with locks.take(base / f".{below.replace('/', '-')}.{profile}.lock"):
        if not _is_there(root / below):
            for left in (root / below).parent.glob(f".{(root / below).name}.*"):
                shutil.rmtree(left)  # of one who was killed: whoever lives holds the lock
            from aiops_gym.openrca import synth  # noqa: PLC0415  # It brings pyarrow, and is needed but once.

            synth.synthesize(root, below.lower(), days=DAYS, scale=SCALE, seed=SEED, profile=profile)


def _is_there(folder: Path) -> bool:
    """It is made aside and renamed: if its last file is there, all are."""
    return (folder / "query.csv").is_file()


@cache
def _version() -> str:
    digest = blake2b(digest_size=6)
    for path in sorted((Path(__file__).parent / "synth").rglob("*.py")):
        digest.update(path.read_bytes())
    return digest.hexdigest()

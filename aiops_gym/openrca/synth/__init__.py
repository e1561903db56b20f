"""Synthetic telemetry in the original's files: to try things out, to train on, and to play given labels.

The systems, their measurements and the magnitudes of their failures follow what is known of the original data; the
numbers are drawn. A failure changes values, never how many rows there are, their ids, their order, or which points are
missing: what it writes into a log stands in place of usual lines.
"""

from __future__ import annotations

from pathlib import Path

from aiops_gym.errors import CatalogError
from aiops_gym.openrca import domains
from aiops_gym.openrca.profiles import HARD, PROFILES
from aiops_gym.openrca.synth.job import Job, Progress, given_folder


def synthesize(
    out: Path,
    domain: str,
    *,
    days: int = 2,
    scale: float = 0.1,
    seed: int = 0,
    records: Path | None = None,
    progress: Progress | None = None,
    profile: str = HARD,
) -> Path:
    """Write record.csv, query.csv and telemetry of a domain below `out`, marked as made up (see `origin`).

    Args:
        out: folder that will hold `Bank`, `Market/cloudbed-1`, `Telecom` ...
        domain: `bank`, `market` (both cloudbeds), `market/cloudbed-2`, `telecom`.
        days: how many; the first ones of the original. Given records bring their own.
        scale: share of the full volume, above 0 and at most 1: of the traces, the log lines and the measurements that
            tell little.
        seed: same arguments, same bytes.
        records: a record.csv whose failures are to be played, or its folder; a query.csv beside it is kept. For
            `market`, the folder that holds `cloudbed-1` and `cloudbed-2`.
        progress: called with the files done, the number of all, and the name of the next.
        profile: `hard`, on which no single look solves a question, or `easy`, see `hard`.

    Returns:
        `out`.

    Raises:
        CatalogError: unknown domain, its folder is there already, or the records do not fit the domain.
    """
    found = plan_jobs(domain, days=days, scale=scale, seed=seed, records=records, profile=profile)
    total, done = sum(job.files for job in found), 0
    for job in found:
        job.check(Path(out))
    for job in found:
        job.write(Path(out), progress, done, total)
        done += job.files
    return Path(out)


def plan_jobs(
    domain: str,
    *,
    days: int = 2,
    scale: float = 0.1,
    seed: int = 0,
    records: Path | None = None,
    profile: str = HARD,
) -> tuple[Job, ...]:
    """What `synthesize` would write, one job a folder, with the failures in it. Takes the same arguments."""
    found, cloudbed = domains.find(domain)
    if not 0 < scale <= 1 or days < 1:
        raise CatalogError("scale must be above 0 and at most 1, and there must be at least one day")
    if profile not in PROFILES:
        raise CatalogError(f"no profile {profile!r}; there are: {', '.join(PROFILES)}")
    beds = [each for each in found.folders if cloudbed in ("", each)]
    return tuple(
        Job(
            found,
            each,
            days=days,
            scale=scale,
            seed=seed,
            given=given_folder(records, each, len(beds)),
            profile=profile,
        )
        for each in beds
    )

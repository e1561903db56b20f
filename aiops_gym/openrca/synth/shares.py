"""How many failures can be told from the telemetry at all: as declared, and as drawn."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from aiops_gym.openrca.synth.job import Job


class Share(NamedTuple):
    """Of one reason.

    Attributes:
        failures: how many there are.
        shown: of them, those that show where the reason can be told.
        declared: the share that shows in the long run.
    """

    reason: str
    failures: int
    shown: int
    declared: float


def compute_shares(jobs: Iterable[Job]) -> list[Share]:
    """For each reason of the jobs' domain, in its order."""
    made = list(jobs)
    return [
        Share(
            name,
            sum(failure.reason == name for job in made for failure in job.failures),
            sum(
                failure.reason == name and not failure.shown.isdisjoint(job.world.reasons[name].telling)
                for job in made
                for failure in job.failures
            ),
            made[0].world.reasons[name].solvable,
        )
        for name in made[0].domain.reasons
    ]

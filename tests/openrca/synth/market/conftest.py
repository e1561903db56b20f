"""Small days of the shop."""

import numpy as np
import pytest

from aiops_gym.openrca import domains
from aiops_gym.openrca.synth.files import Coded
from aiops_gym.openrca.synth.job import Job
from aiops_gym.openrca.synth.model import Failure


class Bed:
    """One day of a cloudbed, whose failures the test chooses."""

    def __init__(self, cloudbed, scale=0.003, seed=7):
        self.domain, _ = domains.find("market")
        self.job = Job(self.domain, cloudbed, days=1, scale=scale, seed=seed)
        self.cloudbed, self.world = cloudbed, self.job.world
        self.day = self.job.day(self.job.dates[0]).failing(())

    def failure(self, component, reason, hour=12.0, lasts=540, shown=("metric", "trace", "log")):
        moment = int(self.day.midnight + 3600 * hour)
        return Failure(
            level=self.world.profile.levels[component],
            component=component,
            timestamp=moment,
            reason=reason,
            onset=moment + 60,
            end=moment + 60 + lasts,
            shown=frozenset(shown),
        )

    def table(self, name, *failures):
        """The columns of a table by their names."""
        found = next(each for each in self.domain.tables if each.name == name)
        blocks = list(self.world.makers[found.path](self.day.failing(failures)))
        return {
            column: np.concatenate([values(block[place]) for block in blocks])
            for place, column in enumerate(found.names)
        }


def values(column):
    if isinstance(column, Coded):
        return np.array(column.names, object)[column.codes]
    return column if isinstance(column, np.ndarray) else np.array(column.to_pylist(), object)


@pytest.fixture(scope="session")
def beds():
    return {name: Bed(name) for name in ("cloudbed-1", "cloudbed-2")}


@pytest.fixture(scope="session")
def bed(beds):
    return beds["cloudbed-1"]

"""Small days of synthetic telemetry."""

import csv
import io

import pytest

from aiops_gym.openrca import domains
from aiops_gym.openrca.synth import files
from aiops_gym.openrca.synth.job import Job
from aiops_gym.openrca.synth.model import Failure


class Small:
    """One day of a domain, whose failures the test chooses."""

    def __init__(self, name, scale=0.002, seed=5):
        self.domain, _ = domains.find(name)
        self.job = Job(self.domain, "", days=1, scale=scale, seed=seed)
        self.day = self.job.day(self.job.dates[0])

    def failure(self, component, reason, hour=3.0, lasts=600, shown=("metric", "trace", "log")):
        moment = int(self.day.midnight + 3600 * hour)
        return Failure(
            level=self.job.world.profile.levels[component],
            component=component,
            timestamp=moment,
            reason=reason,
            onset=moment,
            end=moment + lasts,
            shown=frozenset(shown),
        )

    def rows(self, path, folder, failures=()):
        """The rows of a table's file, as a reader of CSV sees them, header first."""
        text = self.written(path, folder, failures).decode()
        return list(csv.reader(io.StringIO(text, newline="")))

    def written(self, path, folder, failures=()):
        """A table's file."""
        table = next(each for each in self.domain.tables if each.path == path)
        target = folder / "one.csv"
        files.write(target, table, self.job.world.makers[path](self.day.failing(tuple(failures))))
        return target.read_bytes()


@pytest.fixture(scope="session")
def bank():
    return Small("bank")


@pytest.fixture(scope="session")
def telecom():
    return Small("telecom")

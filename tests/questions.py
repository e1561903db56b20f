"""Files of questions about recorded failures, without any telemetry: problems follow from nothing else."""

from __future__ import annotations

from aiops_gym.openrca import queries
from aiops_gym.openrca.domains import find
from aiops_gym.openrca.labels import Record, write_queries

DAY = 86400
START = 1614787200


def records(days, each=4):
    """Failures an hour apart, on the first days of a recording."""
    return [
        Record("pod", "MG01", START + DAY * day + 3600 * number, "network latency")
        for day in range(days)
        for number in range(each)
    ]


def write(root, name, days=4, seed=1):
    """Only the query.csv of a domain."""
    domain, cloudbed = find(name)
    made = queries.make_queries(domain, cloudbed, records(days), seed)
    write_queries(root / domain.folders[cloudbed], made)
    return made

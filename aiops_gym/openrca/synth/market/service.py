"""metric_service.csv: requests to each service, of both deployments together, one row a minute."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from aiops_gym.openrca.synth.files import Coded
from aiops_gym.openrca.synth.market import chunks
from aiops_gym.openrca.synth.market.pages import rate
from aiops_gym.openrca.synth.model import Block, Day, Kpi, Series
from aiops_gym.openrca.synth.series import make_wide

SLOT = "service"

USUAL = {
    "adservice-grpc": (2.4, 103),
    "adservice-http": (1.1, 103),
    "cartservice-grpc": (3.1, 103),
    "checkoutservice-grpc": (44, 101.5),
    "currencyservice-grpc": (1.2, 103),
    "emailservice-grpc": (3.6, 103),
    "frontend-http": (38, 98.5),
    "paymentservice-grpc": (1.4, 103),
    "productcatalogservice-grpc": (1.6, 103),
    "recommendationservice-grpc": (6.8, 102),
    "shippingservice-grpc": (1.1, 103),
}
"""Row -> usual response time in ms, and success rate in %; what is above 100 hides that it varies."""

PROBES = 18.0
"""Requests a minute to the plain HTTP of adservice, by probes."""


def series() -> tuple[Series, ...]:
    """The curves of the 11 rows; each is the owner of its four measurements."""
    return tuple(Series(row, kpi, row) for row in USUAL for kpi in _kpis(row))


def rows(day: Day) -> Iterator[Block]:
    """The file's rows."""
    table = make_wide(day, series(), SLOT)
    per_hour = len(table.times) // chunks.HOURS
    for hour in chunks.hours(day, SLOT):
        part = slice(hour * per_hour, (hour + 1) * per_hour)
        answered, success, time, count = (table.columns[name][:, part].ravel() for name in ("rr", "sr", "mrt", "count"))
        yield (
            Coded(np.repeat(np.arange(len(table.ids), dtype=np.int32), per_hour), table.ids),
            np.tile(table.times[part], len(table.ids)),
            answered,
            success,
            time,
            count.astype(np.int64),
        )


def _kpis(row: str) -> tuple[Kpi, ...]:
    time, success = USUAL[row]
    count = PROBES if row == "adservice-http" else rate(row.rpartition("-")[0])
    return (
        Kpi(name="rr", base=104, spread=0.012, memory=0.3, high=100, decimals=6, decisive=True),
        Kpi(name="sr", base=success, spread=0.012, memory=0.3, high=100, decimals=6, decisive=True),
        Kpi(name="mrt", base=time, spread=0.07, daily=0.1, decimals=12, bursts=0.8, burst=1.8, decisive=True),
        Kpi(name="count", base=count, spread=0.05, memory=0.5, daily=1.0, low=1, decimals=0, decisive=True),
    )

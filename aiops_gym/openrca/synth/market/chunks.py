"""The order of rows in the files: they were exported an hour at a time, and the hours were joined in no order."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from aiops_gym.openrca.synth.files import Coded
from aiops_gym.openrca.synth.model import Block, Day, Series
from aiops_gym.openrca.synth.series import Grid, make_grids

HOURS = 24


def hours(day: Day, purpose: str) -> list[int]:
    """The hours of a day, shuffled."""
    order: list[int] = day.chance(purpose, "hours").permutation(HOURS).tolist()
    return order


def shuffled(day: Day, series: Sequence[Series], purpose: str) -> list[Series]:
    """Series by measurement, both in an order that says nothing."""
    return sorted(series, key=lambda each: (day.unit("kpi", each.kpi.name), day.unit("id", each.kpi.name, each.id)))


def blocks(day: Day, made: Sequence[Grid], purpose: str) -> Iterator[Block]:
    """Points as time, id, measurement and value: hour after shuffled hour, in each of them series after series."""
    for hour in hours(day, purpose):
        for grid in made:
            samples = grid.times.shape[1] // HOURS
            part = slice(hour * samples, (hour + 1) * samples)
            there = grid.present[:, part]
            which = np.repeat(np.arange(len(grid.series), dtype=np.int32), there.sum(axis=1))
            yield (
                grid.times[:, part][there],
                Coded(which, [each.id for each in grid.series]),
                Coded(which, [each.kpi.name for each in grid.series]),
                grid.values[:, part][there],
            )


def samples(day: Day, series: Sequence[Series], purpose: str) -> Iterator[Block]:
    """The rows of a table of samples."""
    yield from blocks(day, make_grids(day, shuffled(day, series, purpose), purpose), purpose)

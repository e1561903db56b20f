"""What the logs of a window say, line by line with its numbers masked, compared with the hour before."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass

import numpy as np

from aiops_gym.openrca.model import Table
from aiops_gym.openrca.recording import Recording, Rows
from aiops_gym.openrca.summaries.runs import Array, compute_excess, find_runs
from aiops_gym.openrca.summaries.window import MINUTE, Window

MOST = 20_000
"""Lines of the window, and of the comparison, that are read; of more, every second, third ... is."""

LONGEST = 160
"""Characters of a line that its template is made of."""

_DIGITS = str.maketrans("123456789", "000000000")
_MASKED = re.compile(r"\b0x[0-9a-f]+\b|\b(?=[a-f]*0)[0-9a-f]{6,}(?:-[0-9a-f]{4,})*\b|0+(?:[.:,/-]0+)*", re.IGNORECASE)

MASK = "<*>"


@dataclass(frozen=True, slots=True)
class Template:
    """Lines of one component and log that differ in numbers and ids only.

    Attributes:
        count: lines in the window, estimated where not all were read; `before` those of the comparison, scaled to the
            window's length.
        z: strength of the strongest run of minutes with more, or (negative) fewer, lines than usual; 0 without any.
        first: Unix milliseconds of that run's first minute; the window's start without any.
        example: the first line in the window.
    """

    component: str
    log: str
    template: str
    count: float
    before: float
    z: float
    first: int
    example: str


@dataclass(frozen=True)
class Lines:
    """What was read.

    Attributes:
        templates: the most striking first.
        count: lines in the window.
        step: every so many-th of them was read.
    """

    templates: list[Template]
    count: int
    step: int


def mask(line: str) -> str:
    """A line without what differs from one to the next: numbers, addresses, hexadecimal ids.

    >>> mask("GET /cart/12 from 10.0.3.7 took 0.25 s, user 3f2a-77 id 8c7f01aa-12ab-34cd")
    'GET /cart/<*> from <*> took <*> s, user <*>f<*>a-<*> id <*>'
    """
    return _MASKED.sub(MASK, line[:LONGEST].translate(_DIGITS))


def collect_templates(recording: Recording, table: Table, window: Window, component: str | None = None) -> Lines:
    """The lines of a log file by component, log and template.

    Args:
        component: only lines of it.
    """
    own = recording.rows(table, window.start, window.end, component=component)
    base = recording.rows(table, window.base_start, window.base_end, component=component)
    step, base_step = (1 + (rows.count - 1) // MOST if rows.count else 1 for rows in (own, base))
    before = Counter(_keys(table, base, base_step))
    found = _keys(table, own, step)
    places = _places(own.count, step)
    times = own.times()[places]
    numbers: dict[tuple[str, str, str], int] = {}
    which = np.array([numbers.setdefault(key, len(numbers)) for key in found], np.int64)
    first = np.unique(which, return_index=True)[1]
    count = np.bincount(which, minlength=len(numbers)) * step
    usual = np.array([before[key] for key in numbers], float) * base_step * window.share
    z, minute = _striking(which, (times - window.start) // MINUTE, usual / step, window)
    examples = own.texts("value", places[first])
    listed = [
        Template(*key, float(count[at]), float(usual[at]), float(z[at]), window.start + int(minute[at]) * MINUTE, line)
        for (key, at), line in zip(numbers.items(), examples, strict=True)
    ]
    listed.sort(key=lambda each: (-abs(each.z), -each.count, each.component, each.log, each.template))
    return Lines(listed, own.count, step)


def _striking(which: Array, slots: Array, usual: Array, window: Window) -> tuple[Array, Array]:
    """Strength of each template's strongest run, and its first minute."""
    width = window.own.stop - window.own.start
    count = np.bincount(which * width + slots, minlength=len(usual) * width).reshape(-1, width)
    expected = (usual / width)[:, None]
    found = find_runs(compute_excess(count, expected))
    z, first = np.zeros(len(usual)), np.zeros(len(usual), np.int64)
    for at in np.argsort(np.abs(found.strength), kind="stable").tolist():
        z[found.series[at]], first[found.series[at]] = found.strength[at], found.first[at]
    return z, first


def _keys(table: Table, rows: Rows, step: int) -> list[tuple[str, str, str]]:
    """Component, log and template of every so many-th line."""
    at = _places(rows.count, step)
    lines = rows.texts("value", at)
    masked: dict[str, str] = {}
    named = [_names(rows, column, at) for column in (table.component, table.kpi)]
    shapes = []
    for line in lines:
        rough = line[:LONGEST].translate(_DIGITS)
        shape = masked.get(rough)
        if shape is None:
            masked[rough] = shape = _MASKED.sub(MASK, rough)
        shapes.append(shape)
    return list(zip(*named, shapes, strict=True))


def _names(rows: Rows, column: str, at: Array) -> list[str]:
    codes, names = rows.codes(column)
    return [names[code] for code in codes[at].tolist()]


def _places(count: int, step: int) -> Array:
    """One place of each `step`, not the same of each, so that lines that alternate are all met."""
    numbers = np.arange(count // step + (count % step > 0), dtype=np.int64)
    return np.minimum(numbers * step + ((numbers * 2654435761) >> 16) % step, count - 1)

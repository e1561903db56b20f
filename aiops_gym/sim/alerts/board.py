"""What rules came to: alerts with their history, worked out from telemetry when somebody asks, and not kept."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from aiops_gym.sim.alerts.course import Stretch, follow
from aiops_gym.sim.alerts.rules import Group, Rule
from aiops_gym.sim.alerts.template import expand
from aiops_gym.sim.kernel import draws
from aiops_gym.sim.kernel.times import MINUTE
from aiops_gym.sim.promql.series import STALE, Series

Labels = tuple[tuple[str, str], ...]
Evaluate = Callable[[str, int, int, int], Sequence[Series]]
"""Query, start, end, step (ms): the values of each series at those of the steps that have one."""

REMEMBERED = 15 * MINUTE
"""For so long Prometheus tells of an alert that has ended."""

PENDING, FIRING = "pending", "firing"


class Alert(NamedTuple):
    """One alert, active or ended a short time ago.

    Attributes:
        group, rule: whose it is.
        labels: sorted, `alertname` included.
        annotations: their texts.
        since: Unix ms of the first evaluation that gave it.
        fired: ms of the first at which it fired; None while it is pending.
        ended: ms at which it ended; None while it is active.
        value: of the expression, last.
        last: ms of the last evaluation.
    """

    group: Group
    rule: Rule
    labels: Labels
    annotations: Labels
    since: int
    fired: int | None
    ended: int | None
    value: float
    last: int

    @property
    def state(self) -> str:
        """As Prometheus names it, of one that is active."""
        return PENDING if self.fired is None else FIRING


class Course(NamedTuple):
    """Everything that one alert of a rule went through.

    Attributes:
        labels: of the expression, without its name, and of the rule, with `alertname`.
        times: ms of all evaluations.
        there: at which of them the expression gave it.
        values: what it gave.
        stretches: when it was active.
    """

    labels: Labels
    times: NDArray[np.int64]
    there: NDArray[np.bool_]
    values: NDArray[np.float64]
    stretches: list[Stretch]


def list_times(group: Group, seed: int, start: int, end: int) -> range:
    """When a group is evaluated: each has its own place within the interval, as in Prometheus."""
    offset = draws.pick(group.interval, seed, "rules", f"{group.file};{group.name}")
    first = start + (offset - start) % group.interval
    return range(first, end + 1, group.interval)


def follow_rule(group: Group, rule: Rule, evaluate: Evaluate, times: range) -> list[Course]:
    """The courses of an alerting rule, in the order of their labels. Raises what `evaluate` raises."""
    if not times:
        return []
    found, steps = list[Course](), np.arange(times.start, times.stop, times.step, dtype=np.int64)
    for series in evaluate(rule.expr, times[0], times[-1], times.step):
        places = np.searchsorted(steps, series.times)
        there, values = np.zeros(len(steps), dtype=np.bool_), np.zeros(len(steps))
        there[places], values[places] = True, series.values
        own = dict(series.labels)
        own.pop("__name__", None)
        last = float(series.values[-1])
        given = {name: expand(text, own, last) for name, text in rule.labels}
        labels = tuple(sorted((n, v) for n, v in {**own, **given, "alertname": rule.name}.items() if v))
        stretches = follow(there, group.interval, rule.hold, rule.keep)
        found.append(Course(labels, steps, there, values, stretches))
    return sorted(found, key=lambda course: course.labels)


def list_alerts(group: Group, rule: Rule, courses: Sequence[Course]) -> Iterator[Alert]:
    """The alerts of a rule that are active, and those that fired and ended a short time ago."""
    for course in courses:
        for stretch in course.stretches[-1:]:
            ended = None if stretch.ended is None else int(course.times[stretch.ended])
            if ended is not None and (stretch.fired is None or ended < course.times[-1] - REMEMBERED):
                continue
            own = {name: value for name, value in course.labels if name != "alertname"}
            value = float(course.values[np.flatnonzero(course.there)[-1]])
            notes = tuple((name, expand(text, own, value)) for name, text in rule.annotations)
            fired = None if stretch.fired is None else int(course.times[stretch.fired])
            began, last = int(course.times[stretch.began]), int(course.times[-1])
            yield Alert(group, rule, course.labels, notes, began, fired, ended, value, last)


def write_alerts(course: Course) -> Iterator[Series]:
    """The series `ALERTS` and `ALERTS_FOR_STATE` of one alert, with marks where they end."""
    many = len(course.times)
    pending, firing = np.zeros(many, dtype=np.bool_), np.zeros(many, dtype=np.bool_)
    began = np.zeros(many)
    for stretch in course.stretches:
        until = many if stretch.ended is None else stretch.ended
        change = until if stretch.fired is None else stretch.fired
        pending[stretch.began : change], firing[change:until] = True, True
        began[stretch.began : until] = course.times[stretch.began] / 1000.0
    ones = np.ones(many)
    for state, there in ((FIRING, firing), (PENDING, pending)):
        if there.any():
            labels = (("__name__", "ALERTS"), ("alertstate", state), *course.labels)
            yield write_series(labels, course.times, there, ones)
    if (pending | firing).any():
        yield write_series((("__name__", "ALERTS_FOR_STATE"), *course.labels), course.times, pending | firing, began)


def write_series(
    labels: Labels, times: NDArray[np.int64], there: NDArray[np.bool_], values: NDArray[np.float64]
) -> Series:
    """A series that is written at some of the times; the first evaluation that does not write it marks its end."""
    ends = np.zeros(len(times), dtype=np.bool_)
    ends[1:] = there[:-1] & ~there[1:]
    kept = there | ends
    return Series(tuple(sorted(labels)), times[kept], np.where(ends, STALE, values)[kept])

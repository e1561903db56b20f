"""Samples that rules add to those that were scraped: recorded series, `ALERTS` and `ALERTS_FOR_STATE`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np

from aiops_gym.sim.alerts.board import (
    Alert,
    Course,
    Labels,
    follow_rule,
    list_alerts,
    list_times,
    write_alerts,
    write_series,
)
from aiops_gym.sim.alerts.rules import Group, Rule
from aiops_gym.sim.alerts.template import expand
from aiops_gym.sim.promql.patterns import compile_matchers
from aiops_gym.sim.promql.series import Matcher, Series, Source
from aiops_gym.sim.telemetry.source import KEPT, Telemetry

Query = Callable[[Source, str, int, int, int], Sequence[Series]]
"""A source, a query, start, end, step (ms): the values of each series at those of the steps that have one."""

ALERTS = ("ALERTS", "ALERTS_FOR_STATE")
HISTORY = KEPT
"""How far back rules are followed: an alert that is older seems to be so old."""


class Ruled:
    """A source with rules above it.

    Args:
        base: the samples that were scraped.
        groups: the rules.
        query: evaluates a query over a source.
        seed: of the world.
        start: ms; before it nothing was evaluated.
        now: ms; the last moment for which rules are evaluated.

    A rule sees what other rules recorded. One that reads what it writes itself sees nothing of it: to know that, all of
    the past would have to be worked out.
    """

    def __init__(self, base: Telemetry, groups: Sequence[Group], query: Query, seed: int, start: int, now: int) -> None:
        self.base, self.groups, self.query = base, groups, query
        self.seed, self.start, self.now = seed, max(start, now - HISTORY), now
        self._kept: dict[tuple[Group, Rule], list[Course]] = {}
        self._busy: list[Rule] = []

    def select(self, matchers: Sequence[Matcher], start: int, end: int) -> Sequence[Series]:
        """As `Source.select`."""
        found = [*self.base.select(matchers, start, end)]
        takes = compile_matchers(matchers)
        for series in self._written(matchers, start, end):
            inside = (series.times > start) & (series.times <= end)
            if inside.any() and takes(dict(series.labels)):
                found.append(Series(series.labels, series.times[inside], series.values[inside]))
        return sorted(found, key=lambda series: series.labels)

    def list_metrics(self) -> list[tuple[str, str, str]]:
        """Name, type and help of all that is scraped."""
        return self.base.list_metrics()

    def courses(self, group: Group, rule: Rule) -> list[Course]:
        """What the alerts of a rule went through, until now. Raises what the query raises."""
        key = (group, rule)
        if key not in self._kept:
            times = list_times(group, self.seed, self.start, self.now)
            self._kept[key] = follow_rule(group, rule, lambda *asked: self._asked(rule, *asked), times)
        return self._kept[key]

    def alerts(self, group: Group, rule: Rule) -> list[Alert]:
        """The alerts of a rule, active or ended a short time ago. Raises what the query raises."""
        return [*list_alerts(group, rule, self.courses(group, rule))]

    def _asked(self, rule: Rule, text: str, start: int, end: int, step: int) -> Sequence[Series]:
        self._busy.append(rule)
        try:
            return self.query(self, text, start, end, step)
        finally:
            self._busy.pop()

    def _written(self, matchers: Sequence[Matcher], start: int, end: int) -> Iterator[Series]:
        named = compile_matchers([each for each in matchers if each.label == "__name__"])
        for group in self.groups:
            for rule in group.rules:
                if rule in self._busy:
                    continue
                if rule.alerting:
                    if any(named({"__name__": name}) for name in ALERTS):
                        for course in self.courses(group, rule):
                            yield from write_alerts(course)
                elif named({"__name__": rule.name}):
                    yield from self._recorded(group, rule, start, end)

    def _recorded(self, group: Group, rule: Rule, start: int, end: int) -> Iterator[Series]:
        begin = max(self.start, start + 1)
        times = list_times(group, self.seed, begin, min(self.now, end))
        if not times:
            return
        if times[0] - times.step >= self.start:
            times = range(times[0] - times.step, times.stop, times.step)  # one more, to see it end
        steps = np.arange(times.start, times.stop, times.step, dtype=np.int64)
        for series in self._asked(rule, rule.expr, times[0], times[-1], times.step):
            there, values = np.zeros(len(steps), dtype=np.bool_), np.zeros(len(steps))
            places = np.searchsorted(steps, series.times)
            there[places], values[places] = True, series.values
            yield write_series(_named(rule, series.labels), steps, there, values)


def _named(rule: Rule, labels: Labels) -> Labels:
    given = {name: expand(text, dict(labels), 0.0) for name, text in rule.labels}
    found = {**dict(labels), **given, "__name__": rule.name}
    return tuple(sorted((name, value) for name, value in found.items() if value))

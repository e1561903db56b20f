"""What a file keeps of alerts and golden signals, read with tolerance: older files have none, and others' are odd."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from aiops_gym.envs.levels import read_points
from aiops_gym.runs.episode import Episode
from aiops_gym.runs.view.story import number_of
from aiops_gym.types import Json

MOST = 1_000
"""Points that are looked at."""

Points = tuple[float | None, ...]
Span = tuple[float, float | None, float | None]
"""When an alert was pending, fired and ended, in seconds; None for never, and for not yet."""


@dataclass(frozen=True, kw_only=True)
class Alert:
    """One alert; `where` is by which labels it differs from others of its name."""

    name: str
    severity: str
    where: str
    what: str
    spans: tuple[Span, ...]


@dataclass(frozen=True, kw_only=True)
class Signals:
    """Telemetry from `start` to `end`, in seconds since the episode began.

    Attributes:
        times: of the points.
        operations, components: the series by name and key, as long as `times`.
        alerts: in their order.
    """

    start: float
    end: float
    times: tuple[float, ...]
    operations: Mapping[str, Mapping[str, Points]]
    components: Mapping[str, Mapping[str, Points]]
    alerts: tuple[Alert, ...]

    def place(self, value: float) -> float:
        """Percent of the way from the start to the end; what lies outside is at its edge."""
        return 100 * min(1.0, max(0.0, (value - self.start) / (self.end - self.start)))

    def find_point(self, seconds: float) -> int:
        """Number of the last point that is not later."""
        return max((i for i, time in enumerate(self.times) if time <= seconds), default=0)


def read_signals(episode: Episode) -> Signals | None:
    """None where the file has none."""
    data = episode.signals if isinstance(episode.signals, Mapping) else {}
    start, end, step = (number_of(data.get(key)) for key in ("start", "end", "step"))
    if start is None or end is None or step is None or not 0 < step <= end - start <= MOST * step:
        return None
    times = tuple(start + i * step for i in range(round((end - start) / step) + 1))
    alerts = data.get("alerts")
    return Signals(
        start=start,
        end=end,
        times=times,
        operations=_subjects(data.get("operations"), len(times)),
        components=_subjects(data.get("components"), len(times)),
        alerts=tuple(_alert(each) for each in alerts if isinstance(each, Mapping)) if isinstance(alerts, list) else (),
    )


def _subjects(data: Json, many: int) -> dict[str, dict[str, Points]]:
    found = data if isinstance(data, Mapping) else {}
    return {
        str(name): {str(key): _points(text, many) for key, text in series.items()}
        for name, series in found.items()
        if isinstance(series, Mapping)
    }


def _points(text: Json, many: int) -> Points:
    values = read_points(str(text))[:many]
    return (*values, *[None] * (many - len(values)))


def _alert(data: Mapping[str, Json]) -> Alert:
    labels, spans = data.get("labels"), data.get("spans")
    told = {str(k): str(v) for k, v in labels.items()} if isinstance(labels, Mapping) else {}
    return Alert(
        name=str(data.get("name", "")),
        severity=str(data.get("severity", "")),
        where=" ".join(f"{name}={value}" for name, value in told.items()),
        what=str(data.get("what", "")),
        spans=tuple(filter(None, map(_span, spans))) if isinstance(spans, list) else (),
    )


def _span(data: Json) -> Span | None:
    if not isinstance(data, list) or len(data) != 3 or number_of(data[0]) is None:
        return None
    return float(data[0]), number_of(data[1]), number_of(data[2])

"""What synthetic telemetry is described in: measurements, calls, log lines, and what each root cause does to them.

Plain data. The rules that turn it into numbers are in `series`, `calls` and `lines`; `plan` draws the failures.
Whatever is drawn here is keyed by its purpose and never by the failures: these change values, nothing else.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Any

import numpy as np

from aiops_gym.openrca import clock
from aiops_gym.openrca.chance import draw_unit, make_generator
from aiops_gym.openrca.model import Domain

Block = Sequence[Any]
"""Rows of a file as one column each: a numpy array, a pyarrow array, or `Coded`."""


@dataclass(frozen=True, kw_only=True)
class Kpi:
    """One measured quantity, for every component that has it.

    Attributes:
        base: usual level; of a pair, each series has its own level in between (logarithmically even).
        spread: standard deviation of the noise, as a share of the level.
        memory: correlation of the noise from one sample to the next, 0 to 1.
        daily: how far it follows the daily load: 0 not at all, 1 in proportion, negative against it.
        low, high: bounds.
        decimals: as written; 0 for integers.
        counts: the samples are counts of rare events (Poisson draws about the level).
        total: running sum of the samples, as counters that are never reset.
        step: seconds from sample to sample.
        phase: second of the first sample.
        missing: share of the samples that are not there.
        gaps: how often a day the series is silent for hours.
        bursts: harmless peaks a day.
        burst: their height, as a multiple of the level.
        decisive: kept whatever the scale.
        saw: minutes in which it fills up before it is cleared, as a heap does; on the profile `hard` alone.
    """

    name: str
    base: float | tuple[float, float]
    spread: float = 0.1
    memory: float = 0.6
    daily: float = 0.0
    low: float = 0.0
    high: float = float("inf")
    decimals: int = 4
    counts: bool = False
    total: bool = False
    step: int = 60
    phase: int = 0
    missing: float = 0.0
    gaps: float = 0.0
    bursts: float = 0.0
    burst: float = 2.0
    decisive: bool = False
    saw: float = 0.0


@dataclass(frozen=True, slots=True)
class Series:
    """One curve.

    Attributes:
        id: what the file calls the measured thing.
        owner: component whose failures it shows; what `World.reach` answers.
        item: tells curves of one measurement apart, such as disks.
    """

    id: str
    kpi: Kpi
    owner: str
    item: str = ""


@dataclass(frozen=True, kw_only=True)
class Effect:
    """What a root cause does to a measurement.

    Attributes:
        kpi: name of the measurement; `*` stands for anything.
        multiply, add: the mean of the ten minutes after the label is value * multiply + add. A failure fills but a
            part of them (`Profile.fills`), so that it shows more strongly while it does.
        reach: what the value is drawn to while it shows, in place of these.
        shape: `plateau`, `ramp` (grows to the end), `spike` (three samples), `step` (stays some while longer).
        scope: whose measurements, see `World.reach`; `self` is the component.
        share: of the cases in which it shows, among those that show in metrics at all.
        levels: of failures that have it; empty for all.
    """

    kpi: str
    multiply: float = 1.0
    add: float = 0.0
    reach: float | None = None
    shape: str = "plateau"
    scope: str = "self"
    share: float = 1.0
    levels: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Slow:
    """What a root cause does to calls.

    Attributes:
        own: factor of the time that the component itself needs.
        wire: milliseconds more on the network of each call to it and from it; visible as the caller's time minus
            the called one's.
        share: of the calls that are hit.
        failed: of the calls that fail.
        scope: whose calls, see `World.reach`.
    """

    own: float = 1.0
    wire: float = 0.0
    share: float = 1.0
    failed: float = 0.0
    scope: str = "self"
    levels: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Call:
    """One place of a call tree.

    Attributes:
        at: instances that may serve it, drawn evenly; none means the caller itself.
        time: median of its own time without the calls it makes, milliseconds.
        spread: sigma of the lognormal about it.
        wire: median of the network's time, there and back, milliseconds.
        chance: share of its parent's executions that make it.
        marks: further columns of the domain, such as type and operation.
        calls: made one after the other.
        together: its calls are made at the same time.
    """

    at: tuple[str, ...]
    time: float
    spread: float = 0.5
    wire: float = 0.4
    chance: float = 1.0
    marks: tuple[str, ...] = ()
    calls: tuple[Call, ...] = ()
    together: bool = False


@dataclass(frozen=True, kw_only=True)
class Operation:
    """What a user may ask for, and how often beside the others."""

    weight: float
    call: Call


@dataclass(frozen=True, kw_only=True)
class Choice:
    """A field of a log line: one of some texts."""

    of: tuple[str, ...]
    weights: tuple[float, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Whole:
    """A field of a log line: an integer from `low` to `high`, both included, filled up with zeros to `width`."""

    low: int
    high: int
    width: int = 0


@dataclass(frozen=True, kw_only=True)
class Amount:
    """A field of a log line: a lognormal number. `slowed` ones follow the `Longer` of root causes."""

    median: float
    spread: float = 0.5
    decimals: int = 0
    slowed: bool = False


@dataclass(frozen=True, kw_only=True)
class Uptime(Amount):
    """A field of a log line: seconds since its process was started; on the profile `easy` a number like any other."""


@dataclass(frozen=True, kw_only=True)
class Hex:
    """A field of a log line: random hexadecimal digits."""

    digits: int


@dataclass(frozen=True, kw_only=True)
class Stamp:
    """A field of a log line: its time, in a format of strftime, in UTC+8."""

    format: str


Field = str | Choice | Whole | Amount | Hex | Stamp


@dataclass(frozen=True, kw_only=True)
class Lines:
    """Lines of one kind.

    Attributes:
        log: name of the log.
        at: components that write them; the file's ids.
        rate: lines a minute and component under usual load, at scale 1.
        text: fixed text and fields, in their order.
        load: the rate follows the daily load.
        scaled: fewer lines at a smaller scale; rare lines that tell something are not scaled.
    """

    log: str
    at: tuple[str, ...]
    rate: float
    text: tuple[Field, ...]
    load: bool = True
    scaled: bool = True


@dataclass(frozen=True, kw_only=True)
class Instead:
    """What a root cause makes components write in place of their usual lines; there are as many lines as ever.

    Attributes:
        log: name of the log whose lines it takes.
        text: what they say then.
        part: of the lines, while it shows; times the failure's intensity.
        shape: as an `Effect`'s.
        scope: whose lines, see `World.reach`.
        share: of the cases.
    """

    log: str
    text: tuple[Field, ...]
    part: float
    shape: str = "plateau"
    scope: str = "self"
    share: float = 1.0
    levels: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Longer:
    """What a root cause does to the slowed amounts in the lines of a log (`*` stands for anything)."""

    log: str
    factor: float
    scope: str = "self"
    levels: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Reason:
    """One root cause and all that it does.

    Attributes:
        shares: of its failures that show in `metric`, `trace`, `log`; each is drawn on its own. Not named is never.
        telling: which of them suffice to tell the reason.
    """

    name: str
    shares: Mapping[str, float]
    telling: tuple[str, ...] = ("metric",)
    metrics: tuple[Effect, ...] = ()
    calls: tuple[Slow, ...] = ()
    instead: tuple[Instead, ...] = ()
    longer: tuple[Longer, ...] = ()

    @property
    def solvable(self) -> float:
        """Share of its failures that can be told from the telemetry.

        >>> round(Reason(name="r", shares={"metric": 0.5, "trace": 0.5}, telling=("metric", "trace")).solvable, 2)
        0.75
        """
        hidden = 1.0
        for part in self.telling:
            hidden *= 1 - self.shares.get(part, 0.0)
        return 1 - hidden


@dataclass(frozen=True, kw_only=True)
class Failure:
    """A failure and how it goes.

    Attributes:
        timestamp: Unix seconds of the label.
        onset, end: Unix seconds between which it shows.
        intensity: factor of its effects, about 1.
        shown: where it shows, of `metric`, `trace`, `log`.
    """

    level: str
    component: str
    timestamp: int
    reason: str
    onset: int
    end: int
    intensity: float = 1.0
    shown: frozenset[str] = frozenset(("metric", "trace", "log"))


@dataclass(frozen=True, kw_only=True)
class Profile:
    """How a domain fails, and its daily load.

    Attributes:
        hits: reason -> component -> weight; how often each pair occurs.
        levels: level of each component.
        per_day: least and most failures of a day.
        least_gap: minutes from one failure to the next at least.
        pairs: how readily a half hour takes a second failure, 0 to 1.
        hours: weight of each recorded hour.
        offsets: first and last minute in the half hour.
        whole_minutes: failures begin at whole minutes.
        lasts: least and most seconds that a failure shows.
        delay: most seconds from the label to the first sign.
        fills: share of the ten minutes after the label in which a failure shows, on average.
        blocks: record.csv is ordered by this first, `reason`, `level` or "" (by time).
        load: of each hour of the day, about 1.
        free_days: share of days without failures, when there are many days.
    """

    hits: Mapping[str, Mapping[str, float]]
    levels: Mapping[str, str]
    per_day: tuple[int, int]
    least_gap: float
    pairs: float
    hours: Sequence[float]
    load: Sequence[float]
    offsets: tuple[float, float] = (0, 30)
    whole_minutes: bool = True
    lasts: tuple[int, int] = (180, 600)
    delay: int = 300
    fills: float = 0.5
    blocks: str = ""
    free_days: float = 0.1


@dataclass(frozen=True, kw_only=True)
class World:
    """A domain (or one cloudbed of it) to be told of.

    Attributes:
        reach: (component of a label, scope) -> owners of series, instances of calls, components of lines. The scope
            `self` of a service is its pods.
        felt: component of a label -> the instances of calls that feel its failure: itself, what runs on it, or what
            waits for it; none where no call does.
        operations: what users ask for.
        makers: by path of the table, what yields the rows of a day, in the file's order.
    """

    profile: Profile
    reasons: Mapping[str, Reason]
    reach: Callable[[str, str], tuple[str, ...]]
    felt: Callable[[str], tuple[str, ...]]
    operations: Sequence[Operation]
    makers: Mapping[str, Callable[[Day], Iterator[Block]]]


@dataclass(frozen=True, kw_only=True)
class Day:
    """One day to be written.

    Attributes:
        scale: share of the full volume, above 0 and at most 1.
        failures: those that may show on this day.
        hard: of the profile `hard`, see `hard`.
    """

    domain: Domain
    cloudbed: str
    world: World
    date: date
    seed: int
    scale: float
    failures: tuple[Failure, ...] = ()
    hard: bool = False

    @property
    def midnight(self) -> int:
        """Unix seconds of 0:00 in UTC+8."""
        return clock.parse(self.date) // 1000

    @property
    def start(self) -> int:
        """Unix seconds at which the recording begins."""
        return self.midnight + 3600 * self.domain.hours[0]

    @property
    def end(self) -> int:
        """Unix seconds at which it ends."""
        return self.midnight + 3600 * self.domain.hours[1]

    def failing(self, failures: tuple[Failure, ...]) -> Day:
        """The same day with these failures."""
        return replace(self, failures=failures)

    def chance(self, *purpose: object) -> np.random.Generator:
        """Of this day alone."""
        return make_generator(self.seed, self.domain.name, self.cloudbed, self.date.isoformat(), *purpose)

    def unit(self, *purpose: object) -> float:
        """Of all days, for what does not change with them, such as the level of a series."""
        return draw_unit(self.seed, self.domain.name, self.cloudbed, *purpose)

    def load(self, times: np.ndarray) -> np.ndarray:
        """The load at some Unix seconds: the daily curve, about 1."""
        hours = (np.asarray(times) - self.midnight) / 3600 % 24
        curve = np.asarray(self.world.profile.load, float)
        load: np.ndarray = np.interp(hours, np.arange(25), np.append(curve, curve[0]))
        if self.hard:
            for start, end, height in self._rushes():
                load = np.where((np.asarray(times) >= start) & (np.asarray(times) < end), load * height, load)
        return load

    def _rushes(self) -> list[tuple[int, int, float]]:
        """Start, end and height of what comes over the business now and then: many ask at once, and nothing failed."""
        rng = self.chance("rushes")
        hours = (self.end - self.start) / 3600
        starts = self.start + rng.integers(self.end - self.start, size=int(rng.poisson(hours / 6)))
        return [(int(at), int(at + 60 * rng.integers(4, 12)), float(rng.uniform(1.2, 1.6))) for at in starts]

    def kept(self, kpi: Kpi) -> bool:
        """Whether the scale leaves a measurement in: decisive ones always, of the others that share."""
        return kpi.decisive or self.unit("kept", kpi.name) < self.scale

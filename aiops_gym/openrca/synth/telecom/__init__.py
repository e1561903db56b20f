"""The telecom operator: who calls whom, how it fails, and the rows of its files."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from aiops_gym.openrca.synth import calls, files, ids, order, series
from aiops_gym.openrca.synth.files import Coded
from aiops_gym.openrca.synth.model import Block, Call, Day, Operation, Profile, Series, World
from aiops_gym.openrca.synth.telecom.kpis import ASSETS, MEASUREMENTS, business
from aiops_gym.openrca.synth.telecom.reasons import REASONS

GUESTS = {
    "os_017": ("docker_001", "docker_005"),
    "os_018": ("docker_002", "docker_006"),
    "os_019": ("docker_003", "docker_007"),
    "os_020": ("docker_004", "docker_008"),
    "os_009": ("fly_remote",),
    "os_021": ("os_021",),
    "os_022": ("os_022",),
}
"""What of the calls runs on a host."""

TRACES = 500.0
"""A minute at scale 1: some five million spans in the six hours."""

SKEW = {"docker_003": -12.0, "docker_006": 35.0, "docker_008": -28.0}
"""Milliseconds by which clocks are wrong: a parent may start after its child."""

LATE = 5_000
"""Milliseconds that a span stands too far down in its file at most."""

PIECE = 900
"""Seconds of spans that are made at a time."""

PROFILE = Profile(
    hits={
        "CPU fault": {
            "docker_001": 4,
            "docker_002": 3,
            "docker_004": 3,
            "docker_006": 3,
            "docker_008": 3,
            "docker_003": 2,
            "docker_005": 1,
        },
        "network delay": {"os_021": 4, "os_018": 3.3, "os_017": 2, "os_020": 2, "os_009": 1.2, "os_001": 0.5},
        "network loss": {"os_021": 2, "os_018": 1.7, "os_017": 1, "os_020": 1, "os_009": 0.8, "os_001": 0.5},
        "db connection limit": {"db_003": 4, "db_007": 3},
        "db close": {"db_003": 3, "db_007": 2},
    },
    levels={
        **{f"os_{number:03d}": "node" for number in range(1, 23)},
        **{f"docker_{number:03d}": "pod" for number in range(1, 9)},
        **{f"db_{number:03d}": "service" for number in range(1, 14)},
    },
    per_day=(3, 8),
    least_gap=30,
    pairs=0.0,
    hours=(1, 1, 1, 1, 1, 1),
    load=(1.5, 1.1, 0.8, 0.7, 0.8, 1.1, *(1.0,) * 18),
    offsets=(5, 24),
    lasts=(300, 900),
    fills=0.8,
)


def _jdbc(database: str, times: int, chance: float) -> tuple[Call, ...]:
    """Statements. The caller records them; what the database does itself is no span of its own."""
    inside = Call(at=(database,), time=11, spread=0.6, wire=1.0)
    one = Call(at=(), time=3, wire=0, chance=chance, marks=("JDBC", database, ""), calls=(inside,))
    return (one,) * times


def _local(database: str, number: int, statements: int) -> Call:
    """A step inside a process, with its statements."""
    marks = ("LOCAL", database, f"local_method_{number:03d}")
    return Call(at=(), time=4, wire=0, chance=0.9, marks=marks, calls=_jdbc(database, statements, 0.85))


def _remote(name: str, at: tuple[str, ...], chance: float, inside: tuple[Call, ...]) -> Call:
    """A call from service to service: the caller records CSF, the called one RemoteProcess."""
    served = Call(at=at, time=9, wire=1.2, marks=("RemoteProcess", "", name), calls=inside)
    return Call(at=(), time=1.5, wire=0, chance=chance, marks=("CSF", "", name), calls=(served,))


def _tree(host: str, front: tuple[str, ...], back: tuple[str, ...], names: Sequence[str]) -> Call:
    """One entry of the bus, the containers behind it, and those behind these."""
    fly = Call(at=("fly_remote",), time=60, spread=0.6, wire=2, chance=0.4, marks=("FlyRemote", "", "fly_remote_001"))
    inside = (
        *_jdbc("db_007", 5, 0.9),
        _local("db_009", 3, 3),
        _remote(names[1], back, 0.95, (*_jdbc("db_003", 6, 0.9), _local("db_003", 17, 4))),
        _remote(names[2], back, 0.6, _jdbc("db_003", 6, 0.9)),
        fly,
    )
    return Call(at=(host,), time=12, marks=("OSB", "", "osb_001"), calls=(_remote(names[0], front, 1.0, inside),))


OPERATIONS = (
    Operation(
        weight=1,
        call=_tree(
            "os_021", ("docker_003", "docker_004"), ("docker_005", "docker_006"), ("csf_001", "csf_002", "csf_003")
        ),
    ),
    Operation(
        weight=1,
        call=_tree(
            "os_022", ("docker_001", "docker_002"), ("docker_007", "docker_008"), ("csf_001", "csf_004", "csf_005")
        ),
    ),
)

_CHAIN = {*(name for names in GUESTS.values() for name in names), "db_003", "db_007", "db_009"}


def reach(component: str, scope: str) -> tuple[str, ...]:
    """`self`; `guests`: what of the calls runs on a host; `business`: the bus, where the component is behind it."""
    guests = GUESTS.get(component, ())
    if scope == "business":
        return ("osb_001",) if guests or component in _CHAIN else ()
    return (component,) if scope == "self" else guests if scope == "guests" else ()


def felt(component: str) -> tuple[str, ...]:
    """What of the calls runs on a host; others are felt by themselves, where they are in the calls at all."""
    return GUESTS.get(component, (component,) if component in _CHAIN else ())


def world(cloudbed: str) -> World:
    """The operator has no cloudbeds."""
    makers = {"metric/metric_app.csv": _app, "trace/trace_span.csv": _spans}
    for part in MEASUREMENTS:
        makers[f"metric/metric_{part}.csv"] = partial(_samples, part)
    return World(profile=PROFILE, reasons=REASONS, reach=reach, felt=felt, operations=OPERATIONS, makers=makers)


def _app(day: Day) -> Iterator[Block]:
    """One row a minute; now and then a second one for what came late."""
    made = series.make_wide(day, business(), "app")
    times, number = made.times * 1000, made.columns["num"][0]
    mean, rate = made.columns["avg_time"][0], made.columns["rate"][0]
    late = (day.chance("app", "late").random(len(times)) < 0.03) & (number > 1)
    take = np.concatenate([np.arange(len(times)), np.flatnonzero(late)])
    take = take[np.argsort(np.concatenate([times, times[late] + 150_000]), kind="stable")]
    seen = np.zeros(len(times), bool)
    seen[take] = True
    second = np.zeros(len(take), bool)
    second[1:] = take[1:] < np.maximum.accumulate(take)[:-1]
    num = np.where(second, 1, number[take] - late[take])
    won = np.rint(num * rate[take])
    yield (
        Coded(np.zeros(len(take), np.int32), ["osb_001"]),
        times[take],
        mean[take],
        num.astype(np.int64),
        won.astype(np.int64),
        np.round(won / num, 4),
    )


def _samples(part: str, day: Day) -> Iterator[Block]:
    made = MEASUREMENTS[part](day)
    for rows in series.make_rows(day, made, part, "time", late=400):
        places = {name: index for index, name in enumerate(dict.fromkeys(each.kpi.name for each in made))}
        yield (
            Coded(rows.which, [_item(day, each) for each in rows.series]),
            rows.kpis(),
            Coded(rows.which, [f"ZJ-{ASSETS[part]:03d}-{places[each.kpi.name] + 1:03d}" for each in rows.series]),
            rows.times * 1000,
            _written(rows),
            rows.ids(),
        )


def _item(day: Day, each: Series) -> str:
    return f"99999999{int(10**7 * day.unit('item', each.id, each.kpi.name, each.item)):07d}"


def _written(rows: series.Rows) -> pa.Array:
    """Integers as such, all others with six decimals."""
    whole = np.array([each.kpi.decimals == 0 for each in rows.series])[rows.which]
    numbers = pa.array(np.rint(rows.values).astype(np.int64)).cast(pa.string())
    return pc.if_else(pa.array(whole), numbers, files.fixed(rows.values, 6))


def _spans(day: Day) -> Iterator[Block]:
    for start in range(day.start, day.end, PIECE):
        spans = calls.spans(day, OPERATIONS, TRACES, start, start + PIECE, "spans")
        rng = day.chance("spans", "ids", start)
        names = _ids(rng, spans.count)
        traces = ids.glue(ids.draw_hex(rng, int(spans.trace.max(initial=-1)) + 1, 20))
        kind, place, service = (_marks(spans, part) for part in range(3))
        take = order.late(rng, spans.order, LATE)
        take = take[np.array([bool(call.marks) for call in spans.places])[spans.place[take]]]
        skew = np.array([SKEW.get(name, 0.0) for name in spans.instances])[spans.instance]
        parents = np.where(spans.parent >= 0, spans.parent, spans.count)
        yield (
            Coded(spans.place[take], kind),
            np.floor(spans.start + skew).astype(np.int64)[take],
            np.rint(spans.duration)[take],
            Coded(spans.failed[take] + 2 * _flies(spans)[take], ["True", "False", "TRUE", "FALSE"]),
            traces.take(pa.array(spans.trace[take])),
            names.take(pa.array(take)),
            names.take(pa.array(parents[take])),
            Coded(_recorders(spans)[take], spans.instances),
            Coded(spans.place[take], place),
            Coded(spans.place[take], service),
        )


def _ids(rng: np.random.Generator, n: int) -> pa.Array:
    """20 hexadecimal digits each, and the word for no caller at the end."""
    return pa.concat_arrays([ids.glue(ids.draw_hex(rng, n, 20)), pa.array(["None"], pa.string())])


def _marks(spans: calls.Spans, part: int) -> list[str]:
    return [call.marks[part] if call.marks else "" for call in spans.places]


def _flies(spans: calls.Spans) -> np.ndarray:
    places = np.array([call.marks[:1] == ("FlyRemote",) for call in spans.places], np.int32)
    flies: np.ndarray = places[spans.place]
    return flies


def _recorders(spans: calls.Spans) -> np.ndarray:
    """Calls to the outside are recorded by the container that makes them."""
    return np.where(_flies(spans) > 0, spans.instance[spans.parent], spans.instance)

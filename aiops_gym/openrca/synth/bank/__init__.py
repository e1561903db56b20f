"""The bank: who calls whom, how it fails, and the rows of its files."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pyarrow as pa

from aiops_gym.openrca.chance import make_generator
from aiops_gym.openrca.synth import calls, ids, lines, order, series
from aiops_gym.openrca.synth.bank.kpis import SERVICES, measurements, services
from aiops_gym.openrca.synth.bank.logs import KINDS
from aiops_gym.openrca.synth.bank.reasons import REASONS
from aiops_gym.openrca.synth.files import Coded
from aiops_gym.openrca.synth.model import Block, Call, Day, Operation, Profile, World

GATEWAYS = ("IG01", "IG02")
TOMCATS = ("Tomcat01", "Tomcat02", "Tomcat03", "Tomcat04")
MESSAGES = ("MG01", "MG02")
DOCKERS = ("dockerA1", "dockerA2", "dockerB1", "dockerB2")

TRACES = 790.0
"""A minute at scale 1: about ten million spans a day."""

SKEW = -380.0
"""Milliseconds by which the clock of one docker host goes before the others."""

PIECE = 1800
"""Seconds of spans or lines that are made at a time."""

LATE = 10_000
"""Milliseconds that a span stands too far down in its file at most."""

_COMPONENTS = {
    "Tomcat01": 19,
    "MG01": 17,
    "MG02": 17,
    "IG02": 12,
    "Tomcat03": 12,
    "Tomcat04": 12,
    "apache02": 10,
    "Tomcat02": 9,
    "apache01": 8,
    "Redis02": 8,
    "IG01": 5,
    "Mysql02": 4,
    "Mysql01": 2,
    "Redis01": 1,
}


def _among(total: float, *names: str) -> dict[str, float]:
    """The weight of a reason, shared out as these components fail."""
    whole = sum(_COMPONENTS[name] for name in names)
    return {name: total * _COMPONENTS[name] / whole for name in names}


_CALLING = ("apache01", "apache02", *TOMCATS, *MESSAGES, *GATEWAYS)

PROFILE = Profile(
    hits={
        "high CPU usage": _among(33, *_CALLING, "Redis02", "Redis01", "Mysql02"),
        "network packet loss": _among(32, *_CALLING),
        "network latency": _among(27, *_CALLING),
        "high disk I/O read usage": _among(19, *_CALLING),
        "high memory usage": _among(10, *_COMPONENTS),
        "JVM Out of Memory (OOM) Heap": _among(7, "Tomcat02", "MG01", "MG02", "IG01", "IG02"),
        "high disk space usage": _among(5, "apache01", "IG02", "Tomcat04"),
        "high JVM CPU load": _among(3, *MESSAGES, *GATEWAYS),
    },
    levels=dict.fromkeys(_COMPONENTS, "pod"),
    per_day=(10, 21),
    least_gap=11,
    pairs=0.5,
    hours=(3, 3, 3, 2, 2, 2, 3, 3, 3, 4, 4, 4, 4, 4, 8, 8, 8, 8, 8, 5, 4, 4, 4, 3),
    load=(
        *(0.55, 0.5, 0.45, 0.45, 0.5, 0.6, 0.75, 0.9, 1.1, 1.25, 1.35, 1.3),
        *(1.15, 1.15, 1.3, 1.35, 1.3, 1.25, 1.2, 1.2, 1.15, 1.05, 0.9, 0.7),
    ),
    blocks="reason",
)


def _behind(chance: float) -> Call:
    """A message: through a gateway to a docker service, which may send one on."""
    onward = Call(at=MESSAGES, time=4, chance=0.25, calls=(Call(at=DOCKERS, time=12, spread=0.6, wire=0.8),))
    served = Call(at=DOCKERS, time=18, spread=0.6, wire=0.8, calls=(onward,))
    return Call(at=MESSAGES, time=5, wire=0.8, chance=chance, calls=(served,))


def _operation(weight: float, *chances: float) -> Operation:
    tomcat = Call(at=TOMCATS, time=22, wire=0.8, calls=tuple(map(_behind, chances)))
    return Operation(weight=weight, call=Call(at=GATEWAYS, time=6, calls=(tomcat,)))


OPERATIONS = (_operation(5, 1.0, 0.9, 0.5), _operation(3, 1.0, 1.0, 1.0, 0.8, 0.6), _operation(2, 1.0, 0.4))


def reach(component: str, scope: str) -> tuple[str, ...]:
    """`self`; `business`: the transaction codes that a component serves, some of them."""
    if scope == "self":
        return (component,)
    rng = make_generator(0, "bank", "business", component)
    return tuple(str(each) for each in rng.permutation(SERVICES)[:6]) if scope == "business" else ()


def felt(component: str) -> tuple[str, ...]:
    """Itself; all application servers wait for the databases; no span is of the web servers."""
    if component in (*GATEWAYS, *TOMCATS, *MESSAGES):
        return (component,)
    return TOMCATS if component.startswith(("Mysql", "Redis")) else ()


def world(cloudbed: str) -> World:
    """The bank has no cloudbeds."""
    makers = {
        "metric/metric_app.csv": _app,
        "metric/metric_container.csv": _container,
        "trace/trace_span.csv": _spans,
        "log/log_service.csv": _lines,
    }
    return World(profile=PROFILE, reasons=REASONS, reach=reach, felt=felt, operations=OPERATIONS, makers=makers)


def _app(day: Day) -> Iterator[Block]:
    made = series.make_wide(day, services(), "app")
    take = np.nonzero(made.present.T)
    values = {name: column.T[take] for name, column in made.columns.items()}
    yield (
        made.times[take[0]],
        *(values[name] for name in ("rr", "sr")),
        values["cnt"].astype(np.int64),
        values["mrt"],
        Coded(take[1].astype(np.int32), made.ids),
    )


def _container(day: Day) -> Iterator[Block]:
    for rows in series.make_rows(day, measurements(day), "container", "time", late=300):
        yield rows.times, rows.ids(), rows.kpis(), rows.values


def _spans(day: Day) -> Iterator[Block]:
    for start in range(day.start, day.end, PIECE):
        spans = calls.spans(day, OPERATIONS, TRACES, start, start + PIECE, "spans")
        rng = day.chance("spans", "ids", start)
        names, codes = _span_ids(rng, spans)
        parents = np.where(spans.parent >= 0, spans.parent, spans.count)
        skew = np.array([SKEW if name == "dockerA2" else 0.0 for name in spans.instances])[spans.instance]
        take = order.late(rng, spans.order + skew, LATE)
        yield (
            np.floor(spans.start + skew).astype(np.int64)[take],
            Coded(spans.instance[take], spans.instances),
            names.take(pa.array(parents[take])),
            names.take(pa.array(take)),
            codes.take(pa.array(spans.trace[take])),
            np.rint(spans.duration).astype(np.int64)[take],
        )


def _span_ids(rng: np.random.Generator, spans: calls.Spans) -> tuple[pa.Array, pa.Array]:
    """Ids of the spans, with an empty one at the end for what called the roots, and ids of the traces.

    All carry the time at which the trace began, which no failure moves.
    """
    n = spans.count
    docker = np.array([name.startswith("docker") for name in spans.instances])[spans.instance]
    traces = int(spans.trace.max(initial=-1)) + 1
    begins = np.zeros(traces)
    roots = spans.parent < 0
    begins[spans.trace[roots]] = spans.order[roots]
    stamps = _local(begins)
    numbers = ids.glue(
        "2", ids.format_digits(stamps[spans.trace] % 10**11, 11), ids.format_digits(rng.integers(10**8, size=n), 8)
    )
    words = ids.glue(
        *("369-bcou-dle-way", ids.format_digits(rng.integers(1, 3, size=n), 1), "-", ids.draw_hex(rng, n, 8), "-"),
        *(ids.format_digits(rng.integers(10**5, size=n), 5), "@0824-", ids.draw_hex(rng, n, 10), "-"),
        ids.format_digits(rng.integers(10**5, size=n), 5),
    )
    codes = ids.glue("gw01", ids.format_digits(stamps, 14), ids.format_digits(rng.integers(10**6, size=traces), 6))
    spelled = pa.concat_arrays([numbers, words, pa.array([""], pa.string())])
    pick = np.where(docker, np.arange(n), np.arange(n) + n)
    return spelled.take(pa.array(np.append(pick, 2 * n))), codes


def _local(milliseconds: np.ndarray) -> np.ndarray:
    """`YYYYMMDDhhmmss` in UTC+8, as a number."""
    moments = (milliseconds.astype(np.int64) + 8 * 3_600_000).astype("datetime64[ms]")
    days = moments.astype("datetime64[D]")
    months = days.astype("datetime64[M]")
    year = months.astype("datetime64[Y]").astype(np.int64) + 1970
    month = months.astype(np.int64) % 12 + 1
    seconds = (moments - days).astype("timedelta64[s]").astype(np.int64)
    date = (year * 100 + month) * 100 + (days - months).astype(np.int64) + 1
    number: np.ndarray = ((date * 100 + seconds // 3600) * 100 + seconds // 60 % 60) * 100 + seconds % 60
    return number


def _lines(day: Day) -> Iterator[Block]:
    for start in range(day.start, day.end, PIECE):
        made = lines.write(day, KINDS, start, start + PIECE, "lines", late=30)
        yield made.ids(32), made.times, made.component, made.log, made.values

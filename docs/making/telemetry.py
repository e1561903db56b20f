"""A page a recorded system: its files, KPIs, candidates and quirks, how a failure looks, and what its logs say.

    python docs/making/telemetry.py bank market telecom

Files, columns and candidates come from the package, KPIs from what `openrca synthesize --scale 1` would write, and
curves and lines from the synthetic data set of the profile `hard`.
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from aiops_gym.envs.recorded import RecordedEnv
from aiops_gym.openrca import clock, labels
from aiops_gym.openrca.model import Domain, Table
from aiops_gym.openrca.profiles import HARD
from aiops_gym.openrca.recording import Recording
from aiops_gym.openrca.summaries.deviations import find_deviations, list_quantities
from aiops_gym.openrca.summaries.window import make_window
from aiops_gym.openrca.synth.job import Job
from aiops_gym.openrca.synth.model import Day
from aiops_gym.runs.view.markup import Html, tag

DOCS = Path(__file__).parent.parent
HOUR = 3_600_000
LEFT, WIDTH, HEIGHT, ROW = 76, 704, 70, 110
CURVE, MARK, SOFT = "#0969da", "#cf222e", "#59636e"
PANELS, LINES, SHORT = 4, 2, 220
"""Curves of a picture, lines of each log, and characters of a line."""

MANY, FEW = 8, 3
"""KPIs of one beginning from which a second word tells them apart, and names that are listed of each."""

TOPOLOGY = {
    "bank": """\
The Tomcats call the message gateways, and these the services in docker. A database or a cache that fails shows in the
Tomcats, which wait for it. Containers `dockerA1` to `dockerB2` are in the calls, and never a root cause.""",
    "market": """\
`frontend` calls the other services by gRPC; each service has the pods `-0`, `-1` and `-2` and a second deployment with
the pod `2-0`, which has a call tree of its own. Ids of measurements say where a pod runs: `node-5.adservice-2`. A
node's failure is felt by its pods, a service's by its callers.""",
    "telecom": """\
The bus (`osb_001`, recorded by `os_021` and `os_022`) calls the containers `docker`, which call each other (CSF) and
the databases (JDBC, LOCAL: recorded by the caller, whose `dsName` names the database). Hosts `os` carry the containers.
Redis is measured, and in no call.""",
}
QUIRKS = {
    "bank": (
        "Ids of spans are longer than 64 bits: they are text.",
        "KPI names hold blanks, double blanks and double quotes.",
        "Samples lie on whole minutes, every 60 s or 120 s, and up to a third of them are missing.",
        "A day's first spans may belong to the day before.",
        "Network failures show in calls and TCP states only; no log tells of them.",
    ),
    "market": (
        "Times of measurements and logs are seconds, those of spans milliseconds; durations are microseconds.",
        "The file of spans is some ten pieces one after the other, each by time: five until 08:00, five from then on.",
        "`status_code` of a span that is well is `0`, `Ok`, `OK` or `200`, by its type.",
        "Counters are differences of two samples already.",
        "Names of TCP measurements hold a comma: `UF,URX`.",
        "`log_proxy` has the services' own lines once more.",
    ),
    "telecom": (
        "Only 00:00 to 06:00 are recorded, and there are no logs.",
        "Times are milliseconds, those of labels seconds; samples lie on odd seconds.",
        "A curve is one (name, bomc_id, itemid): a component has several of a name, one a disk or table space.",
        "`success` is `True` or `TRUE`; the parent of a root is the word `None`.",
        "CPU fault strikes containers, network failures hosts, and `db` ones databases.",
    ),
}


def main(*names: str) -> None:
    """Write the pages of some domains, and their pictures."""
    for name in names:
        env = RecordedEnv(name, cloudbed="cloudbed-1" if name == "market" else None)
        folder = env.questions.folder(env.cloudbed or "")
        recording = Recording(env.domain, folder)
        picture = DOCS / "pictures" / f"telemetry_{name}.svg"
        record = labels.read_records(folder)[0]
        job = Job(env.domain, env.cloudbed or "", days=1, scale=1.0, seed=0, profile=HARD)
        picture.write_text(_picture(recording, env.domain, record), encoding="utf-8")
        page = "\n\n".join(_page(env.domain, recording, record, picture.name, job.day(job.dates[0])))
        (DOCS / f"telemetry-{name}.md").write_text(f"{page}\n", encoding="utf-8")


def _page(domain: Domain, recording: Recording, record: labels.Record, picture: str, day: Day) -> Iterator[str]:
    yield f"# Telemetry of {domain.title}"
    yield "Written by `python docs/making/telemetry.py`; do not edit. See [recorded incidents](openrca.md)."
    yield domain.about
    yield f"## Who calls whom\n\n{TOPOLOGY[domain.name]}"
    yield f"## Quirks\n\n{_list(QUIRKS[domain.name])}"
    yield "## What may be named\n\nComponents: " + ", ".join(f"`{each}`" for each in domain.components) + "."
    yield "Reasons: " + "; ".join(domain.reasons) + "."
    for table in domain.tables:
        yield f"## {table.path}\n\n{table.about}"
        yield "| column | what it is |\n|---|---|\n" + "\n".join(f"| `{c.name}` | {c.about} |" for c in table.columns)
        yield from _kpis(day, table)
    told = f"{record.reason} of `{record.component}` at {clock.show(record.timestamp * 1000)}"
    yield f"## How a failure looks\n\nThe strongest deviations around a synthetic failure, marked in red: {told}."
    yield f"![The measurements that deviate most around {record.reason} of {record.component}](pictures/{picture})"
    yield from _logs(recording, domain, record)


def _kpis(day: Day, table: Table) -> Iterator[str]:
    """The names of its measurements, in one line a family."""
    if table.modality != "metric" or not table.kpi:
        return
    place = table.names.index(table.kpi)
    known = sorted({name for block in day.world.makers[table.path](day) for name in block[place].names})
    rows = [
        f"| `{name}` | {len(each)} | "
        + ", ".join(f"`{kpi}`" for kpi in each[:FEW])
        + (", ..." * (len(each) > FEW))
        + " |"
        for name, each in _families(known)
    ]
    yield f"{len(known)} KPIs by the beginning of their names:"
    yield "| beginning | KPIs | names |\n|---|---:|---|\n" + "\n".join(rows)


def _families(names: list[str]) -> list[tuple[str, list[str]]]:
    """By their first word, or by two where many share it."""
    words = {name: [word.strip() for word in re.split(r"[_.(]", name, maxsplit=2)] for name in names}
    shared = Counter(each[0] for each in words.values())
    families: dict[str, list[str]] = {}
    for name, (first, *rest) in words.items():
        second = name[len(first) : len(first) + 1 + len(rest[0])] if rest and shared[first] > MANY else ""
        families.setdefault(first + second, []).append(name)
    return sorted(families.items())


def _logs(recording: Recording, domain: Domain, record: labels.Record) -> Iterator[str]:
    for table in domain.tables:
        if table.modality != "log":
            continue
        start = record.timestamp * 1000
        names = recording.values(table, table.kpi, start, start)
        lines = []
        for name in names[:12]:
            rows = recording.rows(table, start - HOUR, start, kpi=name).head(LINES)
            place = table.names.index("value")
            lines += [f"[{name}] {str(row[place])[:SHORT]}" for row in rows]
        listed = "\n".join(lines).replace("```", "")
        yield f"## What {table.path} says\n\nThe hour before that failure:\n\n```text\n{listed}\n```"


def _picture(recording: Recording, domain: Domain, record: labels.Record) -> str:
    """The series that deviate most, two hours around a failure."""
    moment = record.timestamp * 1000
    tables = [table for table in domain.tables if table.modality == "metric"]
    window = make_window(moment - HOUR // 4, moment + HOUR // 4, 180, recording.span()[0])
    found = find_deviations(recording, tables, window, None, None).deviations
    own = [each for each in found if record.component in each.component.split(".")][: PANELS // 2]
    chosen = [*own, *[each for each in found if each not in own][: PANELS - len(own)]]
    panels = [_panel(recording, tables, each, moment, 20 + ROW * at) for at, each in enumerate(chosen)]
    width, height = LEFT + WIDTH + 20, 30 + ROW * len(panels)
    paper = tag("rect", width="100%", height="100%", fill="#ffffff")
    size = {"viewBox": f"0 0 {width} {height}", "width": width, "height": height, "font_family": "sans-serif"}
    return f"{tag('svg', paper, *panels, xmlns='http://www.w3.org/2000/svg', role='img', **size)}\n"


def _panel(recording: Recording, tables: list[Table], found: object, moment: int, top: float) -> Html:
    component, kpi = found.component, found.kpi  # type: ignore[attr-defined]
    start, end = moment - HOUR, moment + HOUR
    table = next(
        each
        for each in tables
        if kpi in (recording.values(each, each.kpi, start, end) if each.kpi else list_quantities(each))
        and component in recording.values(each, each.component, start, end)
    )
    rows = recording.rows(table, start, end, component=component, **({"kpi": kpi} if table.kpi else {}))
    times, values = rows.times(), rows.numbers("value" if table.kpi else kpi)
    known = ~np.isnan(values)
    low, high = float(values[known].min()), float(values[known].max())
    across, down = WIDTH / (end - start), HEIGHT / max(high - low, 1e-9)
    points = [
        f"{LEFT + across * (time - start):.1f},{top + 18 + down * (high - value):.1f}"
        for time, value in zip(times[known].tolist(), values[known].tolist(), strict=True)
    ]
    x = LEFT + WIDTH * (moment - start) / (end - start)
    return tag(
        "g",
        tag("text", f"{component}: {kpi}", x=LEFT, y=f"{top + 10:g}", fill="#1f2328", font_size=12),
        tag("text", f"{high:.3g}", x=LEFT - 6, y=f"{top + 24:g}", fill=SOFT, font_size=10, text_anchor="end"),
        tag("text", f"{low:.3g}", x=LEFT - 6, y=f"{top + 18 + HEIGHT:g}", fill=SOFT, font_size=10, text_anchor="end"),
        tag("line", x1=f"{x:.1f}", x2=f"{x:.1f}", y1=f"{top + 18:g}", y2=f"{top + 18 + HEIGHT:g}", stroke=MARK),
        tag("polyline", points=" ".join(points), fill="none", stroke=CURVE),
    )


def _list(lines: tuple[str, ...]) -> str:
    return "\n".join(f"* {each}" for each in lines)


if __name__ == "__main__":
    main(*sys.argv[1:])

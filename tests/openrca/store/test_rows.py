"""What a question gives equals what a plain reading of the CSV files gives, however their rows are ordered."""

from __future__ import annotations

import math
import tempfile
from datetime import date
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from toy_telemetry import DAY, START, folder, table, write

from aiops_gym.openrca.domains import find
from aiops_gym.openrca.frame import read_frame
from aiops_gym.openrca.model import Table, names
from aiops_gym.openrca.recording import Recording
from aiops_gym.openrca.store import csvfile, merge, shelf, texts

TABLES = [
    ("bank", "trace_span"),
    ("bank", "metric_app"),
    ("bank", "log_service"),
    ("market", "metric_container"),
    ("telecom", "metric_node"),
    ("telecom", "trace_span"),
]
DAYS = (DAY, date(2021, 3, 5))
MEMORY = "/dev/shm" if Path("/dev/shm").is_dir() else None
"""Where files are on the disk at once: conversions wait for that."""

CODES = ["Tomcat01", "node-1.adservice-0", "adservice-0", 'k "q" "http-nio-8003"', "a,b", "two  blanks", "", "UF,URX é"]


@pytest.fixture(autouse=True, scope="module")
def _small_pieces():
    """Sizes at which a few rows fill several blocks, runs, shares and chunks."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(csvfile, "BLOCK", 1 << 10)
        patch.setattr(merge, "SHARE", 16)
        patch.setattr(texts, "CHUNK", 8)
        yield


def _value(kind: str) -> st.SearchStrategy[object]:
    if kind == "code":
        return st.sampled_from(CODES)
    if kind == "text":
        return st.text(
            st.characters(exclude_categories=["Cs"], exclude_characters="\r\0"), max_size=12
        ) | st.sampled_from(["s1", 'x,\n"y"', "t 1"])
    if kind == "int":
        return st.integers(-(2**40), 2**40) | st.integers(0, 50)
    return st.floats(allow_nan=True, allow_infinity=False) | st.floats(width=32, allow_infinity=False)


@st.composite
def _days(draw, known: Table):
    """Rows of two days, each with few different times, some of them beyond the day's ends."""
    unit = 1000 if known.unit == "s" else 1
    found = []
    for day in range(len(DAYS)):
        times = st.integers(-3, 24 * 60 + 3).map(lambda minute, day=day: START + (day * 1440 + minute) * 60_000)
        row = st.tuples(*(times if column.kind == "time" else _value(column.kind) for column in known.columns))
        rows = draw(st.lists(row, max_size=60))
        found.append(
            [[v // unit if c.kind == "time" else v for c, v in zip(known.columns, r, strict=True)] for r in rows]
        )
    return found


def _written(value: object) -> object:
    return "" if isinstance(value, float) and math.isnan(value) else value


def _brute(known: Table, days, start, end, component, kpi, trace_id, contains):
    """(key of the order, row) of all rows that are asked for, by a plain loop."""
    unit = 1000 if known.unit == "s" else 1
    at = {name: place for place, name in enumerate(known.names)}
    trace = next((place for name, place in at.items() if name.lower().replace("_", "") == "traceid"), None)
    found = []
    for number, rows in enumerate(days):
        first, last = START + (number * 1440 - 5) * 60_000, START + ((number + 1) * 1440 + 5) * 60_000
        if (start is not None and start > last) or (end is not None and end < first):
            continue
        for place, row in enumerate(rows):
            time = row[at[known.time]] * unit
            if (start is not None and time < start) or (end is not None and time > end):
                continue
            if component is not None and not names(row[at[known.component]], component):
                continue
            if kpi is not None and row[at[known.kpi]] != kpi:
                continue
            if trace_id is not None and row[trace] != trace_id:
                continue
            if contains is not None and contains not in row[at["value"]]:
                continue
            key = (time,)
            if known.modality == "metric":
                key += (row[at[known.component]], row[at[known.kpi]] if known.kpi else "")
            found.append(((*key, number, place), tuple(row)))
    return [row for _, row in sorted(found, key=lambda each: each[0])]


def _same(left, right) -> bool:
    """Equal, with NaN equal to itself and numbers of one kind."""
    return len(left) == len(right) and all(
        (a == b and type(a) is type(b))
        or (isinstance(a, float) and isinstance(b, float) and math.isnan(a) and math.isnan(b))
        for mine, theirs in zip(left, right, strict=True)
        for a, b in zip(mine, theirs, strict=True)
    )


@pytest.mark.parametrize(("domain", "name"), TABLES, ids=[" ".join(each) for each in TABLES])
@settings(max_examples=30, deadline=None)
@given(data=st.data())
def test_a_question_gives_what_a_plain_reading_gives(domain, name, data):
    known = table(domain, name)
    days = data.draw(_days(known))
    edge = st.none() | st.integers(-10, 2 * 1440 + 10).map(lambda minute: START + minute * 60_000)
    start, end = sorted([data.draw(edge), data.draw(edge)], key=lambda each: -1 if each is None else each)
    asked = {"component": data.draw(st.none() | st.sampled_from([*CODES, "adservice", "node-1", "nobody"]))}
    if known.kpi:
        asked["kpi"] = data.draw(st.none() | st.sampled_from(CODES))
    if known.modality == "trace":
        asked["trace_id"] = data.draw(st.none() | st.sampled_from(["s1", "", "t 1"]))
    if known.modality == "log":
        asked["contains"] = data.draw(st.none() | st.sampled_from(["s1", "", '"y', "\n", "e"]))
    with tempfile.TemporaryDirectory(dir=MEMORY) as root:
        for day, rows in zip(DAYS, days, strict=True):
            write(Path(root), domain, name, [[_written(v) for v in row] for row in rows], day)
        recording = Recording(find(domain)[0], folder(Path(root), domain), cache=Path(root) / "cache")
        rows = recording.rows(known, start, end, **asked)
        wanted = _brute(
            known, days, start, end, *(asked.get(each) for each in ("component", "kpi", "trace_id", "contains"))
        )
        _check(known, rows, wanted, data.draw(st.integers(0, 12)))
        shelf.forget()


ORDERS = {
    "by time": lambda rows, time, rng: sorted(rows, key=lambda row: row[time]),
    "nearly by time": lambda rows, time, rng: sorted(rows, key=lambda row: row[time] + rng.integers(0, 60)),
    "in four shards": lambda rows, time, rng: [row for shard in range(4) for row in _sorted(rows[shard::4], time)],
    "grouped": lambda rows, time, rng: sorted(rows, key=lambda row: [each for each in row if isinstance(each, str)]),
    "shuffled": lambda rows, time, rng: [rows[place] for place in rng.permutation(len(rows))],
}


def _sorted(rows, time):
    return sorted(rows, key=lambda row: row[time])


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize(("domain", "name"), TABLES, ids=[" ".join(each) for each in TABLES])
def test_a_longer_file_gives_the_same_in_any_order_of_its_rows(tmp_path, domain, name, order):
    known, rng = table(domain, name), np.random.default_rng(7)
    make = {
        "time": lambda: (START + int(rng.integers(0, 300)) * 60_000) // (1000 if known.unit == "s" else 1),
        "code": lambda: CODES[rng.integers(0, len(CODES))],
        "text": lambda: f"t {rng.integers(0, 40)}",
        "int": lambda: int(rng.integers(0, 2**33)),
        "float": lambda: float(rng.random()),
    }
    rows = [[make[column.kind]() for column in known.columns] for _ in range(700)]
    rows = ORDERS[order](rows, known.names.index(known.time), rng)
    write(tmp_path, domain, name, rows)
    recording = Recording(find(domain)[0], folder(tmp_path, domain), cache=tmp_path / "cache")
    for asked in ({}, {"component": "adservice"}):
        found = recording.rows(known, START + 3_600_000, START + 12_000_000, **asked)
        wanted = _brute(known, [rows], START + 3_600_000, START + 12_000_000, asked.get("component"), None, None, None)
        assert len(wanted) > 50
        _check(known, found, wanted, 30)


def _check(known: Table, rows, wanted, some: int) -> None:
    assert rows.count == len(wanted)
    assert _same(rows.head(some), wanted[:some])
    assert _same(rows.tail(some), wanted[len(wanted) - min(some, len(wanted)) :])
    assert _same(rows.head(len(wanted) + 1), wanted)
    unit = 1000 if known.unit == "s" else 1
    for place, column in enumerate(known.columns):
        values = [row[place] for row in wanted]
        if column.kind == "time":
            assert rows.times().tolist() == [value * unit for value in values]
        elif column.kind in ("int", "float"):
            assert _same([rows.numbers(column.name).tolist()], [values])
        else:
            assert rows.texts(column.name) == values
            assert rows.texts(column.name, range(0, len(values), 2)) == values[::2]
        if column.kind == "code":
            codes, found = rows.codes(column.name)
            assert [found[code] for code in codes] == values
            assert found == sorted(found)
    made = read_frame(rows)
    assert list(made.columns) == list(known.names)
    assert _same([tuple(row) for row in made.astype(object).itertuples(index=False)], wanted)
    assert _same([tuple(row) for row in read_frame(rows, some).astype(object).itertuples(index=False)], wanted[:some])
    if known.modality == "metric":
        _check_grouped(known, rows, wanted)


def _check_grouped(known: Table, rows, wanted) -> None:
    at = {name: place for place, name in enumerate(known.names)}
    series: dict[tuple[str, str], list] = {}
    for row in wanted:
        pair = row[at[known.component]], row[at[known.kpi]] if known.kpi else ""
        series.setdefault(pair, []).append(row)
    grouped = rows.grouped()
    assert list(zip(grouped.components, grouped.kpis, strict=True)) == sorted(series)
    assert np.diff(grouped.bounds).tolist() == [len(series[pair]) for pair in sorted(series)]
    flat = [row for pair in sorted(series) for row in series[pair]]
    unit = 1000 if known.unit == "s" else 1
    assert grouped.times.tolist() == [row[at[known.time]] * unit for row in flat]
    for column in known.columns:
        if column.kind in ("int", "float"):
            assert _same([grouped.numbers(column.name).tolist()], [[row[at[column.name]] for row in flat]])

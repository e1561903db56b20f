"""The parts of the generator: files, ids, order, curves and lines."""

import csv
import io
import tempfile
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from aiops_gym.openrca.chance import make_generator
from aiops_gym.openrca.model import Column, Table
from aiops_gym.openrca.synth import files, ids, lines, order, series
from aiops_gym.openrca.synth.bank import OPERATIONS
from aiops_gym.openrca.synth.calls import spans as bank_spans
from aiops_gym.openrca.synth.files import Coded
from aiops_gym.openrca.synth.model import Amount, Choice, Hex, Kpi, Lines, Series, Stamp, Whole

TABLE = Table(
    path="t.csv",
    method="m",
    component="who",
    unit="s",
    about="",
    columns=(
        Column("time", "time", ""),
        Column("who", "code", ""),
        Column("text", "text", ""),
        Column("x", "float", ""),
    ),
)
TEXT = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=20)


@given(st.lists(st.tuples(st.integers(0, 2**40), TEXT, TEXT, st.floats(-1e9, 1e9)), min_size=1, max_size=20))
def test_a_reader_of_csv_gets_back_what_was_written(rows):
    times, names, texts, numbers = map(list, zip(*rows, strict=True))
    blocks = [(np.array(times), Coded(np.arange(len(rows)), names), pa.array(texts, pa.string()), np.array(numbers))]
    found = list(csv.reader(io.StringIO(_written(blocks), newline="")))
    assert found[0] == ["time", "who", "text", "x"]
    assert [(int(time), who, text) for time, who, text, _ in found[1:]] == [row[:3] for row in rows]
    assert [float(row[3]) for row in found[1:]] == numbers


def _written(blocks):
    with tempfile.TemporaryDirectory() as name:
        path = Path(name) / "t.csv"
        files.write(path, TABLE, blocks)
        return path.read_bytes().decode()


def test_numbers_are_written_as_people_do():
    values = np.array([100.0, 0.25, np.nan, -3.0])
    block = (np.arange(4), Coded(np.zeros(4, int), ["a"]), pa.array([""] * 4), values)
    assert [line.rpartition(",")[2] for line in _written([block]).splitlines()[1:]] == ["100.0", "0.25", "", "-3.0"]


@given(st.lists(st.integers(0, 10**12), min_size=1, max_size=20))
def test_digits_are_those_of_the_number(numbers):
    assert ids.glue("n", ids.format_digits(np.array(numbers), 13)).to_pylist() == [
        f"n{number:013d}" for number in numbers
    ]


@given(st.lists(st.integers(0, 1000), max_size=60), st.integers(1, 5))
def test_an_order_holds_each_row_once(keys, number):
    rng, found = make_generator(1, "order"), np.array(keys, float)
    for take in (order.late(rng, found, 50), order.shards(rng, found, number), order.runs(rng, found, number)):
        assert sorted(take.tolist()) == list(range(len(keys)))


def test_late_rows_are_at_most_so_late():
    keys = np.sort(make_generator(2, "keys").random(5000) * 1000)
    seen = keys[order.late(make_generator(2, "late"), keys, 40)]
    late = np.maximum.accumulate(seen) - seen
    assert 0 < late.max() <= 40


def curve(day, **fields):
    (grid,) = series.make_grids(day, [Series("a", Kpi(name="k", decisive=True, **fields), "a")], "test")
    return grid


def test_a_curve_has_its_level_noise_bounds_and_missing_points(bank):
    grid = curve(bank.day, base=20, spread=0.1, high=25, decimals=1, missing=0.25)
    assert abs(grid.values.mean() - 20) < 1 and 1 < grid.values.std() < 3
    assert grid.values.max() == 25
    assert np.allclose(grid.values * 10, np.rint(grid.values * 10))
    assert 0.2 < 1 - grid.present.mean() < 0.3


def test_a_counter_never_falls_and_goes_on_from_day_to_day(bank):
    grid = curve(bank.day, base=5, counts=True, total=True, decimals=0)
    assert (np.diff(grid.values) >= 0).all() and grid.values[0, 0] > 0


def test_a_curve_follows_the_daily_load(bank):
    grid = curve(bank.day, base=100, spread=0.01, daily=1)
    assert np.corrcoef(grid.values[0], bank.day.load(grid.times[0]))[0, 1] > 0.99


def test_a_curve_keeps_its_level_whatever_else_the_table_has(bank):
    both = series.make_grids(
        bank.day, [Series(each, Kpi(name="k", base=(1, 9), spread=0, decisive=True), each) for each in "ab"], "t"
    )
    assert abs(curve(bank.day, base=(1, 9), spread=0).values[0, 0] - both[0].values[0, 0]) < 1e-3


def test_the_scale_leaves_out_measurements_but_no_decisive_one(bank):
    found = [Series("a", Kpi(name=f"k{number}", base=1, decisive=number < 3), "a") for number in range(200)]
    kept = {each.kpi.name for grid in series.make_grids(bank.day, found, "test") for each in grid.series}
    assert {"k0", "k1", "k2"} <= kept and len(kept) < 20


def test_lines_are_filled_in(bank):
    text = (
        Stamp(format="%H:%M:%S "),
        Choice(of=("GET", "PUT")),
        " ",
        Whole(low=1, high=9, width=3),
        " ",
        Hex(digits=4),
    )
    kind = Lines(
        log="l", at=("a", "b"), rate=3, text=(*text, " ", Amount(median=5, decimals=2)), scaled=False, load=False
    )
    made = lines.write(bank.day, [kind], bank.day.start, bank.day.start + 3600, "test")
    assert 250 < len(made.times) < 480
    for line in made.values.to_pylist():
        clock_, verb, number, code, amount = line.split()
        assert clock_.startswith("00:") and verb in ("GET", "PUT") and len(number) == 3 and len(code) == 4
        assert float(amount) > 0
    assert len(set(made.ids(32).to_pylist())) == len(made.times)


def test_there_may_be_no_lines_at_all(bank):
    kind = Lines(log="l", at=("a",), rate=0, text=(Hex(digits=6), Whole(low=1, high=2, width=2), Stamp(format="%H")))
    made = lines.write(bank.day, [kind], bank.day.start, bank.day.start + 600, "test")
    assert len(made.values) == len(made.ids(32)) == 0


def test_there_may_be_no_spans_at_all(bank, tmp_path):
    day = replace(bank.day, scale=1e-9)
    assert bank_spans(day, OPERATIONS, 1, day.start, day.start + 600, "test").count == 0
    for name in ("trace/trace_span.csv", "log/log_service.csv"):
        table = next(each for each in bank.domain.tables if each.path == name)
        assert files.write(tmp_path / "t.csv", table, bank.job.world.makers[name](day)) < 100_000

"""How fast the store is beside what it replaces: ratios within one run, with a wide margin, on 300,000 spans."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter

import pytest

from aiops_gym.cli.benches import recorded, spans
from aiops_gym.openrca import clock

SPANS = 300_000


LYING = "eight shards"
"""How the measured spans lie: in eight pieces, each with the whole day, the harder case; `bench` measures all."""


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    return recorded.measure(SPANS, 1, tmp_path_factory.mktemp("bench"), [LYING])


@pytest.mark.full
def test_a_window_comes_far_faster_than_from_the_csv_and_from_parquet(report):
    text, frame = report[f"{LYING}: text"], report[f"{LYING}: DataFrame"]
    assert text["pandas (pyarrow), CSV, 30 min, in processor times of the store"] > 20
    assert text["pyarrow, Parquet, 30 min, in processor times of the store"] > 1.5
    assert frame["pandas (pyarrow), CSV, 30 min, in processor times of the store"] > 10
    assert frame["pyarrow, Parquet, 30 min, in processor times of the store"] > 0.5


@pytest.mark.full
def test_a_conversion_costs_about_as_much_as_reading_the_file_once(report):
    assert report[f"{LYING}: the file"]["conversion, in pandas read_csv calls (processor)"] < 8
    assert report[f"{LYING}: the file"]["cache, in sizes of the CSV"] < 0.4


@pytest.mark.full
def test_memory_stays_small(report):
    assert report[f"{LYING}: the file"]["conversion, peak memory, MB"] < 600
    assert report[f"{LYING}: memory"]
    assert all(value < 90 for value in report[f"{LYING}: memory"].values())


ASK = """
import json, sys
from importlib import import_module as load
module, path, start, end = sys.argv[1:]
reader = load("aiops_gym.cli.benches.readers." + module)
state, window = reader.prepare(path), (int(start), int(end), None)
frame = reader.frame(state, *window)
lines = [line.split(",") for line in reader.call(state, *window).splitlines()]
lines = [cells for cells in reversed(lines) if len(cells) == 5 and cells[1].isdigit()]
counts = {cells[0].removeprefix("# "): int(cells[1]) for cells in lines}
types = {name: str(kind) for name, kind in frame.dtypes.items()}
print(json.dumps([types, frame.values.tolist(), counts]))
"""


@pytest.mark.parametrize("lying", spans.LAYOUTS)
@pytest.mark.slow
def test_all_readers_give_the_same_rows_with_the_same_types(tmp_path, lying):
    path = spans.write(tmp_path / "data", 20_000, lying)
    code = "import sys; from aiops_gym.cli.benches.readers import parquet; parquet.write(sys.argv[1])"
    subprocess.run([sys.executable, "-c", code, str(path)], check=True)
    start = clock.parse(spans.LAYOUTS[lying].day) + 3_600_000
    answers = {}
    for name, rival in recorded.RIVALS.items():
        if rival.library in ("polars", "duckdb"):
            pytest.importorskip(rival.library)
        file = path.with_suffix(".parquet") if rival.parquet else path
        given = [rival.reader, str(file), str(start), str(start + 1_800_000)]
        done = subprocess.run([sys.executable, "-c", ASK, *given], capture_output=True, text=True, check=True)
        types, rows, counts = json.loads(done.stdout)
        answers[name] = (types, sorted(map(tuple, rows)), counts)
    wanted = answers[recorded.OURS]
    assert len(wanted[1]) > 300
    for name, (types, rows, counts) in answers.items():
        assert (types, rows) == wanted[:2], name
        assert {each: counts.get(each) for each in {row[1] for row in rows}} == Counter(row[1] for row in rows), name

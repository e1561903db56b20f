"""How fast the store is beside what it replaces: ratios within one run, with a wide margin, on half a million spans."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from aiops_gym.cli.benches import recorded, spans

SPANS = 500_000

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    return recorded.measure(SPANS, 2, tmp_path_factory.mktemp("bench"))


def test_a_window_comes_far_faster_than_from_the_csv_and_from_parquet(report):
    assert report["pandas_csv, 30 min, in first visits of the store"] > 40
    assert report["parquet, 30 min, in first visits of the store"] > 1.5


def test_a_conversion_costs_about_as_much_as_reading_the_file_once(report):
    assert report["conversion, in pandas read_csv calls"] < 8
    assert report["cache, in sizes of the CSV"] < 0.4


def test_memory_stays_small(report):
    assert report["conversion, peak memory, MB"] < 600
    workers = {name: value for name, value in report.items() if name.startswith("private memory")}
    assert workers
    assert all(value < 80 for value in workers.values())


def test_all_readers_answer_the_same_question(tmp_path):
    path = spans.write(tmp_path / "data", 20_000)
    counts = {}
    for name in ("pandas_csv", "parquet"):
        code = (
            "import sys; from importlib import import_module as load\n"
            f"reader = load('aiops_gym.cli.benches.readers.{name}')\n"
            f"text = reader.call(reader.prepare({str(path)!r}), 1614787200000, 1614800000000, None)\n"
            "import json; print(json.dumps([line.split(',')[:2] for line in text.splitlines()[:13]]))"
        )
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
        rows = [row for row in json.loads(done.stdout) if row[0] in spans.COMPONENTS]
        counts[name] = dict(rows) if name == "pandas_csv" else {row[0]: row[1] for row in rows}
    assert len(counts["pandas_csv"]) == len(spans.COMPONENTS)
    assert counts["pandas_csv"] == counts["parquet"]

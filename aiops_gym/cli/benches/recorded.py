"""How fast recorded telemetry is read, beside what people use for it: medians of one interleaved run."""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from aiops_gym.cli.benches import spans
from aiops_gym.openrca import clock
from aiops_gym.openrca.cache import VARIABLE

MINUTE = 60_000
READERS = {
    "pandas_csv": "pandas",
    "polars_csv": "polars",
    "duckdb_csv": "duckdb",
    "parquet": "pyarrow",
    "store": "pyarrow",
}
"""Reader -> the library that it needs."""

ONCE = ("pandas_csv", "polars_csv", "duckdb_csv")
"""Readers of the CSV: each call reads all of it, so one a round is enough."""

WORKERS, ENVS = 8, 16

_CONVERT = """
import json, sys, time
from aiops_gym.cli.benches.readers import store
from aiops_gym.cli.measure import measure_peak_memory
begin = time.perf_counter()
state = store.prepare(sys.argv[1])
store.call(state, int(sys.argv[2]), int(sys.argv[2]), None)
print(json.dumps([time.perf_counter() - begin, measure_peak_memory()]))
"""
_PANDAS = """
import sys, time
import pandas
begin = time.perf_counter()
pandas.read_csv(sys.argv[1], dtype={"cmdb_id": str, "parent_id": str, "span_id": str, "trace_id": str})
print(time.perf_counter() - begin)
"""
_ENVS = """
import sys
from aiops_gym.cli.benches.readers import store
from aiops_gym.cli.measure import measure_own_memory
states = [store.prepare(sys.argv[1]) for _ in range(int(sys.argv[2]))]
day = int(sys.argv[3])
for at, state in enumerate(states):
    for hour in range(4):
        begin = day + (at * 4 + hour) % 47 * 1_800_000
        store.call(state, begin, begin + 1_800_000, None)
print(measure_own_memory())
"""


def measure(count: int, rounds: int, place: Path | None = None) -> dict[str, Any]:
    """Conversion, calls and memory.

    Args:
        count: spans of the day.
        rounds: times that each reader is started, interleaved.
        place: where the day and its conversions are put for as long as it takes; None for the system's own place.
    """
    with tempfile.TemporaryDirectory(prefix="aiops_gym-bench-", dir=place) as folder:
        bench = Bench(spans.write(Path(folder) / "data", count), Path(folder) / "cache")
        report = {"spans of the day": count, "size of the CSV, MB": bench.path.stat().st_size / 1e6}
        return report | bench.conversion() | bench.calls(rounds) | bench.memory()


class Bench:
    """One day of spans, and a cache of its own.

    Args:
        path: the CSV file.
        cache: a folder that is made and removed at will.
    """

    def __init__(self, path: Path, cache: Path) -> None:
        self.path, self.cache = path, cache

    def conversion(self) -> dict[str, float]:
        """Median of three, each in a new process and an empty cache, in turn with pandas reading the file once."""
        times, peaks, reads = [], [], []
        for _ in range(3):
            shutil.rmtree(self.cache, ignore_errors=True)
            seconds, peak = json.loads(self._python(_CONVERT, clock.parse(spans.DAY)))
            times.append(seconds)
            peaks.append(peak)
            reads.append(float(self._python(_PANDAS)))
        size = sum(each.stat().st_size for each in self.cache.rglob("*") if each.is_file())
        seconds, read, whole = statistics.median(times), statistics.median(reads), self.path.stat().st_size
        return {
            "conversion, s": seconds,
            "conversion, MB of CSV a second": whole / 1e6 / seconds,
            "conversion, in pandas read_csv calls": seconds / read,
            "conversion, peak memory, MB": max(peaks) / 1e6,
            "cache, in sizes of the CSV": size / whole,
        }

    def calls(self, rounds: int) -> dict[str, Any]:
        """Each reader in a new process a round, interleaved; another set of windows each round."""
        there = [name for name, library in READERS.items() if importlib.util.find_spec(library)]
        first: dict[tuple[str, str], list[float]] = {}
        again: dict[tuple[str, str], list[float]] = {}
        self._python("import sys; from aiops_gym.cli.benches.readers import parquet; parquet.write(sys.argv[1])")
        for turn in range(rounds):
            for name in there:
                for kind, windows in _windows(turn, name in ONCE).items():
                    found = self._read(name, windows)
                    first.setdefault((name, kind), []).extend(found[0])
                    again.setdefault((name, kind), []).extend(found[-1])
        return _compared(first, again)

    def memory(self) -> dict[str, float]:
        """Private memory of a process with 16 readers, and of each of 8 processes that share the cache."""
        day = clock.parse(spans.DAY)
        many = int(self._python(_ENVS, ENVS, day))
        command = [sys.executable, "-c", _ENVS, str(self.path), "2", str(day)]
        started = [
            subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=self._environment())
            for _ in range(WORKERS)
        ]
        found = [int(worker.communicate()[0]) for worker in started]
        return {
            f"private memory of a process with {ENVS} readers, MB": many / 1e6,
            f"private memory of each of {WORKERS} workers, MB": max(found) / 1e6,
        }

    def _read(self, name: str, windows: list[Any]) -> list[list[float]]:
        passes = "1" if name in ONCE else "2"
        module = ["-m", "aiops_gym.cli.benches.readers", name, str(self.path), json.dumps(windows), passes]
        found: list[list[float]] = json.loads(self._run(module))["seconds"]
        return found

    def _python(self, code: str, *arguments: object) -> str:
        return self._run(["-c", code, str(self.path), *map(str, arguments)])

    def _run(self, arguments: list[str]) -> str:
        command = [sys.executable, *arguments]
        return subprocess.run(command, capture_output=True, text=True, check=True, env=self._environment()).stdout

    def _environment(self) -> dict[str, str]:
        return {**os.environ, VARIABLE: str(self.cache)}


def _windows(turn: int, once: bool) -> dict[str, list[Any]]:
    """Windows by kind; the first of each is a warm-up that is not counted."""
    day, count = clock.parse(spans.DAY), 1 if once else 6
    starts = [day + ((turn * 7 + at) * 97 % 1380) * MINUTE for at in range(count + 1)]
    return {
        "30 min": [[start, start + 30 * MINUTE, None] for start in starts],
        "5 min": [[start, start + 5 * MINUTE, None] for start in starts],
        "30 min, one component": [[start, start + 30 * MINUTE, "Tomcat02"] for start in starts],
    }


def _compared(first: dict[tuple[str, str], list[float]], again: dict[tuple[str, str], list[float]]) -> dict[str, Any]:
    report: dict[str, Any] = {}
    for (name, kind), found in first.items():
        report[f"{name}, {kind}, ms"] = 1e3 * statistics.median(found)
    for kind in ("30 min", "5 min", "30 min, one component"):
        report[f"store, {kind}, repeated, ms"] = 1e3 * statistics.median(again["store", kind])
        for name in sorted({each for each, _ in first} - {"store"}):
            ratio = statistics.median(first[name, kind]) / statistics.median(first["store", kind])
            report[f"{name}, {kind}, in first visits of the store"] = ratio
    return report

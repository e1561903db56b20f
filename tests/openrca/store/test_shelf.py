"""A conversion is there whole or not at all, whatever happens to it, and only as long as its file stays the same."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from toy_telemetry import folder, spans, table, write

from aiops_gym import folders
from aiops_gym.errors import BackendError, CatalogError
from aiops_gym.openrca.domains import find
from aiops_gym.openrca.recording import Recording
from aiops_gym.openrca.store import shelf

SPANS = table("bank", "trace_span")

CONVERT = """
import sys
from pathlib import Path
from aiops_gym.openrca.domains import find
from aiops_gym.openrca.store import shelf
{prepare}
table = next(each for each in find("bank")[0].tables if each.name == "trace_span")
print(shelf.ensure_converted(Path(sys.argv[1]), table, Path(sys.argv[2]), {progress}))
"""
"""A process that converts the spans; it says whether it did."""


PEAK = """
import atexit
from aiops_gym.cli.measure import measure_peak_memory
atexit.register(lambda: print(measure_peak_memory() // 1024))
"""


def converter(path: Path, where: Path, prepare: str = "", progress: str = "None") -> subprocess.Popen[str]:
    script = CONVERT.format(prepare=prepare, progress=progress)
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    return subprocess.Popen([sys.executable, "-c", script, path, where], text=True, **pipes)


def conversions(where: Path) -> list[str]:
    """Everything but the locks."""
    return sorted(each.name for each in where.rglob("*") if each.is_dir() and each.parent.parent.name == "openrca")


def count(root: Path) -> int:
    recording = Recording(find("bank")[0], folder(root, "bank"), cache=root / "cache")
    return recording.rows(SPANS, None, None).count


def test_processes_that_ask_at_once_convert_once(tmp_path):
    path, where = write(tmp_path, "bank", "trace_span", spans(100_000)), tmp_path / "cache"
    processes = [converter(path, where) for _ in range(4)]
    said = sorted(process.communicate(timeout=600)[0].strip() for process in processes)
    assert said == ["False", "False", "False", "True"]
    assert count(tmp_path) == 100_000


def test_threads_that_ask_at_once_share_one_store(tmp_path):
    path = write(tmp_path, "bank", "trace_span", spans(1000))
    with ThreadPoolExecutor(4) as pool:
        stores = list(pool.map(lambda _: shelf.open_store(path, SPANS, tmp_path / "cache"), range(8)))
    assert len(set(map(id, stores))) == 1


def test_what_a_killed_conversion_left_is_cleared_by_the_next(tmp_path):
    path, where = write(tmp_path, "bank", "trace_span", spans(1000)), tmp_path / "cache"
    waits = "def wait(*_):\n    print('half way', flush=True)\n    sys.stdin.read() or __import__('signal').pause()"
    process = converter(path, where, waits, "wait")
    assert process.stdout.readline() == "half way\n"
    process.send_signal(signal.SIGKILL)
    process.communicate(timeout=600)
    assert conversions(where) == ["making"]
    assert shelf.find_state(path, SPANS, where) == "missing"
    assert count(tmp_path) == 1000
    assert len(conversions(where)) == 1 and conversions(where) != ["making"]


def test_an_interrupted_conversion_leaves_nothing(tmp_path):
    path, where = write(tmp_path, "bank", "trace_span", spans(1000)), tmp_path / "cache"

    def interrupt(*_):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        shelf.ensure_converted(path, SPANS, where, interrupt)
    assert conversions(where) == []


def test_a_changed_file_is_converted_anew_and_the_old_conversion_goes(tmp_path):
    where = tmp_path / "cache"
    path = write(tmp_path, "bank", "trace_span", spans(100))
    assert count(tmp_path) == 100
    before = conversions(where)
    write(tmp_path, "bank", "trace_span", spans(120))
    assert shelf.find_state(path, SPANS, where) == "stale"
    assert count(tmp_path) == 120
    assert len(conversions(where)) == 1 and conversions(where) != before
    assert shelf.find_state(path, SPANS, where) == "ready"


def test_other_bytes_of_the_same_size_and_time_are_told_by_a_new_process(tmp_path):
    path = write(tmp_path, "bank", "trace_span", spans(100))
    assert count(tmp_path) == 100
    known = path.stat()
    path.write_text(path.read_text().replace("Tomcat01", "Tomcat99"))
    os.utime(path, ns=(known.st_atime_ns, known.st_mtime_ns))
    assert shelf.find_state(path, SPANS, tmp_path / "cache") == "stale"


def test_rows_that_are_held_outlive_a_change_of_their_file(tmp_path):
    write(tmp_path, "bank", "trace_span", spans(5000))
    recording = Recording(find("bank")[0], folder(tmp_path, "bank"), cache=tmp_path / "cache")
    rows = recording.rows(SPANS, None, None)
    write(tmp_path, "bank", "trace_span", spans(10))
    assert recording.rows(SPANS, None, None).count == 10
    assert rows.tail(1) == [tuple(spans(5000)[-1])]


def test_a_file_that_changes_while_it_is_converted_is_refused(tmp_path):
    path, where = write(tmp_path, "bank", "trace_span", spans(1000)), tmp_path / "cache"

    def change(*_):
        os.utime(path, (1, 1))

    with pytest.raises(CatalogError, match="changed while"):
        shelf.ensure_converted(path, SPANS, where, change)
    assert conversions(where) == []


@pytest.mark.parametrize("room", [0, 1000, 30_000])
def test_a_disk_that_gets_full_is_a_clear_error_and_leaves_nothing(tmp_path, room):
    path, where = write(tmp_path, "bank", "trace_span", spans(20_000)), tmp_path / "cache"
    limits = f"import resource; resource.setrlimit(resource.RLIMIT_FSIZE, ({room}, {room}))"
    said = converter(path, where, limits).communicate(timeout=600)[1]
    assert "BackendError" in said and "the disk is full" in said and folders.VARIABLE in said
    assert conversions(where) == []
    assert count(tmp_path) == 20_000


def test_a_disk_without_room_is_refused_before_anything_is_written(tmp_path, monkeypatch):
    path = write(tmp_path, "bank", "trace_span", spans(100))
    monkeypatch.setattr(shelf, "NEEDED", shutil.disk_usage(tmp_path).total)
    with pytest.raises(BackendError, match=r"MB are needed, .* MB are free"):
        shelf.ensure_converted(path, SPANS, tmp_path / "cache")
    assert conversions(tmp_path / "cache") == []


def test_a_cache_that_cannot_be_written_is_a_clear_error(tmp_path):
    path = write(tmp_path, "bank", "trace_span", spans(100))
    (tmp_path / "file").write_text("")
    with pytest.raises(BackendError, match=f"set {folders.VARIABLE}"):
        shelf.ensure_converted(path, SPANS, tmp_path / "file" / "cache")


def test_nothing_is_written_beside_the_data_unless_it_is_wanted(tmp_path):
    write(tmp_path / "data", "bank", "trace_span", spans(100))
    before = sorted((tmp_path / "data").rglob("*"))
    data = folder(tmp_path / "data", "bank")
    Recording(find("bank")[0], data, cache=tmp_path / "cache").rows(SPANS, None, None)
    assert sorted((tmp_path / "data").rglob("*")) == before
    Recording(find("bank")[0], data, cache="beside").rows(SPANS, None, None)
    assert (data / ".aiops_gym" / "openrca").is_dir()


def test_the_cache_is_where_the_variable_says_or_the_users_own(tmp_path, monkeypatch):
    monkeypatch.setenv(folders.VARIABLE, str(tmp_path / "named"))
    assert folders.cache_folder() == tmp_path / "named"
    monkeypatch.delenv(folders.VARIABLE)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "own"))
    assert folders.cache_folder().name == "aiops_gym"


@pytest.mark.parametrize("damage", [b"", b"{}", b"x" * 50])
@pytest.mark.parametrize("name", ["meta.json", "numbers", "texts"])
def test_a_damaged_conversion_is_made_anew(tmp_path, name, damage):
    write(tmp_path, "bank", "trace_span", spans(100))
    assert count(tmp_path) == 100
    shelf.forget()
    next((tmp_path / "cache").rglob(name)).write_bytes(damage)
    assert count(tmp_path) == 100


def test_texts_lie_in_the_order_of_time_whatever_that_of_the_file(tmp_path):
    rows = sorted(spans(30_000), key=lambda row: row[1])
    path = write(tmp_path, "bank", "trace_span", rows)
    found = shelf.open_store(path, SPANS, tmp_path / "cache")
    assert found.texts.read("span_id", slice(7, 9)) == ["s7", "s8"]
    assert not list((tmp_path / "cache").rglob("run*"))


@pytest.mark.parametrize("grouped", [False, True])
def test_a_conversion_takes_little_memory_whatever_the_size(tmp_path, grouped):
    sizes = []
    for rows in (20_000, 1_000_000):
        lines = (
            f"{1614787200000 + (place * 7919 % rows if grouped else place) * 80},c,p,s{place},t,1\n"
            for place in range(rows)
        )
        path = write(tmp_path / str(rows), "bank", "trace_span", [])
        with path.open("a") as file:
            file.writelines(lines)
        said = converter(path, tmp_path / "cache", PEAK).communicate(timeout=600)[0].split()
        sizes.append(int(said[1]) / (1 << 10 if sys.platform == "linux" else 1 << 20))
    assert sizes[1] < 600
    assert sizes[1] - sizes[0] < 250

"""A conversion whose bytes somebody changed gives the right rows, or is made anew."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from toy_telemetry import START, folder, spans, table, write

from aiops_gym import cli
from aiops_gym.errors import BackendError
from aiops_gym.openrca.domains import find
from aiops_gym.openrca.frame import read_frame
from aiops_gym.openrca.recording import Recording
from aiops_gym.openrca.store import checks, shelf, texts

SPANS, METRICS = table("bank", "trace_span"), table("bank", "metric_container")
MEMORY = "/dev/shm" if Path("/dev/shm").is_dir() else None


@pytest.fixture
def small(monkeypatch):
    """Several blocks and chunks in a small file."""
    monkeypatch.setattr("aiops_gym.openrca.store.opened.BLOCK", 1 << 10)
    monkeypatch.setattr(checks, "BLOCK", 1 << 10)
    monkeypatch.setattr(texts, "CHUNK", 64)
    monkeypatch.setattr("aiops_gym.openrca.store.opened._STRIDE", 64)


def recording(root: Path) -> Recording:
    return Recording(find("bank")[0], folder(root, "bank"), cache=root / "cache")


def make(root: Path) -> Path:
    write(
        root,
        "bank",
        "metric_container",
        [[START // 1000 + 60 * n, f"c{n % 3}", f"k{n % 5}", n / 7] for n in range(900)],
    )
    return write(root, "bank", "trace_span", spans(1500))


def answers(root: Path) -> list[object]:
    """Some of each way in which rows are read."""
    read = recording(root)
    rows = read.rows(SPANS, START + 20_000, START + 90_000)
    series = read.rows(METRICS, START + 600_000, START + 9_000_000).grouped()
    return [
        rows.head(5), rows.tail(5), rows.numbers("duration").tolist(), rows.codes("cmdb_id")[0].tolist(),
        read.rows(SPANS, trace_id="t7").head(99), read.rows(SPANS, component="Tomcat02").count,
        series.numbers("value").tolist(), series.times.tolist(), read.rows(METRICS, kpi="k2", component="c1").tail(3),
        read_frame(rows).to_csv(),
    ]  # fmt: skip


def flip(root: Path, rng: random.Random) -> None:
    """Change one bit of a file of the cache."""
    files = sorted(
        each for each in (root / "cache").rglob("*") if each.name != "lock" and each.is_file() and each.stat().st_size
    )
    path = rng.choices(files, [each.stat().st_size for each in files])[0] if rng.random() < 0.5 else rng.choice(files)
    data = bytearray(path.read_bytes())
    data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
    path.write_bytes(data)


@pytest.mark.parametrize("flips", [12, pytest.param(1000, marks=pytest.mark.full)])
@pytest.mark.parametrize("opened", [False, True], ids=["before", "while"])
def test_bytes_that_were_changed_give_the_right_rows(flips, opened, small, tmp_path, monkeypatch):
    monkeypatch.setattr("os.fsync", lambda handle: None)
    make(tmp_path)
    wanted, rng = answers(tmp_path), random.Random(flips)
    for _ in range(flips // 2):
        shelf.forget()
        if opened:
            recording(tmp_path).rows(SPANS, START, START + 1).count  # noqa: B018  # It opens the file.
        flip(tmp_path, rng)
        assert answers(tmp_path) == wanted
    shelf.forget()


def test_a_rebuild_is_said_once(tmp_path, caplog):
    path = make(tmp_path)
    answers(tmp_path)
    shelf.forget()
    numbers = next((tmp_path / "cache").rglob("*trace_span*/*/numbers"))
    numbers.write_bytes(bytes(numbers.stat().st_size))
    for _ in range(2):
        answers(tmp_path)
    assert [record.getMessage() for record in caplog.records] == [f"{numbers} was damaged; {path} is converted anew"]


def test_a_damaged_conversion_of_a_file_that_is_gone_is_a_clear_error(tmp_path):
    path = make(tmp_path)
    rows = recording(tmp_path).rows(SPANS)
    packed = next((tmp_path / "cache").rglob("*trace_span*/*/texts"))
    packed.write_bytes(bytes(packed.stat().st_size))
    path.unlink()
    with pytest.raises(BackendError, match=r"is damaged, and .* is not what it was"):
        rows.head(1)


def test_verify_reads_all_and_repairs(tmp_path, capsys):
    make(tmp_path)
    answers(tmp_path)
    shelf.forget()
    where = ["openrca", "verify", str(tmp_path), "--cache", str(tmp_path / "cache")]
    for name, said in (("texts", "1 damaged"), ("meta.json", "1 damaged"), (None, "0 damaged")):
        if name:
            path = next((tmp_path / "cache").rglob(f"*trace_span*/*/{name}"))
            path.write_bytes(path.read_bytes()[:-1] + b"!")
        assert cli.run(where) == 0
        assert said in capsys.readouterr().out

"""A past that is read from a file is the one that was simulated, and no trouble with files is anybody's trouble."""

from __future__ import annotations

import os
import subprocess
import sys

import orjson
import pytest
from samples import some

from aiops_gym import caches, folders
from aiops_gym.backends import baseline, shelf, warmup
from aiops_gym.catalog import registry
from aiops_gym.sim.kernel.shared import fold

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(caches.SETTING == "off", reason="caches are off"),
]

APPS = list(registry.apps())
KINDS = {
    "baseline": lambda app: baseline._booted.__wrapped__(app, 2, 0),
    "warm-up": lambda app: warmup._warmed_up.__wrapped__(app, 2, 3, 0),
    "life": lambda app: warmup._lived_in(app, 2, 1, 0, False),
    "life beside a platform": lambda app: warmup._lived_in(app, 2, 1, 0, True),
}
"""Each makes a past of an app without asking what this process has kept."""


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv(folders.VARIABLE, str(tmp_path))
    return tmp_path / shelf.PASTS / shelf._state()


def strictly(value):
    """A value with the type of each part, and the order of keys."""
    if isinstance(value, dict):
        return [[key, strictly(each)] for key, each in value.items()]
    if isinstance(value, list | tuple):
        return [type(value).__name__, *map(strictly, value)]
    return [type(value).__name__, repr(value)]


def known(world):
    """The tables of a world, and what its store has worked out of them; nothing that is empty."""
    tables = {name: strictly(table) for name, table in world.tables.items() if table}
    order = {f"order of {name}": keys for name, keys in world.store.order.items() if keys}
    return {**tables, **order, "index": world.store.index}


@pytest.mark.parametrize("app", some(APPS, 3))
@pytest.mark.parametrize("kind", KINDS)
def test_what_is_read_is_what_was_simulated_to_the_last_type_and_order(kind, app, folder):
    simulated = KINDS[kind](app)
    assert list(folder.iterdir())
    read = KINDS[kind](app)
    assert read is not simulated
    assert (read.seed, read.heap, read.blueprint) == (simulated.seed, simulated.heap, simulated.blueprint)
    found, wanted = known(read), known(simulated)
    different = [name for name in found.keys() | wanted.keys() if found.get(name) != wanted.get(name)]
    assert not different  # names only: whole worlds are no text to read


EPISODE = """
import hashlib, json
from aiops_gym.backends import shelf
from aiops_gym.cli.common import make_env
env = make_env(None, "mitigation", "train")
told = []
for seed in range(3):
    told.append(env.reset(options={"episode_seed": seed})[0])
    for command in ("kubectl get all -A -o yaml", "kubectl get events -A", "helm list -A", "kubectl top pods -A"):
        told.append(env.step(f'exec_shell("{command}")')[0])
    told.append(env.unwrapped.snapshot().hex())
print(hashlib.sha256("".join(told).encode()).hexdigest())
"""


def test_episodes_are_the_same_in_a_process_that_simulates_and_in_one_that_reads(folder):
    def play():
        told = subprocess.run([sys.executable, "-c", EPISODE], check=True, capture_output=True).stdout
        return told, {each.name: each.stat().st_mtime_ns for each in folder.iterdir()}

    assert play() == play()


def spoil(folder, how):
    for path in folder.iterdir():
        path.write_bytes(how(path.read_bytes()))


def seal(body):
    return shelf._digest(body) + body


def pack(folded):
    return seal(shelf.zlib.compress(orjson.dumps(folded)))


SPOILT = {
    "empty": lambda data: b"",
    "cut off": lambda data: data[:-9],
    "one bit": lambda data: data[:200] + bytes([data[200] ^ 1]) + data[201:],
    "no archive": lambda data: seal(b"nothing"),
    "no JSON": lambda data: seal(shelf.zlib.compress(b"{")),
    "other data": lambda data: pack(fold({"tables": {"outcomes": {"changed": [1]}}})),
    "no parts": lambda data: pack({"parts": [], "digests": ""}),
    "parts that are not there": lambda data: pack({"parts": [{"tables": [7]}], "digests": "00"}),
    "more parts than digests": lambda data: pack({"parts": [[], {}], "digests": "01"}),
    "less of it": lambda data: pack(fold({"seed": 1, "tables": {}})),
}


@pytest.mark.parametrize("how", SPOILT)
def test_a_damaged_file_is_made_anew(how, folder):
    def difference():
        world = KINDS["warm-up"]("hotel_reservation")
        return orjson.dumps(world.difference(baseline.make_baseline("hotel_reservation", 2)))

    good = difference()
    spoil(folder, SPOILT[how])
    assert difference() == good
    (path,) = (each for each in folder.iterdir() if each.name == "hotel_reservation-2-3")
    assert shelf._digest(path.read_bytes()[shelf.DIGEST :]) == path.read_bytes()[: shelf.DIGEST]


def test_where_no_file_can_be_written_all_goes_on(tmp_path, monkeypatch):
    blocked = tmp_path / "a file"
    blocked.write_text("")
    monkeypatch.setenv(folders.VARIABLE, str(blocked / "below"))
    assert KINDS["warm-up"]("hotel_reservation").now


def test_worlds_of_this_moment_leave_no_files(folder):
    baseline._booted.__wrapped__("hotel_reservation", 0, 12_345)
    warmup._warmed_up.__wrapped__("hotel_reservation", 0, 0, 12_345)
    assert not folder.exists()


def test_an_edit_begins_a_new_folder_and_those_used_longest_ago_go(tmp_path, folder, monkeypatch):
    older = [tmp_path / shelf.PASTS / name for name in ("a", "b", "c", "d")]
    for at, each in enumerate(older):
        each.mkdir(parents=True)
        os.utime(each, (at, at))
    KINDS["warm-up"]("hotel_reservation")
    assert sorted(each.name for each in (tmp_path / shelf.PASTS).iterdir()) == sorted(["c", "d", folder.name])

    sources = list(shelf._sources())
    assert baseline.__file__ in map(str, sources)
    assert any(path.suffix == ".yaml" for path in sources)
    edited = tmp_path / "baseline.py"
    edited.write_bytes(b"# other")
    monkeypatch.setattr(shelf, "_sources", lambda: [*sources[:-1], edited])
    assert shelf._state.__wrapped__() != folder.name


def test_who_reads_a_past_uses_its_folder(folder):
    KINDS["warm-up"]("hotel_reservation")
    os.utime(folder, (0, 0))
    KINDS["warm-up"]("hotel_reservation")
    assert folder.stat().st_mtime > 0


def test_a_package_that_is_no_folder_keeps_nothing(tmp_path, monkeypatch):
    monkeypatch.setattr(shelf, "_sources", list)
    assert shelf._state.__wrapped__() == ""
    monkeypatch.setattr(shelf, "_state", str)
    assert KINDS["warm-up"]("hotel_reservation").now
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("kind", KINDS)
def test_files_name_no_fault_and_no_problem(kind, folder):
    """Whoever reads them knows no more than from a healthy cluster: a past is the same for all problems."""
    KINDS[kind]("hotel_reservation")
    texts = [shelf.zlib.decompress(each.read_bytes()[shelf.DIGEST :]).decode() for each in folder.iterdir()]
    words = [fault for fault in registry.faults() if "_" in fault]
    assert texts and len(words) > 50
    assert not [word for word in words if any(word in text for text in texts)]

"""The synthetic data set of those who have none."""

from __future__ import annotations

import pytest

from aiops_gym.errors import BackendError
from aiops_gym.folders import cache_folder
from aiops_gym.openrca import default
from aiops_gym.openrca.domains import find

TELECOM, _ = find("telecom")


def test_it_is_made_once_and_again_when_it_went(tmp_path, monkeypatch):
    monkeypatch.setattr(default, "SCALE", 0.001)
    monkeypatch.setattr(default, "DAYS", 1)
    monkeypatch.setenv("AIOPS_GYM_CACHE", str(tmp_path / "one"))
    made = default.default_root(TELECOM) / "Telecom"
    before = (made / "query.csv").stat()
    assert default.default_root(TELECOM) == made.parent
    assert (made / "query.csv").stat() == before
    made.rename(tmp_path / "gone")
    assert (default.default_root(TELECOM) / "Telecom" / "query.csv").read_bytes() == (
        tmp_path / "gone" / "query.csv"
    ).read_bytes()


def test_what_a_killed_process_left_is_cleared(tmp_path, monkeypatch):
    monkeypatch.setattr(default, "SCALE", 0.001)
    monkeypatch.setattr(default, "DAYS", 1)
    monkeypatch.setenv("AIOPS_GYM_CACHE", str(tmp_path))
    root = default.default_root(TELECOM)
    (root / "Telecom").rename(root / ".Telecom.killed")
    assert [path.name for path in default.default_root(TELECOM).iterdir()] == ["Telecom"]


def test_another_cache_gets_its_own(tmp_path, monkeypatch):
    monkeypatch.setattr(default, "SCALE", 0.001)
    monkeypatch.setattr(default, "DAYS", 1)
    roots = []
    for name in ("one", "two"):
        monkeypatch.setenv("AIOPS_GYM_CACHE", str(tmp_path / name))
        roots.append(default.default_root(TELECOM))
    assert [root.parents[1] for root in roots] == [tmp_path / "one", tmp_path / "two"]


def test_a_cache_that_cannot_be_written_is_named_with_the_ways_out(tmp_path, monkeypatch):
    (tmp_path / "file").touch()
    monkeypatch.setenv("AIOPS_GYM_CACHE", str(tmp_path / "file" / "cache"))
    with pytest.raises(
        BackendError, match=r"Telecom cannot be made in .*file/cache.*AIOPS_GYM_CACHE.*AIOPS_GYM_OPENRCA"
    ):
        default.default_root(TELECOM)


def test_beside_means_the_users_own_cache_where_there_are_no_data_to_be_beside(tmp_path, monkeypatch):
    monkeypatch.delenv("AIOPS_GYM_CACHE", raising=False)
    usual = cache_folder()
    monkeypatch.setenv("AIOPS_GYM_CACHE", "beside")
    assert cache_folder() == usual
    assert usual.is_absolute()
    assert cache_folder(tmp_path) == tmp_path / ".aiops_gym"

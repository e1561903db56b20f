"""The files of a domain are found where people unpack them."""

from __future__ import annotations

from datetime import date

import pytest

from aiops_gym.errors import CatalogError
from aiops_gym.openrca import layout
from aiops_gym.openrca.domains import find

BANK, _ = find("bank")
MARKET, _ = find("market")


@pytest.fixture
def root(tmp_path):
    """A root with a bank, and a market of one cloudbed that has questions only."""
    (tmp_path / "Bank" / "telemetry").mkdir(parents=True)
    (tmp_path / "Market" / "cloudbed-1").mkdir(parents=True)
    (tmp_path / "Market" / "cloudbed-1" / "query.csv").touch()
    return tmp_path


def test_a_domain_is_found_below_the_root_and_as_the_root(root):
    assert layout.domain_folder(BANK, "", root) == root / "Bank"
    assert layout.domain_folder(BANK, "", str(root / "Bank")) == root / "Bank"


def test_a_cloudbed_is_found_below_root_market_and_itself(root):
    wanted = root / "Market" / "cloudbed-1"
    for given in (root, root / "Market", wanted):
        assert layout.domain_folder(MARKET, "cloudbed-1", given) == wanted


def test_the_folder_that_the_original_scripts_use_is_found(root):
    (root / "dataset").mkdir()
    (root / "Bank").rename(root / "dataset" / "Bank")
    assert layout.domain_folder(BANK, "", root) == root / "dataset" / "Bank"


def test_the_root_may_be_written_with_a_tilde(root, monkeypatch):
    monkeypatch.setenv("HOME", str(root))
    assert layout.domain_folder(BANK, "", "~") == root / "Bank"


@pytest.mark.parametrize(("domain", "cloudbed", "below"), [(MARKET, "cloudbed-2", ""), (MARKET, "cloudbed-1", "Bank")])
def test_data_of_another_domain_are_not_taken_for_it(root, domain, cloudbed, below):
    with pytest.raises(CatalogError, match=rf"no data of Market: there should be .*{cloudbed}.*openrca synthesize"):
        layout.domain_folder(domain, cloudbed, root / below)


def test_days_are_sorted_folders_and_nothing_else(root):
    for name in ("2021_03_05", "2021_03_04", "notes", "2021_03_04_copy", "2021_00_99"):
        (root / "Bank" / "telemetry" / name).mkdir()
    for name in (".DS_Store", "2021_03_06"):
        (root / "Bank" / "telemetry" / name).touch()
    assert layout.list_days(root / "Bank") == (date(2021, 3, 4), date(2021, 3, 5))


def test_a_domain_without_telemetry_has_no_days_to_list(root):
    with pytest.raises(CatalogError, match="telemetry is not there; it should hold a folder for each day"):
        layout.list_days(root / "Market" / "cloudbed-1")


def test_a_table_is_a_file_of_a_day(root):
    path = layout.table_file(root / "Bank", date(2021, 3, 4), BANK.table("get_traces"))
    assert path == root / "Bank" / "telemetry" / "2021_03_04" / "trace" / "trace_span.csv"

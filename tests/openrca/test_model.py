"""Every domain keeps the promises that a description makes."""

from __future__ import annotations

import pytest

from aiops_gym.errors import CatalogError
from aiops_gym.openrca import clock, domains
from aiops_gym.openrca.model import KINDS, names

ALL = [domains.find(name)[0] for name in domains.list_domains()]


@pytest.fixture(params=ALL, ids=domains.list_domains())
def domain(request):
    """Each domain."""
    return request.param


def test_candidates_are_unique_and_stripped(domain):
    for candidates in (domain.components, domain.reasons):
        assert len(set(candidates)) == len(candidates)
        assert all(each == each.strip() for each in candidates)


def test_there_are_as_many_candidates_as_in_the_original():
    assert {each.name: (len(each.components), len(each.reasons)) for each in ALL} == {
        "bank": (14, 8),
        "market": (56, 15),
        "telecom": (43, 5),
    }


def test_tables_are_described_in_full(domain):
    assert len({table.path for table in domain.tables}) == len(domain.tables)
    for table in domain.tables:
        assert table.modality in ("metric", "trace", "log")
        assert table.unit in ("s", "ms")
        assert len(set(table.names)) == len(table.columns)
        assert [column.kind for column in table.columns].count("time") == 1
        assert {column.kind for column in table.columns} <= set(KINDS)
        assert {table.component, table.kpi or table.component, table.time} <= set(table.names)
        assert all((table.about, *(column.about for column in table.columns)))
        kinds = {column.name: column.kind for column in table.columns}
        assert kinds[table.component] == kinds[table.kpi or table.component] == "code"


def test_a_table_is_found_by_its_method_and_source(domain):
    for table in domain.tables:
        assert domain.table(table.method, table.source) is table
        assert table in domain.methods[table.method]
    with pytest.raises(CatalogError, match="there are: get_metric"):
        domain.table("get_weather")


def test_what_a_domain_has_not_is_said():
    telecom, _ = domains.find("telecom")
    with pytest.raises(CatalogError, match="Telecom has no 'get_logs'"):
        telecom.table("get_logs")
    market, _ = domains.find("market")
    assert market.table("get_logs", "proxy").name == "log_proxy"
    with pytest.raises(CatalogError, match="there are: service, proxy"):
        market.table("get_logs", "audit")


def test_days_of_the_original_are_sorted(domain):
    assert sorted(map(clock.parse_day, domain.days)) == list(map(clock.parse_day, domain.days))


def test_records_have_what_labels_need(domain):
    assert sorted(domain.record_columns) == ["component", "datetime", "level", "reason", "timestamp"]
    assert domain.record_time in ("int", "float")
    assert set(domain.levels) <= {"pod", "node", "service"}


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("Bank", ("bank", "")),
        (" OPENRCA_BANK ", ("bank", "")),
        ("market", ("market", "")),
        ("Market/cloudbed-1", ("market", "cloudbed-1")),
        ("Market-cloudbed-2", ("market", "cloudbed-2")),
        ("cloudbed-2", ("market", "cloudbed-2")),
    ],
)
def test_domains_are_found_by_what_people_call_them(name, found):
    domain, cloudbed = domains.find(name)
    assert (domain.name, cloudbed) == found


@pytest.mark.parametrize("name", ["", "shop", "market/cloudbed-3", "_load"])
def test_a_domain_that_is_not_there_is_an_error_with_those_that_are(name):
    with pytest.raises(CatalogError, match="there are: bank, market, telecom"):
        domains.find(name)


def test_ids_begin_with_the_folder(domain):
    for cloudbed in domain.folders:
        assert domain.prefix(cloudbed) in ("Bank", "Market-cloudbed-1", "Market-cloudbed-2", "Telecom")


@pytest.mark.parametrize(
    ("identifier", "component", "meant"),
    [
        ("Tomcat01", "Tomcat01", True),
        ("Tomcat01", "Tomcat0", False),
        ("node-6.adservice2-0", "node-6", True),
        ("node-6.adservice2-0", "adservice2-0", True),
        ("node-6.adservice2-0", "adservice", False),
        ("node-6.adservice-0", "adservice", True),
        ("node-6.adservice-0", "adservice-1", False),
        ("node-16.adservice-0", "node-1", False),
        ("adservice-grpc", "adservice", True),
        ("adservice-2:8088", "adservice-2", True),
        ("adservice-2:8088", "adservice", True),
        ("os_021", "os_02", False),
    ],
)
def test_a_component_means_ids_by_whole_parts(identifier, component, meant):
    assert names(identifier, component) is meant

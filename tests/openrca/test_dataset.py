"""The data sets give DataFrames like the CSV files, between times in any of the forms that people write."""

from __future__ import annotations

import inspect
from datetime import UTC, date, datetime

import numpy as np
import pandas as pd
import pytest
from toy_telemetry import DAY, START, folder, spans, write

from aiops_gym.errors import CatalogError
from aiops_gym.openrca import BankDataset, MarketDataset, TelecomDataset, dataset
from aiops_gym.openrca.domains import find, list_domains

SECONDS = START // 1000
SETS = {"bank": BankDataset, "market": MarketDataset, "telecom": TelecomDataset}


@pytest.fixture
def bank(tmp_path, monkeypatch):
    monkeypatch.setenv("AIOPS_GYM_CACHE", str(tmp_path / "cache"))
    samples = [[SECONDS + minute * 60, c, k, minute] for c in ("b", "a") for k in ("y", "x") for minute in range(60)]
    write(tmp_path, "bank", "metric_container", samples)
    write(tmp_path, "bank", "metric_container", [[SECONDS + 86_400, "a", "x", 0.5]], date(2021, 3, 5))
    write(tmp_path, "bank", "trace_span", spans(600))
    write(tmp_path, "bank", "log_service", [["l1", SECONDS, "a", "gc", "Full GC"], ["l2", SECONDS, "a", "gc", "x"]])
    (tmp_path / "Bank" / "telemetry" / ".DS_Store").write_text("")
    (tmp_path / "Bank" / "telemetry" / "2021_03_04" / ".DS_Store").write_text("")
    return tmp_path


@pytest.mark.parametrize("domain", list_domains())
def test_each_table_has_its_method_with_its_columns_in_the_docstring(domain):
    known = find(domain)[0]
    for name, tables in known.methods.items():
        method = getattr(SETS[domain], name)
        assert method.__name__ == name
        assert all(f"{column.name}: {column.about}" in inspect.getdoc(method) for column in tables[0].columns)
        arguments = list(inspect.signature(method).parameters)
        assert arguments[:3] == ["self", "start_time", "end_time"] and arguments[-1] == "limit"
        assert ("kpi" in arguments) == bool(tables[0].kpi)
        assert ("source" in arguments) == (len(tables) > 1)
    assert not hasattr(TelecomDataset, "get_logs")


def test_columns_and_units_are_those_of_the_csv(bank):
    data = BankDataset("2021-03-04", bank)
    found = data.get_traces(limit=2)
    assert found.to_dict("records") == pd.read_csv(bank / "Bank/telemetry/2021_03_04/trace/trace_span.csv")[:2].to_dict(
        "records"
    )
    assert found.dtypes.equals(data.get_traces().dtypes)


@pytest.mark.parametrize(
    ("start", "end"),
    [
        (SECONDS + 60, SECONDS + 120),
        (START + 60_000, START + 120_000),
        ("2021-03-04 00:01:00", "2021-03-04 00:02:00"),
        ("2021-03-03T16:01:00Z", "2021-03-04T00:02:00+08:00"),
        (datetime(2021, 3, 4, 0, 1), datetime(2021, 3, 3, 16, 2, tzinfo=UTC)),
        (str(SECONDS + 60), float(SECONDS + 120)),
    ],
)
def test_times_may_be_written_in_many_ways_and_both_ends_count(bank, start, end):
    found = BankDataset(root=bank).get_metric_container(start, end)
    assert found["timestamp"].tolist() == [SECONDS + 60] * 4 + [SECONDS + 120] * 4
    assert found["cmdb_id"].tolist() == ["a", "a", "b", "b"] * 2


def test_filters_leave_what_they_name(bank):
    data = BankDataset("2021-03-04", bank)
    assert data.get_metric_container(component="a", kpi="y", limit=3)["value"].tolist() == [0.0, 1.0, 2.0]
    assert len(data.get_traces(trace_id="t3")) == 8
    assert data.get_logs(contains="Full")["log_id"].tolist() == ["l1"]
    assert data.get_logs(limit=0).shape == (0, 5)


def test_a_date_limits_the_days_and_none_means_all(bank):
    assert BankDataset(root=bank).days == (DAY, date(2021, 3, 5))
    assert len(BankDataset(root=bank).get_metric_container(component="a", kpi="x")) == 61
    for day in ("2021-03-05", "2021_03_05", date(2021, 3, 5), datetime(2021, 3, 5, 12)):
        assert len(BankDataset(day, bank).get_metric_container()) == 1


def test_a_question_touches_only_the_days_it_meets(bank):
    # The second day has no spans at all: that is an error only for those who ask strictly for them.
    data = BankDataset(root=bank, strict=True)
    assert len(data.get_traces(end_time="2021-03-04 23:54:59")) == 600
    with pytest.raises(CatalogError, match="2021_03_05"):
        data.get_traces()


def test_a_date_that_is_not_there_is_refused_with_those_that_are(bank):
    with pytest.raises(CatalogError, match="2021-03-08; there are: 2021-03-04, 2021-03-05"):
        BankDataset("2021-03-08", bank)


def test_a_start_after_the_end_is_refused(bank):
    with pytest.raises(ValueError, match="2021-03-04 02:00:00 is after the end 2021-03-04 01:00:00") as caught:
        BankDataset(root=bank).get_traces("2021-03-04 02:00", "2021-03-04 01:00")
    assert isinstance(caught.value, CatalogError)


@pytest.mark.parametrize("limit", [-1, 2.5, True, "3"])
def test_a_limit_is_a_number_of_rows(bank, limit):
    with pytest.raises(CatalogError, match="limit"):
        BankDataset(root=bank).get_metric_container(limit=limit)


@pytest.mark.parametrize("limit", [2, np.int64(2), np.uint8(2)])
def test_a_limit_may_be_a_number_of_numpy(bank, limit):
    assert len(BankDataset(root=bank).get_metric_container(limit=limit)) == 2


@pytest.mark.parametrize("given", [{"component": ["a"]}, {"component": 5}, {"kpi": ("x", "y")}])
def test_a_filter_that_is_no_text_is_refused_rather_than_finding_nothing(bank, given):
    with pytest.raises(CatalogError, match=r"(component|kpi) is text, not"):
        BankDataset(root=bank).get_metric_container(**given)


def test_too_many_rows_are_refused_with_a_way_out(bank, monkeypatch):
    monkeypatch.setattr(dataset, "LARGEST", 500)
    data = BankDataset("2021-03-04", bank)
    with pytest.raises(CatalogError, match=r"600 rows there, and at most 500.*start_time, end_time"):
        data.get_traces()
    assert len(data.get_traces(limit=500)) == 500
    assert len(data.get_traces(component="Tomcat01")) == 150


def test_labels_are_given_as_they_are(bank):
    (bank / "Bank" / "record.csv").write_text(
        "level,component,timestamp,datetime,reason\npod,Redis02,1614852540.0,2021-03-04 18:09:00,high memory usage\n"
    )
    assert BankDataset(root=bank).get_records().to_dict("records") == [
        {
            "level": "pod",
            "component": "Redis02",
            "timestamp": 1614852540.0,
            "datetime": "2021-03-04 18:09:00",
            "reason": "high memory usage",
        }
    ]
    with pytest.raises(CatalogError, match=r"query\.csv is not there"):
        BankDataset(root=bank).get_queries()


def test_the_root_may_come_from_the_environment(bank, monkeypatch):
    monkeypatch.setenv("AIOPS_GYM_OPENRCA", str(bank))
    assert BankDataset().folder == folder(bank, "bank")


def test_a_market_has_two_clusters_and_two_kinds_of_logs(tmp_path, monkeypatch):
    monkeypatch.setenv("AIOPS_GYM_CACHE", str(tmp_path / "cache"))
    for source in ("service", "proxy"):
        write(tmp_path, "market", f"log_{source}", [["l", SECONDS, "adservice-0", "n", source]])
    data = MarketDataset("cloudbed-1", root=tmp_path)
    assert data.get_logs()["value"].tolist() == ["service"]
    assert data.get_logs(source="proxy", component="adservice")["value"].tolist() == ["proxy"]
    with pytest.raises(CatalogError, match="service, proxy"):
        data.get_logs(source="kernel")
    with pytest.raises(CatalogError, match="there are: cloudbed-1, cloudbed-2"):
        MarketDataset("cloudbed-3", root=tmp_path)

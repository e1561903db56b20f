"""Failures are drawn by a domain's statistics, or follow given labels."""

from collections import Counter
from datetime import date, timedelta
from itertools import pairwise

import pytest

from aiops_gym.errors import CatalogError
from aiops_gym.openrca import clock, domains, labels
from aiops_gym.openrca.labels import Record
from aiops_gym.openrca.synth import plan, plan_jobs
from aiops_gym.openrca.synth.job import Job
from aiops_gym.openrca.synth.shares import compute_shares


def job(name, days=2, **kwargs):
    return Job(domains.find(name)[0], "", days=days, scale=0.01, seed=kwargs.pop("seed", 3), **kwargs)


@pytest.mark.parametrize("name", ["bank", "telecom"])
def test_failures_keep_apart_and_to_the_hours_that_are_recorded(name):
    made = job(name, days=30)
    moments = sorted(record.timestamp for record in made.records)
    gap = made.world.profile.least_gap * 60
    assert all(second - first >= gap for first, second in pairwise(moments))
    assert set(Counter(record.bucket for record in made.records).values()) <= {1, 2}
    first, last = made.domain.hours
    assert all(first <= clock.to_local(moment * 1000).hour < last for moment in moments)
    assert all(moment % 60 == 0 for moment in moments)


def test_what_fails_where_is_as_often_as_in_the_original():
    records = job("bank", days=400).records
    reasons = Counter(record.reason for record in records)
    assert 0.20 < reasons["high CPU usage"] / len(records) < 0.28
    assert 0.20 < reasons["network packet loss"] / len(records) < 0.27
    assert {record.component for record in records if record.reason == "high JVM CPU load"} == {
        *("MG01", "MG02", "IG01", "IG02")
    }
    assert {record.component for record in records} == set(domains.find("bank")[0].components)


def test_faults_of_the_operator_stay_with_their_kind_of_component():
    for record in job("telecom", days=60).records:
        kind = {"CPU fault": "docker", "network delay": "os", "network loss": "os"}.get(record.reason, "db")
        assert record.component.startswith(kind)
        assert record.level == {"docker": "pod", "os": "node", "db": "service"}[kind]


@pytest.mark.parametrize("name", ["bank", "telecom"])
def test_two_days_hold_every_reason(name):
    for seed in range(5):
        made = job(name, seed=seed)
        assert {record.reason for record in made.records} == set(made.domain.reasons)


def test_some_pairs_share_a_half_hour_and_some_days_have_no_failures():
    made = job("bank", days=60)
    pairs = sum(n == 2 for n in Counter(record.bucket for record in made.records).values())
    assert 0.02 < pairs / len(made.records) < 0.2
    assert 0 < len(set(made.dates) - set(plan.list_days(made.records))) < 20


def test_days_are_the_originals_and_then_those_that_follow():
    dates = job("bank", days=12).dates
    assert dates[:2] == (date(2021, 3, 4), date(2021, 3, 5))
    assert dates[9:] == tuple(date(2021, 3, 25) + timedelta(days=number) for number in range(3))


def test_records_of_the_bank_are_in_blocks_and_those_of_the_operator_by_time():
    bank, telecom = job("bank").records, job("telecom").records
    assert [record.timestamp for record in telecom] == sorted(record.timestamp for record in telecom)
    assert [record.timestamp for record in bank] != sorted(record.timestamp for record in bank)


def test_a_failure_shows_after_its_label_for_some_minutes():
    for failure in job("bank", days=30).failures:
        assert 0 <= failure.onset - failure.timestamp <= 300
        assert 180 <= failure.end - failure.onset <= 600


def test_a_failure_shortly_before_midnight_shows_on_its_own_day(tmp_path):
    domain = domains.find("bank")[0]
    midnight = clock.parse("2021-03-07") // 1000
    given = [Record("pod", f"Tomcat0{each}", midnight - 60 * each, "high CPU usage") for each in (1, 2, 3, 4)]
    labels.write_records(tmp_path, domain, given)
    assert all(failure.onset < midnight for failure in job("bank", given=tmp_path).failures)


def test_how_a_failure_goes_is_its_own_matter(tmp_path):
    """One record more or less changes nothing of the others."""
    made = job("bank")
    labels.write_records(tmp_path, made.domain, made.records[::2])
    assert job("bank", given=tmp_path).failures == made.failures[::2]


def test_days_follow_from_given_records_and_their_order_is_kept(tmp_path):
    domain = domains.find("bank")[0]
    given = [
        Record("pod", "Tomcat03", clock.parse("2021-03-23 10:00") // 1000, "network latency"),
        Record("pod", "MG01", clock.parse("2021-03-06 00:10") // 1000, "high CPU usage"),
    ]
    labels.write_records(tmp_path, domain, given)
    made = job("bank", given=tmp_path)
    assert made.records == tuple(given)
    assert made.dates == (date(2021, 3, 6), date(2021, 3, 23))


def test_records_that_do_not_fit_the_domain_are_named_with_their_line(tmp_path):
    domain = domains.find("bank")[0]
    labels.write_records(tmp_path, domain, [Record("pod", "docker_001", 1614841020, "CPU fault")])
    with pytest.raises(CatalogError, match=r"record.csv, line 2: 'docker_001' with 'CPU fault'"):
        plan_jobs("bank", records=tmp_path / "record.csv")


def test_the_share_of_failures_that_show_is_the_declared_one():
    made = job("bank", days=600)
    found = compute_shares([made])
    assert [each.reason for each in found] == list(made.domain.reasons)
    for each in found:
        assert abs(each.shown / each.failures - each.declared) < 0.08, each
    assert any(each.declared < 0.9 for each in found)

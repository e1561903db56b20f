"""CronJobs: on time, one after the other or side by side, and with a short memory."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as some
from small_cluster import SmallCluster, shell

from aiops_gym.sim import kube_api
from aiops_gym.sim.kube_api import cron
from aiops_gym.types import Request


def _cron(cluster: SmallCluster, script: str = "sleep 5", schedule: str = "* * * * *", **spec: Any) -> None:
    container = {"name": "app", "image": "app:1", "command": shell(script)}
    template = {
        "spec": {"backoffLimit": 0, "template": {"spec": {"restartPolicy": "Never", "containers": [container]}}}
    }
    body = {"apiVersion": "batch/v1", "kind": "CronJob", "metadata": {"name": "tick", "namespace": "ns"}}
    kube_api.create(
        cluster.world, "cronjobs.batch", {**body, "spec": {"schedule": schedule, "jobTemplate": template, **spec}}
    )


def _jobs(cluster: SmallCluster) -> list[str]:
    return [job["metadata"]["name"] for job in cluster.world.store.all("jobs.batch", "ns")]


def test_a_job_is_started_each_minute_and_three_are_kept() -> None:
    cluster = SmallCluster()
    _cron(cluster)
    cluster.at(90)
    (first,) = _jobs(cluster)
    assert first == f"tick-{(cluster.world.now - 30_000) // 60_000}"
    assert cluster.events("tick")[f"SuccessfulCreate Created job {first}"] == 1
    assert cluster.events("tick")[f"SawCompletedJob Saw completed job: {first}, condition: Complete"] == 1
    cluster.at(640)
    assert len(_jobs(cluster)) == 3
    status = cluster.get("cronjobs.batch", "tick")["status"]
    assert {"lastScheduleTime", "lastSuccessfulTime"} <= set(status)
    assert len(cluster.pods("tick")) == 3


def test_forbid_waits_replace_starts_anew_allow_piles_up() -> None:
    for policy, running in (("Forbid", 1), ("Replace", 1), ("Allow", 3)):
        cluster = SmallCluster()
        _cron(cluster, "sleep 1000", concurrencyPolicy=policy)
        cluster.at(200)
        assert len(_jobs(cluster)) == running, policy
        said = [text.partition(" ")[0] for text in cluster.events("tick")]
        assert ("JobAlreadyActive" in said) == (policy == "Forbid")
        assert ("SuccessfulDelete" in said) == (policy == "Replace")
        assert len(cluster.get("cronjobs.batch", "tick")["status"]["active"]) == running


def test_a_suspended_cron_job_starts_nothing() -> None:
    cluster = SmallCluster()
    _cron(cluster, suspend=True)
    cluster.at(300)
    assert _jobs(cluster) == []


def test_failed_jobs_are_kept_by_their_own_limit() -> None:
    cluster = SmallCluster()
    _cron(cluster, "exit 1")
    cluster.at(400)
    assert len(_jobs(cluster)) == 1
    assert any("condition: Failed" in text for text in cluster.events("tick"))


@pytest.mark.parametrize(
    ("schedule", "why"),
    [
        ("* * *", "expected exactly 5 fields, found 3: [* * *]"),
        ("61 * * * *", "end of range (61) above maximum (59): 61"),
        ("x * * * *", 'failed to parse int from x: strconv.Atoi: parsing "x": invalid syntax'),
        ("@often", "unrecognized descriptor: @often"),
    ],
)
def test_a_wrong_schedule_is_refused_in_the_words_of_the_parser(schedule: str, why: str) -> None:
    cluster = SmallCluster()
    template = {"spec": {"template": {"spec": {"restartPolicy": "Never", "containers": [{"name": "a", "image": "a"}]}}}}
    body = {"metadata": {"name": "t"}, "spec": {"schedule": schedule, "jobTemplate": template}}
    answer = kube_api.handle(cluster.world, Request("create", "cronjobs.batch", "ns", body=body))
    assert (answer.code, answer.body["message"].partition("Invalid value: ")[2]) == (
        422,
        f'"{schedule}": {why}',
    )


@given(
    minute=some.sampled_from(["*", "*/7", "3", "10-20/5", "0,59"]),
    hour=some.sampled_from(["*", "*/6", "23"]),
    day=some.sampled_from(["*", "1", "31", "*/10"]),
    weekday=some.sampled_from(["*", "sun", "1-5"]),
    start=some.integers(0, 500_000),
)
def test_the_next_time_is_the_first_minute_that_matches(
    minute: str, hour: str, day: str, weekday: str, start: int
) -> None:
    schedule = cron.parse(f"{minute} {hour} {day} * {weekday}")
    begin = datetime(2026, 1, 1, tzinfo=UTC) + timedelta(minutes=start)
    found = schedule.after(begin)
    assert found is not None
    assert found > begin

    def matches(time: datetime) -> bool:
        either = (time.day in schedule.days, (time.weekday() + 1) % 7 in schedule.weekdays)
        dated = all(either) if schedule.any_day else any(either)
        return time.minute in schedule.minutes and time.hour in schedule.hours and dated

    assert matches(found)
    steps = min(int((found - begin).total_seconds() // 60), 3000)
    assert not any(matches(begin + timedelta(minutes=n)) for n in range(1, steps))


def test_a_finished_job_is_told_before_an_older_one_is_deleted() -> None:
    cluster = SmallCluster()
    _cron(cluster, successfulJobsHistoryLimit=1)
    cluster.at(150)
    told = [text.split()[0] for text in cluster.events("tick") if "Created pod" not in text]
    assert [word for word in told if word in ("SawCompletedJob", "SuccessfulDelete")] == [
        "SawCompletedJob",
        "SawCompletedJob",
        "SuccessfulDelete",
    ]

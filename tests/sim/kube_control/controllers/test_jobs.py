"""Jobs: counts, limits, deadlines, and the conditions in which they end."""

from __future__ import annotations

from typing import Any

import pytest
from small_cluster import SmallCluster, shell

from aiops_gym.sim.kube_control.jobs import pods


def job(name: str, script: str, policy: str = "Never", **spec: Any) -> dict[str, Any]:
    """A Job whose pods run a shell script."""
    container = {"name": "app", "image": "app:1", "command": shell(script)}
    template = {"spec": {"restartPolicy": policy, "containers": [container]}}
    body = {"template": template, **spec}
    return {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": name}, "spec": body}


def conditions(cluster: SmallCluster, name: str) -> dict[str, tuple[str, str]]:
    found = cluster.get("jobs.batch", name)["status"].get("conditions", [])
    return {c["type"]: (c["status"], c["reason"]) for c in found}


def test_a_job_runs_its_completions_side_by_side() -> None:
    cluster = SmallCluster()
    cluster.apply(job("sum", "sleep 5", completions=4, parallelism=2))
    cluster.at(4)
    assert cluster.get("jobs.batch", "sum")["status"]["active"] == 2
    cluster.at(40)
    status = cluster.get("jobs.batch", "sum")["status"]
    assert (status["succeeded"], status.get("failed"), status["terminating"]) == (4, None, 0)
    assert conditions(cluster, "sum") == {
        "SuccessCriteriaMet": ("True", "CompletionsReached"),
        "Complete": ("True", "CompletionsReached"),
    }
    assert cluster.events("sum")["Completed Job completed"] == 1
    assert len(cluster.pods("sum")) == 4
    assert all("finalizers" not in pod["metadata"] for pod in cluster.pods("sum"))


def test_failures_are_counted_and_wait_ten_seconds_then_twenty() -> None:
    cluster = SmallCluster()
    cluster.apply(job("bad", "sleep 1; exit 3", backoffLimit=2))
    cluster.at(8)
    assert len(cluster.pods("bad")) == 1
    cluster.at(16)
    assert len(cluster.pods("bad")) == 2
    cluster.at(60)
    status = cluster.get("jobs.batch", "bad")["status"]
    assert status["failed"] == 3
    assert conditions(cluster, "bad") == {
        "FailureTarget": ("True", "BackoffLimitExceeded"),
        "Failed": ("True", "BackoffLimitExceeded"),
    }
    assert cluster.events("bad")["BackoffLimitExceeded Job has reached the specified backoff limit"] == 1


def test_restarts_in_place_count_against_the_limit() -> None:
    cluster = SmallCluster()
    cluster.apply(job("bad", "sleep 1; exit 3", "OnFailure", backoffLimit=2))
    cluster.at(120)
    assert conditions(cluster, "bad")["Failed"] == ("True", "BackoffLimitExceeded")
    assert cluster.pods("bad") == []
    assert any(text.startswith("SuccessfulDelete Deleted pod: bad-") for text in cluster.events("bad"))


def test_a_deadline_ends_a_job_once_its_pods_are_gone() -> None:
    cluster = SmallCluster()
    cluster.apply(job("slow", "trap '' TERM; while true; do sleep 1; done", activeDeadlineSeconds=10))
    cluster.at(15)
    assert conditions(cluster, "slow") == {"FailureTarget": ("True", "DeadlineExceeded")}
    assert cluster.get("jobs.batch", "slow")["status"]["terminating"] == 1
    cluster.at(60)
    assert conditions(cluster, "slow")["Failed"] == ("True", "DeadlineExceeded")
    assert cluster.events("slow")["DeadlineExceeded Job was active longer than specified deadline"] == 1
    assert cluster.get("jobs.batch", "slow")["status"]["failed"] == 1


def test_a_suspended_job_has_no_pods_until_it_is_resumed() -> None:
    cluster = SmallCluster()
    cluster.apply(job("later", "sleep 2", suspend=True))
    cluster.at(10)
    assert cluster.pods("later") == []
    assert conditions(cluster, "later") == {"Suspended": ("True", "JobSuspended")}
    assert "startTime" not in cluster.get("jobs.batch", "later")["status"]
    cluster.change("jobs.batch", "later", {"suspend": False})
    cluster.at(20)
    assert conditions(cluster, "later")["Suspended"] == ("False", "JobResumed")
    assert conditions(cluster, "later")["Complete"] == ("True", "CompletionsReached")
    assert {"Suspended Job suspended", "Resumed Job resumed"} <= set(cluster.events("later"))


def test_an_indexed_job_completes_each_index_once() -> None:
    cluster = SmallCluster()
    cluster.apply(job("parts", "sleep 2", completions=3, parallelism=2, completionMode="Indexed"))
    cluster.at(3)
    assert [name.rpartition("-")[0] for name in sorted(p["metadata"]["name"] for p in cluster.pods())] == [
        "parts-0",
        "parts-1",
    ]
    cluster.at(30)
    status = cluster.get("jobs.batch", "parts")["status"]
    assert (status["completedIndexes"], status["succeeded"]) == ("0-2", 3)


def test_a_finished_job_is_deleted_after_its_time_to_live() -> None:
    cluster = SmallCluster()
    cluster.apply(job("brief", "sleep 1", ttlSecondsAfterFinished=20))
    cluster.at(15)
    assert conditions(cluster, "brief")["Complete"][0] == "True"
    cluster.at(30)
    assert cluster.world.store.get("jobs.batch", "ns", "brief") is None
    assert cluster.pods("brief") == []


def test_a_deleted_job_takes_its_running_pods_along() -> None:
    cluster = SmallCluster()
    cluster.apply(job("gone", "sleep 1000", parallelism=2))
    cluster.at(5)
    cluster.delete("jobs.batch", "gone")
    cluster.at(60)
    assert cluster.pods("gone") == []


def test_pods_that_never_ran_do_not_hold_up_the_end_of_their_job() -> None:
    cluster = SmallCluster()
    body = job("stuck", "sleep 1000", parallelism=2)
    body["spec"]["template"]["spec"]["nodeSelector"] = {"no": "where"}
    cluster.apply(body)
    cluster.at(5)
    cluster.delete("jobs.batch", "stuck", propagation="Foreground")
    cluster.at(10)
    assert cluster.pods("stuck") == []
    assert cluster.world.store.get("jobs.batch", "ns", "stuck") is None


def test_a_deleted_pod_of_a_job_counts_as_failed_and_is_replaced() -> None:
    cluster = SmallCluster()
    cluster.apply(job("long", "sleep 100"))
    cluster.at(5)
    cluster.delete("pods", cluster.pod("long")["metadata"]["name"], grace=1)
    cluster.at(30)
    assert cluster.get("jobs.batch", "long")["status"]["failed"] == 1
    assert len(cluster.pods("long")) == 1


def test_a_failure_policy_can_end_a_job_at_once() -> None:
    rule = {"action": "FailJob", "onExitCodes": {"operator": "In", "values": [42]}}
    cluster = SmallCluster()
    cluster.apply(job("fatal", "exit 42", podFailurePolicy={"rules": [rule]}))
    cluster.at(20)
    assert conditions(cluster, "fatal")["Failed"] == ("True", "PodFailurePolicy")
    assert len(cluster.pods("fatal")) == 1


@pytest.mark.parametrize("numbers", [[], [0], [0, 1], [0, 1, 2, 5, 9, 10, 11]])
def test_ranges_of_indexes_read_back(numbers: list[int]) -> None:
    assert pods.parse_numbers(pods.format_ranges(numbers), 12) == numbers


def test_a_suspended_pod_has_not_failed_and_the_job_starts_anew_when_it_is_resumed() -> None:
    cluster = SmallCluster()
    cluster.apply(job("later", "sleep 1000", parallelism=2, backoffLimit=0))
    cluster.at(5)
    started = cluster.get("jobs.batch", "later")["status"]["startTime"]
    cluster.change("jobs.batch", "later", {"suspend": True})
    cluster.at(50)
    status = cluster.get("jobs.batch", "later")["status"]
    assert (status.get("failed"), status["startTime"]) == (None, started)
    cluster.change("jobs.batch", "later", {"suspend": False})
    cluster.at(52)
    assert len(cluster.pods("later")) == 2
    assert cluster.get("jobs.batch", "later")["status"]["startTime"] > started


def test_a_deadline_counts_from_the_time_at_which_a_job_was_resumed() -> None:
    cluster = SmallCluster()
    cluster.apply(job("later", "sleep 1000", suspend=True, activeDeadlineSeconds=20))
    cluster.at(30)
    cluster.change("jobs.batch", "later", {"suspend": False})
    cluster.at(49)
    assert "FailureTarget" not in conditions(cluster, "later")
    cluster.at(51)
    assert conditions(cluster, "later")["FailureTarget"] == ("True", "DeadlineExceeded")


def test_what_came_of_pods_is_looked_at_a_second_later() -> None:
    cluster = SmallCluster()
    cluster.apply(job("two", "sleep 5", completions=2))
    cluster.at(30)
    ended = next(time for time, state in cluster.states("two") if "Completed" in state)
    second = next(time for time, name, _ in cluster.seen if name != cluster.seen[0][1])
    assert 1.0 <= second - ended < 1.2


def test_with_fewer_side_by_side_the_surplus_goes_and_has_not_failed() -> None:
    cluster = SmallCluster()
    cluster.apply(job("wide", "sleep 1000", parallelism=3, completions=9))
    cluster.at(5)
    cluster.change("jobs.batch", "wide", {"parallelism": 1})
    cluster.at(60)
    status = cluster.get("jobs.batch", "wide")["status"]
    assert (status["active"], status.get("failed")) == (1, None)


FAILS_AT_1 = "if [ $JOB_COMPLETION_INDEX = 1 ]; then exit 3; fi; sleep 2"


def test_each_index_has_its_own_limit_and_back_off() -> None:
    cluster = SmallCluster()
    parts = {"completions": 3, "parallelism": 3, "completionMode": "Indexed"}
    cluster.apply(job("parts", FAILS_AT_1, backoffLimitPerIndex=1, **parts))
    cluster.at(8)
    assert len(cluster.pods("parts-1")) == 1
    assert "batch.kubernetes.io/job-tracking" in cluster.pod("parts-1")["metadata"]["finalizers"]
    cluster.at(60)
    tries = [pod["metadata"]["annotations"] for pod in cluster.pods("parts-1")]
    assert sorted(notes["batch.kubernetes.io/job-index-failure-count"] for notes in tries) == ["0", "1"]
    status = cluster.get("jobs.batch", "parts")["status"]
    assert (status["completedIndexes"], status["failedIndexes"], status["failed"]) == ("0,2", "1", 2)
    assert conditions(cluster, "parts") == {
        "FailureTarget": ("True", "FailedIndexes"),
        "Failed": ("True", "FailedIndexes"),
    }
    assert cluster.events("parts")["FailedIndexes Job has failed indexes"] == 1


def test_too_many_failed_indexes_end_a_job_and_one_can_fail_for_good() -> None:
    rule = {"action": "FailIndex", "onExitCodes": {"operator": "In", "values": [3]}}
    cluster = SmallCluster()
    parts: dict[str, Any] = {"completions": 3, "parallelism": 3, "completionMode": "Indexed", "maxFailedIndexes": 0}
    policy = {"podFailurePolicy": {"rules": [rule]}, "backoffLimitPerIndex": 5}
    cluster.apply(job("parts", FAILS_AT_1.replace("sleep 2", "sleep 1000"), **parts, **policy))
    cluster.at(60)
    assert conditions(cluster, "parts")["Failed"] == ("True", "MaxFailedIndexesExceeded")
    assert len(cluster.pods("parts-1")) == 1


@pytest.mark.parametrize(
    "rule", [{"succeededIndexes": "0"}, {"succeededCount": 1}, {"succeededIndexes": "0-1", "succeededCount": 1}]
)
def test_a_job_can_succeed_before_all_indexes_have(rule: dict[str, Any]) -> None:
    script = "if [ $JOB_COMPLETION_INDEX = 0 ]; then exit 0; fi; sleep 1000"
    parts = {"completions": 3, "parallelism": 3, "completionMode": "Indexed"}
    cluster = SmallCluster()
    cluster.apply(job("parts", script, successPolicy={"rules": [rule]}, **parts))
    cluster.at(10)
    assert conditions(cluster, "parts") == {"SuccessCriteriaMet": ("True", "SuccessPolicy")}
    cluster.at(60)
    assert conditions(cluster, "parts")["Complete"] == ("True", "SuccessPolicy")
    assert cluster.events("parts")["Completed Job completed"] == 1
    assert cluster.get("jobs.batch", "parts")["status"].get("failed") is None

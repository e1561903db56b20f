"""Tables say what a real server printed, and cost next to nothing when nothing has changed."""

import pytest
from api_world import START
from effort import calls

from aiops_gym.sim.kernel.objects import Obj
from aiops_gym.sim.kernel.times import millis
from aiops_gym.sim.kube_api import table
from aiops_gym.sim.kube_api.age import age_window, human_duration
from aiops_gym.sim.kube_api.kinds import load_kinds
from aiops_gym.sim.kube_api.resources import RESOURCES

NOW = millis("2026-11-21T21:14:42Z")


def cells(resource, objects, now=NOW):
    return [row["cells"] for row in table.make_rows(resource, [Obj(o) for o in objects], now)]


def test_pods_as_recorded(recorded):
    assert [row[:5] for row in cells("pods", recorded("pods"))] == [
        ["badimage-645b7d864d-mhmq7", "0/1", "ErrImagePull", "0", "39s"],
        ["crash-76d55864cc-dd6pd", "0/1", "CrashLoopBackOff", "2 (21s ago)", "39s"],
        ["ok-69d4f49cd7-lxkxj", "1/1", "Running", "0", "39s"],
        ["ok-69d4f49cd7-wp5fd", "1/1", "Running", "0", "39s"],
        ["oom-5d4f8f69c8-kdxcv", "0/1", "CrashLoopBackOff", "2 (23s ago)", "39s"],
        ["pending-ccd96d888-dk4ss", "0/1", "Pending", "0", "39s"],
    ]
    wide = {row[0]: row[5:] for row in cells("pods", recorded("pods"))}
    assert wide["ok-69d4f49cd7-wp5fd"] == ["10.99.0.76", "node-1", "<none>", "<none>"]
    assert wide["pending-ccd96d888-dk4ss"] == ["<none>"] * 4


def test_other_kinds_as_recorded(recorded):
    assert cells("deployments.apps", recorded("deployments"))[2] == [
        "ok", "2/2", 2, 2, "39s", "app", "registry.local/app:1", "app=ok",
    ]  # fmt: skip
    assert cells("replicasets.apps", recorded("replicasets"))[3][:5] == ["oom-5d4f8f69c8", 1, 1, 0, "39s"]
    assert cells("services", recorded("services")) == [
        ["ok", "ClusterIP", "10.98.0.101", "<none>", "80/TCP", "39s", "app=ok"]
    ]
    assert cells("endpoints", recorded("endpoints")) == [["ok", "10.99.0.72:8080,10.99.0.76:8080", "39s"]]
    assert cells("nodes", recorded("nodes"))[0][:5] == ["node-1", "Ready", "<none>", "25m", "v1.32.13"]
    event = cells("events", recorded("events"))[0]
    assert event[:4] == ["38s", "Normal", "Scheduled", "pod/badimage-645b7d864d-mhmq7"]


@pytest.mark.parametrize(
    ("status", "spec", "shown"),
    [
        ({"phase": "Failed", "reason": "Evicted"}, {}, "Evicted"),
        (
            {"phase": "Pending", "initContainerStatuses": [{"name": "i", "state": {"running": {}}}]},
            {"i": 1},
            "Init:0/1",
        ),
        (
            {
                "phase": "Pending",
                "initContainerStatuses": [{"name": "i", "state": {"waiting": {"reason": "CrashLoopBackOff"}}}],
            },
            {"i": 1},
            "Init:CrashLoopBackOff",
        ),
        (
            {"phase": "Pending", "initContainerStatuses": [{"name": "i", "state": {"terminated": {"exitCode": 3}}}]},
            {"i": 1},
            "Init:ExitCode:3",
        ),
        ({"phase": "Running", "containerStatuses": [{"state": {"terminated": {"signal": 9}}}]}, {}, "Signal:9"),
        (
            {
                "phase": "Running",
                "containerStatuses": [
                    {"state": {"terminated": {"reason": "Completed"}}},
                    {"state": {"running": {}}, "ready": True},
                ],
            },
            {},
            "NotReady",
        ),
    ],
)
def test_the_status_of_a_pod(status, spec, shown):
    inside = {"containers": [{"name": "c"}], **({"initContainers": [{"name": "i"}]} if spec else {})}
    pod = {"metadata": {"name": "p"}, "spec": inside, "status": status}
    assert cells("pods", [pod])[0][2] == shown
    pod["metadata"]["deletionTimestamp"] = "2026-11-21T21:14:42Z"
    assert cells("pods", [pod])[0][2] == ("Evicted" if shown == "Evicted" else "Terminating")


def test_rows_change_exactly_when_an_age_does():
    obj = Obj({"metadata": {"name": "x", "creationTimestamp": "2026-03-02T09:00:00Z"}})
    for seconds in (0, 1, 119, 120, 599, 600, 659, 660, 10_799, 10_800, 86_400 * 3, 660, 5):
        row = table.make_rows("configmaps", [obj], START + seconds * 1000 + 999)[0]
        assert row["cells"][-1] == human_duration(seconds)


def test_ages_hold_for_their_whole_window():
    for seconds in [*range(1000), *range(10_000, 800 * 86_400, 98_765), *range(700 * 86_400, 4000 * 86_400, 7_654_321)]:
        text, low, high = age_window(seconds)
        assert low <= seconds < high
        assert age_window(high - 1)[0] == text or high - low == 1


def test_every_kind_has_columns_and_says_who_it_is():
    for name, kind in load_kinds().items():
        assert name in RESOURCES or name == "scales.autoscaling"  # which is only there below others
        assert [c.name for c in kind.columns if c.name == "Name"] == ["Name"]


def test_a_warm_list_does_little_for_a_row(recorded):
    pods = [Obj(p) for p in recorded("pods")] * 8
    now = millis("2026-11-22T21:14:42Z")
    first = calls(lambda: table.make_rows("pods", pods, now))
    again = calls(lambda: table.make_rows("pods", pods, now))
    assert again < 5 * len(pods) < first

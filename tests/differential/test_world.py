"""The states are what they are called, and a recorded one is the one that was recorded."""

from __future__ import annotations

import recording
import worlds

START = 1_772_442_000_000


def statuses(state: str) -> set[str]:
    world = worlds.build(state, START)
    found = set()
    for pod in world.store.all("pods", "shop"):
        status = pod["status"]
        found.add(status.get("reason") or status["phase"])
        for part in status.get("containerStatuses", ()):
            found.add(part["state"].get("waiting", {}).get("reason", ""))
        if "deletionTimestamp" in pod["metadata"]:
            found.add("Terminating")
    return found


def test_the_states_are_what_they_are_called() -> None:
    assert {"Running", "Succeeded", "Failed"} <= statuses("healthy")
    assert {"CrashLoopBackOff", "ImagePullBackOff", "Pending", "Evicted"} <= statuses("broken")
    assert {"Terminating", "PodInitializing"} <= statuses("moving")


def test_a_recorded_state_holds_what_the_world_held() -> None:
    world, answers = recording.read("healthy")
    assert world.store.get("deployments.apps", "shop", "web") is not None
    assert answers

"""What an agent leaves in the cluster works on, in a step and before the judge: so much and no more."""

from __future__ import annotations

import json

import pytest
from effort import calls

from aiops_gym.backends import Simulated
from aiops_gym.catalog import registry
from aiops_gym.sim.kernel import work
from aiops_gym.sim.machine.container import Container
from aiops_gym.sim.machine.scripts import inside

PROBLEM = "missing_secret_hotel_reservation-mitigation-frontend"
LOOP = "while :; do :; done"
TOOLS = "while :; do seq 100 | sort -r | awk '{print $1}'; done"
SECONDS = 10
REPLICAS = 6


def manifest(script: str, where: str) -> str:
    """A Deployment with the script in one of the places where the cluster runs it."""
    command = ["sh", "-c", script]
    container = {"name": "c", "image": "busybox:1.36", "command": ["sleep", "infinity"]}
    match where:
        case "probe":
            container["readinessProbe"] = {"exec": {"command": command}, "periodSeconds": 1}
        case "hook":
            container["lifecycle"] = {"postStart": {"exec": {"command": command}}}
        case _:
            container["command"] = command
    labels = {"app": "hostile"}
    template = {"metadata": {"labels": labels}, "spec": {"containers": [container]}}
    spec = {"replicas": REPLICAS, "selector": {"matchLabels": labels}, "template": template}
    head = {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "hostile", "namespace": "default"}}
    return json.dumps({**head, "spec": spec})


@pytest.fixture(scope="module")
def incident() -> Simulated:
    return Simulated(registry.find_problem(PROBLEM), 3)


@pytest.mark.parametrize(
    ("script", "where"),
    [
        (LOOP, "probe"),
        *(
            pytest.param(script, where, marks=pytest.mark.full)
            for script, where in (
                (TOOLS, "probe"),
                (LOOP, "hook"),
                (TOOLS, "hook"),
                (LOOP, "command"),
                (TOOLS, "command"),
            )
        ),
    ],
)
def test_what_runs_in_containers_is_bounded_by_the_clusters_time(incident, script, where):
    there = incident.fork()
    assert there.shell.run(f"kubectl apply -f - <<'EOF'\n{manifest(script, where)}\nEOF").code == 0
    world = there.world
    world.run(1_000)
    alone = incident.fork().world
    key = next(key for key, row in alone.table("processes").items() if row["running"] and "mongo" in row["image"])
    per_unit = calls(lambda: inside.run(Container(alone, key), ["sh", "-c", LOOP])) / (
        work.SAVED - work.measure_left(alone, key)
    )
    units = work.SAVED_BY_ALL + SECONDS * work.PER_SECOND_FOR_ALL
    assert calls(lambda: world.run(SECONDS * 1_000)) < 2 * per_unit * units
    assert world.table(work.TABLE)[work.EVERYBODY][0] < work.SAVED_BY_ALL


@pytest.mark.full
def test_the_judge_comes_to_the_same_end_twice(incident):
    there = incident.fork()
    there.shell.run(f"kubectl apply -f - <<'EOF'\n{manifest(LOOP, 'probe')}\nEOF")
    there.shell.run("sleep 20")
    again = Simulated.restored(there.snapshot())
    assert there.assess() == again.assess()

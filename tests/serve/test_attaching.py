"""Shells that are typed into where they are the container's own process: `kubectl run -i`, `debug`, `attach`."""

from __future__ import annotations

import json
from typing import Any

import pytest
from knocking import NAMESPACE, Kubectl

from aiops_gym.serve import Door
from aiops_gym.sim.kernel.world import World
from aiops_gym.sim.kube_api import handle
from aiops_gym.types import Request

NS = ("-n", NAMESPACE)
BOX = "--image=busybox:1.36"


def frontend(door: Door, kubectl: Kubectl) -> str:
    return kubectl(door, "get", "pods", *NS, "-l", "io.kompose.service=frontend", "-o", "name").out.split()[0]


@pytest.mark.slow
def test_a_shell_that_is_run_is_typed_into_and_its_end_is_the_pods(opened: Door, kubectl: Kubectl) -> None:
    line = ("run", "tried", *NS, BOX, "--restart=Never", "-i", "--rm", "--", "sh")
    ran = kubectl(opened, *line, stdin="hostname\ncd /tmp; pwd\nexit 3\n")
    assert (ran.code, ran.out.splitlines()[:2]) == (3, ["tried", "/tmp"]), ran
    assert 'pod "tried" deleted' in ran.out
    assert "pod test-hotel-reservation/tried terminated (Error)" in ran.err
    kept = kubectl(opened, *("run", "kept", *NS, BOX, "--restart=Never", "-i", "--", "sh"), stdin="echo seen\n")
    assert kept.code == 0, kept
    assert "seen" in kubectl(opened, "logs", "kept", *NS).out
    shown = kubectl(opened, "get", "pod", "kept", *NS, "-o", "jsonpath={.status.phase}").out
    assert shown == "Succeeded"


@pytest.mark.slow
def test_a_debugger_joins_a_pod_and_leaves_it_as_it_was(opened: Door, kubectl: Kubectl) -> None:
    pod = frontend(opened, kubectl)
    words = (pod, *NS, BOX, "--target=hotel-reserv-frontend", "-c", "look", "--profile=general", "-i")
    ran = kubectl(opened, "debug", *words, stdin="hostname\nwget -qO- localhost:5000 | head -n 1\n")
    assert ran.out.splitlines()[1:] == [pod.removeprefix("pod/"), "<!DOCTYPE html>"], ran
    ended = "--for=jsonpath={.status.ephemeralContainerStatuses[0].state.terminated.exitCode}=0"
    assert kubectl(opened, "wait", pod, *NS, ended, "--timeout=60s").code == 0  # kubelet tells it a moment later
    told = json.loads(kubectl(opened, "get", pod, *NS, "-o", "json").out)
    (joined,) = told["status"]["ephemeralContainerStatuses"]
    assert (joined["name"], joined["ready"], joined["restartCount"]) == ("look", False, 0)
    assert joined["state"]["terminated"]["exitCode"] == 0
    assert told["status"]["containerStatuses"][0]["ready"]
    assert "Ephemeral Containers:" in kubectl(opened, "describe", pod, *NS).out


def joined(world: World, *containers: dict[str, Any]) -> list[str]:
    """Add containers to a pod; what is refused of them."""
    name = next(p["metadata"]["name"] for p in world.store.all("pods") if p["metadata"]["namespace"] == NAMESPACE)
    body = {"spec": {"ephemeralContainers": list(containers)}}
    kind = "application/strategic-merge-patch+json"
    asked = Request("patch", "pods", NAMESPACE, name, "ephemeralcontainers", body, content_type=kind)
    answer = handle(world, asked)
    return [cause["message"] for cause in answer.body["details"]["causes"]] if answer.code == 422 else []


def test_ephemeral_containers_are_checked_and_only_become_more(world: World) -> None:
    first = {"name": "look", "image": "busybox:1.36", "stdin": True}
    assert joined(world, first) == []
    assert joined(world, {"name": "again", "image": "busybox:1.36"}) == []
    for wrong, words in (
        ({**first, "image": "redis"}, 'existing ephemeral containers "look" may not be changed'),
        ({"name": "new", "image": ""}, "Required value"),
        ({"name": "new", "image": "x", "targetContainerName": "nobody"}, 'Not found: "nobody"'),
        ({"name": "new", "image": "x", "ports": [{"containerPort": 1}]}, "field not allowed for ephemeral containers"),
    ):
        assert any(words in told for told in joined(world, wrong)), wrong

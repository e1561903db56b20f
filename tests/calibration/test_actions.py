"""Actions of a manifest, and manifests and recordings of forms that were not seen before."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from aiops_gym.sim.kernel.objects import get
from aiops_gym.sim.kernel.world import World
from aiops_gym.testing import replay
from aiops_gym.testing.calibration import actions
from aiops_gym.testing.calibration.cluster import make_cluster
from aiops_gym.testing.calibration.events import find_begin, make_kind
from aiops_gym.testing.calibration.masks import Parts
from aiops_gym.testing.calibration.play import plan_steps, play

Json = Any
FOLDER = Path(__file__).parent / "recordings"
IMAGE = {"pull": "present", "serves": {"port": 8080, "paths": {"/": 200}}, "shell": True}


def _world() -> World:
    world = make_cluster({"images": {"app:1": IMAGE, "app:2": IMAGE}}, "ns", ["node-1", "node-2"], 0)
    template = {"metadata": {"labels": {"app": "web"}}, "spec": {"containers": [{"name": "app", "image": "app:1"}]}}
    spec = {"replicas": 2, "selector": {"matchLabels": {"app": "web"}}, "template": template}
    actions.create(
        world, "ns", {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web"}, "spec": spec}
    )
    world.run(5_000)
    return world


def _done(*done: dict[str, Json]) -> World:
    world = _world()
    for action in done:
        actions.do(world, "ns", action)
        world.run(5_000)
    return world


def _web(world: World, *path: str) -> Json:
    found = world.store.get("deployments.apps", "ns", "web")
    assert found is not None
    return get(found, "spec", *path)


WEB = {"kind": "Deployment", "name": "web"}


@pytest.mark.parametrize(
    "stop",
    [
        {"verb": "stop-kubelet", "node": "node-2"},
        {"verb": "stop_kubelet", "kind": "Node", "name": "node-2"},
        {"verb": "kubelet", "state": "stopped", "node": "node-2"},
        {"verb": "stop", "kind": "Node", "name": "node-2"},
        {"verb": "pause node", "name": "node-2"},
        {"verb": "freeze", "kind": "Kubelet", "nodes": ["node-2"]},
    ],
)
def test_a_kubelet_is_stopped_however_it_is_said(stop: dict[str, Json]) -> None:
    assert list(_done(stop).table("nodes_down")) == ["node-2"]


@pytest.mark.parametrize("start", [{"verb": "start-kubelet"}, {"verb": "resume", "kind": "Kubelet"}])
def test_a_kubelet_is_started_again(start: dict[str, Json]) -> None:
    world = _done({"verb": "stop-kubelet", "node": "node-2"}, {**start, "node": "node-2"})
    world.run(11_000)
    assert not world.table("nodes_down")


def test_a_kubelet_that_is_stopped_for_some_time_starts_by_itself() -> None:
    found = plan_steps({"actions": [{"at": 5, "verb": "stop-kubelet", "node": "a", "for": 60}]})
    assert [(step["at"], step["verb"]) for step in found] == [(5.0, "stop-kubelet"), (65.0, "start-kubelet")]


def test_rollouts_are_restarted_paused_changed_and_undone() -> None:
    assert actions.RESTARTED in _web(_done({"verb": "rollout-restart", **WEB}), "template", "metadata", "annotations")
    assert _web(_done({"verb": "rollout", "subcommand": "pause", **WEB}), "paused") is True
    changed = [{"verb": "set image", **WEB, "image": "app:2"}]
    assert _web(_done(*changed), "template", "spec", "containers")[0]["image"] == "app:2"
    undone = _done(*changed, {"verb": "rollout undo", **WEB})
    assert _web(undone, "template", "spec", "containers")[0]["image"] == "app:1"


def test_a_drained_node_takes_no_pods_and_loses_its_own() -> None:
    world = _done({"verb": "drain", "name": "node-1"})
    node = world.store.get("nodes", "", "node-1")
    assert node is not None and node["spec"]["unschedulable"] is True
    world.run(40_000)
    assert {pod["spec"]["nodeName"] for pod in world.store.all("pods", "ns")} == {"node-2"}


def test_taints_and_labels_are_put_on_and_taken_off() -> None:
    world = _done({"verb": "taint", "name": "node-1", "taint": "a=b:NoExecute"})
    node = world.store.get("nodes", "", "node-1")
    assert node is not None and node["spec"]["taints"][0]["key"] == "a"
    actions.do(world, "ns", {"verb": "taint", "name": "node-1", "taint": "a-"})
    actions.do(world, "ns", {"verb": "label", "kind": "Node", "name": "node-1", "labels": ["disk=ssd"]})
    node = world.store.get("nodes", "", "node-1")
    assert node is not None and not node["spec"].get("taints") and node["metadata"]["labels"]["disk"] == "ssd"


def test_a_command_is_run_in_a_container() -> None:
    world = _done({"verb": "exec", "selector": "app=web", "first": True, "command": "touch /tmp/x"})
    assert len(world.table("scratch")) == 1


def test_what_is_there_already_gets_new_fields() -> None:
    body = {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web"}, "spec": {"replicas": 3}}
    world = _done({"verb": "apply", "object": body})
    assert _web(world, "replicas") == 3


def _load(name: str) -> tuple[Json, Json]:
    texts = [(FOLDER / f"{name}{end}.json").read_text() for end in (".manifest", "")]
    return json.loads(texts[0]), json.loads(texts[1])


def test_an_action_that_makes_no_sense_is_a_difference() -> None:
    manifest, recording = _load("s-never")
    manifest["actions"] = [{"at": 3, "verb": "dance"}, {"verb": "scale", "kind": "Deployment", "name": "web"}]
    found = replay(manifest, recording)
    assert found == ["Action/: scale at 0.0 s: 'replicas'", "Action/: dance at 3.0 s: no such action: dance"]


def test_fields_that_only_a_recorder_knows_are_left_out() -> None:
    manifest, recording = _load("s-never")
    for row in recording["timeline"]:
        row[2]["labels"] = {"a": "b"}
        del row[2]["grace"]
    recording["timeline"] += [[14.9, "ACTION", "lambda"], [14.9, "other", None]]
    recording["jobs"] = []
    assert replay(manifest, recording) == []


def test_lists_namespaces_and_names_of_the_future_are_no_obstacle() -> None:
    manifest, recording = _load("s-never")
    space = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": recording["ns"]}}
    manifest["objects"] = [space, {"apiVersion": "v1", "kind": "List", "items": manifest["objects"]}]
    manifest["nodes"] = [{"metadata": {"name": "node-1"}}]
    assert replay(manifest, recording) == []


def test_of_many_similar_events_it_is_chance_which_one_is_shown_last() -> None:
    manifest = {"objects": [{"kind": "Deployment", "metadata": {"name": "web"}}]}
    event = {"obj": "Deployment/web", "type": "Normal", "reason": "ScalingReplicaSet", "message": ""}
    texts = ["Scaled up replica set web-5d5bf6cbcd to 2", "Scaled down replica set web-5d5bf6cbcd to 1"]
    combined = [{**event, "message": f"(combined from similar events): {text}"} for text in texts]
    assert len({make_kind(one, Parts(manifest, "ns", [])) for one in combined}) == 1


def test_what_is_done_by_the_clock_is_done_by_the_recordings_clock() -> None:
    container = {"name": "app", "image": "app:1", "command": ["/bin/sh", "-c", "exit 0"]}
    template = {"spec": {"restartPolicy": "Never", "containers": [container]}}
    spec = {"schedule": "* * * * *", "jobTemplate": {"spec": {"template": template}}}
    tick = {"apiVersion": "batch/v1", "kind": "CronJob", "metadata": {"name": "tick"}, "spec": spec}
    manifest = {"objects": [tick], "images": {"app:1": IMAGE}}
    begun = find_begin([{"reason": "", "message": "", "first": "2026-11-21 20:51:40+00:00"}])
    made = [event for _, _, event in play(manifest, "ns", ["n"], 40, 0, begun).events if event["obj"] == "CronJob/tick"]
    assert made[0]["first"] == begun / 1000 + 20

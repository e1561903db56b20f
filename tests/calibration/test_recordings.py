"""Scenarios recorded on a real Kubernetes 1.32, played in the simulated cluster: nothing may differ."""

from __future__ import annotations

import copy
import json
import re
from pathlib import Path
from typing import Any

import pytest
from samples import some

from aiops_gym.testing import replay
from aiops_gym.testing.calibration import find_differences

Json = Any
FOLDER = Path(__file__).parent / "recordings"
NAMES = sorted(path.name.removesuffix(".manifest.json") for path in FOLDER.glob("*.manifest.json"))


def _load(name: str) -> tuple[Json, Json]:
    texts = [(FOLDER / f"{name}{end}.json").read_text() for end in (".manifest", "")]
    return json.loads(texts[0]), json.loads(texts[1])


@pytest.mark.parametrize("name", NAMES)
def test_a_recorded_scenario_is_played_without_a_difference(name: str) -> None:
    manifest, recording = _load(name)
    assert replay(manifest, recording) == []


@pytest.mark.parametrize("name", NAMES)
def test_names_namespaces_and_images_mean_nothing(name: str) -> None:
    manifest, recording = _renamed(*_load(name))
    assert "registry.local" not in json.dumps(manifest)
    assert replay(manifest, recording, seed=1_000) == []


@pytest.mark.parametrize("name", ["s-badimage", "s-config", "s-delete", "s-healthy", "s-noregistry"])
def test_most_single_runs_show_the_recorded_course(name: str) -> None:
    manifest, recording = _load(name)
    same = [not list(find_differences(manifest, recording, seed)) for seed in range(20)]
    assert sum(same) >= 10


def test_the_same_seed_plays_the_same() -> None:
    manifest, recording = _load("s-probes")
    assert list(find_differences(manifest, recording, 5)) == list(find_differences(manifest, recording, 5))


def _changed(recording: Json, what: str) -> Json:
    """The recording with one thing changed in it."""
    changed = copy.deepcopy(recording)
    timeline, last = changed["timeline"], changed["timeline"][-1][2]
    if what == "a reason":
        last["ctr"][0][4] = "W:SomethingElse"
    elif what == "a restart":
        last["ctr"][0][3] += 1
    elif what == "a condition":
        last["cond"]["Ready"][1] = "Because"
    elif what == "a time":
        for row in timeline[len(timeline) // 2 :]:
            row[0] *= 2
    elif what == "a state more":
        timeline.append([timeline[-1][0] + 20, timeline[-1][1], {**last, "phase": "Unknown"}])
    elif what == "an event less":
        changed["events"] = [e for e in changed["events"] if e["reason"] != "BackOff"]
    elif what == "a message":
        changed["events"][-1]["message"] += " or so"
    elif what == "a count":
        changed["events"][-1]["count"] *= 3
    elif what == "a deployment":
        changed["deployments"][0]["status"]["ready"] = 7
    return changed


@pytest.mark.parametrize(
    "what",
    some(
        (
            *("a reason", "a restart", "a condition", "a time", "a state more"),
            *("an event less", "a message", "a count", "a deployment"),
        ),
        3,
    ),
)
def test_a_recording_that_is_not_true_is_told_from_one_that_is(what: str) -> None:
    manifest, recording = _load("s-crash")
    lines = replay(manifest, _changed(recording, what))
    assert lines and all("web" in line for line in lines)


def test_a_workload_that_does_something_else_is_seen() -> None:
    manifest, recording = _load("s-crash")
    spec = manifest["objects"][0]["spec"]["template"]["spec"]["containers"][0]
    spec["command"] = ["/bin/sh", "-c", "exit 2"]
    assert any("T:Error:2" in line for line in replay(manifest, recording))


def _renamed(manifest: Json, recording: Json) -> tuple[Json, Json]:
    """Both with other names of objects, of the namespace and of the images."""
    images = {name: f"mirror.test/team/image{i}:v{i}" for i, name in enumerate(manifest["images"])}
    names = {o["metadata"]["name"]: f"svc-{i}-x" for i, o in enumerate(manifest["objects"])}
    hosts = {"registry.example.invalid/v2/x/manifests/1": "", "lookup registry.example.invalid": ""}
    manifest, recording = (
        json.loads(_swap(json.dumps(manifest), images)),
        json.loads(_swap(json.dumps(recording), images)),
    )
    for i, name in enumerate(images.values()):
        if manifest["images"][name].get("pull") == "no_such_host":
            hosts = {
                "registry.example.invalid/v2/x/manifests/1": f"mirror.test/v2/team/image{i}/manifests/v{i}",
                "lookup registry.example.invalid": "lookup mirror.test",
            }
    for body in manifest["objects"]:
        _rename_object(body, names)
    for action in manifest["actions"]:
        action["name"] = names.get(action.get("name"), action.get("name"))
        if "selector" in action:
            action["selector"] = _pairs(action["selector"], names)
    text = _swap(json.dumps(recording), hosts).replace(recording["ns"], "elsewhere")
    for old, new in names.items():
        text = re.sub(rf'(?<=["/ ]){old}(?=-[a-z0-9]{{6,10}}\b)', new, text)
        text = re.sub(rf'(?<=/){old}(?=")', new, text)
        text = re.sub(rf"(?<==){old}(?=-[a-z0-9]{{6,10}}-[a-z0-9]{{5}}_)", new, text)
        text = re.sub(rf'(?<="name": "){old}(?=")', new, text)
        text = re.sub(rf'(?<=\\"){old}(?=-[a-z0-9]{{6,10}}\\")', new, text)
    return manifest, json.loads(text)


def _swap(text: str, pairs: dict[str, str]) -> str:
    for old, new in pairs.items():
        text = text.replace(old, new)
    return text


def _pairs(selector: str, names: dict[str, str]) -> str:
    parts = [part.split("=", 1) for part in selector.split(",")]
    return ",".join(f"{key}={names.get(value, value)}" for key, value in parts)


def _rename_object(body: Json, names: dict[str, str]) -> None:
    body["metadata"]["name"] = names[body["metadata"]["name"]]
    spec = body["spec"]
    for labels in (
        spec.get("selector", {}).get("matchLabels", spec.get("selector", {})),
        spec.get("template", {}).get("metadata", {}).get("labels", {}),
    ):
        for key, value in labels.items():
            labels[key] = names.get(value, value)
    if "scaleTargetRef" in spec:
        spec["scaleTargetRef"]["name"] = names[spec["scaleTargetRef"]["name"]]

"""Flower as data: AIOpsLab's two incidents on it, its Compose file and its app."""

import ast
import json

import pytest

import aiops_gym
from aiops_gym.catalog import registry
from aiops_gym.catalog.apps.flower import compose
from aiops_gym.errors import CatalogError
from aiops_gym.sim.software.federated import network

APP = registry.find_app("flower")
IDS = ("flower_node_stop-detection", "flower_model_misconfig-detection")


def test_the_incidents_are_those_of_aiopslab():
    assert tuple(problem.id for problem in aiops_gym.problems(app="flower")) == IDS
    assert [registry.find_problem(id_).target for id_ in IDS] == ["supernode-1", "clientapp-1"]
    assert registry.find_fault(registry.find_problem(IDS[0])).changes[0].script == "docker stop supernode-1"
    assert registry.find_fault(registry.find_problem(IDS[0])).kind == "Operation Error"


def test_it_is_listed_and_drawn_among_aiopslabs_problems_and_in_no_split():
    listed = {split: {p.app for p in aiops_gym.problems(split=split)} for split in (None, "train", "test")}
    assert [split for split, apps in listed.items() if "flower" in apps] == [None]
    assert "flower" in {registry.draw("detection", seed).app for seed in range(400)}
    assert "flower" not in {registry.draw("detection", seed, "train").app for seed in range(400)}
    assert {registry.draw("detection", seed, app="flower").id for seed in range(20)} == {
        *IDS,
        "noop_detection_flower-1",
    }


@pytest.mark.parametrize("task", ["localization", "analysis", "incident"])
def test_a_healthy_episode_is_posed_as_what_incidents_are(task):
    with pytest.raises(CatalogError):
        registry.find_problem(f"noop_{task}_flower-1")
    with pytest.raises(CatalogError):
        registry.draw(task, 1, app="flower")


def test_other_apps_have_their_healthy_episodes_as_before():
    for app in ("hotel_reservation", "social_network", "astronomy_shop"):
        for task in ("detection", "localization", "analysis", "incident"):
            name = {"social_network": "social_network", "astronomy_shop": "astronomy_shop"}.get(app, app)
            assert registry.find_problem(f"noop_{task}_{name}-1").app == app


def test_the_project_is_what_its_file_says():
    services = {service["name"]: service for service in APP.project["services"]}
    assert [*services] == ["superlink", "serverapp", "supernode-1", "supernode-2", "clientapp-1", "clientapp-2"]
    assert services["superlink"]["ports"] == {"9093": "9093"}
    assert services["clientapp-1"]["cpus"] == 2.0
    assert services["clientapp-1"]["stop_signal"] == "INT"
    assert services["serverapp"]["restart"] == "on-failure"
    assert {service["image"] for service in services.values()} == {*APP.images}
    assert json.loads(json.dumps(APP.project)) == APP.project


@pytest.mark.parametrize("name", [name for name in compose.TRAINING if name.endswith(".py")])
def test_the_files_of_the_app_are_python(name):
    ast.parse(compose.TRAINING[name])


def test_the_last_layer_stands_in_line_24():
    text = compose.TRAINING["task.py"]
    assert text.splitlines()[23].strip() == "self.fc3 = nn.Linear(84, 10)"
    shapes = network.list_shapes(network.read_layers(text))
    assert shapes[0] == ("conv1.weight", (6, 3, 5, 5))
    assert shapes[4] == ("fc1.weight", (120, 400))
    assert shapes[-2:] == [("fc3.weight", (10, 84)), ("fc3.bias", (10,))]
    assert network.find_clash(network.read_layers(text)) == ""

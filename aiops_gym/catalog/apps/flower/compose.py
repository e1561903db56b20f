"""The Compose project, from its own file: six containers in one network, and the person who starts runs."""

from __future__ import annotations

import json
from collections.abc import Mapping
from importlib.resources import files

import yaml

from aiops_gym.types import Json

FOLDER = "/root/flower"
EVERY, FIRST = 150, 40
"""Seconds from one look at whether a run goes on to the next, and until the first."""


def read(name: str) -> str:
    """The text of a file of this folder."""
    return files(__package__).joinpath(name).read_text(encoding="utf-8")


def _read_service(name: str, told: Mapping[str, Json]) -> dict[str, Json]:
    """A service as `sim.docker_host.projects` takes it."""
    ports = dict(reversed(pair.split(":")) for pair in told.get("ports", ()))
    limits = told.get("deploy", {}).get("resources", {}).get("limits", {})
    signal = str(told.get("stop_signal", "SIGTERM")).removeprefix("SIG")
    found = {"name": name, "image": told["image"], "args": told["command"], "stop_signal": signal, "ports": ports}
    return {**found, "restart": told.get("restart", "no"), "cpus": float(limits.get("cpus", 0))}


TRAINING: Mapping[str, str] = yaml.safe_load(read("training.yaml"))
"""The files of the app that Flower runs, by name."""

FILES: tuple[tuple[str, str], ...] = (
    (f"{FOLDER}/compose.yml", read("compose.yaml")),
    *((f"{FOLDER}/train/{name}", text) for name, text in TRAINING.items()),
)
"""On the host, beside whoever runs it."""

SERVICES = [_read_service(*pair) for pair in yaml.safe_load(read("compose.yaml"))["services"].items()]
VISIT = {"port": 9093, "path": "/runs", "unless": "/runs/open", "body": json.dumps(TRAINING)}

PROJECT: Mapping[str, Json] = {
    "name": "flower",
    "folder": FOLDER,
    "subnet": "172.19.0.0",
    "services": SERVICES,
    "harmless": ["clientapp-1", "clientapp-2", "serverapp", "supernode-1", "supernode-2"],  # to restart between runs
    "visits": [{**VISIT, "every": EVERY, "first": FIRST}],
}

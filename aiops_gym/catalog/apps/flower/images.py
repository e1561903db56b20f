"""The images, from their own file: what each executes, with what is compiled into it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import yaml

from aiops_gym.catalog.apps.flower.compose import read
from aiops_gym.types import Json

COLOURS = {"INFO": 92, "WARNING": 93, "ERROR": 91}
LEVELS = {level: f"\033[{colour}m{level} \033[0m: {' ' * (8 - len(level))} " for level, colour in COLOURS.items()}
"""What stands before a line: the console of Flower always colours it."""

TOOLS = ("bash", "perl", "ps", "top", "free")
GIVEN, WORDS = yaml.safe_load(read("images.yaml")), yaml.safe_load(read("words.yaml"))


def _fill(parts: Sequence[str], **values: Json) -> list[list[str]]:
    site = "/python/venv/lib/python3.11/site-packages"
    return [line.format(site=site, **values).split("|") for part in parts for line in GIVEN["frames"][part]]


FRAMES: Mapping[str, Json] = {
    **{kind: _fill(("called", "loading"), **values) for kind, values in GIVEN["lines"].items()},
    **{f"{kind}_forward": _fill(("called", "applying"), **values) for kind, values in GIVEN["lines"].items()},
    "unloadable": _fill(("unloadable",)),
}


def _make(told: Mapping[str, Json]) -> dict[str, Json]:
    params = {**told["params"], "memory": told["params"]["memory"] << 20, "cpu": 0.004, "threads": 14}
    params |= {"frames": FRAMES} if told["params"]["words"] == "client" else {}
    params["words"] = {**WORDS["every"], **WORDS[told["params"]["words"]], "levels": {**LEVELS, "-": ""}}
    binaries = {told["command"]: {"program": told["program"], "params": params}}
    made = {"size": told["size"], "entrypoint": (told["command"],), "binaries": binaries, "env": GIVEN["env"]}
    return {**made, "tools": TOOLS, "workdir": "/app", "files": {"/etc/os-release": GIVEN["release"]}}


IMAGES: Mapping[str, Json] = {name: _make(told) for name, told in GIVEN["images"].items()}

"""A Compose file in its canonical form, as `docker compose config` prints it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import yaml

from aiops_gym.docker.compose_file import Project
from aiops_gym.types import Json

TEXT = "tag:yaml.org,2002:str"


class _Writer(yaml.SafeDumper):
    """Go's choices: lists are indented, and quotes are double."""

    def increase_indent(self, flow: bool = False, indentless: bool = False) -> Any:
        """Begin a level."""
        return super().increase_indent(flow, False)

    def represent_text(self, text: str) -> yaml.Node:
        """A text, in quotes where it would be something else without."""
        resolve: Any = self.resolve
        return self.represent_scalar(TEXT, text, None if resolve(yaml.ScalarNode, text, (True, False)) == TEXT else '"')


_Writer.add_representer(str, _Writer.represent_text)


def write(project: Project, names: Sequence[str]) -> str:
    """The services of these names with all that is meant and not said."""
    services = {name: _expand(project.told["services"][name], project.services[name]) for name in names}
    told = {"name": project.name, "services": services, "networks": {"default": {"name": f"{project.name}_default"}}}
    return str(yaml.dump(told, Dumper=_Writer, sort_keys=False, width=100_000, allow_unicode=True))


def _expand(told: Json, service: Json) -> dict[str, Json]:
    port, cpus = {"mode": "ingress", "target": 0, "published": "", "protocol": "tcp"}, float(service["cpus"])
    limits = {"cpus": int(cpus) if cpus.is_integer() else cpus}
    made: Json = {"ports": [{**port, "target": int(i), "published": o} for i, o in service["ports"].items()]}
    made["depends_on"] = {name: {"condition": "service_started", "required": True} for name in service["depends_on"]}
    made |= {"environment": service["env"], "deploy": {"resources": {"limits": limits}, "placement": {}}}
    made = {name: value for name, value in made.items() if told.get(name)}
    made |= {"command": service["args"] or None, "entrypoint": told.get("entrypoint"), "networks": {"default": None}}
    return dict(sorted({**told, **made}.items()))

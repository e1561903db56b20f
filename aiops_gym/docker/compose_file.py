"""A Compose file: found where `docker compose` is typed, read, checked, and its services in their order."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from posixpath import basename, dirname, join, normpath
from typing import Final

import yaml

from aiops_gym.clients import goyaml
from aiops_gym.docker.call import KNOWN, Call, Failure
from aiops_gym.types import Json

NAMES: Final = ("compose.yaml", "compose.yml", "docker-compose.yml", "docker-compose.yaml")
STEM: Final = "com.docker.compose"
NO_FILE, UNREADABLE = 14, 15
"""Exit codes."""

MISSING: Final = "no configuration file provided: not found"


@dataclass(frozen=True)
class Project:
    """What a file says: services as the daemon takes them, by name; no `file`, no services."""

    name: str
    file: str = ""
    services: Mapping[str, Json] = field(default_factory=dict)

    def pick(self, words: Iterable[str]) -> list[str]:
        """The services that are named, or all of them. Raises Failure."""
        for wrong in (word for word in words if self.file and word not in self.services):
            raise Failure(f"no such service: {wrong}")
        return [*words] or [*self.services]

    def order(self, names: Iterable[str], *, deps: bool = True) -> list[str]:
        """Services after those that they depend on, which belong to the answer with `deps`. Raises Failure."""
        found, chosen = list[str](), set(names)

        def visit(name: str, *path: str) -> None:
            if name in path:
                raise Failure(f"dependency cycle detected: {' -> '.join([*path, name])}", UNREADABLE)
            for other in self.services[name]["depends_on"] if name not in found else ():
                visit(other, *path, name)
            found.extend([name] if name not in found else [])

        for name in (each for each in self.services if each in chosen):
            visit(name)
        return [name for name in found if deps or name in chosen]

    def rank(self, name: str) -> int:
        """How many services stand between one and the last that depends on it."""
        users = [other for other, told in self.services.items() if name in told["depends_on"]]
        return 1 + max(map(self.rank, users)) if users else 0


def find(call: Call) -> Project:
    """The project that is meant: by its file, or by its name alone. Raises Failure."""
    name, path = call.flags.text("project-name"), _find_file(call)
    if not path and name:
        rows = call.ask("GET", "/containers/json", {"all": "1"})
        labels: Json = next((row["Labels"] for row in rows if row["Labels"].get(f"{STEM}.project") == name), {})
        path = labels.get(f"{STEM}.project.config_files", "")
    if path and call.context.files.exists(path):
        return read(path, call.context.files.read(path), name)
    if not name:
        raise Failure(MISSING, NO_FILE)
    return Project(name)


def _find_file(call: Call) -> str:
    """The file that is named, or the one in this folder or the nearest above, or "". Raises Failure."""
    here, exists = call.context.cwd, call.context.files.exists
    if not (files := call.flags.items("file")):
        above = [] if call.flags.text("project-name") else map(str, PurePosixPath(here).parents)
        return next((path for folder in (here, *above) for name in NAMES if exists(path := join(folder, name))), "")
    if not exists(path := normpath(join(here, files[0]))):
        raise Failure(f"open {path}: no such file or directory")
    return path


def read(path: str, text: str, name: str = "") -> Project:
    """A project from the text of its file. Raises Failure."""
    try:
        told = goyaml.load(text)
    except yaml.YAMLError as error:
        raise Failure(goyaml.explain_error(error), UNREADABLE) from None
    try:
        _check(path, told)
        name = name or str(told.get("name") or re.sub(r"[^a-z0-9_-]", "", basename(dirname(path)).lower()))
        found = {each: _read_service(name, path, each, inner) for each, inner in (told.get("services") or {}).items()}
    except (AttributeError, KeyError, TypeError, ValueError):
        raise Failure(f"validating {path}: services must be a mapping", UNREADABLE) from None
    for each, inner in found.items():
        for other in (other for other in inner["depends_on"] if other not in found):
            why = f'service "{each}" depends on undefined service "{other}": invalid compose project'
            raise Failure(why, UNREADABLE)
    project = Project(name, path, found)
    project.order(found)
    return project


def _check(path: str, told: Json) -> None:
    """Refuse what a file may not say. Raises Failure."""
    if not isinstance(told, dict):
        raise Failure("empty compose file" if told is None else "Top-level object must be a mapping", UNREADABLE)
    keys, services = KNOWN["compose_keys"], told.get("services") or {}
    inner = [(f"services.{name}", service, keys["service"]) for name, service in services.items()]
    for place, found, known in (("(root)", told, keys["top"]), *inner):
        why = f"validating {path}: {place}"
        if not isinstance(found, dict):
            raise Failure(f"{why} must be a mapping", UNREADABLE)
        for key in (key for key in found if key not in known and key[:2] != "x-"):
            raise Failure(f"{why} Additional property {key} is not allowed", UNREADABLE)
    for name in (name for name, service in services.items() if not service.get("image") and not service.get("build")):
        why = f'service "{name}" has neither an image nor a build context specified: invalid compose project'
        raise Failure(why, UNREADABLE)


def _pairs(value: Json) -> dict[str, str]:
    """Variables, from a list of `name=value` or a mapping."""
    pairs = value.items() if isinstance(value, dict) else (str(each).partition("=")[::2] for each in value or ())
    return {str(name): "" if each is None else str(each) for name, each in pairs}


def _read_ports(value: Json) -> dict[str, str]:
    """Port of the container -> of the host, of those that are published under a number. Raises Failure."""
    found = dict[str, str]()
    for each in value or ():
        *_, outer, inner = ["", *str(each).partition("/")[0].split(":")]
        if isinstance(each, dict):
            inner, outer = str(each["target"]), str(each.get("published", ""))
        for kind, number in (("containerPort", inner), ("hostPort", outer or "0")):
            if not re.fullmatch(r"\d{1,5}", number, re.ASCII):
                raise Failure(f"invalid {kind}: {number}", UNREADABLE)
        found |= {inner: outer} if outer else {}
    return found


def _read_service(project: str, path: str, name: str, told: Mapping[str, Json]) -> dict[str, Json]:
    command, limits = told.get("command") or [], told.get("deploy") or {}
    limits = (limits.get("resources") or {}).get("limits") or {}
    found: Json = {"name": name, "container": str(told.get("container_name") or f"{project}-{name}-1"), "file": path}
    found |= {"args": [*map(str, command)] if isinstance(command, list) else shlex.split(str(command))}
    found |= {"image": str(told.get("image") or f"{project}-{name}"), "ports": _read_ports(told.get("ports"))}
    found |= {"restart": str(told.get("restart") or "no").partition(":")[0], "env": _pairs(told.get("environment"))}
    found |= {"depends_on": [*map(str, told.get("depends_on") or ())]}
    found |= {"stop_signal": str(told.get("stop_signal") or "SIGTERM").removeprefix("SIG")}
    cpus = re.fullmatch(r"\d{1,4}(\.\d{1,9})?", str(limits.get("cpus") or told.get("cpus") or 0), re.ASCII)
    if cpus is None:
        raise ValueError
    return {**found, "cpus": float(cpus[0])}

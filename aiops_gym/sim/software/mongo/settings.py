"""The command line and the configuration file of a server."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

import yaml

from aiops_gym.sim.kernel import yamltext
from aiops_gym.sim.kernel.digits import is_natural
from aiops_gym.sim.kernel.objects import get
from aiops_gym.sim.software.mongo import tls
from aiops_gym.sim.software.mongo.server import DATA_PATH
from aiops_gym.types import Json

if TYPE_CHECKING:
    from aiops_gym.sim.machine.container import Container


SECTIONS = (
    "auditLog",
    "cloud",
    "net",
    "operationProfiling",
    "processManagement",
    "replication",
    "security",
    "setParameter",
    "sharding",
    "storage",
    "systemLog",
)
EVERYWHERE = ("*", "0.0.0.0", "::", "::,0.0.0.0", "0.0.0.0,::")
LOCAL = frozenset(("localhost", "127.0.0.1", "::1"))
HELP = "try 'mongod --help' for more information"


class Settings(NamedTuple):
    """How a server is to run; `options` are those that it tells, None where it has no configuration file."""

    auth: bool
    port: int
    path: str
    options: Json
    configured: Mapping[str, Json]


def read(c: Container) -> Settings | tls.Refused:
    """The settings of a server, or why it does not start with them."""
    argv = list(c.argv[1:])
    file = _option(argv, "--config") or _option(argv, "-f")
    config = _config(file, c.files().get(file)) if file else {}
    if isinstance(config, tls.Refused):
        return config
    wrong = tls.check(_section(config, "net"), c.files()) if file else None
    if wrong is not None:
        return wrong
    auth = "--auth" in argv or get(config, "security", "authorization") == "enabled"
    if c.process.get("wrapped") and c.env.get("MONGO_INITDB_ROOT_USERNAME") and c.env.get("MONGO_INITDB_ROOT_PASSWORD"):
        auth = "--noauth" not in argv
    port = _option(argv, "--port") or str(get(config, "net", "port", default=27017))
    path = _option(argv, "--dbpath") or str(get(config, "storage", "dbPath", default=DATA_PATH))
    number = int(port) if is_natural(port) and len(port) < 6 else 27017
    if not file:
        return Settings(auth, number, path, None, {})
    mode, bound = tls.mode_of(_section(config, "net"))[0], _bound(c, argv, config)
    configured: dict[str, Json] = {"tls": mode}
    if bound not in EVERYWHERE and LOCAL.issuperset(part.strip() for part in bound.split(",")):
        configured["local"] = [number]
    options = {**config, "config": file, "net": {**_section(config, "net"), "bindIp": bound}}
    return Settings(auth, number, path, yamltext.to_plain(options), configured)


def describe_settings(state: Mapping[str, Json]) -> Json:
    """The options as a running server tells them."""
    if state.get("options") is not None:
        return state["options"]
    options: dict[str, Json] = {"net": {"bindIp": "*"}}
    return {**options, "security": {"authorization": "enabled"}} if state["auth"] else options


def _config(file: str, text: str | None) -> Mapping[str, Json] | tls.Refused:
    if text is None:
        return tls.Refused((), 1, f"Error reading config file: No such file or directory\n{HELP}")
    try:
        found = yamltext.load(text)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = f"line {mark.line + 1}, column {mark.column + 1}" if mark is not None else "line 1, column 1"
        why = getattr(error, "problem", None) or "illegal map value"
        return tls.Refused((), 2, f"Error parsing YAML config file: yaml-cpp: error at {where}: {why}\n{HELP}")
    if found is None:
        return {}
    if not isinstance(found, Mapping):
        return tls.Refused((), 2, f"Error parsing YAML config file: no map at the top\n{HELP}")
    for name in found:
        if str(name) not in SECTIONS:
            return tls.Refused((), 2, f"Unrecognized option: {name}\n{HELP}")
    return found


def _bound(c: Container, argv: list[str], config: Mapping[str, Json]) -> str:
    """Addresses that it listens on; the entry point of the official image adds all where none are given."""
    given = _option(argv, "--bind_ip") or str(get(config, "net", "bindIp", default="") or "")
    everywhere = "--bind_ip_all" in argv or get(config, "net", "bindIpAll") is True
    if everywhere or (not given and c.process.get("wrapped")):
        return "*"
    return given or "localhost"


def _section(config: Mapping[str, Json], name: str) -> Mapping[str, Json]:
    found = config.get(name)
    return found if isinstance(found, Mapping) else {}


def _option(argv: list[str], name: str) -> str:
    for i, word in enumerate(argv):
        if word.startswith(f"{name}="):
            return word.partition("=")[2]
        if word == name and i + 1 < len(argv):
            return argv[i + 1]
    return ""

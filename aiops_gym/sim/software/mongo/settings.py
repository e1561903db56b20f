"""The command line and the configuration file of a server."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

import yaml

from aiops_gym.sim.kernel import yamltext
from aiops_gym.sim.kernel.digits import is_natural
from aiops_gym.sim.kernel.objects import get
from aiops_gym.sim.software.environment import read_option
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
    file = read_option(argv, "--config") or read_option(argv, "-f")
    config = _config(file, c.read(file)) if file else {}
    if isinstance(config, tls.Refused):
        return config
    wrong = tls.check(_section(config, "net"), c.files()) if file else None
    if wrong is not None:
        return wrong
    enabled = get(config, "security", "authorization") == "enabled"
    auth = "--auth" in argv or (enabled and "--noauth" not in argv)
    if c.process.get("wrapped") and c.env.get("MONGO_INITDB_ROOT_USERNAME") and c.env.get("MONGO_INITDB_ROOT_PASSWORD"):
        auth = "--noauth" not in argv
    port = read_option(argv, "--port") or str(get(config, "net", "port", default=27017))
    path = read_option(argv, "--dbpath") or str(get(config, "storage", "dbPath", default=DATA_PATH))
    number = int(port) if is_natural(port) and len(port) < 6 else 27017
    bound = _bound(c, argv, config)
    alone = bound not in EVERYWHERE and LOCAL.issuperset(part.strip() for part in bound.split(","))
    configured: dict[str, Json] = {"local": [number]} if alone else {}
    if not file:
        return Settings(auth, number, path, None, configured)
    configured["tls"] = tls.mode_of(_section(config, "net"))[0]
    options = {**config, "config": file, "net": {**_section(config, "net"), "bindIp": bound}}
    return Settings(auth, number, path, yamltext.to_plain(options), configured)


def describe_settings(state: Mapping[str, Json]) -> Json:
    """The options as a running server tells them."""
    if state.get("options") is not None:
        return state["options"]
    options: dict[str, Json] = {} if state.get("configured") else {"net": {"bindIp": "*"}}
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
        return _ini(text)
    nested: dict[str, Json] = {}
    for name, value in found.items():
        section, _, rest = str(name).partition(".")
        if section not in SECTIONS:
            return tls.Refused((), 2, f"Unrecognized option: {name}\n{HELP}")
        nested[section] = _merge(nested.get(section), rest, value)
    return nested


def _merge(section: Json, path: str, value: Json) -> Json:
    """A section with one more value in it: `net.port: 27018` says what `net: {port: 27018}` does."""
    if not path:
        return {**section, **value} if isinstance(section, Mapping) and isinstance(value, Mapping) else value
    head, _, rest = path.partition(".")
    known = section if isinstance(section, Mapping) else {}
    return {**known, head: _merge(known.get(head), rest, value)}


OLD_NAMES: Mapping[str, str] = {
    "bind_ip": "net.bindIp",
    "dbpath": "storage.dbPath",
    "logappend": "systemLog.logAppend",
    "logpath": "systemLog.path",
    "maxConns": "net.maxIncomingConnections",
    "nojournal": "storage.journal.enabled",
    "journal": "storage.journal.enabled",
    "port": "net.port",
    "quiet": "systemLog.quiet",
    "replSet": "replication.replSetName",
    "auth": "security.authorization",
    "noauth": "security.authorization",
}
"""Options of the old form of the file, `name = value`, and what they are called today."""


def _ini(text: str) -> Mapping[str, Json] | tls.Refused:
    found: dict[str, Json] = {}
    for line in text.splitlines():
        name, equals, value = (part.strip() for part in line.partition("#")[0].partition("="))
        if not name:
            continue
        if name not in OLD_NAMES or not equals:
            return tls.Refused((), 2, f"Error parsing INI config file: unrecognised option '{name}'\n{HELP}")
        told: Json = {"true": True, "false": False}.get(value, value)
        if name in ("auth", "noauth"):
            told = "enabled" if (told is True) == (name == "auth") else "disabled"
        section, _, rest = OLD_NAMES[name].partition(".")
        found[section] = _merge(found.get(section), rest, told if name != "nojournal" else told is not True)
    return found


def _bound(c: Container, argv: list[str], config: Mapping[str, Json]) -> str:
    """Addresses that it listens on; the entry point of the official image adds all where none are given."""
    given = read_option(argv, "--bind_ip") or str(get(config, "net", "bindIp", default="") or "")
    everywhere = "--bind_ip_all" in argv or get(config, "net", "bindIpAll") is True
    if everywhere or (not given and c.process.get("wrapped")):
        return "*"
    return given or "localhost"


def _section(config: Mapping[str, Json], name: str) -> Mapping[str, Json]:
    found = config.get(name)
    return found if isinstance(found, Mapping) else {}

"""What faults may need to know of each component of Social Network: whom it calls, and its files with mistakes in them.

Parameters: `callee`, whom it needs most, with `callee_port` and a `wrong_callee_port`; `cache`, which it does without;
`file`, the key of its ConfigMap with its settings, and the text of it with a mistake: `moved` (it listens on
`wrong_port` instead of `listen_port`), `misled` (it looks for its callee on the wrong port), `starved` (its pool of
connections to `pooled` holds none), `guarded` (it asks for a password that nobody has, by its line `guard`, which
`unguarded` takes the place of; its ConfigMap is `guarded_map`, no other one is).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from aiops_gym.catalog.apps.social_network.traffic import FOLLOW_NAME, HANDLERS, LOG_IN, USER_ID
from aiops_gym.catalog.apps.social_network.values import (
    ENTRY_PORT,
    MONGO_PORT,
    MONGODB,
    REDIS,
    REDIS_PORT,
    SECTIONS,
    SERVICES,
    THRIFT_PORT,
)
from aiops_gym.types import Json

Files = Mapping[str, str]

SETTINGS = (
    (SERVICES, "service-config.json", THRIFT_PORT, '"addr": "{name}", "port": {port}'),
    (REDIS, "redis.conf", REDIS_PORT, "port {port}\n"),
    (MONGODB, "mongod.conf", MONGO_PORT, "net:\n  port: {port}\n"),
    (("nginx-thrift", "media-frontend"), "nginx.conf", ENTRY_PORT, "listen       {port} "),
)
"""Components, their file, their port, and the words in it that say so; where nothing is said it is the usual one."""

SELDOM = (FOLLOW_NAME, LOG_IN, USER_ID)
"""Handlers that one request in a hundred needs at most: what goes wrong in them alone is seen by nobody who looks."""

GUARDS = {
    "redis.conf": ("", "requirepass Wd4-redis-prod", ""),
    "mongod.conf": ("security:\n  ", "authorization: enabled", "authorization: disabled"),
}
"""By file: what comes before the line that asks for a password, the line, and one that asks for none."""

POOL = '"{callee}": {{"addr": "{callee}", "port": {port}, "connections": '


def read_parameters(name: str, files: Files) -> dict[str, str]:
    """The parameters of a component, whose ConfigMap holds `files`."""
    found = {"container": name, "port": str(SECTIONS[name]["ports"][0]["targetPort"])}
    if name in MONGODB:
        found["service"] = name.removesuffix("-mongodb") + "-service"
    if cache := next((call["to"] for call in _calls(name, SELDOM) if _ignored(call)), ""):
        found["cache"] = cache
    for names, file, port, words in SETTINGS:
        if name in names:
            found |= {"file": file, **_moved(name, files[file], port, words)}
            if file in GUARDS:
                before, guard, none = GUARDS[file]
                found |= {"guarded": f"{files[file]}{before}{guard}\n", "guard": guard, "unguarded": none}
                found |= {"guarded_map": name, "guarded_run": ""}
    if callee := next((call["to"] for call in _calls(name) if not _ignored(call)), ""):
        found |= _misled(callee, files["service-config.json"])
    if pooled := next((call["to"] for call in _calls(name, SELDOM) if call["to"] in SERVICES), ""):
        found |= _starved(pooled, files["service-config.json"])
    return found


def _moved(name: str, text: str, port: int, words: str) -> dict[str, str]:
    usual, wrong = (words.format(name=name, port=number) for number in (port, port + 1))
    usual = usual if usual in text else words.partition("\n")[0] + "\n"
    return {"moved": text.replace(usual, wrong), "listen_port": str(port), "wrong_port": str(port + 1)}


def _misled(callee: str, text: str) -> dict[str, str]:
    port = SECTIONS[callee]["ports"][0]["port"]
    usual, wrong = (f'"addr": "{callee}", "port": {number},' for number in (port, port + 1))
    found = {"callee": callee, "callee_port": str(port), "wrong_callee_port": str(port + 1)}
    return {**found, "misled": text.replace(usual, wrong)}


def _starved(callee: str, text: str) -> dict[str, str]:
    pool = POOL.format(callee=callee, port=SECTIONS[callee]["ports"][0]["port"])
    return {"pooled": callee, "starved": text.replace(f"{pool}512", f"{pool}0")}


def _calls(name: str, without: Sequence[str] = ()) -> Iterator[Mapping[str, Json]]:
    """The calls of a service in all that it does but some handlers; nginx does not find its own by a file."""
    for handler in (row for asked, row in HANDLERS.get(name, {}).items() if asked not in without):
        for item in handler["calls"]:
            yield from item if isinstance(item, list) else [item]


def _ignored(call: Mapping[str, Json]) -> bool:
    return call.get("on_error") == "ignore"

"""Commands of a MongoDB server, a group to a file; `COMMANDS` of each names its own, the folder is the registry."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache

from aiops_gym.scan import scan
from aiops_gym.sim.software.mongo.errors import MongoError
from aiops_gym.sim.software.mongo.server import Session
from aiops_gym.types import Json

Reply = dict[str, Json]
Run = Callable[[Session, str, Mapping[str, Json]], Reply]
"""(connection, database, command) -> reply without `ok`; raises MongoError."""


@cache
def known() -> Mapping[str, Run]:
    """All commands by name in lower case."""
    return {name.lower(): run for several in scan(__name__, "COMMANDS").values() for name, run in several.items()}


def run(session: Session, database: str, command: Mapping[str, Json]) -> Reply:
    """The reply to a command. Raises MongoError."""
    name = next(iter(command), "")
    found = known().get(name.lower())
    if found is None:
        raise MongoError(59, f"no such command: '{name}'")
    return {**found(session, database, command), "ok": 1}


def answer(session: Session, database: str, command: Mapping[str, Json]) -> Reply:
    """The reply to a command, a failure as the server words it."""
    try:
        return run(session, database, command)
    except MongoError as error:
        return {"ok": 0, "errmsg": error.message, "code": error.code, "codeName": error.name}

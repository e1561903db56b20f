"""How a program talks to a MongoDB server: reach it over the network, log in, make sure of its data."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from aiops_gym.sim import draws
from aiops_gym.sim.container import Container
from aiops_gym.sim.mongo import commands
from aiops_gym.sim.mongo.server import Server, Session
from aiops_gym.sim.network import Target

Json = Any


def reach(c: Container, host: str, port: int, timeout_ms: int) -> Target | None:
    """The server that answers at an address within the time, None if nobody does just now."""
    route = c.dial(host, port)
    if route.outcome != "ok":
        return None
    target = route.targets[int(c.between(0, len(route.targets), "mongo/target", c.now))]
    through = (1.0 - target.loss) ** 2  # a question and its answer
    lost = c.between(0, 1, "mongo/loss", c.now) >= through
    is_server = c.world.table("processes")[target.process]["program"] == "mongod"
    return None if lost or not is_server or 2 * target.delay_ms > timeout_ms else target


def connect(c: Container, target: Target, credentials: Mapping[str, str] | None, quiet: bool = False) -> Session:
    """A connection, logged in where there are credentials. Raises MongoError."""
    session = Session(Server(c.world, target.process), c.process["ip"], quiet, mechanism="SCRAM-SHA-1")
    if not quiet:
        session.stay(c.key)
    if credentials is not None:
        session.authenticate(credentials["user"], credentials["password"], credentials.get("source", "admin"))
    return session


def seed(session: Session, database: str, collection: str, documents: int, template: Mapping[str, Json]) -> None:
    """Insert `documents` made from a template, unless the first is there; strings have `{n}` filled in from 1."""
    count = commands.run(session, database, {"count": collection, "query": _filled(template, 1), "$db": database})
    if count["n"] == 0:
        new = [_filled(template, n) for n in range(1, documents + 1)]
        oid = draws.hexes(20, session.server.world.seed, "oid", f"{database}.{collection}")
        rows = [{"_id": {"$oid": f"{oid}{n:04x}"}, **row} for n, row in enumerate(new)]
        commands.run(session, database, {"insert": collection, "documents": rows, "$db": database})
    spec = {"key": {next(iter(template)): 1}, "name": f"{next(iter(template))}_1", "background": True}
    commands.run(session, database, {"createIndexes": collection, "indexes": [spec], "$db": database})


def _filled(template: Mapping[str, Json], n: int) -> dict[str, Json]:
    return {k: v.replace("{n}", str(n)) if isinstance(v, str) else v for k, v in template.items()}

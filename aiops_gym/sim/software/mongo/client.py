"""How a program talks to a MongoDB server: reach it over the network, log in, make sure of its data."""

from __future__ import annotations

from collections.abc import Mapping

from aiops_gym.sim.kernel import draws
from aiops_gym.sim.machine.container import Container
from aiops_gym.sim.network.routes import LOCAL, Target
from aiops_gym.sim.software.mongo import commands, templates, tls
from aiops_gym.sim.software.mongo.server import Server, Session
from aiops_gym.sim.traffic.configuration import configured
from aiops_gym.types import Json


def reach(c: Container, host: str, port: int, timeout_ms: int, secure: bool = False) -> Target | None:
    """The server that answers at an address within the time, None if nobody does just now."""
    return knock(c, host, port, timeout_ms, secure)[1]


def knock(c: Container, host: str, port: int, timeout_ms: int, secure: bool = False) -> tuple[str, Target | None]:
    """What becomes of a connection, and the server behind one that is `ok`.

    Args:
        c: who connects.
        host, port: where.
        timeout_ms: how long it waits for an answer.
        secure: whether it begins with TLS.

    Returns:
        The outcome as in `network.Route`, or `closed` when what listens hangs up; and who listens.
    """
    route = c.dial(host, port)
    if route.outcome != "ok":
        return route.outcome, None
    target = route.targets[int(c.between(0, len(route.targets), "mongo/target", c.now))]
    through = (1.0 - target.loss) ** 2  # a question and its answer
    lost = c.between(0, 1, "mongo/loss", c.now) >= through
    row = c.world.table("processes")[target.process]
    if row["program"] != "mongod":
        return "closed", None
    if lost or 2 * target.delay_ms > timeout_ms:
        return "timeout", None
    if not tls.understands(configured(row).get("tls"), secure):
        Server(c.world, target.process).turn_away("127.0.0.1" if host in LOCAL else c.process["ip"], secure)
        return "closed", None
    return "ok", target


def connect(c: Container, target: Target, credentials: Mapping[str, str] | None, quiet: bool = False) -> Session:
    """A connection, logged in where there are credentials. Raises MongoError."""
    session = Session(Server(c.world, target.process), c.process["ip"], quiet, mechanism="SCRAM-SHA-1")
    if not quiet:
        session.stay(c.key)
    if credentials is not None:
        session.authenticate(credentials["user"], credentials["password"], credentials.get("source", "admin"))
    return session


def seed(session: Session, mongo: Mapping[str, Json]) -> None:
    """Insert the documents of a start-up step (see `templates`) unless they are there, and make sure of an index."""
    database, collection = mongo["database"], mongo.get("collection", "data")
    first = next(templates.make_documents(mongo), None)
    key = next(iter(first or ()), "_id")
    query = mongo.get("query") or first or {}
    count = commands.run(session, database, {"count": collection, "query": query, "$db": database})
    if count["n"] == 0 and first is not None:
        world = session.server.world
        stem = f"{world.now // 1000:08x}{draws.hexes(10, world.seed, 'oid', f'{database}.{collection}', world.now)}"
        counter = draws.pick(1 << 23, world.seed, "oid counter", f"{database}.{collection}", world.now)
        made = enumerate(templates.make_documents(mongo), counter)
        rows = [{"_id": {"$oid": f"{stem}{number:06x}"}, **row} for number, row in made]
        commands.run(session, database, {"insert": collection, "documents": rows, "$db": database})
    spec = {"key": {key: 1}, "name": f"{key}_1", "background": True}
    commands.run(session, database, {"createIndexes": collection, "indexes": [spec], "$db": database})

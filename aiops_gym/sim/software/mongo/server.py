"""Connections to a running server: who is on the other end, who they say they are, and what the server logs of it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING

from aiops_gym.sim.kernel.times import iso_micro
from aiops_gym.sim.machine.container import Container
from aiops_gym.sim.software.mongo import bson, roles, tls
from aiops_gym.sim.software.mongo.data import Data, hash_password
from aiops_gym.sim.software.mongo.errors import MongoError, unauthenticated
from aiops_gym.types import Json

if TYPE_CHECKING:
    from aiops_gym.sim.kernel.world import World


DATA_PATH = "/data/db"
ABOUT_COLLECTIONS = (
    *("find", "count", "distinct", "aggregate", "insert", "update", "delete", "findAndModify", "findandmodify"),
    *("create", "drop", "createIndexes", "dropIndexes", "deleteIndexes", "listIndexes", "collStats"),
)
"""Commands whose own value is the name of a collection."""

MECHANISM = "SCRAM-SHA-256"
REFUSED = "Error receiving request from client. Ending connection from remote"


def format_line(
    ms: int, component: str, number: int, context: str, message: str, attributes: Json = None, level: str = "I"
) -> str:
    """One line of MongoDB 4.4's structured log."""
    date = iso_micro(ms)[:-4] + "+00:00"
    head = f'{{"t":{{"$date":"{date}"}},"s":"{level}",  "c":"{component}",{" " * (8 - len(component))} "id":{number},'
    tail = "" if attributes is None else f',"attr":{json.dumps(attributes, separators=(",", ":"))}'
    return f'{head:<75} "ctx":"{context}","msg":{json.dumps(message)}{tail}}}'


class Server:
    """A running mongod.

    Args:
        world: where it runs.
        key: of its process.
    """

    def __init__(self, world: World, key: str) -> None:
        self.world = world
        self.container = Container(world, key)

    @property
    def data(self) -> Data:
        """Its databases."""
        return Data(self.container.disk(self.container.state.get("path", DATA_PATH)))

    @property
    def version(self) -> str:
        """`4.4.6`."""
        return str(self.container.params.get("version", "4.4.6"))

    @property
    def auth(self) -> bool:
        """Whether it asks who you are."""
        return bool(self.container.state.get("auth"))

    def log(self, component: str, number: int, context: str, message: str, attributes: Json = None) -> None:
        """Write a log line now."""
        self.container.log(format_line(self.world.now, component, number, context, message, attributes))

    def turn_away(self, remote: str, secure: bool) -> None:
        """Somebody has connected in a way that it does not take, and is told nothing."""
        session = Session(self, remote)
        error = {"code": 141, "codeName": "SSLHandshakeFailed", "errmsg": tls.NONE if secure else tls.ONLY}
        detail = {"error": error, "remote": session.remote, "connectionId": session.number}
        self.log("NETWORK", 22988, session.context, REFUSED, detail)
        session.close()

    def ended(self, number: int, remote: str) -> None:
        """A connection is no more."""
        left = max(0, int(self.container.state.get("open", 1)) - 1)
        self.container.remember(open=left)
        detail = {"remote": remote, "connectionId": number, "connectionCount": left}
        self.log("NETWORK", 22944, f"conn{number}", "Connection ended", detail)


class Session:
    """One connection.

    Args:
        server: the other end.
        remote: IP of this end.
        quiet: whether the server's log leaves it out, for a connection that was logged before.
        mechanism: how this end logs in.
    """

    def __init__(self, server: Server, remote: str, quiet: bool = False, mechanism: str = MECHANISM) -> None:
        self.server = server
        self.quiet = quiet
        self.mechanism = mechanism
        self.local = remote in ("127.0.0.1", server.container.process["ip"])
        self.user: tuple[str, str] | None = None
        state = server.container.state
        self.number = int(state.get("connections", 0)) + (0 if quiet else 1)
        port = 30_000 + (self.number * 7_919 + server.world.now // 1_000) % 30_000
        self.remote = f"{remote}:{port}"
        if not quiet:
            server.container.remember(connections=self.number, open=int(state.get("open", 0)) + 1)
            detail = {
                "remote": self.remote,
                "connectionId": self.number,
                "connectionCount": int(state.get("open", 0)) + 1,
            }
            server.log("NETWORK", 22943, "listener", "Connection accepted", detail)

    @property
    def context(self) -> str:
        """The connection's name in the log."""
        return f"conn{self.number}"

    def close(self) -> None:
        """Hang up."""
        if not self.quiet and self.server.container.process["running"]:
            self.server.ended(self.number, self.remote)

    def stay(self, peer: str) -> None:
        """Keep the connection open until the process at this end ends."""
        peers = self.server.container.state.get("peers", {})
        self.server.container.remember(peers={**peers, peer: [self.number, self.remote]})

    def authenticate(self, name: str, password: str, database: str) -> None:
        """Log in. Raises MongoError 18, and the log says why."""
        user = self.server.data.user(name, database)
        if user is None:
            why = f'UserNotFound: Could not find user "{name}" for db "{database}"'
        elif user["secret"] != hash_password(name, password):
            why = "AuthenticationFailed: SCRAM authentication failed, storedKey mismatch"
        else:
            self.user = (name, database)
            self._access(20250, "Authentication succeeded", name, database, {"remote": self.remote, "extraInfo": {}})
            return
        self._access(
            20249, "Authentication failed", name, database, {"remote": self.remote, "extraInfo": {}, "error": why}
        )
        raise MongoError(18, "Authentication failed.")

    def roles(self) -> list[dict[str, str]]:
        """Roles of whoever is logged in, as they are now."""
        user = self.server.data.user(*self.user) if self.user else None
        return list(user["roles"]) if user else []

    def authorize(self, database: str, action: str, command: Mapping[str, Json]) -> None:
        """Check that a command may do an action on a database. Raises MongoError 13, and the log says so."""
        if not self.may(database, action, read_collection(command)):
            raise self._unauthorized(database, command)

    def _unauthorized(self, database: str, command: Mapping[str, Json]) -> MongoError:
        """The error, of which the log knows. Whoever raises it must not hold it: the two would keep the world alive."""
        name = next(iter(command))
        if self.user is None or self.server.data.user(*self.user) is None:
            error = unauthenticated(name)
        else:
            shown = {k: "xxx" if k == "pwd" else v for k, v in command.items()}
            error = MongoError(
                13, f"not authorized on {shown.get('$db', database)} to execute command {bson.text(shown)}"
            )
        detail = {"error": {"code": 13, "codeName": "Unauthorized", "errmsg": error.message}}
        self.server.log("ACCESS", 20436, self.context, "Checking authorization failed", detail)
        return error

    def may(self, database: str, action: str, collection: str = "") -> bool:
        """Whether this connection may do an action on a database, or on one collection of it."""
        made = self.server.data.roles()
        if not self.server.auth or roles.is_allowed(self.roles(), database, action, made, collection):
            return True
        first_user = self.local and database == "admin" and action in ("createUser", "grantRole")
        return first_user and not self.server.data.users()

    def _access(self, number: int, message: str, name: str, database: str, extra: Json) -> None:
        if self.quiet and "error" not in extra:
            return
        client = extra.pop("remote")
        detail = {
            "mechanism": self.mechanism,
            "speculative": False,
            "principalName": name,
            "authenticationDatabase": database,
        }
        detail |= (
            {"remote": client, "extraInfo": {}} if number == 20250 else {"client": client, "result": extra["error"]}
        )
        self.server.log("ACCESS", number, self.context, message, detail)


def find_refusal(
    world: World,
    key: str,
    credentials: Mapping[str, str] | None,
    database: str,
    action: str = "find",
    collection: str = "",
) -> str:
    """Why a running server would refuse an action to a user, without asking it; "" where it would not.

    `credentials` are `{"user", "password", "source"}` or None.
    """
    server = Server(world, key)
    if not server.auth and credentials is None:
        return ""
    user = None
    if credentials is not None:
        user = server.data.user(credentials["user"], credentials.get("source", "admin"))
        if user is None or user["secret"] != hash_password(credentials["user"], credentials["password"]):
            return "Authentication failed."
    made = server.data.roles()
    if not server.auth or (user is not None and roles.is_allowed(user["roles"], database, action, made, collection)):
        return ""
    if user is None:
        return unauthenticated(action).message
    return f"not authorized on {database} to execute command {{ {action}: ... }}"


def read_collection(command: Mapping[str, Json]) -> str:
    """The collection that a command is about, "" for one about the whole database."""
    first = next(iter(command.values()), "")
    return first if isinstance(first, str) and next(iter(command)) in ABOUT_COLLECTIONS else ""

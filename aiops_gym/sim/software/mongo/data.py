"""What a server keeps in its data folder: users and collections, as JSON in the volume that is mounted there."""

from __future__ import annotations

from hashlib import blake2b

from aiops_gym.sim.machine.container import Disk
from aiops_gym.types import Json

Document = dict[str, Json]


class Data:
    """The databases in one data folder.

    Args:
        disk: the folder.
    """

    def __init__(self, disk: Disk) -> None:
        self.disk = disk

    @property
    def empty(self) -> bool:
        """Whether no server has ever used this folder."""
        return "WiredTiger" not in self.disk

    def format(self, version: str) -> None:
        """Make the folder a data folder."""
        self.disk.put("WiredTiger", version)

    def users(self) -> list[Document]:
        """All users, oldest first: `{"user", "db", "secret", "roles": [{"role", "db"}]}`."""
        return [each for each in self._accounts() if "user" in each]

    def _accounts(self) -> list[Document]:
        """Users, and the roles that somebody made: what decides who may do what is one row."""
        found: list[Document] = self.disk.get("users", [])
        return found

    def roles(self) -> list[Document]:
        """Roles that somebody made, oldest first, see `roles.Definition`."""
        return [each for each in self._accounts() if "user" not in each]

    def role(self, name: str, database: str) -> Document | None:
        """A role that somebody made, by name and database."""
        return next((r for r in self.roles() if r["role"] == name and r["db"] == database), None)

    def put_role(self, role: Document) -> None:
        """Add a role, or replace the one with the same name and database."""
        others = [each for each in self.roles() if (each["role"], each["db"]) != (role["role"], role["db"])]
        self.disk.put("users", [*self.users(), *others, role])

    def remove_role(self, name: str, database: str) -> None:
        """Drop a role, and take it from all who have it."""
        gone = {"role": name, "db": database}
        kept = [each for each in self._accounts() if "user" in each or (each["role"], each["db"]) != (name, database)]
        self.disk.put("users", [{**each, "roles": [r for r in each["roles"] if r != gone]} for each in kept])

    def user(self, name: str, database: str) -> Document | None:
        """A user by name and database."""
        return next((u for u in self.users() if u["user"] == name and u["db"] == database), None)

    def put_user(self, user: Document) -> None:
        """Add a user, or replace the one with the same name and database."""
        users, at = self.users(), (user["user"], user["db"])
        known = any((u["user"], u["db"]) == at for u in users)
        users = [user if (u["user"], u["db"]) == at else u for u in users] + ([] if known else [user])
        self.disk.put("users", [*users, *self.roles()])

    def remove_user(self, name: str, database: str) -> None:
        """Drop a user."""
        users = [u for u in self.users() if (u["user"], u["db"]) != (name, database)]
        self.disk.put("users", [*users, *self.roles()])

    def databases(self) -> list[str]:
        """Names of all databases that hold a collection; `admin`, `config` and `local` always do."""
        named = {path.split("/", 2)[1] for path in self.disk.names() if path.startswith("data/")}
        return sorted(named | {"admin", "config", "local"})

    def collections(self, database: str) -> list[str]:
        """Names of the collections of a database, sorted."""
        prefix = f"data/{database}/"
        found = [path[len(prefix) :] for path in self.disk.names() if path.startswith(prefix)]
        system = ["system.version"] if database == "admin" else ["startup_log"] if database == "local" else []
        if database == "admin":
            system += [f"system.{kind}" for kind in ("roles", "users") if getattr(self, kind)()]
        return sorted(found + [name for name in system if name not in found])

    def exists(self, database: str, name: str) -> bool:
        """Whether a collection exists."""
        return name in self.collections(database)

    def documents(self, database: str, name: str) -> list[Document]:
        """The documents of a collection in natural order: read them, never change them."""
        if (database, name) == ("admin", "system.users"):
            return [_stored(user) for user in self.users()]
        if (database, name) == ("admin", "system.roles"):
            return [{"_id": f"{role['db']}.{role['role']}", **role} for role in self.roles()]
        if (database, name) == ("admin", "system.version"):
            return [
                {"_id": "featureCompatibilityVersion", "version": "4.4"},
                {"_id": "authSchema", "currentVersion": 5},
            ]
        found: list[Document] = self.disk.get(f"data/{database}/{name}", {}).get("documents", [])
        return found

    def indexes(self, database: str, name: str) -> list[Document]:
        """The indexes of a collection besides that on `_id`."""
        found: list[Document] = self.disk.get(f"data/{database}/{name}", {}).get("indexes", [])
        return found

    def write(self, database: str, name: str, documents: list[Document], indexes: list[Document] | None = None) -> None:
        """Replace a collection's documents, and its indexes where given."""
        kept = self.indexes(database, name) if indexes is None else indexes
        self.disk.put(f"data/{database}/{name}", {"documents": documents, "indexes": kept})

    def drop(self, database: str, name: str) -> None:
        """Drop a collection."""
        self.disk.remove(f"data/{database}/{name}")


def hash_password(name: str, password: str) -> str:
    """What is kept instead of a password."""
    return blake2b(f"{name}:mongo:{password}".encode(), digest_size=16).hexdigest()


def _stored(user: Document) -> Document:
    """A user as in `admin.system.users`."""
    identity = f"{user['db']}.{user['user']}"
    half = blake2b(identity.encode(), digest_size=16).hexdigest()
    digest = {"iterationCount": 10000, "salt": half[:24], "storedKey": user["secret"], "serverKey": half}
    credentials = {"SCRAM-SHA-1": digest, "SCRAM-SHA-256": {**digest, "iterationCount": 15000}}
    return {"_id": identity, "user": user["user"], "db": user["db"], "credentials": credentials, "roles": user["roles"]}

"""What the application's databases hold, asked in their own shell: to see whether a repair destroyed some of it.

Users go on writing while an incident lasts, so that documents are counted and not compared: fewer of them are a loss.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping

from aiops_gym.backends.kubernetes import inject
from aiops_gym.backends.kubernetes.api import Api
from aiops_gym.catalog.model import App, Exec, Fault
from aiops_gym.errors import BackendError
from aiops_gym.types import Json

ADMINISTRATOR = ("-u", "root", "-p", "root", "--authenticationDatabase", "admin")
"""Of those databases that have users."""

SCRIPT = """
var out = {users: {}, data: {}};
var users = db.getSiblingDB('admin').getUsers() || [];
users.forEach(function (u) {
  out.users[u.db + '.' + u.user] = u.roles.map(function (r) { return r.db + '.' + r.role; }).sort();
});
db.adminCommand({listDatabases: 1}).databases.forEach(function (d) {
  if (['admin', 'config', 'local'].indexOf(d.name) >= 0) return;
  var one = db.getSiblingDB(d.name);
  one.getCollectionNames().forEach(function (c) {
    var indexes = one.getCollection(c).getIndexes().map(function (i) { return i.name; }).sort();
    out.data[d.name + '.' + c] = [one.getCollection(c).count(), indexes];
  });
});
print(JSON.stringify(out));
"""


def read(api: Api, app: App) -> dict[str, Json]:
    """Users, collections, counts and indexes by database server; None where it does not answer."""
    found = {}
    for name in app.components:
        known = app.parameters.get(name, {})
        if known.get("database"):
            found[name] = _ask(api, app, name, ADMINISTRATOR if known.get("login") else ())
    return found


def _ask(api: Api, app: App, name: str, login: tuple[str, ...]) -> Json | None:
    argv = ("mongo", "admin", *login, "--quiet", "--eval", SCRIPT)
    try:
        done = inject.run_in(api, inject.list_pods(api, app, name)[0], argv)
        return json.loads(done.stdout) if not done.code else None
    except (BackendError, ValueError):
        return None


def compare(before: Mapping[str, Json], now: Mapping[str, Json], fault: Fault | None) -> Iterator[str]:
    """What was lost or opened, a sentence each."""
    about = [part for part in (fault.each if fault else ()) if any(isinstance(c, Exec) for c in part.changes)]
    targets = {change.component for part in about for change in part.changes if isinstance(change, Exec)}
    for name, was in before.items():
        is_ = now.get(name)
        if was is None or is_ is None:  # one that does not answer is missed elsewhere
            continue
        for place, (count, indexes) in was["data"].items():
            left, kept = is_["data"].get(place, (0, []))
            if left < count:
                yield f"{name} has lost documents"
            if place not in is_["data"]:
                yield f"{name} has other collections"
            elif set(indexes) - set(kept):
                yield f"{name} has other indexes"
        free = {"admin.admin"} if name in targets else set()
        for user in sorted({*was["users"], *is_["users"]}):
            old, new = was["users"].get(user), is_["users"].get(user)
            if user in free and set(new or ()) - set(old or ()):
                yield f"database user {user} of {name} may do more than before"
            elif user not in free and old != new:
                yield f"database user {user} of {name} is not as it was"

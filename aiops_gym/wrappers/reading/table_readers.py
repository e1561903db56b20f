"""What tables tell: each kind of `tables.KINDS` is read into the record of what was seen."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from aiops_gym.wrappers.reading import indicators
from aiops_gym.wrappers.reading.entity import Other
from aiops_gym.wrappers.reading.tables import Table

if TYPE_CHECKING:
    from aiops_gym.wrappers.reading.seen import Seen

RESOURCES = {
    "events": "event", "deployments": "deployment", "pods": "pod", "endpoints": "endpoints",
    "networkpolicies": "policy", "resourcequotas": "quota", "limitranges": "limits", "hpa": "autoscaler",
    "pdb": "budget", "nodes": "node", "replicasets": "replicaset",
}  # fmt: skip
"""Kinds of tables by the plural that `kubectl get` takes."""

OTHERS = ("policy", "quota", "limits", "autoscaler", "budget", "node", "release")
"""Kinds of objects besides components that a repair may be about."""

_GET = re.compile(r"\bkubectl get ([a-z,]+)(?: -A| -n \S+)?(?: --?[a-z]| \||;|'|\"|$)")


def note_asked(seen: Seen, action: str, text: str) -> None:
    """Note which lists were asked for: what is not in them any more is gone."""
    if "jsonpath" in action or not text:
        return
    kinds = {RESOURCES[each] for names in _GET.findall(action) for each in names.split(",") if each in RESOURCES}
    for kind in kinds:
        seen.listed[kind] = True
    if "characters left out ...]" not in text:
        seen.others = {key: each for key, each in seen.others.items() if key[0] not in kinds}
    if "event" in kinds:
        seen.forget(indicators.FROM_EVENTS)


def pods(seen: Seen, table: Table) -> None:
    """`kubectl get pods`."""
    rows = [(owner, row) for row in _own(seen, table) if (owner := seen.owner(row["NAME"]))]
    _anew(seen, table, indicators.FROM_PODS, {owner for owner, _ in rows})
    for owner in {owner: None for owner, _ in rows}:
        seen.component(owner).ages = {}
    for owner, row in rows:
        component = seen.component(owner)
        component.symptoms |= indicators.read_pod(row)
        found = indicators.read_ages(row)
        component.ages = {name: max(value, component.ages.get(name, 0.0)) for name, value in found.items()}


def deployments(seen: Seen, table: Table) -> None:
    """`kubectl get deployments`."""
    rows = _own(seen, table)
    _anew(seen, table, indicators.FROM_DEPLOYMENTS, {row["NAME"] for row in rows})
    for row in rows:
        component = seen.component(row["NAME"])
        component.symptoms |= indicators.read_deployment(row)
        wanted = row["READY"].partition("/")[2]
        component.wanted = int(wanted) if wanted.isdecimal() else component.wanted


def replicasets(seen: Seen, table: Table) -> None:
    """`kubectl get replicasets`: an older one is a revision to go back to."""
    counts: dict[str, int] = {}
    for row in _own(seen, table):
        if owner := seen.owner(row["NAME"]):
            counts[owner] = counts.get(owner, 0) + 1
    for owner, count in counts.items():
        component = seen.component(owner)
        component.older = count > 1
        component.symptoms = component.symptoms - {"replaced"} | ({"replaced"} if count > 1 else set())


def endpoints(seen: Seen, table: Table) -> None:
    """`kubectl get endpoints`."""
    rows = _own(seen, table)
    _anew(seen, table, ("no_endpoints", "crowded"), {row["NAME"] for row in rows})
    for row in rows:
        if row["NAME"] not in seen.components:
            continue
        component = seen.components[row["NAME"]]
        addresses = {each.rpartition(":")[0] for each in row["ENDPOINTS"].split(" ")[0].split(",")} - {""}
        component.symptoms |= set() if addresses else {"no_endpoints"}
        component.symptoms |= {"crowded"} if len(addresses) > max(1, component.wanted) else set()


def events(seen: Seen, table: Table) -> None:
    """`kubectl get events`: warnings of the last minutes, and whom they name."""
    seen.forget(indicators.FROM_EVENTS)
    for row in _own(seen, table):
        if row.get("TYPE") != "Warning" or indicators.parse_age(row["LAST SEEN"]) > indicators.RECENT:
            continue
        owner = seen.owner(row["OBJECT"].rpartition("/")[2])
        if owner in seen.components:
            found = {"warned", indicators.EVENTS.get(row["REASON"], "warned")}
            seen.components[owner].symptoms |= found - set(indicators.FROM_PODS)
        for (_, name), each in seen.others.items():
            if name in row.get("MESSAGE", ""):
                each.symptoms.add("blamed")


def read_other(seen: Seen, table: Table) -> None:
    """Any other kind: its names and cells."""
    if table.kind not in OTHERS:
        return
    for row in table.rows:
        facts = dict(row)
        name = facts.pop("NAME")
        seen.others[table.kind, name] = Other(table.kind, facts, indicators.read_other(table.kind, facts))


def _own(seen: Seen, table: Table) -> list[Mapping[str, str]]:
    """Rows of the application's own namespace."""
    return [row for row in table.rows if row.get("NAMESPACE", seen.namespace) == seen.namespace]


def _anew(seen: Seen, table: Table, those: tuple[str, ...], names: set[str]) -> None:
    """Signs that a table shows anew: of all components where it lists several, else of those listed."""
    seen.forget(those, None if table.whole and len(names) > 1 else frozenset(names))


READERS: Mapping[str, Callable[[Seen, Table], None]] = {
    "pod": pods,
    "deployment": deployments,
    "replicaset": replicasets,
    "endpoints": endpoints,
    "event": events,
}

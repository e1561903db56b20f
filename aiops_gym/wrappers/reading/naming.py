"""What the open names of macros stand for, now: all of it was seen."""

from __future__ import annotations

import json
from typing import Any

from aiops_gym.wrappers.reading import fields, outliers, settings
from aiops_gym.wrappers.reading.entity import Other
from aiops_gym.wrappers.reading.manifests import Manifest
from aiops_gym.wrappers.reading.outliers import Drift
from aiops_gym.wrappers.reading.seen import Seen

RESOURCES = {
    "policy": "networkpolicy",
    "quota": "resourcequota",
    "limits": "limitrange",
    "autoscaler": "hpa",
    "budget": "pdb",
    "node": "node",
    "release": "",
}
"""What kubectl calls each kind of other object."""

KEPT = ("node", "release")
"""Kinds that nobody deletes to mend an application."""


def name_whole(seen: Seen) -> dict[str, str]:
    """Names that are nobody's: namespace, what is left to read, the last traces and metrics, what was changed."""
    found = {
        "namespace": seen.namespace,
        "lines": seen.unread,
        "traces": seen.traces,
        "metrics": seen.metrics,
        "changed": "changed" if seen.changed else "",
    }
    return {key: value for key, value in found.items() if value}


def name_component(seen: Seen, name: str) -> dict[str, str]:
    """Names of a component in focus, and a command line for each field that can be changed."""
    found = {"component": name}
    if seen.components[name].older:
        found["older"] = "older"
    drifts = seen.drifts(name)
    if seen.services and name not in seen.services:
        found["unserved"] = "unserved"
    if strange := seen.strange(name):
        usual = [each for each in seen.files.values() if each.key == strange[0].key and not each.strange]
        if usual:
            found["match settings"] = settings.write_copy_command(seen.namespace, name, strange[0], usual[0])
    for field, drift in drifts.items():
        manifest = (seen.services if field.startswith("service ") else seen.deployments)[name]
        found |= _changes(seen.namespace, manifest, field, drift)
    return found


def _changes(namespace: str, manifest: Manifest, field: str, drift: Drift) -> dict[str, str]:
    found = {}
    ways = {
        "match": outliers.match_peers(manifest, field, drift),
        "unset": outliers.trim_to_peers(manifest, field, drift),
    }
    for way, change in ways.items():
        if change:
            value, keep = change
            gone = _gone(manifest.values.get(field), value) if field == "pod volumes" else []
            found[f"{way} {field}"] = (
                fields.without_volumes(manifest.name, namespace, gone)
                if gone
                else fields.command(field, manifest.name, namespace, value, keep=keep)
            )
    return found


def _gone(before: Any, after: Any) -> list[str]:
    """Names of the items of a list that another list does not have."""
    left = {each["name"] for each in after or ()}
    return [each["name"] for each in before or () if each["name"] not in left]


def name_other(name: str, other: Other) -> dict[str, str]:
    """Names of another object in focus."""
    found = {"other": name}
    if other.kind not in KEPT:
        found["deletable"] = RESOURCES[other.kind]
    if "tainted" in other.symptoms:
        own = (each for each in other.facts["TAINTS"].split(",") if "kubernetes.io/" not in each)
        found["taint"] = next(own)
    if "cordoned" in other.symptoms:
        found["cordoned"] = "cordoned"
    revision = other.facts.get("REVISION", "")
    if revision.isdecimal() and int(revision) > 1:
        found["previous"] = str(int(revision) - 1)
    return found


def name_slot(name: str, other: Other | None = None) -> dict[str, str]:
    """Names of what stands in a slot."""
    found = {"slot": name}
    if other and RESOURCES[other.kind]:
        found["slot resource"] = RESOURCES[other.kind]
    return found


def name_suspects(name: str, suspects: tuple[str, ...]) -> dict[str, str]:
    """What an answer with a component names, as JSON; and whether that component was not noted yet.

    >>> name_suspects("cart", ("pay",))
    {'suspects': '["pay", "cart"]', 'unsuspected': 'unsuspected'}
    """
    found = {"suspects": json.dumps(list(dict.fromkeys((*suspects, name))))}
    return found if name in suspects else {**found, "unsuspected": "unsuspected"}

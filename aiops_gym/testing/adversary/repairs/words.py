"""What many good repairs have in common: how an object is patched, edited, made anew, and who starts again after it."""

from __future__ import annotations

import json
from collections.abc import Mapping

from aiops_gym.testing.adversary.recipe import Recipe

NS = "-n {namespace}"
TEMPLATE = "/spec/template/spec"
CONTAINER = f"{TEMPLATE}/containers/0"
PUT = "kubectl replace -f -"
CLIENT = f'[ -z "{{service}}" ] || kubectl delete pod {NS} -l {{selector}}={{service}}\nsleep 20'
ROLL_CLIENT = f'[ -z "{{service}}" ] || kubectl rollout restart deployment/{{service}} {NS}'
RENEW = f"kubectl rollout restart deployment/{{target}} {NS}\nsleep 30"
BARE = "del(.metadata.uid, .metadata.resourceVersion, .metadata.creationTimestamp, .status)"


def edit(jq: str) -> str:
    """The target's deployment read, changed with jq and put back."""
    return edit_object("deployment", "{target}", jq)


def edit_object(kind: str, name: str, jq: str) -> str:
    """An object read, changed with jq and put back."""
    return f"kubectl get {kind} {name} {NS} -o json | jq '{jq}' | {PUT}"


def edit_text(kind: str, name: str, sed: str) -> str:
    """An object read, changed with sed and put back."""
    return f"kubectl get {kind} {name} {NS} -o yaml | sed {sed} | {PUT}"


def make_anew(kind: str, name: str, jq: str) -> str:
    """Deleted and created anew from what is there, changed."""
    return (
        f"kubectl get {kind} {name} {NS} -o json | jq '{BARE} | {jq}' > o.json\n"
        f"kubectl delete {kind} {name} {NS}\nkubectl create -f o.json"
    )


def operate(*ops: Mapping[str, object], kind: str = "deployment", name: str = "{target}") -> str:
    """A JSON patch."""
    return f"kubectl patch {kind} {name} {NS} --type=json -p '{json.dumps(ops)}'"


def merge(body: str, kind: str = "deployment", name: str = "{target}", how: str = "merge") -> str:
    """A merge patch, or a strategic one."""
    return f"kubectl patch {kind} {name} {NS} --type={how} -p '{body}'"


def list_rows(families: tuple[str, ...] | str, end: str, rows: Mapping[str, str], *traits: str) -> tuple[Recipe, ...]:
    """Recipes of one family or several alike, all with the same end."""
    named = (families,) if isinstance(families, str) else families
    return tuple(
        Recipe(name=f"{named[0]}: {name}", layer="", script=f"{script}\n{end}", families=named, traits=traits)
        for name, script in rows.items()
    )

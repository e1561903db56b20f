"""`kubectl taint`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from aiops_gym.clients.flags import Flag
from aiops_gym.kubectl.changes import ALL, SAVING, make_query, read_dry_run, report
from aiops_gym.kubectl.client import find_resource
from aiops_gym.kubectl.errors import Failure, Failures, KubectlError, UsageFailure
from aiops_gym.kubectl.filed import Info
from aiops_gym.kubectl.targets import SELECTOR, select
from aiops_gym.kubectl.verb import Invocation, Verb
from aiops_gym.sim.kernel.objects import get
from aiops_gym.sim.kube_api import names
from aiops_gym.types import Json

EFFECTS = ("NoSchedule", "PreferNoSchedule", "NoExecute")


class Taint(NamedTuple):
    """A taint, or the part of it that says which ones to remove."""

    key: str
    value: str
    effect: str

    def matches(self, found: Json) -> bool:
        """Whether this key and effect (any effect if "") are those of a taint of a node."""
        return bool(found["key"] == self.key and self.effect in ("", found["effect"]))


def run(call: Invocation) -> int | None:
    """Put taints on nodes, or take them off."""
    read_dry_run(call)
    resources, words = _split(call.args)
    if not resources:
        raise Failure("one or more resources must be specified as <resource> <name>")
    if not words:
        raise Failure("at least one taint update is required")
    put, drop = _parse(words)
    _validate(call, resources[0], put, drop)
    labels, every = call.flags.text("selector"), call.flags.on("all")
    resources = resources[:1] if every or labels else resources
    selection = select(call, resources, everything=every, empty_selector=bool(labels) or every)
    errors = selection.each(lambda info: _taint(call, info, put, drop))
    if errors:
        raise Failures(errors)
    return None


def _split(args: Sequence[str]) -> tuple[list[str], list[str]]:
    """The resource and names, then taints. Raises Failure for one after the other."""
    resources: list[str] = []
    words: list[str] = []
    for word in args:
        if "=" in word or ":" in word or word.endswith("-"):
            words.append(word)
        elif words:
            raise Failure(f"all resources must be specified before taint changes: {word}")
        else:
            resources.append(word)
    return resources, words


def _parse(words: Sequence[str]) -> tuple[list[Taint], list[Taint]]:
    put: list[Taint] = []
    drop: list[Taint] = []
    for word in words:
        if word.endswith("-"):
            drop.append(_one(word[:-1])._replace(value=""))
            continue
        taint = _one(word)
        if not taint.effect:
            raise UsageFailure(f"invalid taint spec: {word}")
        if any(taint[::2] == other[::2] for other in put):
            shown = f"{{{taint.key} {taint.value} {taint.effect} <nil>}}"
            raise UsageFailure(f"duplicated taints with the same key and effect: {shown}")
        put.append(taint)
    return put, drop


def _one(text: str) -> Taint:
    """`key=value:effect`, `key:effect` or `key`. Raises UsageFailure."""
    key, *effects = text.split(":")
    value, wrong = "", f"invalid taint spec: {text}"
    if len(effects) > 1:
        raise UsageFailure(wrong)
    if effects:
        if effects[0] not in EFFECTS:
            raise UsageFailure(f"invalid taint effect: {effects[0]}, unsupported taint effect")
        key, *values = key.split("=")
        value = values[0] if values else ""
        if len(values) > 1:
            raise UsageFailure(wrong)
        if faults := names.validate_label_value(value):
            raise UsageFailure(f"{wrong}, {'; '.join(faults)}")
    if faults := names.validate_qualified_name(key):
        raise UsageFailure(f"{wrong}, {'; '.join(faults)}")
    return Taint(key, value, effects[0] if effects else "")


def _validate(call: Invocation, word: str, put: Sequence[Taint], drop: Sequence[Taint]) -> None:
    """Refuse what is not a node, and what contradicts itself. Raises Failure."""
    try:
        resource = find_resource(word)
    except Failure as error:
        raise KubectlError(error.inner) from None
    if resource.kind != "Node":
        raise Failure(f"invalid resource type {word}, only node types are supported")
    both = [gone for taint in put for gone in drop if gone.key == taint.key and gone.effect in ("", taint.effect)]
    if both:
        shown = ", ".join(f"{taint.key}={taint.effect}" for taint in both)
        raise Failure(f"can not both modify and remove the following taint(s) in the same command: {shown}")
    if call.flags.on("all") and call.flags.text("selector"):
        raise Failure("cannot set --all and --selector at the same time")


def _taint(call: Invocation, info: Info, put: Sequence[Taint], drop: Sequence[Taint]) -> None:
    present: list[Json] = list(get(info.obj, "spec", "taints", default=()))
    overwrite = call.flags.on("overwrite")
    if not overwrite:
        same = [taint.key for taint in put if any(taint.matches(old) for old in present)]
        if same:
            keys = ",".join(same)
            raise Failure(f"node {info.name} already has {keys} taint(s) with same effect(s) and --overwrite is false")
    wanted = [_written(taint) for taint in put]
    wanted += [old for old in present if not any(taint.matches(old) for taint in put)]
    added, removed = len(wanted) != len(present), False
    missing: list[KubectlError] = []
    for taint in drop:
        kept = [old for old in wanted if not taint.matches(old)]
        removed = len(kept) != len(wanted)
        if not removed:
            missing.append(Failure(f"taint {_shown(taint)} not found"))
        wanted = kept
    if missing:
        raise Failures(missing)
    operation = "modified" if (added and removed) or overwrite else "tainted" if added else "untainted"
    changed = {**info.obj, "spec": {**info.obj["spec"], "taints": wanted}}
    if read_dry_run(call) != "client":
        patch = {"spec": {"taints": wanted or None}}
        changed = call.client.patch(info.resource, info.name, patch, query=make_query(call, "kubectl-taint"))
    report(call, info.resource, changed, operation, mode="none")


def _written(taint: Taint) -> Json:
    value = {"value": taint.value} if taint.value else {}
    return {"key": taint.key, **value, "effect": taint.effect}


def _shown(taint: Taint) -> str:
    return f'"{taint.key}:{taint.effect}"' if taint.effect else f'"{taint.key}"'


verb = Verb(
    "taint",
    run,
    flags=(
        Flag("overwrite", "bool", help="If true, allow taints to be overwritten."),
        Flag("validate", default="strict", bare="strict", help="Must be one of: strict, warn, ignore."),
        ALL,
        SELECTOR,
        *SAVING,
    ),
    usage="taint NODE NAME KEY_1=VAL_1:TAINT_EFFECT_1 ... KEY_N=VAL_N:TAINT_EFFECT_N",
    short="Update the taints on one or more nodes",
)

"""`kubectl taint`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, NamedTuple

from aiops_gym.shell.kubectl.changes import ALL, CHANGING, dry_run, query, report
from aiops_gym.shell.kubectl.errors import Failure, Failures, KubectlError, UsageFailure
from aiops_gym.shell.kubectl.flags import Flag
from aiops_gym.shell.kubectl.targets import SELECTOR, Info, select
from aiops_gym.shell.kubectl.verb import Invocation, Verb
from aiops_gym.sim.objects import get

Json = Any
NAME = re.compile(r"([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]")
WRONG = (
    "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric "
    "character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is "
    "'([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')"
)
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
    resources = [word for word in call.args if not _is_spec(word)]
    words = [word for word in call.args if _is_spec(word)]
    put, drop = _parse(words)
    if not resources:
        raise Failure("one or more resources must be specified as <resource> <name>")
    if not put and not drop:
        raise Failure("at least one taint update is required")
    labels, every = call.flags.text("selector"), call.flags.on("all")
    infos, errors = select(
        call, resources, labels=labels, everything=every, empty_selector=bool(labels) or every
    ).visit()
    for info in infos:
        try:
            _taint(call, info, put, drop)
        except KubectlError as error:
            errors.append(error)
    if errors:
        raise Failures(errors)
    return None


def _is_spec(word: str) -> bool:
    return "=" in word or ":" in word or word.endswith("-")


def _parse(words: Sequence[str]) -> tuple[list[Taint], list[Taint]]:
    put: list[Taint] = []
    drop: list[Taint] = []
    for word in words:
        gone = word.endswith("-")
        body, _, effect = word.removesuffix("-").partition(":")
        key, equals, value = body.partition("=")
        if word.count(":") > 1:
            raise UsageFailure(f"invalid taint spec: {word}")
        if not gone and not effect:
            raise UsageFailure(f"invalid taint spec: {word}{_not_a_name(body)}")
        if effect and effect not in EFFECTS:
            raise UsageFailure(f"invalid taint effect: {effect}, unsupported taint effect")
        (drop if gone else put).append(Taint(key, value if equals else "", effect))
    return put, drop


def _not_a_name(text: str) -> str:
    """What is wrong with a key, "" if nothing is."""
    return "" if NAME.fullmatch(text) else f", {WRONG}"


def _taint(call: Invocation, info: Info, put: Sequence[Taint], drop: Sequence[Taint]) -> None:
    if info.resource.kind != "Node":
        raise Failure(f"invalid resource type {call.args[0]}, only node types are supported")
    present: list[Json] = list(get(info.obj, "spec", "taints", default=()))
    if not call.flags.on("overwrite"):
        same = [taint.key for taint in put if any(taint.matches(old) for old in present)]
        if same:
            keys = ",".join(same)
            raise Failure(f"node {info.name} already has {keys} taint(s) with same effect(s) and --overwrite is false")
    missing = [Failure(f"taint {_shown(taint)} not found") for taint in drop if not any(map(taint.matches, present))]
    if missing:
        raise Failures(missing)
    kept = [old for old in present if not any(taint.matches(old) for taint in (*put, *drop))]
    wanted = [_written(taint) for taint in put] + kept
    replaced = any(taint.matches(old) for taint in put for old in present)
    operation = "modified" if (put and drop) or replaced else "tainted" if put else "untainted"
    changed = {**info.obj, "spec": {**info.obj["spec"], "taints": wanted}}
    if dry_run(call) != "client":
        patch = {"spec": {"taints": wanted or None}}
        changed = call.client.patch(info.resource, info.name, patch, query=query(call, "kubectl-taint"))
    report(call, info.resource, changed, operation)


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
        *CHANGING,
    ),
    usage="taint NODE NAME KEY_1=VAL_1:TAINT_EFFECT_1 ... KEY_N=VAL_N:TAINT_EFFECT_N",
    short="Update the taints on one or more nodes",
)

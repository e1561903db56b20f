"""`key=value` and `key-` on a command line, and how labels and annotations change by them."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import orjson

from aiops_gym.kubectl import output
from aiops_gym.kubectl.changes import add_kind, make_query, read_dry_run, report
from aiops_gym.kubectl.client import MERGE
from aiops_gym.kubectl.errors import Failure, Failures
from aiops_gym.kubectl.filed import Info
from aiops_gym.kubectl.targets import select
from aiops_gym.kubectl.verb import Invocation
from aiops_gym.sim.golang.literals import go_quote
from aiops_gym.sim.kube_api.selectors import parse_labels
from aiops_gym.types import Json


def split(args: Sequence[str], kind: str) -> tuple[list[str], list[str]]:
    """Resources, then changes: `key=value` and `key-`, but not `=value`. Raises Failure for one after the other."""
    resources: list[str] = []
    changes: list[str] = []
    for word in args:
        if ("=" in word[1:] and word[0] != "=") or (word.endswith("-") and word != "-"):
            changes.append(word)
        elif changes:
            raise Failure(f"all resources must be specified before {kind} changes: {word}")
        else:
            resources.append(word)
    return resources, changes


@dataclass(frozen=True, slots=True)
class Edit:
    """A change of labels or annotations.

    Attributes:
        field: `labels` or `annotations`.
        put: new values.
        drop: keys to remove.
        check: raises Failure when values would be overwritten.
        words: what is said, from (old JSON, new JSON).
        version: that the object must have, "" for any.
    """

    field: str
    put: Mapping[str, str]
    drop: Sequence[str]
    check: Callable[[Mapping[str, str]], None]
    words: Callable[[bytes, bytes], str]
    version: str = ""

    def changed(self, obj: Json) -> Json:
        """The object after the change."""
        before = obj["metadata"].get(self.field) or {}
        after = {key: value for key, value in {**before, **self.put}.items() if key not in self.drop}
        version = {"resourceVersion": self.version} if self.version else {}
        return {**obj, "metadata": {**obj["metadata"], self.field: after, **version}}

    def patch(self, obj: Json) -> Json:
        """The merge patch that makes it."""
        before = obj["metadata"].get(self.field) or {}
        changes: dict[str, str | None] = {k: v for k, v in self.put.items() if before.get(k) != v}
        changes |= {key: None for key in self.drop if key in before}
        return {"metadata": {self.field: changes}} if changes else {}


def edit(
    call: Invocation, resources: Sequence[str], change: Edit, manager: str, shown: output.Printer | None = None
) -> None:
    """Make a change to all selected objects; `shown` where one printer serves them all. Raises Failures."""
    flags, local = call.flags, call.flags.on("local")
    searching = flags.text("selector") or flags.text("field-selector")
    selection = select(
        call,
        resources,
        empty_selector=bool(searching) or flags.on("all"),
        latest=not local,
    )
    files = flags.items("filename")
    one_file = len(files) == 1 and files[0] != "-"
    if flags.text("resource-version") and not (selection.single or one_file):
        raise Failure("--resource-version may only be used with a single resource")
    errors = selection.each(lambda info: _edit(call, info, change, manager, single=selection.single, shown=shown))
    if errors:
        raise Failures(errors)


def _edit(
    call: Invocation, info: Info, change: Edit, manager: str, *, single: bool, shown: output.Printer | None
) -> None:
    flags, present = call.flags, info.obj["metadata"].get(change.field) or {}
    old = add_kind(info.resource, info.obj)
    if not flags.on("overwrite"):
        change.check(present)
    after = change.changed(old)
    mode = read_dry_run(call)
    if not (flags.on("local") or mode == "client" or flags.on("list")):
        patch = change.patch(info.obj)
        if change.field == "labels":
            for key in change.drop:
                if key not in present:
                    call.say(f'label "{key}" not found.')
        if change.version:
            patch = {**patch, "metadata": {**patch.get("metadata", {}), "resourceVersion": change.version}}
        asked = make_query(call, manager)
        after = call.client.patch(info.resource, info.name, patch, MERGE, info.namespace, query=asked)
    if flags.on("list"):
        _list(call, info, after["metadata"].get(change.field) or {}, change.field, single=single)
        return
    obj = change.changed(old) if change.field == "labels" else after
    report(call, info.resource, obj, change.words(_bytes(old), _bytes(change.changed(old))), shown=shown)


def _bytes(obj: Json) -> bytes:
    return orjson.dumps(obj, option=orjson.OPT_SORT_KEYS)


def _list(call: Invocation, info: Info, found: Mapping[str, str], field: str, *, single: bool) -> None:
    indent = ""
    if not single:
        group = info.resource.group
        call.say(f"Listing {field} for {info.resource.kind}.{group}/{info.name}:")
        indent = " "
    for key, value in sorted(found.items()):
        call.say(f"{indent}{key}={value}")


def parse_selector(text: str) -> Json:
    """A label selector as an object. Raises Failure."""
    try:
        rows = parse_labels(text).requirements
    except ValueError as error:
        raise Failure(f"couldn't parse the selector string {go_quote(text)}: {error}") from None
    if "!=" in text:
        raise Failure('"!=" is not a valid label selector operator')
    labels: dict[str, str] = {}
    others: list[Json] = []
    for key, operator, values in rows:
        if operator == "in" and not re.search(rf"{re.escape(key)}\s+in\b", text):
            labels[key] = values[0]
        else:
            others.append(
                {"key": key, "operator": OPERATORS[operator], **({"values": sorted(values)} if values else {})}
            )
    return {**({"matchExpressions": others} if others else {}), **({"matchLabels": labels} if labels else {})}


OPERATORS = {"in": "In", "notin": "NotIn", "exists": "Exists", "!": "DoesNotExist"}

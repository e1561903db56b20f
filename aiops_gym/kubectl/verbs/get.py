"""`kubectl get`: tables, objects, and watching them."""

from __future__ import annotations

from typing import Final

from aiops_gym.clients.flags import Flag
from aiops_gym.kubectl import raw, targets
from aiops_gym.kubectl.client import kind_group
from aiops_gym.kubectl.errors import Failure, Failures, KubectlError, ServerError, UsageFailure
from aiops_gym.kubectl.filed import Info
from aiops_gym.kubectl.output import FLAGS, Printer, choose_printer
from aiops_gym.kubectl.output.sorting import order
from aiops_gym.kubectl.output.tables import Tables, TableStyle
from aiops_gym.kubectl.targets import Selection, select
from aiops_gym.kubectl.verb import Invocation, Verb
from aiops_gym.kubectl.watching import watch
from aiops_gym.sim.kernel.times import millis
from aiops_gym.sim.kube_api.age import human_duration
from aiops_gym.types import Json

HUMAN: Final = ("", "wide")
SUGGESTION: Final = 'Use "kubectl api-resources" for a complete list of supported resources.'
EXPLAIN: Final = (
    'Use "kubectl explain <resource>" for a detailed description of that resource (e.g. kubectl explain pods).'
)


def run(call: Invocation) -> int | None:
    """Print what is asked for."""
    flags = call.flags
    if flags.text("raw"):
        return raw.show(call)
    watching = flags.on("watch") or flags.on("watch-only")
    if not watching and not call.args and not flags.items("filename") and not flags.text("kustomize"):
        call.warn(f"You must specify the type of resource to get. {SUGGESTION}\n")
        raise UsageFailure(f"Required resource not specified.\n{EXPLAIN}")
    _validate(call, watching)
    human = flags.text("output") in HUMAN and not flags.text("template")
    wanted = _selected(call, human, watching)
    wanted.subresource = flags.text("subresource")
    if watching:
        return watch(call, wanted, style_of(call, False) if human else choose_printer(call, columns=True, plain=HUMAN))
    if wanted.subresource and wanted.queries:
        raise Failure("subresource cannot be used when bulk resources are specified")
    infos, errors = wanted.visit()
    errors = wanted.told(errors)
    if flags.on("ignore-not-found"):
        errors = [error for error in errors if not (isinstance(error, ServerError) and error.reason == "NotFound")]
    if human:
        return _tables(call, infos, errors)
    return _objects(call, wanted, infos, errors)


def _selected(call: Invocation, human: bool, watching: bool) -> Selection:
    return select(
        call,
        call.args,
        empty_selector=True,
        one_type=watching,
        keep_going=not watching,
        table=human,
        latest=True,
    )


def _validate(call: Invocation, watching: bool) -> None:
    flags = call.flags
    output = flags.text("output")
    if flags.on("show-labels") and output not in HUMAN:
        raise Failure(f"--show-labels option cannot be used with {output} printer")
    if flags.on("output-watch-events") and not watching:
        raise UsageFailure("--output-watch-events option can only be used with --watch or --watch-only")
    if watching and flags.text("sort-by"):
        call.warn("warning: --watch or --watch-only requested, --sort-by will be ignored")


def style_of(call: Invocation, several: bool) -> TableStyle:
    """How tables are to look."""
    flags = call.flags
    return TableStyle(
        wide=flags.text("output") == "wide",
        headers=not flags.on("no-headers"),
        namespaces=flags.on("all-namespaces"),
        kinds=several or flags.on("show-kind"),
        labels=flags.on("show-labels"),
        label_columns=flags.items("label-columns"),
    )


def _tables(call: Invocation, infos: list[Info], errors: list[KubectlError]) -> int:
    """Tables, a blank line between two kinds."""
    several = len({info.resource.name for info in infos}) > 1
    tables = Tables(style_of(call, several))
    field = call.flags.text("sort-by")
    if field and len(infos) > 1:
        # kubectl takes several Tables for the objects to sort: their rows stay as they are
        infos = [infos[at] for at in order([info.obj for info in infos], field)]
    for info in infos:
        if not call.flags.on("server-print"):
            info.obj = _plain(info.obj, call.client.cluster.now())
        if not call.flags.on("server-print") and field and len(info.obj["rows"]) > 1:
            order([row["object"] for row in info.obj["rows"]], field)
        table = _in_order(info.obj, field) if field and len(infos) == 1 else info.obj
        tables.add(kind_group(info.resource), info.resource.namespaced, table)
    text = tables.text()
    call.write(text)
    if not text and not errors and not call.flags.on("ignore-not-found"):
        told = call.flags.on("server-print")  # without it there is nothing whose kind could be looked at
        inside = not call.flags.on("all-namespaces") and not (told and any(not i.resource.namespaced for i in infos))
        call.warn(f"No resources found in {call.namespace} namespace." if inside else "No resources found")
    if errors:
        raise Failures(errors)
    return 0


def _plain(table: Json, now: float) -> Json:
    """A Table as kubectl makes one without the server's help: names and ages, at a time of its own (Unix seconds)."""
    columns = [{"name": "Name", "format": "name"}, {"name": "Age"}]
    rows = []
    for row in table["rows"]:
        meta = row["object"]["metadata"]
        made = meta.get("creationTimestamp")
        age = human_duration(now - millis(made) / 1000) if made else "<unknown>"
        rows.append({**row, "cells": [meta["name"], age]})
    return {**table, "columnDefinitions": columns, "rows": rows}


def _in_order(table: Json, field: str) -> Json:
    """A Table in the order of a field; kubectl shows nothing of it when it cannot be sorted."""
    rows = table["rows"]
    if len(rows) < 2:
        return table
    try:
        found = order([row["object"] for row in rows], field)
    except Failure:
        found = []
    return {**table, "rows": [rows[at] for at in found]}


def _objects(call: Invocation, wanted: Selection, infos: list[Info], errors: list[KubectlError]) -> int:
    """Objects in a machine's format: one as itself, several as a List."""
    if errors and wanted.single:
        raise Failures(errors)
    if not infos and call.flags.on("ignore-not-found"):
        if errors:
            raise Failures(errors)
        return 0
    shown = choose_printer(call, columns=True, plain=HUMAN)
    try:
        if shown is not None:
            _show(call, shown, wanted.single and len(infos) == 1, [info.obj for info in infos])
    except KubectlError as error:
        errors = [*errors, error]
    if errors:
        raise Failures(errors)
    return 0


def _show(call: Invocation, shown: Printer, single: bool, objects: list[Json]) -> None:
    field = call.flags.text("sort-by")
    if single:
        call.write(shown.one(objects[0]))
        return
    if field and objects:
        objects = [objects[at] for at in order(objects, field)]
    call.write(shown.many(objects))


verb = Verb(
    "get",
    run,
    flags=(
        *FLAGS,
        *targets.FILES,
        targets.SELECTOR,
        targets.FIELDS,
        targets.EVERYWHERE,
        Flag("no-headers", "bool", help="Don't print headers (default print headers)."),
        Flag("show-kind", "bool", help="If present, list the resource type for the requested object(s)."),
        Flag("show-labels", "bool", help="When printing, show all labels as the last column."),
        Flag("label-columns", "list", short="L", help="Labels that are going to be presented as columns."),
        Flag("sort-by", help="Sort list types using this field, a JSONPath expression (e.g. '{.metadata.name}')."),
        Flag("ignore-not-found", "bool", help="If set to true, suppresses NotFound error for specific objects."),
        Flag("watch", "bool", short="w", help="After listing/getting the requested object, watch for changes."),
        Flag("watch-only", "bool", help="Watch for changes without listing/getting first."),
        Flag("output-watch-events", "bool", help="Output watch event objects when --watch is used."),
        Flag("chunk-size", "int", default=500, help="Return large lists in chunks rather than all at once."),
        Flag("raw", help="Raw URI to request from the server."),
        Flag("server-print", "bool", default=True, help="If true, have the server return the table output."),
        Flag("subresource", help="If specified, gets the subresource of the requested object."),
    ),
    usage="get [(-o|--output=)json|yaml|name|go-template|go-template-file|template|templatefile|jsonpath|"
    "jsonpath-as-json|jsonpath-file|custom-columns|custom-columns-file|wide] (TYPE[.VERSION][.GROUP] "
    "[NAME | -l label] | TYPE[.VERSION][.GROUP]/NAME ...) [flags]",
    short="Display one or many resources",
)

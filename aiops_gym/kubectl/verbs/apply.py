"""`kubectl apply`."""

from __future__ import annotations

from typing import Final

from aiops_gym.clients import as_yaml, gojson
from aiops_gym.clients.flags import Flag
from aiops_gym.kubectl import output
from aiops_gym.kubectl.applying import (
    LAST_APPLIED,
    add_last_applied,
    compute_patch,
    describe_info,
    find_prunable,
    make_validation_query,
    read_files,
    read_validation,
    refuse_generated_name,
    refuse_unnamed,
    remember,
    require_files,
)
from aiops_gym.kubectl.changes import (
    ALL,
    CHANGING,
    DRY_RUN,
    VALIDATE,
    add_kind,
    make_query,
    prepare,
    read_dry_run,
    report,
)
from aiops_gym.kubectl.client import APPLY, MERGE, STRATEGIC, find_resource
from aiops_gym.kubectl.errors import Failure, Failures, KubectlError, ServerError, UsageFailure, join
from aiops_gym.kubectl.filed import Info
from aiops_gym.kubectl.manifests import documents
from aiops_gym.kubectl.output import as_json
from aiops_gym.kubectl.targets import FILES, SELECTOR, select
from aiops_gym.kubectl.targets import MISSING as NOTHING
from aiops_gym.kubectl.verb import Invocation, Verb
from aiops_gym.kubectl.verbs.delete import CASCADE, DELETING, check_cascade
from aiops_gym.sim.golang.literals import go_quote
from aiops_gym.sim.kernel.objects import get
from aiops_gym.types import Json, Request

MISSING: Final = (
    "Warning: resource {0} is missing the {1} annotation which is required by kubectl apply. kubectl apply should only "
    "be used on resources created declaratively by either kubectl create --save-config or kubectl apply. The missing "
    "annotation will be patched automatically."
)


def run(call: Invocation) -> int | None:
    """Bring the cluster's objects to what files say."""
    flags = call.flags
    if call.args:
        raise UsageFailure(f"Unexpected args: [{' '.join(call.args)}]")
    read_dry_run(call)
    call.client.configure()
    check_cascade(call)
    require_files(call)
    read_validation(call)
    _validate(call)
    for word in flags.items("prune-allowlist") if flags.on("prune") else ():
        find_prunable(word)
    selection = read_files(call)
    infos, errors = selection.visit()
    if not infos and not errors:
        raise Failure("no objects passed to apply")
    done: list[Json] = []
    failed: list[KubectlError] = []
    for info in infos:
        try:
            refuse_generated_name(info)
            obj, word = _server_side(call, info) if flags.on("server-side") else _client_side(call, info)
            done.append(add_kind(info.resource, obj))
            if flags.text("output") in ("", "name") and not flags.text("template"):
                report(call, info.resource, obj, word)
        except KubectlError as error:
            failed.append(error)
    if errors and failed:
        errors = [join(errors)]
    if errors or failed:
        raise Failures([*errors, *failed])
    if flags.on("prune"):
        _prune(call, done)
    shown = output.choose_printer(call)
    if shown is not None and flags.text("output") != "name":
        many = {"apiVersion": "v1", "items": done, "kind": "List", "metadata": {}}
        call.write(shown.one(done[0] if len(done) == 1 else many))
    return None


def _validate(call: Invocation) -> None:
    flags, mode = call.flags, read_dry_run(call)
    if flags.on("force-conflicts") and not flags.on("server-side"):
        raise Failure("--force-conflicts only works with --server-side")
    if mode == "client" and flags.on("server-side"):
        raise Failure("--dry-run=client doesn't work with --server-side (did you mean --dry-run=server instead?)")
    if flags.text("subresource") and not flags.on("server-side"):
        raise Failure("--subresource can only be specified for --server-side")
    if flags.on("force") and flags.on("server-side"):
        raise Failure("--force cannot be used with --server-side")
    if flags.on("force") and mode == "server":
        raise Failure("--dry-run=server cannot be used with --force")
    if flags.on("force") and flags.on("prune"):
        raise Failure("--force cannot be used with --prune")
    if flags.on("all") and flags.text("selector"):
        raise Failure("cannot set --all and --selector at the same time")
    if flags.on("prune") and not flags.on("all") and not flags.text("selector"):
        raise Failure(
            "all resources selected for prune without explicitly passing --all. To prune all resources, pass the --all "
            "flag. If you did not mean to prune all resources, specify a label selector"
        )
    if flags.on("prune") and flags.on("server-side"):
        raise Failure("--prune is in alpha and doesn't currently work on objects created by server-side apply")


PRUNED: Final = [
    *("namespaces", "persistentvolumes", "configmaps", "endpoints", "persistentvolumeclaims", "pods"),
    *("replicationcontrollers", "secrets", "services", "jobs", "cronjobs", "ingresses", "daemonsets"),
    *("deployments", "replicasets", "statefulsets"),
]


def _prune(call: Invocation, done: list[Json]) -> None:
    """Delete what was applied once with these labels and is in no file now."""
    flags, kept = call.flags, {get(obj, "metadata", "uid") for obj in done}
    spaces = sorted({obj["metadata"]["namespace"] for obj in done if "namespace" in obj["metadata"]})
    for resource in map(find_resource, [*map(find_prunable, flags.items("prune-allowlist"))] or PRUNED):
        for space in spaces if resource.namespaced else [""]:
            for obj in call.client.list(resource, space, flags.text("selector"))["items"]:
                if LAST_APPLIED not in (get(obj, "metadata", "annotations") or {}) or obj["metadata"]["uid"] in kept:
                    continue
                mode = read_dry_run(call)
                if mode != "client":
                    dry = {"dryRun": ["All"]} if mode == "server" else {}
                    options = {"propagationPolicy": CASCADE[flags.text("cascade")], **dry}
                    call.client.delete(resource, obj["metadata"]["name"], space, options)
                report(call, resource, add_kind(resource, obj), "pruned")


def _client_side(call: Invocation, info: Info) -> tuple[Json, str]:
    """Create or patch one object; gives it and what was done."""
    refuse_unnamed(info)
    mode = read_dry_run(call)
    answer = call.client.cluster.handle(Request("get", info.resource.name, info.namespace, info.name))
    if answer.code == 404:
        return _create(call, info, mode), "created"
    if answer.code >= 400:
        what = f"retrieving current configuration of:\n{describe_info(info)}\nfrom server for:"
        raise ServerError(answer.body).about(what, info.source)
    live = answer.body
    if mode == "client":
        return live, "configured"
    if LAST_APPLIED not in (get(live, "metadata", "annotations") or {}):
        call.warn(MISSING.format(f"{info.resource.plural}/{info.name}", LAST_APPLIED))
    try:
        patch = compute_patch(call, info, live, add_last_applied(info.obj))
    except Failure as error:
        where = f"\nto:\n{describe_info(info)}\nfor: {go_quote(info.source)}"
        raise Failure(f"error when applying patch:\n{where}: {error.inner}") from None
    if "deletionTimestamp" in live["metadata"]:
        call.warn(f"Warning: Detected changes to resource {info.name} which is currently being deleted.")
    if not patch:
        return live, "unchanged"
    return _patched(call, info, patch), "configured"


def _create(call: Invocation, info: Info, mode: str) -> Json:
    obj = add_last_applied(info.obj)
    if mode == "client":
        return obj
    try:
        return call.client.create(
            info.resource, obj, info.namespace, **make_validation_query(call, "kubectl-client-side-apply")
        )
    except ServerError as error:
        raise error.about("creating", info.source) from None


def _patched(call: Invocation, info: Info, patch: Json) -> Json:
    asked = make_validation_query(call, "kubectl-client-side-apply")
    try:
        return call.client.patch(info.resource, info.name, patch, STRATEGIC, info.namespace, query=asked)
    except ServerError as error:
        if call.flags.on("force") and error.reason in ("Invalid", "Conflict"):
            call.client.delete(info.resource, info.name, info.namespace, {"propagationPolicy": "Background"})
            return _create(call, info, "none")
        what = f"applying patch:\n{as_json.format_compact(patch)}\nto:\n{describe_info(info)}\nfor:"
        raise error.about("patching", info.source).about(what, info.source) from None


def _server_side(call: Invocation, info: Info) -> tuple[Json, str]:
    asked = make_validation_query(call, "kubectl")
    asked["force"] = str(call.flags.on("force-conflicts")).lower()
    try:
        obj = call.client.patch(info.resource, info.name, info.obj, APPLY, info.namespace, query=asked)
    except ServerError as error:
        if error.reason == "Conflict":
            raise Failure(f"{error.message}\n{ADVICE}") from None
        raise
    return obj, "serverside-applied"


ADVICE: Final = """Please review the fields above--they currently have other managers. Here
are the ways you can resolve this warning:
* If you intend to manage all of these fields, please re-run the apply
  command with the `--force-conflicts` flag.
* If you do not intend to manage all of the fields, please edit your
  manifest to remove references to the fields that should keep their
  current managers.
* You may co-own fields by updating your manifest to match the existing
  value; in this case, you'll become the manager if the other manager(s)
  stop managing the field (remove it from their configuration).
See https://kubernetes.io/docs/reference/using-api/server-side-apply/#conflicts"""


def view_last(call: Invocation) -> int | None:
    """Print what `apply` remembers of objects."""
    word = call.flags.text("output") or "yaml"
    labels, everything = call.flags.text("selector"), call.flags.on("all")
    also: list[Failure] = []
    if everything and call.client.explicit and len(call.args) == 1 and "/" not in call.args[0]:
        also.append(Failure("setting 'all' parameter but found a non empty selector. "))
    elif everything and labels:
        also.append(Failure(f"found non-empty label selector {go_quote(labels)} with previously set 'all' parameter. "))
    selection = select(
        call,
        call.args,
        everything=everything and not also,
        latest=True,
        empty_selector=True,
        also=also,
    )
    selection.keep_going = False

    def show(info: Info) -> None:
        text = (get(info.obj, "metadata", "annotations") or {}).get(LAST_APPLIED)
        if not text and info.source:
            missing = f"no last-applied-configuration annotation found on resource: {info.name}"
            raise Failure(f"error when {missing}\n {go_quote(info.source)}: <nil>")
        if text and word not in ("yaml", "json"):
            raise Failure(f"Unexpected -o output mode: {word}, the flag 'output' must be one of yaml|json")
        if text:
            obj = _remembered_as(text, word)
            call.write(as_yaml.text(obj) if word == "yaml" else as_json.text(obj))

    if errors := selection.each(show):
        raise Failures(errors)
    return None


def _remembered_as(text: str, word: str) -> Json:
    """What an annotation holds; somebody may have written it by hand. Raises Failure."""
    try:
        return gojson.loads(text)
    except ValueError as error:
        if word == "json":
            raise Failure(str(error)) from None
    return next(iter(documents(text, "STDIN")), None)


def set_last(call: Invocation) -> int | None:
    """Have `apply` remember objects as they are in files: all are looked at before one is changed."""
    prepare(call)
    if not call.flags.items("filename"):
        raise Failure(NOTHING)
    selection, wanted = read_files(call), list[tuple[Info, Json, str]]()
    selection.keep_going = False

    def compare(info: Info) -> None:
        refuse_unnamed(info)
        live, new = call.client.get(info.resource, info.name, info.namespace), remember(info.obj)
        old = (get(live, "metadata", "annotations") or {}).get(LAST_APPLIED)
        if old is None and not call.flags.on("create-annotation"):
            missing = f"no last-applied-configuration annotation found on resource: {info.name}"
            raise Failure(f"{missing}, to create the annotation, run the command with --create-annotation")
        if old == new:
            call.say(f"set-last-applied {info.name}: no changes required.")
        else:
            wanted.append((info, live, new))

    if errors := selection.each(compare):
        raise errors[0]
    for info, live, new in wanted:
        changed = live
        if read_dry_run(call) != "client":
            patch = {"metadata": {"annotations": {LAST_APPLIED: new}}}
            asked = make_query(call, "")
            changed = call.client.patch(info.resource, info.name, patch, MERGE, info.namespace, query=asked)
        report(call, info.resource, changed, "configured")
    return None


verb = Verb(
    "apply",
    run,
    verbs=(
        Verb(
            "view-last-applied",
            view_last,
            flags=(Flag("output", short="o", default="yaml", help="Output format."), ALL, SELECTOR, *FILES),
            usage="apply view-last-applied (TYPE [NAME | -l label] | TYPE/NAME | -f FILENAME)",
            short="View the latest last-applied-configuration annotations of a resource/object",
        ),
        Verb(
            "set-last-applied",
            set_last,
            flags=(
                Flag("create-annotation", "bool", help="Will create annotations if missing."),
                FILES[0],
                DRY_RUN,
                *output.FLAGS,
            ),
            usage="apply set-last-applied -f FILENAME",
            short="Set the last-applied-configuration annotation on a live object to match the contents of a file",
        ),
    ),
    flags=(
        Flag("server-side", "bool", help="If true, apply runs in the server instead of the client."),
        Flag("force-conflicts", "bool", help="If true, server-side apply will force the changes against conflicts."),
        Flag("all", "bool", help="Select all resources in the namespace of the specified resource types."),
        Flag("overwrite", "bool", default=True, help="Resolve conflicts by using values from the modified config."),
        Flag("openapi-patch", "bool", default=True, help="If true, use openapi to calculate diff."),
        Flag("prune", "bool", help="Automatically delete resource objects, that do not appear in the configs."),
        Flag("prune-allowlist", "array", help="Overwrite the default allowlist for --prune"),
        Flag("subresource", help="If specified, apply will operate on the subresource of the requested object."),
        VALIDATE,
        SELECTOR,
        *DELETING,
        *FILES,
        *CHANGING,
    ),
    usage="apply (-f FILENAME | -k DIRECTORY)",
    short="Apply a configuration to a resource by file name or stdin",
)

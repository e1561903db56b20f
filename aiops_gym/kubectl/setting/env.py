"""`kubectl set env`."""

from __future__ import annotations

import base64
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from aiops_gym.clients.flags import Flag
from aiops_gym.kubectl.changes import prepare
from aiops_gym.kubectl.client import find_resource
from aiops_gym.kubectl.errors import Failure
from aiops_gym.kubectl.filed import Info
from aiops_gym.kubectl.podspec import (
    FLAGS,
    choose_containers,
    find_path,
    find_pod_spec,
    finish,
    name_object,
    patch_each,
    read_infos,
    wrap_patch,
)
from aiops_gym.kubectl.verb import Invocation, Verb
from aiops_gym.sim.golang.literals import go_quote
from aiops_gym.sim.kernel.objects import get
from aiops_gym.types import Json

NAME = re.compile(r"[-._a-zA-Z][-._a-zA-Z0-9]*")
WRONG = (
    "a valid environment variable name must consist of alphabetic characters, digits, '_', '-', or '.', and must not "
    "start with a digit (e.g. 'my.env-name',  or 'MY_ENV.NAME',  or 'MyEnvName1', regex used for validation is "
    "'[-._a-zA-Z][-._a-zA-Z0-9]*')"
)


@dataclass(frozen=True, slots=True)
class Wish:
    """Variables to set, as they stand in a container, and names to remove."""

    put: Sequence[Json]
    drop: Sequence[str]


def run(call: Invocation) -> int | None:
    """Change, remove or list environment variables."""
    flags = call.flags
    resources, words = _split(call.args)
    words = [*flags.items("env"), *words]
    prepare(call)
    if not flags.on("local"):
        call.client.configure()
    if not resources and not flags.items("filename"):
        raise Failure("one or more resources must be specified as <resource> <name> or <resource>/<name>")
    if flags.on("all") and flags.text("selector"):
        raise Failure("cannot set --all and --selector at the same time")
    if flags.on("list") and flags.text("output"):
        raise Failure("--list and --output may not be specified together")
    if flags.items("keys") and not flags.text("from"):
        raise Failure("when specifying --keys, a configmap or secret must be provided with --from")
    wish = _parse(call, words)
    wish = _named(wish, _from(call, flags.text("from")) if flags.text("from") else [], flags.text("prefix"))
    infos = read_infos(call, resources)
    for info in infos:
        if not flags.on("list"):
            break
        _list(call, info, wish)
    if flags.on("list"):
        return None

    def change(info: Info) -> Json:
        return _patch(call, info, wish)

    failed = "failed to patch env update to pod template"
    errors = patch_each(call, infos, change, done="env updated", failed=failed, named=False)
    finish(errors)
    return None


def _split(words: Sequence[str]) -> tuple[list[str], list[str]]:
    """Resources and variables: a word with `=`, or one that ends with `-`, is a variable; so is a lone `-` (stdin)."""
    resources, variables = [], []
    for word in words:
        if "=" in word or word.endswith("-"):
            variables.append(word)
        elif variables:
            raise Failure(f"all resources must be specified before environment changes: {' '.join(words)}")
        else:
            resources.append(word)
    return resources, variables


def _parse(call: Invocation, words: Sequence[str]) -> Wish:
    put: list[Json] = []
    drop: list[str] = []
    for word in words:
        lines = call.context.stdin.splitlines() if word == "-" else [word]
        for line in lines:
            name, equals, value = line.partition("=")
            if not equals and line.endswith("-"):
                drop.append(line[:-1])
                continue
            if not equals:
                raise Failure(f"unknown environment variable: {line}")
            if not NAME.fullmatch(name):
                raise Failure(f"{go_quote(name)} is not a valid key name: {WRONG}")
            put.append({"name": name, "value": value})
    if any(item["name"] in drop for item in put):
        raise Failure("can not both modify and remove the same environment variable in the same command")
    return Wish(put, drop)


def _named(wish: Wish, more: Sequence[Json], prefix: str) -> Wish:
    """With more variables, all of them behind a prefix; of those with one name the first counts."""
    found: dict[str, Json] = {}
    for item in (*wish.put, *more):
        found.setdefault(item["name"], {**item, "name": prefix + item["name"]})
    return Wish([item for item in found.values() if item["name"] not in wish.drop], wish.drop)


def _from(call: Invocation, source: str) -> list[Json]:
    """Variables for the keys of a config map or secret."""
    word, _, name = source.partition("/")
    resource = find_resource(word)
    data = call.client.get(resource, name).get("data") or {}
    if resource.kind not in ("ConfigMap", "Secret"):
        raise Failure("unsupported resource specified in --from")
    field = "configMapKeyRef" if resource.kind == "ConfigMap" else "secretKeyRef"
    keys = call.flags.items("keys")
    found = []
    for key in sorted(data):
        if keys and key not in keys:
            continue
        variable = re.sub(r"[^A-Z0-9_]", "_", key.upper().replace("-", "_").replace(".", "_"))
        if variable != key:
            call.warn(f"Warning: key {key} transferred to {variable}")
        found.append({"name": variable, "valueFrom": {field: {"name": name, "key": key}}})
    return found


def _containers(call: Invocation, info: Info, field: str) -> list[Json]:
    pattern = call.flags.text("containers")
    return choose_containers(find_pod_spec(info).get(field) or (), pattern)


def _list(call: Invocation, info: Info, wish: Wish) -> None:
    """Print the variables of each container."""
    for field in ("containers", "initContainers"):
        for container in _containers(call, info, field):
            call.say(f"# {info.resource.kind} {info.name}, container {container['name']}")
            for variable in _merged(container.get("env") or (), wish):
                _show(call, info, variable)


def _merged(present: Sequence[Json], wish: Wish) -> list[Json]:
    newer = {item["name"]: item for item in wish.put}
    kept = [newer.pop(item["name"], item) for item in present if item["name"] not in wish.drop]
    return kept + list(newer.values())


def _show(call: Invocation, info: Info, variable: Json) -> None:
    origin = variable.get("valueFrom")
    if origin is None:
        call.say(f"{variable['name']}={variable.get('value', '')}")
        return
    for field, word in (("configMapKeyRef", "configmap"), ("secretKeyRef", "secret")):
        if reference := origin.get(field):
            if call.flags.on("resolve"):
                call.say(f"{variable['name']}={_resolved(call, info, word, reference)}")
                return
            text = f"{word} {reference.get('name', '')}, key {reference.get('key', '')}"
            call.say(f"# {variable['name']} from {text}")
            return
    if reference := origin.get("fieldRef"):
        if call.flags.on("resolve"):
            why = f"unsupported fieldPath: {reference.get('fieldPath', '')}"
            call.warn(f"error retrieving reference for {variable['name']}: {why}")
        call.say(f"# {variable['name']} from field path {reference.get('fieldPath', '')}")
    elif reference := origin.get("resourceFieldRef"):
        container = f"container {reference['containerName']}, " if reference.get("containerName") else ""
        call.say(f"# {variable['name']} from resource field {container}{reference.get('resource', '')}")


def _resolved(call: Invocation, info: Info, word: str, reference: Json) -> str:
    data = call.client.get(find_resource(word), reference.get("name", ""), info.namespace).get("data") or {}
    value = str(data.get(reference.get("key", ""), ""))
    return base64.b64decode(value).decode(errors="replace") if word == "secret" else value


def _patch(call: Invocation, info: Info, wish: Wish) -> Json:
    try:
        find_path(info)
    except Failure as error:
        raise Failure(f"error: {name_object(call, info)} {error.inner}\n") from None
    changed: dict[str, list[Json]] = {}
    found = False
    for field in ("initContainers", "containers"):
        for container in _containers(call, info, field):
            found = True
            _check(call, info, container, wish)
            change = _changes(container.get("env") or (), wish)
            if change:
                order = [{"name": item["name"]} for item in _merged(container.get("env") or (), wish)]
                update = {"name": container["name"], "env": change, "$setElementOrder/env": order}
                changed.setdefault(field, []).append(update)
    if not found:
        pattern = go_quote(call.flags.text("containers"))
        call.warn(f"Warning: {info.resource.kind}/{info.name} does not have any containers matching {pattern}")
    return wrap_patch(info, changed) if changed else None


def _check(call: Invocation, info: Info, container: Json, wish: Wish) -> None:
    if call.flags.on("overwrite"):
        return
    present: Mapping[str, Json] = {item["name"]: item for item in container.get("env") or ()}
    kept = [
        f"'{item['name']}' already has a value ({get(present, item['name'], 'value', default='')}), "
        "and --overwrite is false"
        for item in wish.put
        if item["name"] in present
    ]
    if kept:
        kind = info.resource.kind.lower() + (f".{info.resource.group}" if info.resource.group else "")
        raise Failure(f"{kind}/{info.name}\n " + "; ".join(kept))


def _changes(present: Sequence[Json], wish: Wish) -> list[Json]:
    """The strategic merge patch of a list of variables."""
    before = {item["name"]: item for item in present}
    changes: list[Json] = [{"$patch": "delete", "name": name} for name in wish.drop if name in before]
    for item in wish.put:
        old = before.get(item["name"])
        if old == item:
            continue
        gone = {key: None for key in old or () if key not in item}
        changes.append({**item, **gone})
    return changes


verb = Verb(
    "env",
    run,
    flags=(
        Flag("containers", short="c", default="*", help="The names of containers to change; may use wildcards."),
        Flag("from", help="The name of a resource from which to inject environment variables"),
        Flag("prefix", help="Prefix to append to variable names"),
        Flag("keys", "list", help="Comma-separated list of keys to import from specified resource"),
        Flag("env", "array", short="e", help="Specify a key-value pair for an environment variable to set."),
        Flag("list", "bool", help="If true, display the environment and any changes in the standard format."),
        Flag("resolve", "bool", help="If true, show secret or configmap references when listing variables."),
        Flag("overwrite", "bool", default=True, help="If true, allow environment to be overwritten."),
        *FLAGS,
    ),
    usage="set env RESOURCE/NAME KEY_1=VAL_1 ... KEY_N=VAL_N",
    short="Update environment variables on a pod template",
)

"""`kubectl wait`: until a condition holds, in the cluster's time."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from aiops_gym.clients.flags import Flag
from aiops_gym.kubectl import output, targets
from aiops_gym.kubectl.changes import ALL, LOCAL
from aiops_gym.kubectl.client import kind_group
from aiops_gym.kubectl.errors import Failure, Failures, KubectlError, ServerError
from aiops_gym.kubectl.filed import Info
from aiops_gym.kubectl.output import FLAGS, Printer
from aiops_gym.kubectl.output.jsonpath import JsonPathError, parse
from aiops_gym.kubectl.output.sorting import relax_path
from aiops_gym.kubectl.targets import UNLOCAL, select
from aiops_gym.kubectl.verb import Invocation, Verb
from aiops_gym.sim.golang.literals import go_quote
from aiops_gym.sim.golang.text import display
from aiops_gym.types import Json

Check = Callable[[Json], bool]
"""Whether the condition holds for an object, None for one that is gone."""

STEP: Final = 0.5
"""Seconds between two looks."""

WEEK: Final = 7 * 24 * 3600.0
"""What a negative `--timeout` means to kubectl."""

FORMAT: Final = (
    "jsonpath wait format must be --for=jsonpath='{.status.readyReplicas}'=3 or "
    "--for=jsonpath='{.status.readyReplicas}'"
)


class OutOfTime(Exception):
    """The command itself may not run any longer."""


def run(call: Invocation) -> int | None:
    """Wait for each object in turn."""
    flags = call.flags
    output.choose_printer(call)
    if flags.on("local") and call.args:
        raise Failure(UNLOCAL)
    call.client.configure()
    condition = flags.text("for")
    deletion, creation = condition.lower() == "delete", condition.lower() == "create"
    check = _check(condition)
    timeout = flags.seconds("timeout")
    deadline = call.client.cluster.now() + (timeout if timeout >= 0 else WEEK)
    wanted = select(
        call,
        call.args,
        everything=flags.on("all") and len(call.args) == 1 and "/" not in call.args[0],
        latest=True,
    )
    done: list[Info] = []

    def follow(info: Info) -> None:
        done.append(info)
        _until(call, info, check, deadline, timeout)
        _report(call, info)

    try:
        if creation and not flags.items("filename"):
            found, missing = _appeared(call, wanted, deadline)
            wanted.named = [*found]
            wanted.queries = []
            errors = [*missing, *wanted.each(follow)]
        else:
            errors = wanted.each(follow)
    except OutOfTime:
        return 1
    if deletion:
        errors = [e for e in errors if not (isinstance(e, ServerError) and e.reason == "NotFound")]
    if not done and not errors and not deletion:
        raise Failure("no matching resources found")
    if errors:
        raise Failures(errors)
    return 0


def _appeared(call: Invocation, wanted: targets.Selection, deadline: float) -> tuple[list[Info], list[KubectlError]]:
    """Objects that may not be there yet."""
    clock = call.client.cluster
    while True:
        infos, errors = wanted.visit()
        missing = [e for e in errors if isinstance(e, ServerError) and e.reason == "NotFound"]
        if (infos and not missing) or len(missing) < len(errors):
            return infos, errors
        if clock.now() >= deadline:
            raise Failure("timed out waiting for the condition")
        if not clock.wait(min(STEP, deadline - clock.now())):
            raise OutOfTime


def _until(call: Invocation, info: Info, check: Check, deadline: float, timeout: float) -> None:
    """Wait until the condition holds for one object. Raises Failure when the time is up."""
    clock = call.client.cluster
    obj: Json = info.obj
    uid = obj["metadata"].get("uid")  # none of a file
    late = timeout > 0 and clock.now() >= deadline
    while True:
        gone = obj is None or obj["metadata"].get("uid") != uid
        if not late and check(None if gone else obj):
            return
        if gone:
            raise ServerError(_not_found(info))
        if timeout == 0:
            raise Failure(f"condition not met for {info.resource.plural}/{info.name}")
        if clock.now() >= deadline:
            raise Failure(f"timed out waiting for the condition on {info.resource.plural}/{info.name}")
        if not clock.wait(min(STEP, deadline - clock.now())):
            raise OutOfTime
        obj = _fetch(call, info)


def _fetch(call: Invocation, info: Info) -> Json:
    try:
        return call.client.get(info.resource, info.name, info.namespace)
    except ServerError as error:
        if error.reason == "NotFound":
            return None
        raise


def _not_found(info: Info) -> Json:
    message = f"{info.resource.name} {go_quote(info.name)} not found"
    return {"reason": "NotFound", "message": message}


def _report(call: Invocation, info: Info) -> None:
    if call.flags.text("output") or call.flags.text("template"):
        Printer.of(call).print(call, info.resource, _fetch(call, info) or info.obj)
    else:
        call.say(f"{kind_group(info.resource)}/{info.name} condition met")


def _check(condition: str) -> Check:
    """The check of `--for`. Raises Failure."""
    if condition.lower() == "delete":
        return lambda obj: obj is None
    if condition.lower() == "create":
        return lambda obj: obj is not None
    word, _, rest = condition.partition("=")
    if word == "condition" and "=" in condition:
        name, _, value = rest.partition("=")
        return lambda obj: obj is not None and _holds(obj, name, value if "=" in rest else "true")
    if word == "jsonpath" and "=" in condition:
        return _jsonpath(rest)
    raise Failure(f"unrecognized condition: {go_quote(condition)}")


def _holds(obj: Json, name: str, value: str) -> bool:
    """Whether a status condition has a value; one that is older than the object's generation does not count."""
    status = obj.get("status") or {}
    for condition in status.get("conditions") or ():
        if str(condition.get("type", "")).casefold() != name.casefold() or "status" not in condition:
            continue
        observed = condition.get("observedGeneration", status.get("observedGeneration"))
        generation = obj["metadata"].get("generation")
        if observed is not None and generation is not None and observed < generation:
            return False
        return bool(str(condition["status"]).casefold() == value.casefold())
    return False


def _jsonpath(text: str) -> Check:
    """The check of `--for=jsonpath=...`. Raises Failure."""
    parts = _sides(text)
    if len(parts) > 2:
        raise Failure(FORMAT)
    path = relax_path(parts[0])
    value = parts[1].strip("'\"") if len(parts) == 2 else None
    if value == "":
        raise Failure(
            "jsonpath wait has to have a value after equal sign, like --for=jsonpath='{.status.readyReplicas}'=3"
        )
    if not path:
        raise Failure("jsonpath expression cannot be empty")
    try:
        template = parse(path)
    except JsonPathError as error:
        raise Failure(str(error)) from None

    def check(obj: Json) -> bool:
        try:
            results = template.find(obj) if obj is not None else []
        except JsonPathError as error:
            raise Failure(str(error)) from None
        if not results or not results[0]:
            return False
        if value is None:
            return True
        if len(results) > 1 or len(results[0]) > 1:
            raise Failure("given jsonpath expression matches more than one value")
        if isinstance(results[0][0], dict | list):
            raise Failure("jsonpath leads to a nested object or list which is not supported")
        return display(results[0][0]) == value

    return check


def _sides(text: str) -> list[str]:
    """Split at single equal signs; double ones belong to a filter."""
    return [part.replace("\0", "==") for part in text.replace("==", "\0").split("=")]


verb = Verb(
    "wait",
    run,
    flags=(
        *FLAGS,
        *(flag for flag in targets.FILES if flag.name != "kustomize"),
        targets.SELECTOR,
        targets.FIELDS,
        targets.EVERYWHERE,
        ALL,
        LOCAL,
        Flag(
            "for", help="The condition to wait on: [create|delete|condition=condition-name[=condition-value]|jsonpath]."
        ),
        Flag("timeout", "duration", default=30.0, help="The length of time to wait before giving up."),
    ),
    usage="wait ([-f FILENAME] | resource.group/resource.name | resource.group [(-l label | --all)]) "
    "[--for=create|--for=delete|--for condition=available|--for=jsonpath='{}'[=value]]",
    short="Experimental: Wait for a specific condition on one or many resources",
)

"""`kubectl logs`"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final, NamedTuple

from aiops_gym.clients.flags import Flag
from aiops_gym.kubectl import pods
from aiops_gym.kubectl.client import find_resource
from aiops_gym.kubectl.errors import Failure, ServerError, UsageFailure
from aiops_gym.kubectl.filed import Info
from aiops_gym.kubectl.targets import SELECTOR, select
from aiops_gym.kubectl.verb import Invocation, Verb
from aiops_gym.sim.golang.literals import go_quote
from aiops_gym.types import Json

USAGE: Final = "logs [-f] [-p] (POD | TYPE/NAME) [-c CONTAINER]"
WRONG: Final = f"expected '{USAGE}'.\nPOD or TYPE/NAME is a required argument for the logs command"
SELECTED_TAIL: Final = 10
STEP: Final = 1.0
_TIME: Final = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[-+]\d\d:\d\d)\Z")


class Source(NamedTuple):
    """One container whose log is read."""

    pod: Json
    container: str


def run(call: Invocation) -> int | None:
    """Print logs, and with `-f` what is added to them."""
    flags, args = call.flags, call.args
    labels = flags.text("selector")
    if len(args) > 2 or (not args and not labels):
        raise UsageFailure(WRONG)
    if len(args) == 1 and labels:
        raise UsageFailure("only a selector (-l) or a POD name is allowed")
    container = args[1] if len(args) == 2 else flags.text("container")
    if flags.seconds("pod-running-timeout") <= 0:
        raise Failure("--pod-running-timeout must be higher than zero")
    query = _query(call)
    found = _objects(call, labels)
    _validate(call, container)
    sources = _sources(call, found, container, labels)
    if flags.on("follow"):
        if len(sources) > flags.number("max-log-requests") and len(sources) > 1:
            raise Failure(
                f"you are attempting to follow {len(sources)} log streams, but maximum allowed concurrency is "
                f"{flags.number('max-log-requests')}, use --max-log-requests to increase the limit"
            )
        return _follow(call, sources, query)
    for source in sources:
        try:
            call.write(_prefixed(call, source, _read(call, source, query)))
        except ServerError as error:
            if not flags.on("ignore-errors"):
                raise
            call.write(f"error: {error.message}\n")
    return 0


def _query(call: Invocation) -> dict[str, str]:
    """The parameters of the log requests."""
    flags = call.flags
    query: dict[str, str] = {}
    if since := flags.text("since-time"):
        if not _TIME.match(since):
            raise Failure(_bad_time(since))
        query["sinceTime"] = since
    if flags.number("limit-bytes"):
        query["limitBytes"] = str(flags.number("limit-bytes"))
    if flags.seconds("since"):
        query["sinceSeconds"] = str(_rounded(flags.seconds("since")))
    if flags.text("selector") and not flags.given("tail"):
        query["tailLines"] = str(SELECTED_TAIL)
    elif flags.number("tail") != -1:
        query["tailLines"] = str(flags.number("tail"))
    for name in ("previous", "timestamps"):
        if flags.on(name):
            query[name] = "true"
    return query


def _rounded(seconds: float) -> int:
    return int(seconds + 0.5) if seconds > 0 else -int(-seconds + 0.5)


def _bad_time(text: str) -> str:
    pattern = "2006-01-02T15:04:05Z07:00"
    day = ((r"\d{4}", "2006"), ("-", "-"), (r"\d\d", "01"), ("-", "-"), (r"\d\d", "02"), ("T", "T"))
    rest = text
    wanted = "Z07:00"
    for shape, name in (*day, (r"\d\d", "15"), (":", ":"), (r"\d\d", "04"), (":", ":"), (r"\d\d", "05")):
        match = re.match(shape, rest)
        if match is None:
            wanted = name
            break
        rest = rest[match.end() :]
    return f"parsing time {go_quote(text)} as {go_quote(pattern)}: cannot parse {go_quote(rest)} as {go_quote(wanted)}"


def _objects(call: Invocation, labels: str) -> list[Info]:
    """What is named: one object, or the pods of a selector."""
    if labels:
        found = select(call, ["pods"]).infos()
        if not found:
            call.warn(f"No resources found in {call.namespace} namespace.")
        return found
    word = call.args[0]
    try:
        return select(call, [word] if "/" in word else ["pods", word], one_type=True).infos()
    except ServerError as error:
        raise _missing(call, error) from None


def _missing(call: Invocation, error: ServerError) -> Exception:
    if error.reason != "NotFound":
        return error
    return Failure(f"error from server (NotFound): {error.message} in namespace {go_quote(call.namespace)}")


def _validate(call: Invocation, container: str) -> None:
    flags = call.flags
    if flags.text("since-time") and flags.seconds("since"):
        raise Failure("at most one of `sinceTime` or `sinceSeconds` may be specified")
    if flags.on("all-containers") and container:
        raise Failure(f"--all-containers=true should not be specified with container name {container}")
    if flags.given("container") and len(call.args) == 2:
        raise Failure("only one of -c or an inline [CONTAINER] arg is allowed")
    if flags.number("limit-bytes") < 0:
        raise Failure("--limit-bytes must be greater than 0")
    if flags.seconds("since") < 0:
        raise Failure("--since must be greater than 0")
    if flags.number("tail") < -1:
        raise Failure("--tail must be greater than or equal to -1")


def _sources(call: Invocation, found: Sequence[Info], container: str, labels: str) -> list[Source]:
    """The containers to read."""
    chosen = [info.obj for info in found] if labels else _pods(call, found[0])
    sources: list[Source] = []
    for pod in chosen:
        if call.flags.on("all-containers"):
            spec = pod["spec"]
            fields = ("initContainers", "containers", "ephemeralContainers")
            sources += [Source(pod, inner["name"]) for field in fields for inner in spec.get(field) or ()]
            continue
        name = container or pods.choose_container(call, pod)
        pods.check_container(pod, name, f"container {name} is not valid for pod {pod['metadata']['name']}")
        sources.append(Source(pod, name))
    return sources


def _pods(call: Invocation, info: Info) -> list[Json]:
    if info.resource.name == "pods":
        return [info.obj]
    if info.resource.name not in pods.SELECTING:
        kind = f"*{info.resource.version}.{info.resource.kind}"
        raise Failure(f"cannot get the logs from {kind}: selector for {kind} not implemented")
    if call.flags.on("all-pods"):
        items: list[Json] = call.client.list(find_resource("pods"), info.namespace, pods.find_selector(info))["items"]
        return items
    pod, count = pods.first_pod(call, info, call.flags.seconds("pod-running-timeout"))
    if count > 1:
        call.warn(f"Found {count} pods, using pod/{pod['metadata']['name']}")
    return [pod]


def _read(call: Invocation, source: Source, query: dict[str, str]) -> str:
    meta = source.pod["metadata"]
    return call.client.log(meta["namespace"], meta["name"], {**query, "container": source.container})


def _prefixed(call: Invocation, source: Source, text: str) -> str:
    if not text or not (call.flags.on("prefix") or call.flags.on("all-pods")):
        return text
    prefix = f"[pod/{source.pod['metadata']['name']}/{source.container}] "
    return "".join(prefix + line for line in text.splitlines(keepends=True))


def _follow(call: Invocation, sources: Sequence[Source], query: dict[str, str]) -> int:
    """Print what is there, then what is added, until the containers end or the time is used up."""
    seen = [_print_new(call, source, query, "") for source in sources]
    rest = {name: value for name, value in query.items() if name in ("timestamps", "previous")}
    while call.client.cluster.wait(STEP):
        for at, source in enumerate(sources):
            since = {"sinceTime": seen[at]} if seen[at] else {}
            seen[at] = _print_new(call, source, {**rest, **since}, seen[at])
        if all(_ended(call, source) for source in sources):
            break
    return 0


def _print_new(call: Invocation, source: Source, query: dict[str, str], after: str) -> str:
    """Print the lines later than a time; the time of the last one."""
    stamped = _read(call, source, {**query, "timestamps": "true"}).splitlines(keepends=True)
    fresh = [line for line in stamped if line.partition(" ")[0] > after]
    if not fresh:
        return after
    shown = fresh if call.flags.on("timestamps") else [line.partition(" ")[2] for line in fresh]
    call.write(_prefixed(call, source, "".join(shown)))
    return fresh[-1].partition(" ")[0]


def _ended(call: Invocation, source: Source) -> bool:
    """Whether the container that was followed has ended."""
    meta = source.pod["metadata"]
    try:
        pod = call.client.get(find_resource("pods"), meta["name"], meta["namespace"])
    except ServerError:
        return True
    before, now = _status(source.pod, source.container), _status(pod, source.container)
    return "running" not in (now.get("state") or {}) or now.get("restartCount") != before.get("restartCount")


def _status(pod: Json, container: str) -> Json:
    status = pod.get("status") or {}
    fields = ("containerStatuses", "initContainerStatuses", "ephemeralContainerStatuses")
    return next((c for field in fields for c in status.get(field) or () if c["name"] == container), {})


verb = Verb(
    "logs",
    run,
    flags=(
        Flag("all-containers", "bool", help="Get all containers' logs in the pod(s)."),
        Flag("all-pods", "bool", help="Get logs from all pod(s). Sets prefix to true."),
        Flag("container", short="c", help="Print the logs of this container"),
        Flag("follow", "bool", short="f", help="Specify if the logs should be streamed."),
        Flag("ignore-errors", "bool", help="If watching / following pod logs, allow for errors to be non-fatal"),
        Flag("insecure-skip-tls-verify-backend", "bool", help="Skip verifying the identity of the kubelet."),
        Flag("limit-bytes", "int", help="Maximum bytes of logs to return. Defaults to no limit."),
        Flag("max-log-requests", "int", default=5, help="Maximum number of concurrent logs to follow."),
        Flag("pod-running-timeout", "duration", default=20.0, help="How long to wait until a pod is running."),
        Flag("prefix", "bool", help="Prefix each log line with the log source (pod name and container name)"),
        Flag("previous", "bool", short="p", help="Print the logs for the previous instance of the container."),
        SELECTOR,
        Flag("since", "duration", help="Only return logs newer than a relative duration like 5s, 2m, or 3h."),
        Flag("since-time", help="Only return logs after a specific date (RFC3339)."),
        Flag("tail", "int", default=-1, help="Lines of recent log file to display."),
        Flag("timestamps", "bool", help="Include timestamps on each line in the log output"),
    ),
    usage=USAGE,
    short="Print the logs for a container in a pod",
)

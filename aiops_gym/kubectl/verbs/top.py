"""`kubectl top`: what pods and nodes use, from the metrics API."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from decimal import Decimal
from typing import Final

from aiops_gym.clients.flags import Flag
from aiops_gym.clients.gosort import go_sort
from aiops_gym.kubectl.client import find_resource
from aiops_gym.kubectl.errors import Failure, ServerError, UsageFailure
from aiops_gym.kubectl.output.table import lay_out
from aiops_gym.kubectl.targets import EVERYWHERE, FIELDS, SELECTOR
from aiops_gym.kubectl.verb import Invocation, Verb
from aiops_gym.sim.kernel import quantity
from aiops_gym.sim.kernel.times import millis
from aiops_gym.sim.kube_api.resources import RESOURCES
from aiops_gym.sim.kube_api.selectors import parse_labels
from aiops_gym.types import Json

Usage = tuple[Decimal, Decimal]
"""CPU in cores, memory in bytes."""

MEBI: Final = 1024 * 1024
FRESH: Final = 120.0
"""Seconds in which a new pod may have no metrics yet."""

NO_PATH = "404 page not found"
"""What a server says of an API group that nobody serves."""


def pods(call: Invocation) -> int | None:
    """`kubectl top pods`"""
    flags = call.flags
    _check(call, "pod")
    everywhere = flags.on("all-namespaces")
    if everywhere and call.args:
        raise ServerError({"reason": "NotFound", "message": "the server could not find the requested resource"})
    items = _ask(call, "pods.metrics.k8s.io", call.args, "" if everywhere else call.namespace)
    if not items:
        _verify_empty(call, everywhere)
        call.warn("No resources found" if everywhere else f"No resources found in {call.namespace} namespace.")
        return 0
    rows = [row for item in _sorted(call, items, _pod_usage) for row in _pod_rows(call, item, everywhere)]
    headers = (["NAMESPACE"] if everywhere else []) + (["POD"] if flags.on("containers") else [])
    if flags.on("sum"):
        rows += _sum(items, len(headers))
    _print(call, [*headers, "NAME", "CPU(cores)", "MEMORY(bytes)"], rows)
    return 0


def nodes(call: Invocation) -> int | None:
    """`kubectl top nodes`"""
    _check(call, "node", "--")
    items = _ask(call, "nodes.metrics.k8s.io", call.args, "")
    if not items:
        raise Failure("metrics not available yet")
    field = "capacity" if call.flags.on("show-capacity") else "allocatable"
    available = {
        node["metadata"]["name"]: node["status"].get(field) or {}
        for node in call.client.list(find_resource("nodes"))["items"]
    }
    rows = []
    for item in _sorted(call, items, lambda node: _usage(node["usage"])):
        name, (cpu, memory) = item["metadata"]["name"], _usage(item["usage"])
        room = _usage(available.get(name) or {})
        rows.append([name, _cores(cpu), _share(cpu, room[0]), _bytes(memory), _share(memory, room[1])])
    _print(call, ["NAME", "CPU(cores)", "CPU(%)", "MEMORY(bytes)", "MEMORY(%)"], rows)
    return 0


def _check(call: Invocation, what: str, dashes: str = "") -> None:
    """Refuse what is read before the server is asked, in the real one's order. Raises Failure."""
    if len(call.args) > 1:
        raise UsageFailure(f"{what} [NAME | -l label]")
    if call.flags.text("sort-by") not in ("", "cpu", "memory"):
        raise Failure("--sort-by accepts only cpu or memory")
    if call.args and (call.flags.text("selector") or call.flags.values.get("field-selector")):
        raise Failure(f"only one of NAME or {dashes}selector can be provided")
    try:
        parse_labels(call.flags.text("selector"))
    except ValueError as error:
        raise Failure(str(error)) from None


def _ask(call: Invocation, resource: str, names: Sequence[str], namespace: str) -> list[Json]:
    try:
        found = RESOURCES[resource]
        if names:
            return [call.client.get(found, names[0], namespace)]
        fields = call.flags.text("field-selector") if "field-selector" in call.flags.values else ""
        items: list[Json] = call.client.list(found, namespace, call.flags.text("selector"), fields)["items"]
        return items
    except ServerError as error:
        if error.reason in ("ServiceUnavailable", "") or error.message == NO_PATH:
            raise Failure("Metrics API not available") from None
        raise


def _verify_empty(call: Invocation, everywhere: bool) -> None:
    """Raise Failure when there are pods, and only their metrics are missing."""
    found = call.client.list(find_resource("pods"), "" if everywhere else None, call.flags.text("selector"))["items"]
    for pod in found:
        age = call.client.cluster.now() - millis(pod["metadata"]["creationTimestamp"]) / 1000
        name = f"{pod['metadata']['namespace']}/{pod['metadata']['name']}"
        if age > FRESH:
            raise Failure(f"Metrics not available for pod {name}, age: {_go_duration(age)}")
    if found:
        raise Failure("metrics not available yet")


def _go_duration(seconds: float) -> str:
    """A span as Go prints it.

    >>> _go_duration(778.226), _go_duration(9000)
    ('12m58.226s', '2h30m0s')
    """
    minutes, rest = divmod(round(seconds, 3), 60)
    hours, minutes = divmod(int(minutes), 60)
    return (f"{hours}h" if hours else "") + (f"{minutes}m" if hours or minutes else "") + f"{round(rest, 3):g}s"


def _usage(amounts: Json) -> Usage:
    return quantity.parse(amounts.get("cpu", "0")), quantity.parse(amounts.get("memory", "0"))


def _pod_usage(item: Json) -> Usage:
    found = [_usage(container["usage"]) for container in item["containers"]]
    return sum((cpu for cpu, _ in found), Decimal()), sum((memory for _, memory in found), Decimal())


def _sorted(call: Invocation, items: list[Json], usage: Callable[[Json], Usage]) -> list[Json]:
    column = {"cpu": 0, "memory": 1}.get(call.flags.text("sort-by"))
    if column is None:
        return sorted(items, key=lambda item: (item["metadata"].get("namespace", ""), item["metadata"]["name"]))
    return _by_usage(items, lambda item: usage(item)[column], (1000, 1)[column])


def _by_usage(items: list[Json], amount: Callable[[Json], Decimal], scale: int) -> list[Json]:
    """Highest first, in whole millicores or bytes, rounded up."""
    keys = [int((amount(item) * scale).to_integral_value(rounding="ROUND_CEILING")) for item in items]
    return [items[at] for at in go_sort(range(len(items)), lambda a, b: keys[a] > keys[b])]


def _pod_rows(call: Invocation, item: Json, everywhere: bool) -> list[list[str]]:
    meta = item["metadata"]
    start = [meta.get("namespace", "")] if everywhere else []
    if not call.flags.on("containers"):
        cpu, memory = _pod_usage(item)
        return [[*start, meta["name"], _cores(cpu), _bytes(memory)]]
    rows = []
    for container in _containers(call, item):
        cpu, memory = _usage(container["usage"])
        rows.append([*start, meta["name"], container["name"], _cores(cpu), _bytes(memory)])
    return rows


def _containers(call: Invocation, item: Json) -> list[Json]:
    column = {"cpu": 0, "memory": 1}.get(call.flags.text("sort-by"))
    found: list[Json] = item["containers"]
    if column is None:
        return sorted(found, key=lambda inner: str(inner["name"]))
    return _by_usage(found, lambda inner: _usage(inner["usage"])[column], (1000, 1)[column])


def _sum(items: list[Json], before: int) -> list[list[str]]:
    """The line below a sum."""
    used = [_pod_usage(item) for item in items]
    blank = [""] * before
    total = [_cores(sum((cpu for cpu, _ in used), Decimal())), _bytes(sum((memory for _, memory in used), Decimal()))]
    return [[*blank, "", "________", "________"], [*blank, "", *total]]


def _print(call: Invocation, headers: list[str], rows: list[list[str]]) -> None:
    call.write(lay_out(rows if call.flags.on("no-headers") else [headers, *rows], padded_end=True))


def _cores(cpu: Decimal) -> str:
    return f"{int((cpu * 1000).to_integral_value(rounding='ROUND_CEILING'))}m"


def _bytes(memory: Decimal) -> str:
    return f"{int(memory) // MEBI}Mi"


def _share(used: Decimal, room: Decimal) -> str:
    if not room:
        return "<unknown>"
    milli = [int((amount * 1000).to_integral_value(rounding="ROUND_CEILING")) for amount in (used, room)]
    return f"{int(milli[0] / milli[1] * 100)}%"


_COMMON: Final = (
    SELECTOR,
    Flag("no-headers", "bool", help="If present, print output without headers"),
    Flag("sort-by", help="If non-empty, sort using specified field. The field can be either 'cpu' or 'memory'."),
    Flag("use-protocol-buffers", "bool", default=True, help="Enables using protocol-buffers to access Metrics API."),
)

verb = Verb(
    "top",
    verbs=(
        Verb(
            "node",
            nodes,
            flags=(*_COMMON, Flag("show-capacity", "bool", help="Print node resources based on Capacity.")),
            aliases=("nodes", "no"),
            usage="top node [NAME | -l label]",
            short="Display resource (CPU/memory) usage of nodes",
        ),
        Verb(
            "pod",
            pods,
            flags=(
                *_COMMON,
                EVERYWHERE,
                FIELDS,
                Flag("containers", "bool", help="If present, print usage of containers within a pod."),
                Flag("sum", "bool", help="Print the sum of the resource usage"),
            ),
            aliases=("pods", "po"),
            usage="top pod [NAME | -l label]",
            short="Display resource (CPU/memory) usage of pods",
        ),
    ),
    usage="top [flags]",
    short="Display resource (CPU/memory) usage",
)

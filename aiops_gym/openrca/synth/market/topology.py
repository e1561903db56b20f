"""Who calls whom in the shop, which pod is where, and what a root cause reaches."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

from aiops_gym.openrca.domains.market import NODES, PODS, SERVICES

STORE = "redis-cart"
"""Holds the carts; it is called, but is no candidate and emits no spans."""

CALLS: dict[str, tuple[str, ...]] = {
    "frontend": (
        *("adservice", "cartservice", "checkoutservice", "currencyservice", "productcatalogservice"),
        *("recommendationservice", "shippingservice"),
    ),
    "checkoutservice": (
        *("cartservice", "currencyservice", "emailservice", "paymentservice", "productcatalogservice"),
        "shippingservice",
    ),
    "recommendationservice": ("productcatalogservice",),
    "cartservice": (STORE,),
}
"""Service -> what it calls."""

PORTS = {
    "frontend": 8080,
    "adservice": 9555,
    "cartservice": 7070,
    "checkoutservice": 5050,
    "currencyservice": 7000,
    "emailservice": 8080,
    "paymentservice": 50051,
    "productcatalogservice": 3550,
    "recommendationservice": 8080,
    "shippingservice": 50051,
    STORE: 6379,
}

STORES = (f"{STORE}-0", f"{STORE}2-0")
ALL_PODS = (*PODS, *STORES)

PLACEMENT = {
    "cloudbed-1": {
        "node-5": (
            *("adservice-2", "cartservice2-0", "checkoutservice-2", "frontend-1", "frontend-2"),
            "shippingservice-2",
        ),
        "node-6": (),
    },
    "cloudbed-2": {
        "node-3": ("emailservice-2", "shippingservice2-0"),
        "node-5": (
            *("adservice-1", "cartservice-2", "checkoutservice-0", "currencyservice-2", "frontend-0", "frontend2-0"),
            *("productcatalogservice-1", "recommendationservice-2", "shippingservice-1"),
        ),
        "node-6": (),
    },
}
"""Cloudbed -> node -> pods. node-6 has whatever is named nowhere else; the nodes not named have no pod of the shop."""


def node_of(cloudbed: str, pod: str) -> str:
    """Where a pod runs.

    >>> node_of("cloudbed-1", "frontend-1"), node_of("cloudbed-1", "frontend-0")
    ('node-5', 'node-6')
    """
    return next((node for node, pods in PLACEMENT[cloudbed].items() if pod in pods), "node-6")


def service_of(pod: str) -> str:
    """The service of a pod, whichever its deployment.

    >>> service_of("adservice2-0"), service_of("redis-cart2-0"), service_of("frontend-1")
    ('adservice', 'redis-cart', 'frontend')
    """
    return pod.rpartition("-")[0].removesuffix("2")


def deployment_of(pod: str) -> str:
    """`2` for pods of the second deployment, else nothing."""
    return "2" if pod.rpartition("-")[0].endswith("2") else ""


def pods_of(service: str, deployment: str | None = None) -> tuple[str, ...]:
    """The pods of a service, of one deployment or of both.

    >>> pods_of("adservice")
    ('adservice-0', 'adservice-1', 'adservice-2', 'adservice2-0')
    """
    first = (f"{service}-0",) if service == STORE else tuple(f"{service}-{number}" for number in range(3))
    second = (f"{service}2-0",)
    return {"": first, "2": second, None: (*first, *second)}[deployment]


def called(caller: str, callee: str, deployment: str) -> str:
    """Deployment of the called service. The second recommendationservice asks the first productcatalogservice."""
    return "" if (caller, callee) == ("recommendationservice", "productcatalogservice") else deployment


def callers(service: str) -> tuple[str, ...]:
    """Services that call one directly."""
    return tuple(caller for caller, callees in CALLS.items() if service in callees)


def asking(pod: str, callee: str) -> str:
    """Owner of what a pod's proxy measures of its calls to a service.

    >>> asking("frontend2-0", "adservice2")
    'frontend2-0>adservice2'
    """
    return f"{pod}>{callee}"


def row_of(service: str) -> str:
    """Row of a service in metric_service.csv."""
    return f"{service}-{'http' if service == 'frontend' else 'grpc'}"


@cache
def reach(component: str, scope: str) -> tuple[str, ...]:
    """What a root cause reaches.

    Args:
        component: a node, a pod, or a service, which means all its pods.
        scope: `self`: the node or the pods; `row`: its row among the services; `upstream`: the rows of those that
            wait for it, directly or not; `asks`: its own calls; `asked`: the calls to it; `clients of X`: the pods
            that call it, if it is, or belongs to, the service X; `runtime`: its Java machines.

    >>> reach("cartservice", "upstream")
    ('checkoutservice-grpc', 'frontend-http')
    >>> reach("recommendationservice2-0", "asks"), reach("node-1", "row")
    (('recommendationservice2-0>productcatalogservice',), ())
    """
    if component in NODES:
        return (component,) if scope == "self" else ()
    service = component if component in SERVICES else service_of(component)
    pods = pods_of(service) if component in SERVICES else (component,)
    if scope.startswith("clients of "):
        return _clients(service, pods) if scope == f"clients of {service}" else ()
    return _SCOPES[scope](service, pods)


def felt(cloudbed: str, component: str) -> tuple[str, ...]:
    """The pods that feel a failure: a pod itself, those of a service, those on a node.

    >>> felt("cloudbed-2", "node-3"), felt("cloudbed-1", "node-1")
    (('emailservice-2', 'shippingservice2-0'), ())
    """
    if component in NODES:
        return tuple(sorted(pod for pod in PODS if node_of(cloudbed, pod) == component))
    return reach(component, "self")


def runtime_of(pod: str) -> str:
    """The Java machines of a deployment, as the runtime measurements name them: `adservice2.ts:8088`."""
    return f"{service_of(pod)}{deployment_of(pod)}.ts:8088"


def _above(service: str) -> tuple[str, ...]:
    found = list(callers(service))
    for each in found:
        found += [caller for caller in callers(each) if caller not in found]
    return tuple(dict.fromkeys(sorted(found)))


def _asks(service: str, pods: tuple[str, ...]) -> list[str]:
    return [
        asking(pod, f"{callee}{called(service, callee, deployment_of(pod))}")
        for pod in pods
        for callee in CALLS.get(service, ())
    ]


def _asked(service: str, pods: tuple[str, ...]) -> list[str]:
    hit = {deployment_of(pod) for pod in pods}
    return [
        asking(pod, f"{service}{called(caller, service, deployment_of(pod))}")
        for caller in callers(service)
        for pod in pods_of(caller)
        if called(caller, service, deployment_of(pod)) in hit
    ]


def _clients(service: str, pods: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(owner.partition(">")[0] for owner in _asked(service, pods)))


def _runtimes(service: str, pods: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(map(runtime_of, pods))) if service == "adservice" else ()


_SCOPES: dict[str, Callable[[str, tuple[str, ...]], tuple[str, ...]]] = {
    "self": lambda service, pods: pods,
    "row": lambda service, pods: (row_of(service),),
    "upstream": lambda service, pods: tuple(map(row_of, _above(service))),
    "asks": lambda service, pods: tuple(_asks(service, pods)),
    "asked": lambda service, pods: tuple(_asked(service, pods)),
    "runtime": _runtimes,
}

"""What the Envoy proxies write: a line for each call at each end of it, in Istio's access log format."""

from __future__ import annotations

from collections.abc import Iterator

from aiops_gym.openrca.chance import draw_unit
from aiops_gym.openrca.domains.market import SERVICES
from aiops_gym.openrca.synth.market.pages import SERVICES as PROTOCOLS
from aiops_gym.openrca.synth.market.pages import rates
from aiops_gym.openrca.synth.market.topology import ALL_PODS, PORTS, STORE, called, node_of, pods_of
from aiops_gym.openrca.synth.market.words import PRODUCT, UUID
from aiops_gym.openrca.synth.model import Amount, Choice, Field, Lines, Whole

OWN, SECOND, AGAIN = "\x01", "\x02", "\x03"
"""In a text: the address of the pod that writes, the number of its deployment, and the number before once more."""

SHARE = 0.76
"""Of the calls that left a line in the original."""

PORT = Whole(low=32_768, high=60_999)
GO, PYTHON = "grpc-go/1.31.0", "grpc-python/1.31.0 grpc-c/11.0.0 (linux; chttp2)"
BROWSER = "python-requests/2.27.1"
BYTES = {"GetAds": (18, 102), "ListProducts": (5, 1932), "ListRecommendations": (59, 65), "GetProduct": (17, 242)}
"""Method -> sizes of the question and the answer, where they are not like the most."""

PATHS = Choice(
    of=(
        *(f'"GET /product/{product} HTTP/1.1" ' for product in PRODUCT.of),
        *('"GET / HTTP/1.1" ', '"POST /setCurrency HTTP/1.1" ', '"POST /cart HTTP/1.1" ', '"GET /cart HTTP/1.1" '),
        '"POST /cart/checkout HTTP/1.1" ',
    ),
    weights=(*len(PRODUCT.of) * (10 / len(PRODUCT.of),), 2, 2, 2, 3, 1),
)
"""What visitors ask for."""

RESETS = Choice(
    of=(
        '503 UF,URX upstream_reset_before_response_started{connection_failure} - "-" 0 91 ',
        '503 UC upstream_reset_before_response_started{connection_termination} - "-" 0 95 ',
        '0 DC downstream_remote_disconnect - "-" 43 0 ',
        '504 UT response_timeout - "-" 43 24 ',
    ),
    weights=(4, 2, 2, 2),
)


def access(service: str, callee: str = "") -> str:
    """Name of a proxy's log, of the calls to its pod, or of those of its pod to another service.

    The part behind `>` is for the effects of failures only and is cut off in the file.
    """
    return f"log_{service}-envoy_gateway{'>' if callee else ''}{callee}"


def addresses(cloudbed: str) -> dict[str, str]:
    """Address of each pod."""
    nets = {f"node-{number}": f"172.20.{net}" for number, net in ((3, 5), (5, 3), (6, 8))}
    return {pod: f"{nets[node_of(cloudbed, pod)]}.{20 + 5 * number}" for number, pod in enumerate(ALL_PODS)}


def lines(cloudbed: str) -> Iterator[Lines]:
    """All that is written when nothing fails."""
    ips = addresses(cloudbed)
    for (caller, callee, method), each in rates().items():
        if callee == STORE:
            continue
        share = SHARE * each
        yield from _inbound(ips, caller, callee, method, share)
        if caller:
            yield _outbound(ips, caller, callee, method, share / len(pods_of(caller)))
    yield from _connections(ips)
    for service in SERVICES:
        text = reset(service)
        yield Lines(log=access(service), at=pods_of(service), rate=0.003, text=text, load=False, scaled=False)


def reset(service: str) -> tuple[Field, ...]:
    """A call that came to nothing; it happens without failures, too."""
    methods = tuple(f'"POST /hipstershop.{PROTOCOLS[name]}Service/{name} HTTP/2" ' for name in _methods(service))
    agent = f'"-" "{GO}" "'
    return (
        *(Choice(of=methods or ('"GET / HTTP/1.1" ',)), RESETS, Amount(median=4000, spread=0.8), ' - "-" ', agent),
        *(*UUID, f'" "{service}{SECOND}:{PORTS[service]}" "{OWN}:{PORTS[service]}" inbound|{PORTS[service]}|| - '),
        *(f"{OWN}:{PORTS[service]} 172.20.8.", Whole(low=20, high=230), ":", PORT, " - default"),
    )


def _methods(service: str) -> list[str]:
    return [method for (caller, called_, method) in rates() if called_ == service and caller]


def _inbound(ips: dict[str, str], caller: str, callee: str, method: str, calls: float) -> Iterator[Lines]:
    """At the pods of the called service, where several services may ask the same."""
    port = PORTS[callee]
    tail: tuple[Field, ...] = (
        *(f' "{OWN}:{port}" inbound|{port}|| 127.0.0.6:', PORT, f" {OWN}:{port} ", _peer(ips, caller), ":", PORT),
        f" outbound_.{port}_._.{callee}{SECOND}.ts.svc.cluster.local default",
    )
    at = _asked(caller, callee)
    yield Lines(log=access(callee), at=at, rate=calls / len(at), text=(*_head(caller, callee, method, SECOND), *tail))


def _outbound(ips: dict[str, str], caller: str, callee: str, method: str, each: float) -> Lines:
    """At the pods of the caller."""
    port = PORTS[callee]
    second = SECOND if called(caller, callee, "2") else ""
    host = f"{callee}{second}.ts.svc.cluster.local"
    text: tuple[Field, ...] = (
        *(' "', _peer(ips, callee), f':{port}" outbound|{port}||{host} {OWN}:', PORT),
        *(f" 10.68.{_octet(callee, 0)}.{_octet(callee, 1)}:{port} {OWN}:", PORT, " - default"),
    )
    return Lines(
        log=access(caller, callee), at=pods_of(caller), rate=each, text=(*_head(caller, callee, method, second), *text)
    )


def _head(caller: str, callee: str, method: str, second: str) -> tuple[Field, ...]:
    """Up to the called host."""
    if not caller:
        asked: Field = PATHS
        sizes: tuple[Field, ...] = ("0 ", Whole(low=7600, high=12_400), " ")
        agent, usual = BROWSER, 30.0
    else:
        asked = f'"POST /hipstershop.{PROTOCOLS[method]}Service/{method} HTTP/2" '
        sent, back = BYTES.get(method, (43, 59))
        sizes = (f"{sent} {back} ",)
        agent, usual = PYTHON if caller == "recommendationservice" else GO, 3.0 if method != "PlaceOrder" else 48.0
    time = Amount(median=usual, spread=0.5, slowed=True)
    host = f'" "{callee}{second}:{PORTS[callee]}"'
    return (asked, '200 - via_upstream - "-" ', *sizes, time, f'{AGAIN} "-" "{agent}" "', *UUID, host)


def _connections(ips: dict[str, str]) -> Iterator[Lines]:
    """Connections to the store, which are kept for long: seen at both ends when they close."""
    port = PORTS[STORE]
    sizes: tuple[Field, ...] = (Amount(median=30_000), " ", Amount(median=52_000), " ", Amount(median=600_000), " - ")
    for service, pods, way in (("cartservice", pods_of("cartservice"), "outbound"), (STORE, pods_of(STORE), "inbound")):
        host = f"{way}|{port}||{STORE}{SECOND}.ts.svc.cluster.local" if way == "outbound" else f"{way}|{port}||"
        peer = _peer(ips, STORE if way == "outbound" else "cartservice")
        text: tuple[Field, ...] = (
            *('"- - -" 0 - - - "-" ', *sizes, '"-" "-" "-" "-" "', peer, f':{port}" {host} {OWN}:', PORT),
            *(f" {OWN}:{port} ", peer, ":", PORT, f" outbound_.{port}_._.{STORE}{SECOND}.ts.svc.cluster.local -"),
        )
        yield Lines(log=access(service), at=pods, rate=0.05, text=text, load=False)


def _asked(caller: str, callee: str) -> tuple[str, ...]:
    """Pods that a service's calls come to."""
    second = called(caller, callee, "2") if caller else "2"
    return pods_of(callee) if second else pods_of(callee, "")


def _peer(ips: dict[str, str], service: str) -> Field:
    if not service:
        return Choice(of=tuple(f"172.20.{net}.1" for net in (1, 2, 4)))
    return Choice(of=tuple(ips[pod] for pod in pods_of(service)))


def _octet(service: str, number: int) -> int:
    return int(254 * draw_unit(0, "service address", service, number)) + 1

"""What visitors do in the shop, and the calls that each page makes."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

from aiops_gym.openrca.synth.market.topology import STORE, called, pods_of
from aiops_gym.openrca.synth.model import Call, Operation

PAGES = 302.0
"""Pages a minute in both deployments, at full volume."""

SECOND = 0.25
"""Share of the pages that the second deployment serves: it is one of four pods."""

RPC, HTTP, DATABASE, TELEMETRY, PLAIN = "rpc", "http", "db", "telemetry", ""


class Marks(NamedTuple):
    """What the spans of a call say; an operation that is empty is not recorded.

    Attributes:
        asked, asked_type, asked_status: the caller's span.
        done, done_type, done_status: the span of the called service.
        service, method: whom and what was called, for logs and measurements.
    """

    service: str
    method: str
    asked: str = ""
    asked_type: str = RPC
    asked_status: str = "0"
    done: str = ""
    done_type: str = RPC
    done_status: str = "0"


MILLISECONDS = {
    "GetAds": 0.16,
    "GetCart": 0.5,
    "AddItem": 0.7,
    "EmptyCart": 0.5,
    "PlaceOrder": 1.6,
    "Convert": 0.12,
    "GetSupportedCurrencies": 0.1,
    "SendOrderConfirmation": 1.5,
    "Charge": 0.3,
    "GetProduct": 0.1,
    "ListProducts": 0.14,
    "ListRecommendations": 1.7,
    "GetQuote": 0.12,
    "ShipOrder": 0.12,
}
"""Method -> median of the called service's own time."""

HOP = 3.6
"""Median of the two proxies and the network, there and back, milliseconds."""

SERVICES = {
    "GetAds": "Ad",
    "GetCart": "Cart",
    "AddItem": "Cart",
    "EmptyCart": "Cart",
    "PlaceOrder": "Checkout",
    "Convert": "Currency",
    "GetSupportedCurrencies": "Currency",
    "SendOrderConfirmation": "Email",
    "Charge": "Payment",
    "GetProduct": "ProductCatalog",
    "ListProducts": "ProductCatalog",
    "ListRecommendations": "Recommendation",
    "GetQuote": "Shipping",
    "ShipOrder": "Shipping",
}
"""Method -> name in the protocol."""


def operations() -> tuple[Operation, ...]:
    """Both deployments' pages; the weights sum up to 1."""
    found = [
        Operation(weight=share * weight / sum(WEIGHTS.values()), call=page)
        for deployment, share in (("", 1 - SECOND), ("2", SECOND))
        for weight, page in zip(WEIGHTS.values(), _Pages(deployment).all(), strict=True)
    ]
    return tuple(found)


def walk(call: Call) -> Iterator[Call]:
    """A call and all that it makes."""
    yield call
    for each in call.calls:
        yield from walk(each)


@cache
def rates() -> dict[tuple[str, str, str], float]:
    """(Caller, called, method) -> calls a minute under usual load, both deployments together; visitors call as "".

    >>> rates()["", "frontend", "Recv."]
    302.0
    """
    found: dict[tuple[str, str, str], float] = defaultdict(float)

    def add(call: Call, caller: str, rate: float) -> None:
        marks = Marks(*call.marks)
        found[caller, marks.service, marks.method] += rate * call.chance
        for each in call.calls:
            add(each, marks.service, rate * call.chance)

    for each in operations():
        add(each.call, "", PAGES * each.weight)
    return {key: round(rate, 3) for key, rate in found.items()}


def rate(called: str, caller: str | None = None) -> float:
    """Calls a minute of a service, by all or by one."""
    return sum(each for (asker, asked, _), each in rates().items() if asked == called and caller in (None, asker))


WEIGHTS = {"home": 2.0, "product": 10.0, "currency": 2.0, "add": 2.0, "cart": 3.0, "checkout": 1.0}
"""Page -> how often it is visited, as the shop's own load generator has it."""


class _Pages:
    """The pages of one deployment."""

    def __init__(self, deployment: str) -> None:
        self.deployment = deployment

    def all(self) -> Iterator[Call]:
        """In the order of `WEIGHTS`."""
        currencies, cart = self.call("GetSupportedCurrencies"), self.cart("GetCart")
        convert, product, ads = self.call("Convert"), self.call("GetProduct"), self.call("GetAds")
        advice = (self.advice(), *4 * (product,))
        items = (product, convert)
        some = (self.call("GetProduct", chance=0.6), self.call("Convert", chance=0.6))
        quote = self.call("GetQuote")
        order = self.call(
            "PlaceOrder",
            *(cart, *items, *some, quote, convert),
            *(self.call("Charge"), self.call("ShipOrder"), self.cart("EmptyCart")),
            self.call("SendOrderConfirmation"),
        )
        yield self.page(4.0, currencies, self.call("ListProducts"), cart, *9 * (convert,), ads)
        yield self.page(3.0, product, currencies, cart, convert, *advice, self.call("GetAds", chance=0.9))
        yield self.page(0.4)
        yield self.page(0.8, product, self.cart("AddItem"))
        yield self.page(3.0, currencies, cart, *advice, quote, convert, *items, *some)
        yield self.page(4.0, order, *advice, currencies)

    def page(self, time: float, *calls: Call) -> Call:
        """A request of a visitor."""
        marks = Marks("frontend", "Recv.", done="hipstershop.Frontend/Recv.", done_type=HTTP)
        at = pods_of("frontend", self.deployment)
        return Call(at=at, time=time, spread=0.35, wire=0.0, marks=marks, calls=calls)

    def call(self, method: str, *calls: Call, caller: str = "frontend", chance: float = 1.0) -> Call:
        """A call of one service by another."""
        protocol = SERVICES[method]
        service = f"{protocol.lower()}service"
        name = f"hipstershop.{protocol}Service/{method}"
        at = pods_of(service, called(caller, service, self.deployment))
        marks = _marks(service, method, name, caller)
        time = MILLISECONDS[method]
        return Call(at=at, time=time, spread=0.45, wire=HOP, chance=chance, marks=marks, calls=calls)

    def cart(self, method: str) -> Call:
        """A call of cartservice, which asks the store."""
        commands = {"GetCart": ("HGET",), "AddItem": ("HGET", "HMSET"), "EmptyCart": ("HMSET",)}[method]
        at = pods_of(STORE, self.deployment)
        marks = [Marks(STORE, name, asked=name, asked_type=DATABASE, asked_status="Ok") for name in commands]
        return self.call(method, *(Call(at=at, time=0.15, wire=0.9, marks=each) for each in marks))

    def advice(self) -> Call:
        """A call of recommendationservice, which asks productcatalogservice."""
        return self.call("ListRecommendations", self.call("ListProducts", caller="recommendationservice"))


def _marks(service: str, method: str, name: str, caller: str) -> Marks:
    """How the libraries of each language name and type their spans."""
    asked_type, asked = (PLAIN, f"/{name}") if caller == "recommendationservice" else (RPC, name)
    done_type, done, status = RPC, name, "0"
    if service == "currencyservice":
        done_type, done = TELEMETRY, f"grpc.{name}" if method == "Convert" else ""
    elif service == "paymentservice":
        done_type, done = TELEMETRY, f"grpc.{name}"
    elif service == "cartservice":
        done_type, done, status = HTTP, f"POST /{name}", "200"
    elif service in ("recommendationservice", "emailservice"):
        done_type, done, status = PLAIN, f"/{name}", "OK"
    return Marks(service, method, asked, asked_type, "0", done, done_type, status)

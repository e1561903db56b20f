"""What the services write into their own logs, in the form in which it was collected."""

from __future__ import annotations

from collections.abc import Iterator

from aiops_gym.openrca.synth.market.pages import WEIGHTS, rate, rates
from aiops_gym.openrca.synth.market.topology import STORE, pods_of
from aiops_gym.openrca.synth.model import Amount, Choice, Field, Hex, Lines, Stamp, Whole

PRODUCT = Choice(
    of=(
        *("0PUK6V6EV0", "1YMWWN1N4O", "2ZYFJ3GM2N", "66VCHSJNUP", "6E92ZMYYFZ", "9SIQT8TOJO", "L9ECAV7KIM"),
        *("LS4PSXUNUM", "OLJCESPC7Z"),
    )
)
CURRENCY = Choice(of=("USD", "EUR", "CAD", "JPY", "GBP", "TRY"))
UUID: tuple[Field, ...] = (
    Hex(digits=8),
    "-",
    Hex(digits=4),
    "-4",
    Hex(digits=3),
    "-a",
    Hex(digits=3),
    "-",
    Hex(digits=12),
)
MAIL = Choice(of=("someone@example.com", "another@example.com"))
ADS = Choice(of=("clothing", "accessories", "footwear", "hair", "decor", "kitchen", ""))

FRONTEND, CHECKOUT = "severity: debug, message: ", "severity: info, message: "

PER_CALL: dict[str, dict[str, tuple[tuple[Field, ...], ...]]] = {
    "frontend": {
        "Recv.": ((f"{FRONTEND}request started",),),
        "product": ((f"{FRONTEND}serving product page",),),
        "cart": ((f"{FRONTEND}view user cart",),),
        "home": ((f"{FRONTEND}home",),),
        "add": ((f"{FRONTEND}adding to cart",),),
        "currency": ((f"{FRONTEND}setting currency",),),
        "checkout": ((f"{FRONTEND}placing order",), (f"{CHECKOUT}order placed",)),
    },
    "cartservice": {
        "GetCart": (("etCartAsync called with userId=", *UUID),),
        "AddItem": (
            (
                "ddItemAsync called with userId=",
                *UUID,
                ", productId=",
                PRODUCT,
                ", quantity=",
                Choice(of=tuple("12345")),
            ),
        ),
        "EmptyCart": (("mptyCartAsync called with userId=", *UUID),),
    },
    "currencyservice": {
        "Convert": (
            ("severity: info, message: received conversion request",),
            ("severity: info, message: conversion request successful",),
        ),
        "GetSupportedCurrencies": (("severity: info, message: Getting supported currencies...",),),
    },
    "recommendationservice": {
        "ListRecommendations": (
            (
                *(
                    "severity: INFO, message: [Recv ListRecommendations] product_ids=['",
                    PRODUCT,
                    "', '",
                    PRODUCT,
                    "', '",
                ),
                *(PRODUCT, "', '", PRODUCT, "', '", PRODUCT, "']"),
            ),
        ),
    },
    "shippingservice": {
        "GetQuote": (
            (f"{CHECKOUT}[GetQuote] received request",),
            (f"{CHECKOUT}[GetQuote] completed request",),
        ),
        "ShipOrder": (
            (f"{CHECKOUT}[ShipOrder] received request",),
            (f"{CHECKOUT}[ShipOrder] completed request",),
        ),
    },
    "checkoutservice": {
        "PlaceOrder": (
            (f'{CHECKOUT}[PlaceOrder] user_id="', *UUID, '" user_currency="', CURRENCY, '"'),
            (f"{CHECKOUT}payment went through (transaction_id: ", *UUID, ")"),
            (f'{CHECKOUT}order confirmation email sent to "', MAIL, '"'),
        ),
    },
    "paymentservice": {
        "Charge": (
            (
                f"{CHECKOUT}Transaction processed: visa ending 0454     Amount: ",
                *(CURRENCY, Whole(low=9, high=940), ".", Whole(low=0, high=999_999_999, width=9)),
            ),
        ),
    },
    "emailservice": {
        "SendOrderConfirmation": (
            ("severity: INFO, message: A request to send order confirmation email to ", MAIL, " has been received."),
        ),
    },
}
"""Service -> method, or page of the shop -> the lines of a call. productcatalogservice writes none."""

SERVER: tuple[tuple[Field, ...], ...] = (
    ("nfo: Microsoft.AspNetCore.Hosting.Diagnostics[1]",),
    ("     Request starting HTTP/2 POST http://cartservice:7070/hipstershop.CartService/GetCart application/grpc",),
    ("nfo: Microsoft.AspNetCore.Routing.EndpointMiddleware[0]",),
    ("     Executing endpoint 'gRPC - /hipstershop.CartService/GetCart'",),
    ("     Executed endpoint 'gRPC - /hipstershop.CartService/GetCart'",),
    (
        "     Request finished HTTP/2 POST http://cartservice:7070/hipstershop.CartService/GetCart application/grpc - "
        "- 200 - application/grpc ",
        *(Amount(median=1.4, decimals=4, slowed=True), "ms"),
    ),
)
"""What the web server of cartservice writes at each call; each line lost its first letter on the way."""

STARTED: dict[str, tuple[Field, ...]] = {
    "frontend": (f"{CHECKOUT}starting server on :8080",),
    "cartservice": ("pplication started. Press Ctrl+C to shut down.",),
    "currencyservice": (f"{CHECKOUT}CurrencyService gRPC server started on port 7000",),
    "recommendationservice": ("severity: INFO, message: listening on port: 8080",),
    "shippingservice": (f"{CHECKOUT}Shipping Service listening on port :50051",),
    "checkoutservice": (f'{CHECKOUT}starting to listen on tcp: "[::]:5050"',),
    "paymentservice": (f"{CHECKOUT}PaymentService gRPC server started on port 50051",),
    "emailservice": ("severity: INFO, message: Starting the email service in dummy mode.",),
    "adservice": ("severity: INFO, message: Ad Service started, listening on 9555",),
}
"""Service -> what it writes when it starts."""

COMPLAINTS = {
    "adservice": ("frontend", "severity: warning, message: failed to retrieve ads, error: "),
    "cartservice": ("frontend", "severity: error, message: request error, error: could not retrieve cart: "),
    "checkoutservice": ("frontend", "severity: error, message: request error, error: failed to complete the order: "),
    "currencyservice": ("frontend", "severity: error, message: request error, error: could not retrieve currencies: "),
    "emailservice": (
        "checkoutservice",
        'severity: warning, message: failed to send order confirmation to "someone@example.com": ',
    ),
    "paymentservice": (
        "checkoutservice",
        "severity: error, message: failed to charge card: could not charge the card: ",
    ),
    "productcatalogservice": (
        "frontend",
        "severity: error, message: request error, error: could not retrieve product: ",
    ),
    "recommendationservice": ("frontend", "severity: warning, message: failed to get product recommendations, error: "),
    "shippingservice": ("frontend", "severity: error, message: request error, error: failed to get shipping quote: "),
}
"""Service -> who complains of it, and how; the error of the call follows."""

TIMEOUT = Choice(
    of=(
        "rpc error: code = DeadlineExceeded desc = context deadline exceeded",
        "rpc error: code = Unavailable desc = upstream connect error or disconnect/reset before headers. reset reason: "
        "connection failure",
        "rpc error: code = Unavailable desc = transport is closing",
    ),
    weights=(3, 4, 1),
)
REFUSED = Choice(
    of=(
        "rpc error: code = Unavailable desc = upstream connect error or disconnect/reset before headers. reset reason: "
        "connection termination",
        "rpc error: code = Unavailable desc = connection error: desc = transport: Error while dialing: connect: "
        "connection refused",
    )
)
BROKEN = "Status{code=UNAVAILABLE, description=io exception, cause=java.io.IOException: Connection reset by peer}"
GIVEN_UP = "Status{code=CANCELLED, description=null, cause=null}"
EXCEPTION: tuple[Field, ...] = (
    "severity: WARN, message: GetAds Failed with status ",
    Choice(of=(BROKEN, GIVEN_UP)),
)

STORE_LINES: tuple[tuple[Field, ...], ...] = (
    (Choice(of=("100", "10")), " changes in ", Choice(of=("300", "60")), " seconds. Saving..."),
    ("Background saving started by pid ", Whole(low=20, high=32_000)),
    ("DB saved on disk",),
    ("RDB: 0 MB of memory used by copy-on-write",),
    ("Background saving terminated with success",),
)


def application(service: str) -> str:
    """Name of a service's own log."""
    return f"log_{service}-service_application"


def lines(share: float = 1.0) -> Iterator[Lines]:
    """All that is written when nothing fails, by the pods of the first deployment; only their logs are collected.

    Args:
        share: of the lines that came along.
    """
    for service, methods in PER_CALL.items():
        for method, texts in methods.items():
            for text in texts:
                yield _line(service, share * _calls(service, method) / len(pods_of(service)), text)
    for text in SERVER:
        yield _line("cartservice", share * rate("cartservice") / 4, text)
    yield own("adservice", ("severity: INFO, message: received ad request (context_words=[", ADS, "])"), 0.02)
    yield own("adservice", EXCEPTION, 0.003)
    for text in STORE_LINES:
        prefix = ("1:M ", Stamp(format="%d %b %Y %H:%M:%S"), ".", Whole(low=0, high=999, width=3), " * ")
        at = (f"{STORE}-0",)
        yield Lines(log=application(STORE), at=at, rate=0.33 * share, text=(*prefix, *text), load=False)
    for who, complaint in COMPLAINTS.values():
        yield own(who, (complaint, TIMEOUT), 0.004)


def own(service: str, text: tuple[Field, ...], each: float) -> Lines:
    """A rare line of the service itself."""
    return Lines(log=application(service), at=pods_of(service, ""), rate=each, text=text, load=False, scaled=False)


def _line(service: str, each: float, text: tuple[Field, ...]) -> Lines:
    return Lines(log=application(service), at=pods_of(service, ""), rate=each, text=text)


def _calls(service: str, method: str) -> float:
    """Calls of a method a minute; for a page of the shop, how often it is served."""
    if method in WEIGHTS:
        return rate(service) * WEIGHTS[method] / sum(WEIGHTS.values())
    return sum(each for (_, called, name), each in rates().items() if (called, name) == (service, method))

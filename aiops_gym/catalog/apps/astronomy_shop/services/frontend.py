"""The web server, in Node.js (Next.js): pages, and an API that asks the services behind it."""

from typing import Any

from aiops_gym.catalog.apps.astronomy_shop import pages
from aiops_gym.catalog.apps.astronomy_shop.words import FLAGD, GRPC, MIB, answer, ask
from aiops_gym.types import Json

STACK = "    at callErrorFromStatus (/app/node_modules/@grpc/grpc-js/build/src/call.js:32:19)"
NAMES = ("ad", "cart", "checkout", "currency", "product-catalog", "product-reviews", "recommendation", "shipping")
ADDRESSES = {name: f"{name.upper().replace('-', '_')}_ADDR" for name in NAMES}


def _ask(to: str, service: str, method: str, **more: Any) -> Json:
    """A call whose failure ends the request with a page of an error, and with a stack in the log."""
    log = [["", "\u2a2f Error: {error}", "error"], ["", STACK, "error"]]
    return ask(to, service, method, log=log, throws="Internal Server Error", **more)


def _product(**more: Any) -> Json:
    return _ask("product-catalog", "ProductCatalogService", "GetProduct", **more)


API = {
    **answer("GET /", 5.5),
    **answer("GET /api/products", 1.8, _ask("product-catalog", "ProductCatalogService", "ListProducts")),
    **answer("GET /api/products/{productId}", 1.5, _product()),
    **answer(
        "GET /api/recommendations",
        2.2,
        _ask("recommendation", "RecommendationService", "ListRecommendations"),
        [_product(), _product(), _product(), _product()],
    ),
    **answer(
        "GET /api/product-reviews/{productId}",
        1.4,
        _ask("product-reviews", "ProductReviewService", "GetProductReviews"),
    ),
    **answer(
        "POST /api/product-ask-ai-assistant/{productId}",
        1.6,
        _ask("product-reviews", "ProductReviewService", "AskProductAIAssistant"),
    ),
    **answer("GET /api/data", 1.3, _ask("ad", "AdService", "GetAds")),
    **answer("GET /api/cart", 1.4, _ask("cart", "CartService", "GetCart"), _product(p=0.3)),
    **answer("POST /api/cart", 1.8, _ask("cart", "CartService", "AddItem"), _ask("cart", "CartService", "GetCart")),
    **answer("POST /api/checkout", 2.6, _ask("checkout", "CheckoutService", "PlaceOrder"), _product()),
    **answer("GET /api/currency", 1.2, _ask("currency", "CurrencyService", "GetSupportedCurrencies")),
}
API = {handler: {**row, **pages.SHOWN.get(handler, {})} for handler, row in API.items()}
"""What the API does with a request, by its handler."""

service = {
    "name": "frontend",
    "port": 8080,
    "limit": "250Mi",
    "user": {"runAsGroup": 1001, "runAsNonRoot": True, "runAsUser": 1001},
    "env": (
        ("FRONTEND_PORT", "8080"),
        ("PORT", "$(FRONTEND_PORT)"),
        ("FRONTEND_ADDR", ":8080"),
        ("AD_ADDR", "ad:8080"),
        ("CART_ADDR", "cart:8080"),
        ("CHECKOUT_ADDR", "checkout:8080"),
        ("CURRENCY_ADDR", "currency:8080"),
        ("PRODUCT_CATALOG_ADDR", "product-catalog:8080"),
        ("PRODUCT_REVIEWS_ADDR", "product-reviews:3551"),
        ("RECOMMENDATION_ADDR", "recommendation:8080"),
        ("SHIPPING_ADDR", "http://shipping:8080"),
        *FLAGD,
        ("ENV_PLATFORM", "kubernetes"),
        ("OTEL_COLLECTOR_HOST", "$(OTEL_COLLECTOR_NAME)"),
        *GRPC,
        ("WEB_OTEL_SERVICE_NAME", "frontend-web"),
        ("PUBLIC_OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "http://localhost:8080/otlp-http/v1/traces"),
    ),
    "params": {
        "language": "node",
        "protocol": "http",
        "listens": "PORT",
        "environment": ADDRESSES,
        "unset": [],  # an address that is not there is an empty one: calls to it fail, the rest goes on
        "routes": [[handler.split(" ")[1], handler] for handler in API],
        "pages": {"/cart": pages.TITLE, **{f"/product/{number}": pages.TITLE for number in pages.DETAILS}},
        "missing": pages.MISSING,
        "startup": [
            {"log": ["", "   \u25b2 Next.js 16.0.10", "info"]},
            {"log": ["", "   - Local:         http://localhost:8080", "info"]},
            {"log": ["", " \u2713 Ready in 310ms", "info"], "listen": True},
        ],
        "handlers": API,
        "memory": 142 * MIB,
        "boot": 1400,
        "threads": 23,
    },
}

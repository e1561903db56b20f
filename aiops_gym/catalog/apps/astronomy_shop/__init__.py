"""Astronomy Shop, the demo of OpenTelemetry, as AIOpsLab deploys it: services in ten languages, flags, a broker."""

from __future__ import annotations

import json

from aiops_gym.catalog.apps.astronomy_shop import chart, images, manifests, platform
from aiops_gym.catalog.model import App, Release

ASKED = {
    "index": (0.05, "GET /"),
    "browse product": (0.22, "GET /api/products/{productId}"),
    "list products": (0.06, "GET /api/products"),
    "recommendations": (0.06, "GET /api/recommendations"),
    "reviews": (0.04, "GET /api/product-reviews/{productId}"),
    "ask assistant": (0.02, "POST /api/product-ask-ai-assistant/{productId}"),
    "ads": (0.08, "GET /api/data"),
    "view cart": (0.08, "GET /api/cart"),
    "add to cart": (0.09, "POST /api/cart"),
    "checkout": (0.03, "POST /api/checkout"),
    "currencies": (0.06, "GET /api/currency"),
    "image": (0.21, "GET /images/"),
}
"""What users ask: the tasks of the load generator's file by their weights, and what its browsers load beside them."""

PERSON = {
    "email": "larry_sergei@example.com",
    "address": {
        "streetAddress": "1600 Amphitheatre Parkway",
        "zipCode": "94043",
        "city": "Mountain View",
        "state": "CA",
        "country": "United States",
    },
    "userCurrency": "USD",
    "creditCard": {
        "creditCardNumber": "4432-8015-6152-0454",
        "creditCardExpirationMonth": 1,
        "creditCardExpirationYear": 2039,
        "creditCardCvv": 672,
    },
    "userId": "1",
}
REQUESTS = {
    "index": "",
    "browse product": "productId=OLJCESPC7Z",
    "list products": "currencyCode=USD",
    "recommendations": "productIds=OLJCESPC7Z&sessionId=1&currencyCode=USD",
    "reviews": "productId=OLJCESPC7Z",
    "ask assistant": 'productId=OLJCESPC7Z{"question": "Can you summarize the product reviews?"}',
    "ads": "contextKeys=telescopes",
    "view cart": "sessionId=1&currencyCode=USD",
    "add to cart": json.dumps({"item": {"productId": "OLJCESPC7Z", "quantity": 1}, "userId": "1"}),
    "checkout": json.dumps(PERSON),
    "currencies": "",
}
"""What the load generator sends along, for the product that a flag withholds; its images are files of many names."""

PLAIN = (*manifests.make_all(), *platform.make_all())
MANIFESTS = tuple(map(chart.mark, PLAIN))
COMPONENTS = tuple(sorted(m["metadata"]["name"] for m in MANIFESTS if m["kind"] == "Deployment"))

TURNED = {
    "ad": ("adFailure", "adManualGc"),
    "cart": ("cartFailure",),
    "checkout": ("paymentUnreachable",),
    "frontend": ("imageSlowLoad",),
    "kafka": ("kafkaQueueProblems",),
    "payment": ("paymentFailure",),
    "product-catalog": ("productCatalogFailure",),
    "recommendation": ("recommendationCacheFailure",),
}
"""Which flags do harm by way of which component, as AIOpsLab has it: of `adHighCpu` and `loadGeneratorFloodHomepage`,
which it poses too, no user notices anything here."""

DATABASE = {"postgresql": {"slots": "100", "owner": "root", "user": "otelu"}}
"""Whose connections are counted, and its users: a superuser, and the one of all services."""


def _parameters(name: str) -> dict[str, str]:
    """What faults and noise may need to know of a component; two generators of load, or two readers, are not as one."""
    twice = manifests.SERVICES.get(name, {}).get("port") and name != "load-generator"
    flags = {f"flag_{flag}": flag for flag in TURNED.get(name, ())} | DATABASE.get(name, {})
    return {**flags, "stateless": "yes"} if twice else flags


app = App(
    id="astronomy_shop",
    title="Astronomy Shop",
    namespace=manifests.NAMESPACE,
    description=(
        "A web shop for telescopes and what goes with them, built from microservices in ten languages that talk gRPC "
        "and HTTP, keep carts in Valkey and orders in PostgreSQL, hand orders on by Kafka, ask flagd for feature flags "
        "and send their telemetry to an OpenTelemetry collector."
    ),
    supported=(
        "Browse products, their reviews and recommendations",
        "Put products into a cart, and order what is in it",
        "Ask an assistant about the reviews of a product",
    ),
    selector=manifests.SELECTOR,
    components=COMPONENTS,
    manifests=MANIFESTS,
    images=images.IMAGES,
    operations=tuple(
        {"name": name, "weight": weight, "service": "frontend-proxy", "port": 8080, "handler": handler}
        for name, (weight, handler) in ASKED.items()
    ),
    rate=10.0,
    parameters={name: _parameters(name) for name in COMPONENTS},
    requests=REQUESTS,
    labels={"otel-collector": "opentelemetry-collector"},
    releases=(Release(name=chart.NAME, folder=chart.FOLDER, files=chart.make_files(PLAIN)),),
)

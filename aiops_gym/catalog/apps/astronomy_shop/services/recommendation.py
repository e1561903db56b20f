"""Recommendations, in Python. Flag: a cache that asks the catalogue wrongly whenever it misses."""

from aiops_gym.catalog.apps.astronomy_shop.database import PRODUCTS
from aiops_gym.catalog.apps.astronomy_shop.words import FLAGD, GRPC, MIB, ask, one_of, serve

PLACE, FLAG = "main recommendation_server.py", "recommendationCacheFailure"
NUMBERS = list(PRODUCTS)
FOUND = one_of(*([(NUMBERS * 2)[first + step * i] for i in range(5)] for first in range(10) for step in (1, 2)))
"""Five of the products."""

UNCAUGHT = "Unknown: Exception calling application: {error}"
TRACE = [["grpc._server _server.py:636", "Exception calling application: {error}", "error"]]

service = {
    "name": "recommendation",
    "port": 8080,
    "limit": "500Mi",
    "env": (
        ("RECOMMENDATION_PORT", "8080"),
        ("PRODUCT_CATALOG_ADDR", "product-catalog:8080"),
        ("OTEL_PYTHON_LOG_CORRELATION", "true"),
        ("PROTOCOL_BUFFERS_PYTHON_IMPLEMENTATION", "python"),
        *FLAGD,
        *GRPC,
    ),
    "params": {
        "language": "python",
        "format": "python",
        "protocol": "grpc",
        "listens": "RECOMMENDATION_PORT",
        "environment": {"product-catalog": "PRODUCT_CATALOG_ADDR"},
        "unset": ["Exception: {name} environment variable must be set", 1],
        "startup": [
            {"log": [f"{PLACE}:165", "Recommendation service started, listening on port 8080", "info"], "listen": True}
        ],
        "handlers": serve(
            "RecommendationService",
            "ListRecommendations",
            1.8,
            ask(
                "product-catalog",
                "ProductCatalogService",
                "ListProducts",
                when={FLAG: False},
                log=TRACE,
                throws=UNCAUGHT,
            ),
            ask(
                "product-catalog",
                "ProductCatalogService",
                "GetProduct#none",
                when={FLAG: True},
                p=0.5,
                log=[[f"{PLACE}:78", "get_product_list: cache miss", "info"], *TRACE],
                throws=UNCAUGHT,
            ),
            says=[[f"{PLACE}:43", f"Receive ListRecommendations for product ids:{FOUND}", "info"]],
        ),
        "memory": 88 * MIB,
        "boot": 2000,
        "threads": 14,
    },
}

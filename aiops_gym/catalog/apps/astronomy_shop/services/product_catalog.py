"""The catalogue of products, in Go, kept in PostgreSQL. Flag: one of the ten products cannot be had."""

from aiops_gym.catalog.apps.astronomy_shop.database import PRODUCTS
from aiops_gym.catalog.apps.astronomy_shop.words import FLAGD, GRPC, MIB, fail, query, serve

FLAG = "productCatalogFailure"
FAILS = "Internal: Error: Product Catalog Fail Feature Flag Enabled"
WITHHELD = "OLJCESPC7Z"

service = {
    "name": "product-catalog",
    "port": 8080,
    "limit": "20Mi",
    "env": (
        ("PRODUCT_CATALOG_PORT", "8080"),
        *FLAGD,
        ("GOMEMLIMIT", "16MiB"),
        ("DB_CONNECTION_STRING", "postgres://otelu:otelp@postgresql/otel?sslmode=disable"),
        ("OTEL_SEMCONV_STABILITY_OPT_IN", "database"),
        *GRPC,
    ),
    "params": {
        "language": "go_traced",
        "protocol": "grpc",
        "listens": "PRODUCT_CATALOG_PORT",
        "environment": {"postgresql": "DB_CONNECTION_STRING"},
        "ports": {"postgresql": 5432},
        "startup": [{"ask": "postgresql", "log": [], "code": 1}, {"listen": True}],
        "handlers": {
            **serve(
                "ProductCatalogService",
                "ListProducts",
                0.5,
                query(
                    "postgresql",
                    "sql.conn.query",
                    0.7,
                    throws="Internal: failed to load products: failed to query products: {error}",
                ),
            ),
            **serve(
                "ProductCatalogService",
                "GetProduct",
                0.4,
                fail(FAILS, FLAG, 1.0 / len(PRODUCTS), only=WITHHELD),
                query("postgresql", "sql.conn.query", 0.4, throws="NotFound: Product Not Found: OLJCESPC7Z"),
            ),
            "/oteldemo.ProductCatalogService/GetProduct#none": {
                "span": "oteldemo.ProductCatalogService/GetProduct",
                "ms": 0.4,
                "calls": [
                    query("postgresql", "sql.conn.query", 0.3, throws="NotFound: Product Not Found: "),
                    {"kind": "own", "fails": "NotFound: Product Not Found: "},
                ],
            },
        },
        "memory": 11 * MIB,
        "boot": 150,
    },
}

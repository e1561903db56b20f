"""Shipping, in Rust. Its log goes to the collector alone."""

from aiops_gym.catalog.apps.astronomy_shop.words import GRPC, MIB, answer, post

service = {
    "name": "shipping",
    "port": 8080,
    "limit": "20Mi",
    "env": (("SHIPPING_PORT", "8080"), ("QUOTE_ADDR", "http://quote:8080"), *GRPC, ("IPV6_ENABLED", "false")),
    "params": {
        "language": "rust",
        "protocol": "http",
        "listens": "SHIPPING_PORT",
        "environment": {"quote": "QUOTE_ADDR"},
        "routes": [["/get-quote", "POST /get-quote"], ["/ship-order", "POST /ship-order"]],
        "handlers": {
            **answer("POST /get-quote", 0.3, post("quote", "/getquote", throws="Failed to get quote: {error}")),
            **answer("POST /ship-order", 0.2),
        },
        "memory": 6 * MIB,
        "boot": 40,
    },
}

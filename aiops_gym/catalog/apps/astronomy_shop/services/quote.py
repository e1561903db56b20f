"""Quotes for shipping, in PHP."""

from aiops_gym.catalog.apps.astronomy_shop.words import HTTP, MIB, answer

service = {
    "name": "quote",
    "port": 8080,
    "limit": "40Mi",
    "user": {"runAsGroup": 33, "runAsNonRoot": True, "runAsUser": 33},
    "env": (
        ("QUOTE_PORT", "8080"),
        ("OTEL_PHP_AUTOLOAD_ENABLED", "true"),
        ("OTEL_PHP_INTERNAL_METRICS_ENABLED", "true"),
        *HTTP,
        ("IPV6_ENABLED", "false"),
    ),
    "params": {
        "language": "php",
        "format": "monolog",
        "protocol": "http",
        "listens": "QUOTE_PORT",
        "routes": [["/getquote", "POST /getquote"]],
        "startup": [{"listen": True}],
        "handlers": answer(
            "POST /getquote", 0.9, body="80.9", says=[["slim-app", 'Calculated quote {"total":80.91} []', "info"]]
        ),
        "memory": 25 * MIB,
        "boot": 200,
    },
}

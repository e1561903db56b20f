"""Quotes for shipping, in PHP."""

from aiops_gym.catalog.apps.astronomy_shop.words import HTTP, MIB, QUANTITIES, answer, one_of

EACH = 8.99
ITEMS = (*QUANTITIES, *QUANTITIES, *(one + two + 2 for one in QUANTITIES for two in QUANTITIES if one <= two))
"""What is in a cart: of one product, or of several."""

TOTAL = one_of(*(f"{round(EACH * items, 2):g}" for items in ITEMS))

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
            "POST /getquote", 0.9, body="8.99", says=[["slim-app", f'Calculated quote {{"total":{TOTAL}}} []', "info"]]
        ),
        "memory": 25 * MIB,
        "boot": 200,
    },
}

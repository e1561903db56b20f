"""Currencies, in C++. Its log goes to the collector alone."""

from aiops_gym.catalog.apps.astronomy_shop.words import GRPC, MIB, serve

service = {
    "name": "currency",
    "port": 8080,
    "limit": "20Mi",
    "env": (("CURRENCY_PORT", "8080"), *GRPC, ("VERSION", "2.2.0"), ("IPV6_ENABLED", "false")),
    "params": {
        "language": "cpp",
        "protocol": "grpc",
        "listens": "CURRENCY_PORT",
        "handlers": {
            **serve("CurrencyService", "GetSupportedCurrencies", 0.2),
            **serve("CurrencyService", "Convert", 0.2),
        },
        "memory": 7 * MIB,
        "boot": 60,
    },
}

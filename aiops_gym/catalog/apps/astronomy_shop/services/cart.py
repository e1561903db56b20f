"""Carts, in .NET, kept in Valkey. Flags: emptying a cart fails, and the health check."""

from typing import Any

from aiops_gym.catalog.apps.astronomy_shop.words import FLAGD, GRPC, MIB, PRODUCT, QUANTITY, dotnet, redis, serve

STORE = "cart.cartstore.ValkeyCartStore"
NO_STORE = "FailedPrecondition: Can't access cart storage. {error}"
BAD = "FailedPrecondition: Can't access cart storage. System.ApplicationException: Wasn't able to connect to redis"
EMPTYING: dict[str, Any] = {"when": {"cartFailure": False}, "throws": NO_STORE}


def _noted(method: str, more: str = "") -> list[list[str]]:
    return dotnet(STORE, f"{method} called with userId={{who}}{more}")  # type: ignore[return-value]


service = {
    "name": "cart",
    "port": 8080,
    "limit": "160Mi",
    "waits": ("valkey-cart", 6379),
    "env": (
        ("CART_PORT", "8080"),
        ("ASPNETCORE_URLS", "http://*:$(CART_PORT)"),
        ("VALKEY_ADDR", "valkey-cart:6379"),
        *FLAGD,
        *GRPC,
    ),
    "params": {
        "language": "dotnet",
        "protocol": "grpc",
        "listens": "CART_PORT",
        "environment": {"valkey-cart": "VALKEY_ADDR"},
        "ports": {"valkey-cart": 6379},
        "unset": ["{name} environment variable is required.", 1],
        "startup": [
            {
                "ask": "valkey-cart",
                "log": dotnet(STORE, "Wasn't able to connect to redis", "fail"),
                "code": 134,
            },
            {"log": dotnet(STORE, "Successfully connected to Redis")},
            {"log": dotnet("Microsoft.Hosting.Lifetime", "Now listening on: http://[::]:8080"), "listen": True},
        ],
        "handlers": {
            **serve(
                "CartService",
                "AddItem",
                1.1,
                redis("HGET", throws=NO_STORE),
                redis("HMSET", throws=NO_STORE),
                redis("EXPIRE", throws=NO_STORE),
                says=_noted("AddItemAsync", f", productId={PRODUCT}, quantity={QUANTITY}"),
            ),
            **serve("CartService", "GetCart", 0.8, redis("HGET", throws=NO_STORE), says=_noted("GetCartAsync")),
            **serve(
                "CartService",
                "EmptyCart",
                0.8,
                redis("HMSET", **EMPTYING),
                redis("EXPIRE", **EMPTYING),
                {
                    "kind": "redis",
                    "host": "badhost",
                    "port": 1234,
                    "span": "",
                    "when": {"cartFailure": True},
                    "throws": BAD,
                    "log": dotnet(STORE, "Wasn't able to connect to redis", "fail"),
                },
                says=_noted("EmptyCartAsync"),
            ),
        },
        "unready": ["failedReadinessProbe"],
        "memory": 82 * MIB,
        "boot": 1500,
        "threads": 24,
    },
}

"""Accounting, in .NET: writes the orders that it reads from Kafka into the database."""

from aiops_gym.catalog.apps.astronomy_shop.words import CONSUMED, HTTP, MIB, TRUNCATED, dotnet, query

ROWS = ["accounting.order", "accounting.shipping", "accounting.orderitem"]
FAILED = dotnet("Accounting.Consumer", "Order parsing failed:", "fail")
UNREADABLE = [["", f"      Google.Protobuf.InvalidProtocolBufferException: {TRUNCATED}", "info"]]
DETAILS = 'Order details: { "orderId": "{uuid}", "shippingTrackingId": "{tracking}" }.'

service = {
    "name": "accounting",
    "limit": "120Mi",
    "waits": ("kafka", 9092),
    "env": (
        ("KAFKA_ADDR", "kafka:9092"),
        *HTTP,
        ("DB_CONNECTION_STRING", "Host=postgresql;Username=otelu;Password=otelp;Database=otel"),
        ("OTEL_DOTNET_AUTO_TRACES_ENTITYFRAMEWORKCORE_INSTRUMENTATION_ENABLED", "false"),
    ),
    "params": {
        "language": "dotnet",
        "environment": {"kafka": "KAFKA_ADDR", "postgresql": "DB_CONNECTION_STRING"},
        "ports": {"postgresql": 5432, "kafka": 9092},
        "unset": [
            "Unhandled exception. System.InvalidOperationException: The {name} environment variable is not set.",
            134,
        ],
        "startup": [{"log": dotnet("Accounting.Consumer", "Connecting to Kafka: kafka:9092")}],
        "consumes": {
            "to": "kafka",
            "topic": CONSUMED,
            "group": "accounting",
            "handler": "order-consumed",
            "client": "rdkafka",
            "unreadable": {"log": [*FAILED, *UNREADABLE]},
            "lost": [
                ["", "%3|FAIL|rdkafka#consumer-1| [thrd:kafka:9092/bootstrap]: kafka:9092/bootstrap: Connect failed"]
            ],
        },
        "handlers": {
            "order-consumed": {
                "span": "order-consumed",
                "ms": 1.4,
                "says": dotnet("Accounting.Consumer", DETAILS),
                "calls": [
                    query(
                        "postgresql",
                        "otel",
                        1.8,
                        on_error="ignore",
                        writes=ROWS,
                        log=[*FAILED, ["", "      {error}", "info"]],
                    )
                ],
            }
        },
        "memory": 84 * MIB,
        "boot": 1800,
        "threads": 19,
    },
}

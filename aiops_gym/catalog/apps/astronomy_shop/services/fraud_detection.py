"""Fraud detection, in Kotlin: reads orders from Kafka. Flag: it sleeps a second over each of them."""

from aiops_gym.catalog.apps.astronomy_shop.words import CONSUMED, FLAGD, HTTP, MIB

LOGGER = "fraud-detection"
FLAG = "kafkaQueueProblems"
SLEEPS = f"FeatureFlag '{FLAG}' is enabled, sleeping 1 second"
LOST = "[Consumer clientId=consumer-1, groupId=fraud-detection] Connection to node -1 could not be established."

service = {
    "name": "fraud-detection",
    "limit": "300Mi",
    "waits": ("kafka", 9092),
    "env": (
        ("KAFKA_ADDR", "kafka:9092"),
        *FLAGD,
        *HTTP,
        ("OTEL_INSTRUMENTATION_KAFKA_EXPERIMENTAL_SPAN_ATTRIBUTES", "true"),
        ("OTEL_INSTRUMENTATION_MESSAGING_EXPERIMENTAL_RECEIVE_TELEMETRY_ENABLED", "true"),
    ),
    "params": {
        "language": "java",
        "format": "log4j",
        "environment": {"kafka": "KAFKA_ADDR"},
        "ports": {"kafka": 9092},
        "missing": ["KAFKA_ADDR is not supplied", 1],
        "startup": [{"wait": 500}],
        "consumes": {
            "to": "kafka",
            "topic": CONSUMED,
            "group": "fraud-detection",
            "handler": "orders process",
            "pace": {"flag": FLAG, "rate": 1.0},
            "lost": [["org.apache.kafka.clients.NetworkClient", LOST, "warning"]],
        },
        "handlers": {
            "orders process": {
                "span": "orders process",
                "ms": 0.9,
                "says": [[LOGGER, "Consumed record with orderId: {uuid}", "info"]],
                "adds": [{"when": {FLAG: True}, "says": [[LOGGER, SLEEPS, "info"]]}],
                "calls": [],
            }
        },
        "memory": 205 * MIB,
        "boot": 3600,
        "threads": 38,
    },
}

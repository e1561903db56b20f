"""Fraud detection, in Kotlin: reads orders from Kafka. Flag: it sleeps a second over each of them."""

from aiops_gym.catalog.apps.astronomy_shop.words import CONSUMED, FLAGD, HTTP, MIB, TRUNCATED

LOGGER = "fraud-detection"
FLAG = "kafkaQueueProblems"
SLEEPS = f"FeatureFlag '{FLAG}' is enabled, sleeping 1 second"
CONSUMES = [[LOGGER, "Consumed record with orderId: {uuid}", "info"]]
CLIENT = "consumer-fraud-detection-1"
ME = f"[Consumer clientId={CLIENT}, groupId=fraud-detection]"
COORDINATOR = "org.apache.kafka.clients.consumer.internals.ConsumerCoordinator"
LOST = f"{ME} Connection to node -1 could not be established."
LEAVES = f"{ME} Member {CLIENT} sending LeaveGroup request to coordinator kafka:9092 (id: 2147483646 rack: null) due to"
OVERDUE = [
    [
        COORDINATOR,
        f"{ME} consumer poll timeout has expired. This means the time between subsequent calls to poll() was longer "
        "than the configured max.poll.interval.ms, which typically implies that the poll loop is spending too much "
        "time processing messages. You can address this either by increasing max.poll.interval.ms or by reducing the "
        "maximum size of batches returned in poll() with max.poll.records.",
        "warning",
    ],
    [COORDINATOR, f"{LEAVES} consumer poll timeout has expired.", "info"],
]
AGAIN = [
    [COORDINATOR, f"{ME} Failing OffsetCommit request since the consumer is not part of an active group", "info"],
    [COORDINATOR, f"{ME} Lost previously assigned partitions {CONSUMED}-0", "info"],
    [COORDINATOR, f"{ME} (Re-)joining group", "info"],
]
UNREADABLE = [
    [COORDINATOR, f"{ME} Revoke previously assigned partitions {CONSUMED}-0", "info"],
    [COORDINATOR, f"{LEAVES} the consumer is being closed", "info"],
    ["", f'Exception in thread "main" com.google.protobuf.InvalidProtocolBufferException: {TRUNCATED}', "raw"],
    ["", "\tat com.google.protobuf.InvalidProtocolBufferException.truncatedMessage(Unknown Source)", "raw"],
    ["", "\tat oteldemo.Demo$OrderResult.parseFrom(Unknown Source)", "raw"],
    ["", "\tat frauddetection.MainKt.main(main.kt)", "raw"],
]

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
        "unset": ["KAFKA_ADDR is not supplied", 1],
        "startup": [{"wait": 500}],
        "consumes": {
            "to": "kafka",
            "topic": CONSUMED,
            "group": "fraud-detection",
            "handler": "orders process",
            "client": CLIENT,
            "unreadable": {"log": UNREADABLE, "code": 1},
            "overdue": OVERDUE,
            "again": AGAIN,
            "pace": {"flag": FLAG, "rate": 1.0},
            "lost": [["org.apache.kafka.clients.NetworkClient", LOST, "warning"]],
        },
        "handlers": {
            "orders process": {
                "span": "orders process",
                "ms": 0.9,
                "adds": [
                    {"when": {FLAG: True}, "says": [[LOGGER, SLEEPS, "info"]]},
                    {"when": {FLAG: True}, "says": CONSUMES, "after": 1000},
                    {"when": {FLAG: False}, "says": CONSUMES},
                ],
                "calls": [],
            }
        },
        "memory": 205 * MIB,
        "boot": 3600,
        "threads": 38,
    },
}

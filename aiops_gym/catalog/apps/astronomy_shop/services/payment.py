"""Payment, in Node.js. Flag: a share of the charges fails."""

from aiops_gym.catalog.apps.astronomy_shop.words import FLAGD, GRPC, MIB, fail, serve

REFUSED = "Payment request failed. Invalid token. app.loyalty.level=gold"

service = {
    "name": "payment",
    "port": 8080,
    "limit": "140Mi",
    "user": {"runAsGroup": 1000, "runAsNonRoot": True, "runAsUser": 1000},
    "env": (("PAYMENT_PORT", "8080"), *FLAGD, *GRPC, ("IPV6_ENABLED", "false")),
    "params": {
        "language": "node",
        "format": "pino",
        "protocol": "grpc",
        "listens": "PAYMENT_PORT",
        "startup": [{"log": ["", "payment gRPC server started on 0.0.0.0:8080", "info"], "listen": True}],
        "handlers": serve(
            "PaymentService",
            "Charge",
            1.0,
            fail(
                f"Unknown: {REFUSED}",
                "paymentFailure",
                {"flag": "paymentFailure"},
                log=[["", f"Error: {REFUSED}", "warning"]],
            ),
            says=[["", "Charge request received.", "info"]],
        ),
        "memory": 86 * MIB,
        "boot": 900,
        "threads": 18,
    },
}

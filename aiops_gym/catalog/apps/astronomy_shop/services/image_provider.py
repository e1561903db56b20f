"""The images, from nginx."""

from aiops_gym.catalog.apps.astronomy_shop import pages
from aiops_gym.catalog.apps.astronomy_shop.words import MIB

service = {
    "name": "image-provider",
    "port": 8081,
    "limit": "50Mi",
    "user": {"runAsGroup": 101, "runAsNonRoot": True, "runAsUser": 101},
    "env": (
        ("IMAGE_PROVIDER_PORT", "8081"),
        ("OTEL_COLLECTOR_PORT_GRPC", "4317"),
        ("OTEL_COLLECTOR_HOST", "$(OTEL_COLLECTOR_NAME)"),
    ),
    "params": {
        "language": "envoy",
        "protocol": "http",
        "listens": "IMAGE_PROVIDER_PORT",
        "collector": "otel-collector:4317",
        "routes": [["/*", "GET /"]],
        "missing": pages.NGINX,
        "headers": {"Server": "nginx"},
        "pages": {"/status": "Active connections: 1 \n"},
        "startup": [
            {"log": ["", "/docker-entrypoint.sh: Configuration complete; ready for start up", "info"], "listen": True}
        ],
        "handlers": {"GET /": {"span": "image-provider", "ms": 0.4, "calls": [], "bodies": pages.IMAGES}},
        "memory": 13 * MIB,
        "boot": 80,
    },
}

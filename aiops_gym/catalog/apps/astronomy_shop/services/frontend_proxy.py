"""Envoy, the way in: routes to the web server and to the images.

Flag `imageSlowLoad`: browsers ask for images with a header that has Envoy wait before it asks further. What browsers
have been told of the flag is kept with the proxy, through which they ask for it.
"""

from aiops_gym.catalog.apps.astronomy_shop.services.frontend import API
from aiops_gym.catalog.apps.astronomy_shop.words import FLAGD, MIB

IMAGE = "GET /images/"
FORWARD = "router {0} egress"

ENV = (
    ("ENVOY_PORT", "8080"),
    ("ENVOY_ADDR", "0.0.0.0"),
    ("ENVOY_ADMIN_PORT", "10000"),
    *FLAGD,
    ("FLAGD_UI_HOST", "flagd"),
    ("FLAGD_UI_PORT", "4000"),
    ("FRONTEND_HOST", "frontend"),
    ("FRONTEND_PORT", "8080"),
    ("GRAFANA_HOST", "grafana"),
    ("GRAFANA_PORT", "80"),
    ("IMAGE_PROVIDER_HOST", "image-provider"),
    ("IMAGE_PROVIDER_PORT", "8081"),
    ("JAEGER_HOST", "jaeger"),
    ("JAEGER_UI_PORT", "16686"),
    ("LOCUST_WEB_HOST", "load-generator"),
    ("LOCUST_WEB_PORT", "8089"),
    ("OTEL_COLLECTOR_HOST", "$(OTEL_COLLECTOR_NAME)"),
    ("OTEL_COLLECTOR_PORT_GRPC", "4317"),
    ("OTEL_COLLECTOR_PORT_HTTP", "4318"),
)


PASSES = (
    ("/", "FRONTEND_HOST", "FRONTEND_PORT", ""),
    ("/loadgen", "LOCUST_WEB_HOST", "LOCUST_WEB_PORT", "/"),
    ("/otlp-http/", "OTEL_COLLECTOR_HOST", "OTEL_COLLECTOR_PORT_HTTP", "/"),
    ("/jaeger", "JAEGER_HOST", "JAEGER_UI_PORT", ""),
    ("/grafana", "GRAFANA_HOST", "GRAFANA_PORT", ""),
    ("/images/", "IMAGE_PROVIDER_HOST", "IMAGE_PROVIDER_PORT", "/"),
    ("/flagservice/", "FLAGD_HOST", "FLAGD_PORT", "/"),
    ("/feature", "FLAGD_UI_HOST", "FLAGD_UI_PORT", "/"),
)
"""Routes of Envoy's template: where requests go that no user of the load generator makes."""


def _egress(cluster: str, handler: str, **more: object) -> dict[str, object]:
    return {"kind": "http", "to": cluster, "handler": handler, "span": FORWARD.format(cluster), **more}


service = {
    "name": "frontend-proxy",
    "port": 8080,
    "limit": "65Mi",
    "user": {"runAsGroup": 101, "runAsNonRoot": True, "runAsUser": 101},
    "env": ENV,
    "params": {
        "language": "envoy",
        "protocol": "http",
        "listens": "ENVOY_PORT",
        "collector": "otel-collector:4317",
        "hosts": {
            "frontend": ["FRONTEND_HOST", "FRONTEND_PORT"],
            "image-provider": ["IMAGE_PROVIDER_HOST", "IMAGE_PROVIDER_PORT"],
        },
        "routes": [["/images/*", IMAGE], *([handler.split(" ")[1], handler] for handler in API)],
        "passes": [list(row) for row in PASSES],
        "headers": {"server": "envoy"},
        "unreached": 503,
        "startup": [
            {"log": ["", "[info][main] [source/server/server.cc:430] initializing epoch 0", "info"]},
            {
                "log": ["", "[info][main] [source/server/server.cc:978] starting main dispatch loop", "info"],
                "listen": True,
            },
        ],
        "handlers": {
            **{
                handler: {
                    "span": "ingress",
                    "ms": 0.3,
                    "calls": [_egress("frontend", handler)],
                }
                for handler in API
            },
            IMAGE: {
                "span": "ingress",
                "ms": 0.3,
                "calls": [_egress("image-provider", "GET /", delay={"flag": "imageSlowLoad"})],
            },
        },
        "memory": 36 * MIB,
        "boot": 300,
    },
}

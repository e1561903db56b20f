"""Ads, in Java. Three flags: it fails, it burns a processor, it collects garbage with each request."""

from aiops_gym.catalog.apps.astronomy_shop.words import FLAGD, HTTP, MIB, fail, one_of, serve

LOGGER = "oteldemo.AdService"
FAILED = "GetAds Failed with status Status{code=UNAVAILABLE, description=null, cause=null}"
CATEGORIES = ("binoculars", "telescopes", "accessories", "assembly", "travel", "books")
ASKED = one_of(
    *(f"Targeted ad request received for [{category}]" for category in CATEGORIES),
    "Non-targeted ad request received, preparing random response.",
)
LOAD = "oteldemo.problempattern.CPULoad"
TRIGGER = "oteldemo.problempattern.GarbageCollectionTrigger"

service = {
    "name": "ad",
    "port": 8080,
    "limit": "300Mi",
    "env": (("AD_PORT", "8080"), *FLAGD, *HTTP, ("OTEL_LOGS_EXPORTER", "otlp")),
    "params": {
        "language": "java",
        "format": "log4j",
        "protocol": "grpc",
        "listens": "AD_PORT",
        "startup": [
            {"log": [LOGGER, "Ad service starting.", "info"], "wait": 900},
            {"log": [LOGGER, "Ad service started, listening on 8080", "info"], "listen": True},
        ],
        "handlers": serve(
            "AdService",
            "GetAds",
            1.6,
            fail("Unavailable: ", "adFailure", 0.1, log=[LOGGER, FAILED, "warning"]),
            says=[[LOGGER, ASKED, "info"]],
            slowed=[{"when": {"adManualGc": True}, "ms": 1100.0}, {"when": {"adHighCpu": True}, "ms": 2.4}],
            adds=[
                {
                    "when": {"adManualGc": True},
                    "says": [
                        [LOGGER, "Feature Flag adManualGc enabled, performing a manual gc now", "warning"],
                        [TRIGGER, "Triggering a manual garbage collection, next one in 10 seconds.", "info"],
                        [TRIGGER, "The artificially triggered GCs took: 1100 ms", "info"],
                    ],
                }
            ],
        ),
        "turned": {
            "adHighCpu": [
                [[LOAD, "High CPU-Load problempattern enabled", "info"]],
                [[LOAD, "Stopping all CPULoad problempattern worker threads", "info"]],
            ]
        },
        "burns": {"adHighCpu": 3.9},
        "memory": 188 * MIB,
        "boot": 3200,
        "threads": 41,
    },
}

"""The flags of the shop and the values that they may have: the file that flagd reads, as the chart 0.40.0 brings it."""

from __future__ import annotations

import json
from collections.abc import Mapping

from aiops_gym.types import Json

SWITCHES: Mapping[str, str] = {
    "llmInaccurateResponse": "The assistant sums up the reviews of product L9ECAV7KIM wrongly",
    "llmRateLimitError": "The language model refuses some requests for its rate limit",
    "productCatalogFailure": "One product cannot be had from the catalogue",
    "recommendationCacheFailure": "Recommendations come from a cache that fails",
    "adManualGc": "The ad service collects garbage with each request",
    "adHighCpu": "The ad service burns a processor",
    "adFailure": "The ad service fails",
    "cartFailure": "The cart service fails",
    "paymentUnreachable": "The payment service is asked at an address that does not exist",
    "failedReadinessProbe": "The cart service says that it is not ready",
}
VALUES: Mapping[str, tuple[str, Mapping[str, float]]] = {
    "kafkaQueueProblems": ("Kafka gets too many messages, and a consumer is slow", {"on": 100, "off": 0}),
    "paymentFailure": (
        "A share of the charges fails",
        {"100%": 1, "90%": 0.95, "75%": 0.75, "50%": 0.5, "25%": 0.25, "10%": 0.1, "off": 0},
    ),
    "loadGeneratorFloodHomepage": ("Users ask for the first page very often", {"on": 100, "off": 0}),
    "imageSlowLoad": ("Images come late", {"10sec": 10_000, "5sec": 5_000, "off": 0}),
    "emailMemoryLeak": (
        "The email service keeps what it has sent",
        {"off": 0, "1x": 1, "10x": 10, "100x": 100, "1000x": 1_000, "10000x": 10_000},
    ),
}
FILE = "demo.flagd.json"


def _flag(about: str, variants: Mapping[str, Json]) -> dict[str, Json]:
    return {"description": about, "state": "ENABLED", "variants": dict(variants), "defaultVariant": "off"}


FLAGS: Mapping[str, Mapping[str, Json]] = {
    **{name: _flag(about, {"on": True, "off": False}) for name, about in SWITCHES.items()},
    **{name: _flag(about, variants) for name, (about, variants) in VALUES.items()},
}

TEXT = json.dumps({"$schema": "https://flagd.dev/schema/v0/flags.json", "flags": FLAGS}, indent=2) + "\n"
"""What the file says when all is off."""

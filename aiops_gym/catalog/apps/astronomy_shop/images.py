"""The images of the shop: each service of the demo is an image of its own, with one executable."""

from __future__ import annotations

from collections.abc import Mapping

from aiops_gym.catalog.apps.astronomy_shop import platform
from aiops_gym.catalog.apps.astronomy_shop.manifests import SERVICES, make_image
from aiops_gym.types import Json

MIB = 1 << 20
SIZES = {"java": 152, "dotnet": 88, "node": 121, "python": 96, "ruby": 140, "php": 130, "envoy": 74}
"""Megabytes of an image, by language; others are small."""

FOLDERS = {"cart": "/usr/src/app"}
"""Where the executable lies and starts, for images whose entry point is relative to that."""


SAID, ORDER = "${uuid}\x12${tracking}", "${uuid}\x12${uuid}"
COST = "\x1a\t\n\x03USD\x10\x05\x18\x01"
KAFKA = {
    name: {
        "program": "kafka_command",
        "params": {
            "handlers": {"print": {"ms": 0.1, "says": [["", SAID, "info"]], "calls": []}},
            "record": f"\n{ORDER}{COST}",
        },
        "path": f"/opt/kafka/bin/{name}",
    }
    for name in (
        "kafka-console-consumer.sh",
        "kafka-verifiable-producer.sh",
        "kafka-console-producer.sh",
        "kafka-topics.sh",
        "kafka-get-offsets.sh",
        "kafka-configs.sh",
        "kafka-consumer-groups.sh",
    )
}
"""What is beside the broker in its image; of an order as protobuf has it, a line shows the numbers at its beginning,
and `record` what it cost besides."""


def _image(
    name: str,
    program: str,
    params: Mapping[str, Json],
    megabytes: int,
    beside: Mapping[str, Json] | None = None,
) -> Json:
    binaries = {name: {"program": program, "params": dict(params)}, **(beside or {})}
    return {"size": megabytes * 1_000_000 + 7_919 * len(name), "entrypoint": (name,), "binaries": binaries}


def _service(row: Mapping[str, Json]) -> Json:
    params = row["params"]
    name, folder, bare = row["name"], FOLDERS.get(row["name"]), params["language"] in ("go_traced", "cpp", "rust")
    megabytes = SIZES.get(params["language"], 24)
    more: Mapping[str, Json] = {"shell": False} if bare else {}
    found = {**_image(name, "traced_service", {"name": name, **params}, megabytes), **more}
    if folder:
        binary = {**found["binaries"][name], "path": f"{folder}/{name}"}
        found |= {"entrypoint": (f"./{name}",), "workdir": folder, "binaries": {name: binary}}
    return found


IMAGES: Mapping[str, Json] = {
    **{make_image(name): _service(row) for name, row in SERVICES.items()},
    make_image("flagd-ui"): _image(
        "flagd_ui", "idle", {"ports": [4000], "http": {"/": [200, "<!DOCTYPE html>\n"]}, "memory": 130 * MIB}, 70
    ),
    make_image("kafka"): _image("kafka", "kafka", {}, 210, beside=KAFKA),
    "ghcr.io/open-feature/flagd:v0.12.9": {
        "size": 21_087_109,
        "entrypoint": ("/flagd-build",),
        "binaries": {"flagd-build": {"program": "flagd", "params": {}, "path": "/flagd-build"}},
        "shell": False,
    },
    "postgres:17.6": {
        "size": 157_300_912,
        "entrypoint": ("docker-entrypoint.sh",),
        "cmd": ("postgres",),
        "binaries": {word: {"program": "postgres", "params": {}} for word in ("docker-entrypoint.sh", "postgres")},
    },
    "valkey/valkey:9.0.1-alpine3.23": {
        "size": 17_204_118,
        "entrypoint": ("docker-entrypoint.sh",),
        "cmd": ("valkey-server",),
        "binaries": {
            word: {"program": "redis", "params": {"brand": "Valkey", "version": "9.0.1", "memory": 5 * MIB}}
            for word in ("docker-entrypoint.sh", "valkey-server", "valkey-cli", "redis-server", "redis-cli")
        },
        "sh": "busybox",
        "workdir": "/data",
    },
    "busybox:latest": {"size": 2_223_685, "cmd": ("sh",), "sh": "busybox"},
    **platform.IMAGES,
}

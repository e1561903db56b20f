"""The settings in the image of Hotel Reservation: the file `config.json`, which each service reads at its start.

A file that is mounted over it takes its place.
"""

from __future__ import annotations

import json
from collections.abc import Mapping

from aiops_gym.catalog.apps.hotel_reservation.manifests import DATABASES, GO_SERVICES

FILE = "/workspace/config.json"
CACHES = {"profile": "memcached-profile", "rate": "memcached-rate", "reservation": "memcached-reserve"}


def make_config(addresses: Mapping[str, str]) -> dict[str, str]:
    """What the file says; `addresses` are those of databases that are not the usual ones, by service."""
    found = {"consulAddress": "consul:8500", "jaegerAddress": "jaeger:6831", "FrontendPort": "5000"}
    for name, port in GO_SERVICES.items():
        if name != "frontend":
            found[f"{name.capitalize()}Port"] = str(port)
        if name in DATABASES:
            found[f"{name.capitalize()}MongoAddress"] = addresses.get(name, f"mongodb-{name}:27017")
    return found | {f"{name.capitalize()}MemcAddress": f"{host}:11211" for name, host in CACHES.items()}


def text(settings: Mapping[str, str]) -> str:
    """The file."""
    return json.dumps(settings, indent=2) + "\n"


def read(name: str, settings: Mapping[str, str]) -> dict[str, str]:
    """What a service takes from the file: addresses by their key."""
    keys = ("consulAddress", "jaegerAddress", f"{name.capitalize()}MongoAddress", f"{name.capitalize()}MemcAddress")
    return {key: settings[key] for key in keys if key in settings}


def foreign(name: str) -> str:
    """The file as it is in another environment, as far as whom a service needs most is concerned."""
    usual = make_config({})
    key = f"{name.capitalize()}MongoAddress" if name in DATABASES else "consulAddress"
    host, _, port = usual[key].partition(":")
    return text({**usual, key: f"{host}.staging:{port}"})


PARAMETERS: Mapping[str, Mapping[str, str]] = {
    name: {"settings": FILE, "foreign": foreign(name)} for name in GO_SERVICES
}
"""What a fault may need to know of a service beside what `manifests` has: its file, and that of another environment."""

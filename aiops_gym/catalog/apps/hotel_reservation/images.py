"""The images of Hotel Reservation: what is in them, and with which settings it was built.

One Go image holds all eight services, each an executable of that name; addresses are compiled in. A second build of it
differs in one address only.
"""

from __future__ import annotations

from collections.abc import Mapping

from aiops_gym.catalog.apps.hotel_reservation.manifests import GO_IMAGE, GO_SERVICES, WITH_USERS
from aiops_gym.catalog.apps.hotel_reservation.seeds import SEEDS, WEB
from aiops_gym.catalog.apps.hotel_reservation.settings import CACHES, FILE, make_config, read, text
from aiops_gym.catalog.apps.hotel_reservation.traffic import HANDLERS
from aiops_gym.types import Json

MIB = 1 << 20


def _startup(name: str, settings: Json) -> list[Json]:
    """What a service does from its first line to serving, in order."""
    source, title = f"cmd/{name}/main.go", name.capitalize()

    def say(line: int, message: str) -> Json:
        return {"log": [f"{source}:{line}", message]}

    steps = [say(32, "Reading config...")]
    if name in SEEDS:
        address = settings[f"{title}MongoAddress"]
        user = {"user": "admin", "password": "admin", "source": "admin"} if name in WITH_USERS else None
        steps += [say(46, f"Read database URL: {address}"), say(47, "Initializing DB connection...")]
        mongo = {"address": address, "database": f"{name}-db", "credentials": user}
        mongo |= {**SEEDS[name], "source": f"cmd/{name}/db.go"}
        steps.append({"mongo": mongo})
    if name in CACHES:
        steps += [
            say(52, f"Read {name} memcashed address: {settings[f'{title}MemcAddress']}"),
            say(53, "Initializing Memcashed client..."),
            say(56, "Successfull"),
        ]
    consul, jaeger, port = settings["consulAddress"], settings["jaegerAddress"], GO_SERVICES[name]
    steps += [
        say(60, f"Read target port: {port}"),
        say(61, f"Read consul address: {consul}"),
        say(62, f"Read jaeger address: {jaeger}"),
        say(69, f"Initializing jaeger agent [service name: {name} | host: {jaeger}]..."),
        say(74, "Jaeger agent initialized"),
        say(76, f"Initializing consul agent [host: {consul}]..."),
        say(81, "Consul agent initialized"),
        say(91, "Starting server..."),
        {"listen": port},
    ]
    if name != "frontend":
        steps.append({"registry": consul})
    return steps


def _service(name: str, settings: Json) -> Json:
    params: Json = {
        "name": name,
        "service": None if name == "frontend" else f"srv-{name}",
        "port": GO_SERVICES[name],
        "protocol": "http" if name == "frontend" else "grpc",
        "startup": _startup(name, settings),
        "handlers": HANDLERS[name],
        "registry": settings["consulAddress"],
        "flags": {"-consuladdr": settings["consulAddress"]},
        "tracer": settings["jaegerAddress"],
        "settings": {"file": FILE, "values": read(name, settings)},
        "memory": 14 * MIB,
        "cpu": 0.002,
    }
    if name == "frontend":
        params["web"] = WEB
    return {"program": "go_service", "params": params}


def _go_image(addresses: Mapping[str, str]) -> Json:
    settings = make_config(addresses)
    return {
        "size": 447_318_902,
        "cmd": ("/bin/bash",),
        "binaries": {name: _service(name, settings) for name in GO_SERVICES},
        "files": {FILE: text(settings)},
        "env": {"PATH": "/go/bin:/usr/local/go/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"},
        "workdir": "/workspace",
        "tools": ("bash", "curl", "wget", "git", "perl", "openssl"),
    }


MONGO: Json = {"version": "4.4.6", "memory": 72 * MIB}

BUILT: Mapping[str, Json] = {
    GO_IMAGE: _go_image({}),
    "yinfangchen/geo:app3": _go_image({"geo": "mongodb-geo:27777"}),
    "mongo:4.4.6": {
        "size": 169_117_340,
        "entrypoint": ("docker-entrypoint.sh",),
        "cmd": ("mongod",),
        "binaries": {
            "docker-entrypoint.sh": {
                "program": "mongod",
                "params": MONGO,
                "path": "/usr/local/bin/docker-entrypoint.sh",
            },
            "mongod": {"program": "mongod", "params": MONGO, "path": "/usr/bin/mongod"},
        },
        "tools": ("bash", "ps", "top", "free", "uptime", "jq", "perl"),
    },
    "memcached:latest": {
        "size": 32_190_417,
        "entrypoint": ("docker-entrypoint.sh",),
        "cmd": ("memcached",),
        "binaries": {name: {"program": "memcached", "params": {}} for name in ("docker-entrypoint.sh", "memcached")},
        "tools": ("bash", "perl"),
    },
    "hashicorp/consul:latest": {
        "size": 61_482_736,
        "entrypoint": ("docker-entrypoint.sh",),
        "cmd": ("agent", "-dev", "-client", "0.0.0.0"),
        "binaries": {
            "docker-entrypoint.sh": {"program": "consul", "path": "/usr/local/bin/docker-entrypoint.sh"},
            "consul": {"program": "consul", "path": "/bin/consul"},
        },
        "sh": "busybox",
        "tools": ("curl", "jq", "openssl"),
    },
    "jaegertracing/all-in-one:1.57": {
        "size": 31_007_265,
        "entrypoint": ("/go/bin/all-in-one-linux",),
        "binaries": {"all-in-one-linux": {"program": "jaeger", "params": {}}},
        "sh": "busybox",
        "tools": (),
    },
    "gcr.io/google-containers/pause:latest": {
        "size": 297_616,
        "cached": True,
        "entrypoint": ("/pause",),
        "binaries": {"pause": {"program": "pause", "params": {}}},
        "shell": False,
    },
}

REBUILT = {
    "yinfangchen/hotelreservation:20240311": GO_IMAGE,
    "mongo:4.4.18": "mongo:4.4.6",
    "memcached:1.6.21": "memcached:latest",
}
"""Other tags under which the same has been published, and what it is."""

IMAGES: Mapping[str, Json] = {**BUILT, **{name: BUILT[same] for name, same in REBUILT.items()}}

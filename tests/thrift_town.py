"""A small town: users come through `door` (nginx), `posts` asks `names`, a store of lines, a cache and a database."""

import json
from collections.abc import Mapping
from typing import Any

from aiops_gym.sim import traffic
from aiops_gym.sim.kernel.blueprint import Binary, Blueprint, Image, Operation
from aiops_gym.sim.kernel.world import Dynamics, World
from aiops_gym.sim.kube_control import kubelet_server
from aiops_gym.sim.machine import runtime, toolbox
from aiops_gym.sim.machine.container import Container
from aiops_gym.sim.software import programs
from aiops_gym.sim.telemetry import logs

Json = Any
START = 1_772_442_000_000
NAMESPACE = "town"
CONFIG = "/app/config"

TAKE, NAME = "/PostsService/Take", "/NamesService/Find"
POSTS = {
    "name": "posts",
    "config": CONFIG,
    "startup": [
        {"machine": ["Posts.h:9:GetMachineId", "Posts.cpp:20:main"]},
        {"mongo": {"to": "db", "database": "post", "index": "post_id", "retry": "Posts.cpp:30:main"}},
        {"listen": ["Posts.cpp:40:main", "Starting the posts server..."]},
    ],
    "handlers": {
        TAKE: {
            "ms": 0.4,
            "span": "take_server",
            "calls": [
                [
                    {
                        "kind": "thrift",
                        "to": "names",
                        "handler": NAME,
                        "client": "names-client",
                        "span": "find_client",
                        "log": [["PostsHandler.h:12:_Find", "Failed to send find to names"]],
                        "caught": [["PostsHandler.h:14:Take", "Failed to get the name"]],
                    },
                    {
                        "kind": "redis",
                        "to": "lines",
                        "span": "add_client",
                        "ms": 0.1,
                        "adds": True,
                        "log": [["PostsHandler.h:17:Take", "{error}"]],
                    },
                ],
                {
                    "kind": "mongo",
                    "to": "db",
                    "database": "post",
                    "span": "insert_client",
                    "ms": 0.5,
                    "throws": "Failed to insert the post",
                    "log": [["PostsHandler.h:20:Take", "MongoDB error: {error}"]],
                    "caught": [["PostsHandler.h:22:Take", "Failed to upload the post"]],
                },
            ],
        }
    },
}
NAMES = {
    "name": "names",
    "config": CONFIG,
    "startup": [
        {"log": ["Names.cpp:7:main", "Reading"]},
        {"listen": ["Names.cpp:9:main", "Starting the names server..."]},
    ],
    "handlers": {
        NAME: {
            "ms": 0.2,
            "span": "find_server",
            "says": [["NamesHandler.h:5:Find", "user_id: {user} not found", "warning"]],
            "calls": [
                {
                    "kind": "memcached",
                    "to": "cache",
                    "span": "get_client",
                    "on_error": "ignore",
                    "log": [["NamesHandler.h:6:Find", "cache: {error}", "warning"]],
                }
            ],
        }
    },
}
DOOR = {
    "name": "door",
    "conf": "/app/nginx.conf",
    "upstreams": {"posts": 9090},
    "handlers": {
        "HTTP POST /take": {
            "ms": 0.2,
            "span": "/take",
            "body": "Taken\n",
            "needs": ["text"],
            "calls": [
                {
                    "kind": "thrift",
                    "to": "posts",
                    "handler": TAKE,
                    "span": "take_client",
                    "log": [["take.lua:62: Take()", "take failure: {error}"]],
                }
            ],
        },
        "HTTP GET /other": {
            "ms": 0.1,
            "span": "/other",
            "calls": [
                {
                    "kind": "thrift",
                    "to": "posts",
                    "handler": "/PostsService/Nothing",
                    "log": [["other.lua:3: Other()", "no: {error}"]],
                }
            ],
        },
    },
}
SERVICES = {
    "posts": {"addr": "posts", "port": 9090},
    "names": {"addr": "names", "port": 9090},
    "db": {"addr": "db", "port": 27017},
    "lines": {"addr": "lines", "port": 6379},
    "cache": {"addr": "cache", "port": 11211},
    "ssl": {"enabled": False, "caPath": "/keys/ca", "serverCertPath": "/keys/crt", "serverKeyPath": "/keys/key"},
}
POOL = {"connections": 8, "timeout_ms": 1000}
SERVICES = {name: {**entry, **POOL} if "addr" in entry else entry for name, entry in SERVICES.items()}
JAEGER_YML = "disabled: false\nreporter:\n  localAgentHostPort: 'jaeger:6831'\nsampler:\n  type: const\n  param: 1\n"
JAEGER_JSON = json.dumps(
    {
        "service_name": "town-door",
        "reporter": {"localAgentHostPort": "jaeger:6831"},
        "sampler": {"type": "const", "param": 1},
    }
)
NGINX = """
env fqdn_suffix;
events { worker_connections 1024; }
http {
  opentracing_load_tracer /usr/lib/plugin.so /app/jaeger-config.json;
  resolver dns.town valid=10s ipv6=off;
  init_by_lua_block {
    local config = { "a" }
  }
  server {
    listen 8080 reuseport;  # all of it
    access_log off;
    location /take { content_by_lua 'local client = require "take"; client.Take();'; }
    location /other { content_by_lua "x"; }
  }
}
"""
CERTIFICATE = "-----BEGIN CERTIFICATE-----\nQQ==\n-----END CERTIFICATE-----\n"
PEM = f"{CERTIFICATE}-----BEGIN PRIVATE KEY-----\nQQ==\n-----END PRIVATE KEY-----\n"
FILES = {
    "settings": {"service-config.json": json.dumps(SERVICES), "jaeger-config.yml": JAEGER_YML},
    "door": {"nginx.conf": NGINX, "jaeger-config.json": JAEGER_JSON},
    "db": {"mongod.conf": "net:\n  tls:\n    mode: disabled\n"},
    "tls": {"tls.pem": PEM, "ca.crt": CERTIFICATE},
}
MOUNTS = {"posts": ("settings", CONFIG), "names": ("settings", CONFIG), "door": ("door", "/app"), "db": ("db", "/conf")}


def _image(program: str, params: Json = None, **more: Json) -> Image:
    name = more.pop("name", program)
    binary = Binary(program=program, params=params or {})
    return Image(entrypoint=("docker-entrypoint.sh",), cmd=(name,), binaries={name: binary}, **more)


IMAGES = {
    "posts": _image("thrift_service", POSTS),
    "names": _image("thrift_service", NAMES),
    "door": _image("nginx_thrift", DOOR, name="nginx"),
    "lines": _image("redis", {"version": "6.2.4"}, name="redis-server"),
    "cache": _image("memcached"),
    "db": _image("mongod"),
    "jaeger": _image("jaeger"),
}
PORTS = {"posts": 9090, "names": 9090, "door": 8080, "lines": 6379, "cache": 11211, "db": 27017, "jaeger": 6831}
ARGS = {"db": ["--config", "/conf/mongod.conf"]}


class Town:
    """The town, running for some seconds; pods are called like their services."""

    def __init__(self, seed: int = 5, rate: float = 20.0, files: Mapping[str, Mapping[str, str]] | None = None) -> None:
        operation = Operation(name="take", weight=1.0, service="door", port=8080, handler="HTTP POST /take")
        blueprint = Blueprint(
            app="town", namespace=NAMESPACE, variant=0, start=START, images=IMAGES, operations=(operation,), rate=rate
        )
        self.exits: list[tuple[str, int]] = []
        handlers = {**runtime.HANDLERS, **traffic.HANDLERS, "kubelet.exited": self._exited}
        self.world = World(
            blueprint,
            Dynamics((), handlers, (traffic.observe,), programs=programs.find, kubelet=kubelet_server.Server()),
            seed,
        )
        self.world.table("processes")
        self._put("services", "dns", spec={"clusterIP": "10.96.0.10", "ports": [{"port": 53, "protocol": "UDP"}]})
        for name, data in {**FILES, **(files or {})}.items():
            self.config(name, **data)
        for number, name in enumerate(PORTS, 2):
            self._service(name, number)
            self.start(name)
        self.run(8)

    def _exited(self, world: World, pod: str, uid: str, container: str, exit_: Json) -> None:
        self.exits.append((pod.partition("/")[2], exit_["code"]))

    def _put(self, resource: str, name: str, **fields: Json) -> Json:
        meta = {"name": name, "namespace": NAMESPACE, "uid": f"uid-{name}"}
        found = self.world.store.put(resource, {"metadata": meta, **fields})
        self.world.touch()
        return found

    def _service(self, name: str, number: int) -> None:
        port = PORTS[name]
        self._put("services", name, spec={"clusterIP": f"10.96.1.{number}", "ports": [{"port": port}]})
        self.endpoints(name, port, number)

    def endpoints(self, name: str, port: int, number: int = 0) -> None:
        ip = f"10.244.1.{number or 2 + list(PORTS).index(name)}"
        self._put("endpoints", name, subsets=[{"addresses": [{"ip": ip}], "ports": [{"port": port}]}])

    def config(self, name: str, **data: str) -> None:
        """Replace a ConfigMap: keys with `_` for `-` and `.` are not translated, give them with `**`."""
        self._put("configmaps", name, data=data)

    def start(self, name: str) -> None:
        """Start the process of a pod, again if it ran."""
        table, key = self.world.table("processes"), f"uid-{name}/main"
        attempt = table[key]["attempt"] + 1 if key in table else 0
        spec: Json = {"name": "main", "image": name, "args": [name_of(name), *ARGS.get(name, [])], "volumeMounts": []}
        volumes = []
        for source, path in [MOUNTS[name]] if name in MOUNTS else []:
            spec["volumeMounts"].append({"name": source, "mountPath": path})
            volumes.append({"name": source, "configMap": {"name": source}})
        if name == "db":
            spec["volumeMounts"].append({"name": "tls", "mountPath": "/etc/tls"})
            volumes.append({"name": "tls", "configMap": {"name": "tls"}})
        status = {"podIP": f"10.244.1.{2 + list(PORTS).index(name)}"}
        if name == "door":
            spec["env"] = [{"name": "fqdn_suffix", "value": f".{NAMESPACE}.svc.cluster.local"}]
        pod = self._put("pods", name, spec={"nodeName": "n", "containers": [spec], "volumes": volumes}, status=status)
        assert runtime.start(self.world, pod, spec, attempt) == ""

    def stop(self, name: str) -> None:
        runtime.signal(self.world, f"uid-{name}/main", "KILL")

    def run(self, seconds: float) -> None:
        self.world.run(int(seconds * 1000))

    def row(self, name: str) -> Json:
        return self.world.table("processes")[f"uid-{name}/main"]

    def log(self, name: str) -> list[str]:
        return logs.read(self.world, f"uid-{name}/main").splitlines()

    def exec(self, name: str, *argv: str, stdin: str = "") -> Any:
        key = f"uid-{name}/main"
        tool = toolbox.tools_of(self.world, key)[argv[0].rpartition("/")[2]]
        return tool(Container(self.world, key), list(argv), stdin)

    def success(self) -> float:
        return traffic.compute_success(self.world)["take"]


def name_of(name: str) -> str:
    return next(iter(IMAGES[name].binaries))

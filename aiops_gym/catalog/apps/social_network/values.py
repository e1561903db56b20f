"""The settings of Social Network's chart: one section a deployment, and `global` ones for all of them.

Names, images, ports and file paths are those of DeathStarBench's chart with the settings that AIOpsLab installs it with
(its own image of the services, images always pulled, traces sampled at one per cent, TLS settings of one database).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from aiops_gym.types import Json

SERVICES: Mapping[str, str] = {
    "compose-post-service": "ComposePostService",
    "home-timeline-service": "HomeTimelineService",
    "media-service": "MediaService",
    "post-storage-service": "PostStorageService",
    "social-graph-service": "SocialGraphService",
    "text-service": "TextService",
    "unique-id-service": "UniqueIdService",
    "url-shorten-service": "UrlShortenService",
    "user-mention-service": "UserMentionService",
    "user-service": "UserService",
    "user-timeline-service": "UserTimelineService",
}
"""The C++ services and their executables."""

MEMCACHED = ("media-memcached", "post-storage-memcached", "url-shorten-memcached", "user-memcached")
REDIS = ("home-timeline-redis", "social-graph-redis", "user-timeline-redis")
MONGODB = (
    "media-mongodb",
    "post-storage-mongodb",
    "social-graph-mongodb",
    "url-shorten-mongodb",
    "user-mongodb",
    "user-timeline-mongodb",
)
WITH_TLS = ("url-shorten-mongodb",)
"""Databases whose encryption the chart lets people set; a Secret with a certificate is mounted into them."""

THRIFT_PORT, MONGO_PORT, REDIS_PORT, MEMCACHED_PORT = 9090, 27017, 6379, 11211
ENTRY_PORT, MEDIA_PORT = 8080, 8081
CONFIG = "/social-network-microservices/config"
OPENRESTY = "/usr/local/openresty"
TLS_SECRET, TLS_FOLDER = "mongodb-tls", "/etc/tls"
REPOSITORY = "https://github.com/delimitrou/DeathStarBench.git"
JAEGER_TCP = (5778, 14268, 16686, 9411)
JAEGER_UDP = (5775, 6831, 6832)

SERVICE_FILES = [
    {"name": "jaeger-config.yml", "mountPath": f"{CONFIG}/jaeger-config.yml"},
    {"name": "service-config.json", "mountPath": f"{CONFIG}/service-config.json"},
]
FQDN = {"name": "fqdn_suffix", "value": ".{{ .Release.Namespace }}.svc.cluster.local"}


def _section(port: int, container: Json, files: list[Json] | None = None, **rest: Any) -> Json:
    section: Json = {"ports": [{"port": port, "targetPort": port}]}
    section["container"] = {"ports": [{"containerPort": port}], **container}
    if files:
        section["configMaps"] = files
    return {**section, **rest}


def _service(executable: str) -> Json:
    container = {"image": "deathstarbench/social-network-microservices", "command": executable}
    return _section(THRIFT_PORT, container, SERVICE_FILES)


def _redis() -> Json:
    path = f"{CONFIG}/redis.conf"
    container = {"image": "library/redis", "imageVersion": "6.2.4", "args": [path]}
    return _section(REDIS_PORT, container, [{"name": "redis.conf", "mountPath": path}])


def _mongodb(name: str) -> Json:
    path = f"{CONFIG}/mongod.conf"
    container = {"image": "library/mongo", "imageVersion": "4.4.6", "args": ["--config", path]}
    section = _section(MONGO_PORT, container, [{"name": "mongod.conf", "mountPath": path}])
    if name in WITH_TLS:
        section["tls"] = {"mode": "disabled", "certificateKeyFile": "", "CAFile": ""}
        section["secrets"] = [{"name": TLS_SECRET, "mountPath": TLS_FOLDER}]
    return section


def _clone(*copies: tuple[str, str]) -> str:
    """A script that fetches the benchmark and copies folders of it to where the web server finds them."""
    lines = [f"git clone --depth 1 {REPOSITORY} /DeathStarBench"]
    lines += [f"cp -r /DeathStarBench/socialNetwork/{source}/* /{target}/" for target, source in copies]
    return " && ".join(lines)


def _entry() -> Json:
    folders = {
        "gen-lua": ("gen-lua", "/gen-lua"),
        "keys": ("keys", "/keys"),
        "lua-scripts": ("nginx-web-server/lua-scripts", f"{OPENRESTY}/nginx/lua-scripts"),
        "lua-thrift": ("docker/openresty-thrift/lua-thrift", f"{OPENRESTY}/lualib/thrift"),
        "pages": ("nginx-web-server/pages", f"{OPENRESTY}/nginx/pages"),
    }
    files = [
        {"name": "jaeger-config.json", "mountPath": f"{OPENRESTY}/nginx/jaeger-config.json"},
        {"name": "nginx.conf", "mountPath": f"{OPENRESTY}/nginx/conf/nginx.conf", "template": "nginx-thrift.conf"},
    ]
    container = {"image": "yg397/openresty-thrift", "imageVersion": "xenial", "env": [FQDN]}
    copies = {name: source for name, (source, _) in folders.items()}
    return _section(
        ENTRY_PORT, container, files, folders={n: p for n, (_, p) in folders.items()}, clone=_clone(*copies.items())
    )


def _media_entry() -> Json:
    folders = {"lua-scripts": f"{OPENRESTY}/nginx/lua-scripts"}
    nginx = {"name": "nginx.conf", "mountPath": f"{OPENRESTY}/nginx/conf/nginx.conf", "template": "media-frontend.conf"}
    container = {"image": "yg397/media-frontend", "imageVersion": "xenial", "env": [FQDN]}
    copies = ("lua-scripts", "media-frontend/lua-scripts")
    section = _section(MEDIA_PORT, container, [*SERVICE_FILES, nginx], folders=folders, clone=_clone(copies))
    section["ports"] = [{"port": MEDIA_PORT, "targetPort": ENTRY_PORT}]
    return section


def _jaeger() -> Json:
    ports: list[Json] = [{"port": p, "targetPort": p} for p in JAEGER_TCP]
    ports += [{"port": p, "targetPort": p, "protocol": "UDP"} for p in JAEGER_UDP]
    inner: list[Json] = [{"containerPort": p} for p in JAEGER_TCP]
    inner += [{"containerPort": p, "protocol": "UDP"} for p in JAEGER_UDP]
    env = [{"name": "COLLECTOR_ZIPKIN_HTTP_PORT", "value": "9411"}]
    container = {"image": "jaegertracing/all-in-one", "imageVersion": "1.57", "env": env, "ports": inner}
    return {"ports": ports, "container": container}


GLOBAL: Json = {
    "replicas": 1,
    "imagePullPolicy": "Always",
    "restartPolicy": "Always",
    "serviceType": "ClusterIP",
    "dockerRegistry": "docker.io",
    "defaultImageVersion": "latest",
    "nginx": {"resolverName": "kube-dns.kube-system.svc.cluster.local"},
    "jaeger": {
        "localAgentHostPort": "jaeger:6831",
        "queueSize": 1000000,
        "bufferFlushInterval": 10,
        "samplerType": "probabilistic",
        "samplerParam": 0.01,
        "disabled": False,
        "logSpans": False,
    },
}
"""What holds for every deployment that does not say otherwise."""


def _sections() -> Json:
    memcached = {"image": "library/memcached", "imageVersion": "1.6.7"}
    found = {name: _service(executable) for name, executable in SERVICES.items()}
    found |= {name: _section(MEMCACHED_PORT, memcached) for name in MEMCACHED}
    found |= {name: _redis() for name in REDIS} | {name: _mongodb(name) for name in MONGODB}
    found |= {"nginx-thrift": _entry(), "media-frontend": _media_entry(), "jaeger": _jaeger()}
    return dict(sorted(found.items()))


SECTIONS: Mapping[str, Json] = _sections()
COMPONENTS = tuple(SECTIONS)
VALUES: Json = {"global": GLOBAL, **SECTIONS}
"""The chart's values.yaml."""

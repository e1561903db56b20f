"""Public images that people start to look around with: a cluster with internet can pull them.

A tag `*` stands for any tag that names a version (see `sim.machine.container.find_image`). Sizes are those of recent
builds for amd64, compressed.
"""

from __future__ import annotations

from collections.abc import Mapping

from aiops_gym.types import Json

MIB = 1 << 20
NETWORK = ("bash", "curl", "dig", "host", "jq", "nc", "nslookup", "openssl", "ping", "telnet", "wget")
PROCESSES = ("free", "ps", "top", "uptime")

WELCOME = """<!DOCTYPE html>
<html>
<head>
<title>Welcome to nginx!</title>
<style>
html { color-scheme: light dark; }
body { width: 35em; margin: 0 auto;
font-family: Tahoma, Verdana, Arial, sans-serif; }
</style>
</head>
<body>
<h1>Welcome to nginx!</h1>
<p>If you see this page, the nginx web server is successfully installed and
working. Further configuration is required.</p>

<p>For online documentation and support please refer to
<a href="http://nginx.org/">nginx.org</a>.<br/>
Commercial support is available at
<a href="http://nginx.com/">nginx.com</a>.</p>

<p><em>Thank you for using nginx.</em></p>
</body>
</html>
"""
NGINX_LOG = [
    "/docker-entrypoint.sh: /docker-entrypoint.d/ is not empty, will attempt to perform configuration",
    "/docker-entrypoint.sh: Looking for shell scripts in /docker-entrypoint.d/",
    "/docker-entrypoint.sh: Launching /docker-entrypoint.d/10-listen-on-ipv6-by-default.sh",
    "/docker-entrypoint.sh: Launching /docker-entrypoint.d/20-envsubst-on-templates.sh",
    "/docker-entrypoint.sh: Launching /docker-entrypoint.d/30-tune-worker-processes.sh",
    "/docker-entrypoint.sh: Configuration complete; ready for start up",
]
REDIS_LOG = [
    "1:C * oO0OoO0OoO0Oo Redis is starting oO0OoO0OoO0Oo",
    "1:C * Redis version=7.4.1, bits=64, commit=00000000, modified=0, pid=1, just started",
    "1:M * Running mode=standalone, port=6379.",
    "1:M * Server initialized",
    "1:M * Ready to accept connections tcp",
]
DEBIAN = (
    'PRETTY_NAME="Debian GNU/Linux 12 (bookworm)"\nNAME="Debian GNU/Linux"\nVERSION_ID="12"\nVERSION="12 (bookworm)"\n'
    'VERSION_CODENAME=bookworm\nID=debian\nHOME_URL="https://www.debian.org/"\n'
)
ALPINE = (
    'NAME="Alpine Linux"\nID=alpine\nVERSION_ID=3.20.3\nPRETTY_NAME="Alpine Linux v3.20"\n'
    'HOME_URL="https://alpinelinux.org/"\n'
)
UBUNTU = (
    'PRETTY_NAME="Ubuntu 22.04.5 LTS"\nNAME="Ubuntu"\nVERSION_ID="22.04"\nVERSION="22.04.5 LTS (Jammy Jellyfish)"\n'
    "VERSION_CODENAME=jammy\nID=ubuntu\nID_LIKE=debian\n"
)
RELEASE = "/etc/os-release"


def _shell(size: int, command: str, tools: tuple[str, ...] = (), sh: str = "dash", release: str = "") -> Json:
    """An image that is a shell and tools."""
    files = {RELEASE: release} if release else {}
    return {"size": size, "cmd": (command,), "tools": tools, "sh": sh, "files": files}


def _server(size: int, name: str, params: Json, tools: tuple[str, ...], *arguments: str, release: str = DEBIAN) -> Json:
    """An image of a server behind the usual entry point."""
    binaries = {
        "docker-entrypoint.sh": {"program": "idle", "params": params, "path": "/docker-entrypoint.sh"},
        name: {"program": "idle", "params": params, "path": f"/usr/sbin/{name}"},
    }
    entry: Json = {"entrypoint": ("/docker-entrypoint.sh",), "cmd": (name, *arguments), "binaries": binaries}
    return {"size": size, **entry, "tools": tools, "files": {RELEASE: release}}


NGINX: Json = {"ports": [80], "http": {"/": [200, WELCOME]}, "log": NGINX_LOG, "memory": 9 * MIB}
HTTPD: Json = {
    "ports": [80],
    "http": {"/": [200, "<html><body><h1>It works!</h1></body></html>\n"]},
    "memory": 12 * MIB,
}
REDIS: Json = {"ports": [6379], "log": REDIS_LOG, "memory": 8 * MIB, "silent": True}
MONGO: Json = {"program": "mongod", "params": {"version": "7.0.14"}}
PAUSE: Json = {"program": "pause", "params": {}}

IMAGES: Mapping[str, Json] = {
    "busybox:*": _shell(2_166_802, "sh", sh="busybox"),
    "registry.k8s.io/e2e-test-images/busybox:*": _shell(1_154_361, "sh", sh="busybox"),
    "alpine:*": _shell(3_623_807, "/bin/sh", sh="busybox", release=ALPINE),
    "ubuntu:*": _shell(29_536_818, "/bin/bash", ("bash", "perl", *PROCESSES), release=UBUNTU),
    "debian:*": _shell(48_493_204, "bash", ("bash", "perl"), release=DEBIAN),
    "curlimages/curl:*": {
        **_shell(9_876_215, "curl", ("curl",), "busybox", ALPINE),
        "entrypoint": ("/entrypoint.sh",),
        "env": {"PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "CURL_VERSION": "8_10_1"},
        "workdir": "/home/curl_user",
    },
    "nicolaka/netshoot:*": _shell(184_918_443, "bash", (*NETWORK, *PROCESSES), release=ALPINE),
    "wbitt/network-multitool:*": _shell(24_602_917, "bash", (*NETWORK, *PROCESSES), "busybox", ALPINE),
    "praqma/network-multitool:*": _shell(22_118_450, "bash", (*NETWORK, *PROCESSES), "busybox", ALPINE),
    "registry.k8s.io/e2e-test-images/jessie-dnsutils:*": {
        **_shell(96_735_012, "sh", ("bash", "dig", "host", "nslookup", "curl", "ps")),
        "cmd": ("sleep", "infinity"),
    },
    "infoblox/dnstools:*": _shell(12_403_655, "sh", ("dig", "host", "curl"), "busybox"),
    "registry.k8s.io/e2e-test-images/agnhost:*": {
        **_shell(53_321_716, "pause", ("bash", "curl", "dig", "nslookup"), "busybox"),
        "entrypoint": ("/agnhost",),
        "binaries": {"agnhost": {"program": "idle", "params": {"memory": 6 * MIB, "deaf": True}, "path": "/agnhost"}},
    },
    "registry.k8s.io/pause:*": {
        "size": 320_368,
        "entrypoint": ("/pause",),
        "binaries": {"pause": PAUSE},
        "shell": False,
    },
    "nginx:*": _server(72_098_338, "nginx", NGINX, ("bash", "curl", "openssl"), "-g", "daemon off;"),
    "httpd:*": _server(60_271_899, "httpd-foreground", HTTPD, ("bash", "perl")),
    "redis:*": _server(45_204_118, "redis-server", REDIS, ("bash",)),
    "mongo:*": {
        "size": 277_513_649,
        "entrypoint": ("docker-entrypoint.sh",),
        "cmd": ("mongod",),
        "binaries": {
            "docker-entrypoint.sh": {**MONGO, "path": "/usr/local/bin/docker-entrypoint.sh"},
            "mongod": {**MONGO, "path": "/usr/bin/mongod"},
        },
        "tools": ("bash", "jq", "perl", *PROCESSES),
        "files": {RELEASE: UBUNTU},
    },
}

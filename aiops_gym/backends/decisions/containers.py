"""What a component's container runs, with which environment, and how it is watched."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from aiops_gym.backends.decisions.site import Decision, Site, anybody
from aiops_gym.catalog.names import NEW
from aiops_gym.sim.machine.container import find_image

FOLDERS = {"/workspace": "/go/bin", "/social-network-microservices": "/usr/local/bin"}
"""Where programs lie in an image, by the folder in which they start."""

EXTRA = {
    "mongo": [["--quiet"], ["--nojournal"], ["--slowms", "200"]],
    "redis": [["--loglevel", "notice"], ["--databases", "16"]],
    "memcached": [["-m", "128"], ["-c", "2048"]],
}
"""Arguments by the name of the image."""

VARIABLES = (
    ("TZ", "UTC"),
    ("LOG_LEVEL", "info"),
    ("GOMAXPROCS", "2"),
    ("REGION", "eu-west-1"),
    ("STAGE", "production"),
)


def _other_tag(site: Site) -> str:
    """The image of a component under another tag, "" where there is no other one of the same content."""
    image, known = site.container["image"], site.app.images
    short = image.removeprefix("docker.io/").removeprefix("library/")
    short = short if short in known else f"{short}:latest"
    repository, _, _ = short.rpartition(":")
    same = [name for name in known if name.startswith(f"{repository}:") and name != short]
    found = next((name for name in same if known[name] == known.get(short)), "")
    return f"{image[: image.find(repository)]}{found}" if found else ""


def _tag(site: Site) -> None:
    site.patch_container({"image": _other_tag(site)})


def _variable(site: Site) -> None:
    name, value = site.pick(VARIABLES)
    site.patch_container({"env": [{"name": name, "value": value}]})


VALUES = {"JAEGER_SAMPLE_RATIO": ("0.5", "0.25", "0.1"), "MEMCACHED_CACHE_SIZE": ("64", "256", "512")}
"""What does the same here as what is there, by the name of the variable."""


def _value(site: Site) -> None:
    """A variable that is there gets a value that does the same."""
    name = next(entry["name"] for entry in site.container["env"] if entry["name"] in VALUES)
    site.patch_container({"env": [{"name": name, "value": site.pick(VALUES[name])}]})


def _has_value(site: Site) -> bool:
    return any(entry["name"] in VALUES for entry in site.container.get("env") or ())


def _variables_of_a_map(site: Site) -> None:
    kind, source, words = site.pick((("ConfigMap", "configMapRef", "map_name"), ("Secret", "secretRef", "secret_name")))
    name = f"{site.name}-{site.pick(NEW[words][2], 'name')}"
    values = {"REPORT_TO": "team-blue", "OWNER": site.name}
    if kind == "ConfigMap":
        site.create(kind, name, data=values)
    else:
        site.create(kind, name, stringData=values)
    site.patch_container({"envFrom": [{source: {"name": name}}]})


def _command(site: Site) -> None:
    """The program is named as it is found anyway: with its folder, or as the image says."""
    image = find_image(site.world, site.container["image"])
    assert image is not None
    args = [] if site.container.get("command") else site.container.get("args") or list(image.cmd)
    site.patch_container({"command": _same_command(site), **({"args": args} if args else {})})


def _same_command(site: Site) -> list[str]:
    image, command = find_image(site.world, site.container["image"]), site.container.get("command")
    if image is None:
        return []
    if command:
        folder = FOLDERS.get(image.workdir or "", "")
        return [f"{folder}/{command[0]}", *command[1:]] if folder and "/" not in command[0] else []
    return list(image.entrypoint)


def _arguments_of_a_store(site: Site) -> None:
    site.patch_container({"args": [*(site.container.get("args") or ()), *site.pick(_extra(site))]})


def _extra(site: Site) -> list[list[str]]:
    """Further arguments that change nothing here."""
    image = site.container["image"].rpartition("/")[2].partition(":")[0]
    return EXTRA.get(image, [])


def _has_arguments(site: Site) -> bool:
    return bool(site.container.get("args"))


def _argument(site: Site) -> None:
    """An argument says what is compiled in anyway."""
    site.patch_container({"args": [_flag(site)]})


def _flag(site: Site) -> str:
    image, command = find_image(site.world, site.container["image"]), site.container.get("command") or [""]
    binary = image.binaries.get(command[0]) if image else None
    flags = (binary.params.get("flags") or {}) if binary else {}
    return next((f"{flag}={value}" for flag, value in flags.items()), "")


def _probe(site: Site) -> dict[str, object]:
    """A probe that knocks where the program listens."""
    return {
        "tcpSocket": {"port": site.container["ports"][0]["containerPort"]},
        "initialDelaySeconds": site.pick((2, 3, 5), "delay"),
        "periodSeconds": site.pick((5, 10, 15), "period"),
        "failureThreshold": site.pick((2, 3, 4), "threshold"),
    }


def _live(site: Site) -> None:
    """One that is watched so is ready when it answers, too: it is not called well before."""
    probe = _probe(site)
    site.patch_container({"livenessProbe": {**probe, "initialDelaySeconds": 15}, "readinessProbe": probe})


def _ready(site: Site) -> None:
    site.patch_container({"readinessProbe": _probe(site)})


def _start(site: Site) -> None:
    site.patch_container({"startupProbe": {**_probe(site), "failureThreshold": 30}})


def _listens(site: Site) -> bool:
    """Whether it listens on TCP on the port that it names first."""
    ports: Sequence[Mapping[str, Any]] = site.container.get("ports") or ()
    service = site.service
    wanted = {port.get("targetPort") for port in service["spec"]["ports"]} if service else set()
    return bool(ports) and ports[0].get("protocol", "TCP") == "TCP" and ports[0]["containerPort"] in wanted


def _unwatched(site: Site) -> bool:
    """Whether it listens and no probe of its manifest knocks already: two handlers in one are refused."""
    return _listens(site) and not any(name.endswith("Probe") for name in site.container)


def _prepare(site: Site) -> None:
    words = site.pick((["sh", "-c", "nslookup kubernetes.default && sleep 1"], ["sh", "-c", "echo prepared"], ["true"]))
    name = site.pick(("prepare", "check-dns", "settle", "wait-for-network"), "name")
    site.patch_pod({"initContainers": [{"name": name, "image": "busybox:1.36", "command": words}]})


def _pull(site: Site) -> None:
    policy = "IfNotPresent" if site.container["imagePullPolicy"] == "Always" else "Always"
    site.patch_container({"imagePullPolicy": policy})


decisions = (
    Decision("tag of the image", _tag, lambda site: bool(_other_tag(site)), 2.0, replaces=anybody),
    Decision("more environment", _variable, weight=2.0),
    Decision("value of a variable", _value, _has_value, 1.5, replaces=anybody),
    Decision("environment of a map", _variables_of_a_map, weight=1.2),
    Decision("command", _command, lambda site: bool(_same_command(site)), 2.0),
    Decision(
        "arguments of a store", _arguments_of_a_store, lambda site: bool(_extra(site)), 2.0, replaces=_has_arguments
    ),
    Decision("argument", _argument, lambda site: bool(_flag(site)), replaces=_has_arguments),
    Decision("liveness probe", _live, _unwatched, 2.0),
    Decision("readiness probe", _ready, _unwatched, 1.3),
    Decision("startup probe", _start, _unwatched, 0.5),
    Decision("init container", _prepare),
    Decision("way of pulling", _pull, weight=0.5),
)

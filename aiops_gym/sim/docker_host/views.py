"""What the daemon tells of containers, networks and images: the JSON of the Engine API, in its order."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from aiops_gym.sim.docker_host import records
from aiops_gym.sim.docker_host.records import Row, key_of
from aiops_gym.sim.kernel import draws
from aiops_gym.sim.kernel.blueprint import Image
from aiops_gym.sim.kernel.times import iso_nano
from aiops_gym.sim.kernel.world import World
from aiops_gym.sim.machine.images import find_image, identify
from aiops_gym.types import Json

NEVER = "0001-01-01T00:00:00Z"
HOST_IPS = ("0.0.0.0", "::")


def read_moment(world: World, ms: int) -> str:
    """A time to the nanosecond."""
    return iso_nano(ms, draws.pick(1_000_000, world.seed, "docker nanos", "", ms)) if ms else NEVER


def list_container(world: World, row: Row) -> dict[str, Json]:
    """A container as `GET /containers/json` lists it."""
    running, pairs = row["status"] == "running", [(ip, *pair) for pair in row["ports"].items() for ip in HOST_IPS]
    ports = [{"IP": ip, "PrivatePort": int(i), "PublicPort": int(o), "Type": "tcp"} for ip, i, o in pairs]
    return {
        "Id": row["id"],
        "Names": [f"/{row['name']}"],
        "Image": row["image"],
        "ImageID": make_digest(world, row["image"]),
        "Command": " ".join(list_command(world, row)),
        "Created": row["created"] // 1000,
        "Ports": ports if running else [],
        "Labels": records.labels_of(row),
        "State": row["status"],
        "Status": describe(world, row),
        "NetworkSettings": {"Networks": {row["network"]: _seat(world, row)}},
    }


def list_command(world: World, row: Row) -> list[str]:
    """What a container executes."""
    image = find_image(world, row["image"]) or Image()
    return [*image.entrypoint, *(row["args"] or image.cmd)]


def describe(world: World, row: Row) -> str:
    """The state of a container in words, `Up 2 hours`."""
    if row["status"] == "running":
        return f"Up {say_duration(world.now - row['started'])}"
    if row["status"] == "created":
        return "Created"
    word = "Restarting" if row["status"] == "restarting" else "Exited"
    return f"{word} ({row['code']}) {say_duration(world.now - row['finished'])} ago"


def say_duration(ms: int) -> str:
    """A duration as people say it.

    >>> [say_duration(s * 1000) for s in (0, 1, 59, 61, 3599, 5400, 200_000)]
    ['Less than a second', '1 second', '59 seconds', 'About a minute', '59 minutes', '2 hours', '2 days']
    """
    seconds = ms // 1000
    minutes, hours = seconds // 60, round(seconds / 3600)
    if seconds < 60:
        return "Less than a second" if seconds < 1 else "1 second" if seconds == 1 else f"{seconds} seconds"
    if minutes < 60:
        return "About a minute" if minutes == 1 else f"{minutes} minutes"
    if hours < 48:
        return "About an hour" if hours == 1 else f"{hours} hours"
    days = hours // 24
    return f"{days} days" if days < 14 else f"{days // 7} weeks" if days < 60 else f"{days // 30} months"


def _seat(world: World, row: Row) -> dict[str, Json]:
    """A container's place in its network."""
    network = next((n for n in records.list_rows(world, "network") if n["name"] == row["network"]), None)
    there = network is not None and row["status"] == "running"
    octets = "".join(f":{int(part):02x}" for part in row["ip"].split(".")) if there else ""
    return {
        "Aliases": [row["name"], row["service"]] if row["service"] else None,
        "MacAddress": f"02:42{octets}" if there else "",
        "NetworkID": network["id"] if network is not None else "",
        "EndpointID": draws.hexes(64, world.seed, "docker endpoint", row["id"], row["run"]) if there else "",
        "Gateway": _gateway(network) if there and network is not None else "",
        "IPAddress": row["ip"],
        "IPPrefixLen": 16 if there else 0,
        "DNSNames": [row["name"], row["id"][: records.SHORT]],
    }


def _gateway(network: Row) -> str:
    return f"{network['subnet'].rpartition('.')[0]}.1"


def inspect_container(world: World, row: Row) -> dict[str, Json]:
    """A container as `docker inspect` shows it."""
    image, command = find_image(world, row["image"]) or Image(), list_command(world, row)
    process = world.table("processes").get(key_of(row))
    running, place = row["status"] == "running", f"/var/lib/docker/containers/{row['id']}/{row['id']}"
    env: Mapping[str, str] = process["env"] if process is not None else image.env
    asked = {f"{i}/tcp": [{"HostIp": "", "HostPort": str(o)}] for i, o in row["ports"].items()}
    bound = {name: [{**each, "HostIp": ip} for each in ports for ip in HOST_IPS] for name, ports in asked.items()}
    return {
        "Id": row["id"],
        "Created": read_moment(world, row["created"]),
        "Path": command[0],
        "Args": command[1:],
        "State": _state(world, row),
        "Image": make_digest(world, row["image"]),
        "LogPath": f"{place}-json.log",
        "Name": f"/{row['name']}",
        "RestartCount": row["tries"],
        "Driver": "overlay2",
        "Platform": "linux",
        "HostConfig": {
            "NetworkMode": row["network"],
            "PortBindings": asked,
            "RestartPolicy": {"Name": row["restart"], "MaximumRetryCount": 0},
            "Memory": 0,
            "NanoCpus": int(1e9 * float(row["cpus"])),
        },
        "Mounts": [],
        "Config": {
            "Hostname": row["id"][: records.SHORT],
            "Env": [f"{name}={value}" for name, value in env.items() if name != "HOSTNAME"],
            "Cmd": list(row["args"] or image.cmd) or None,
            "Image": row["image"],
            "WorkingDir": image.workdir,
            "Entrypoint": list(image.entrypoint) or None,
            "Labels": records.labels_of(row),
            "StopSignal": f"SIG{row['stop_signal']}",
        },
        "NetworkSettings": {
            "Ports": bound if running else {},
            "Networks": {row["network"]: _seat(world, row)},
        },
    }


def _state(world: World, row: Row) -> dict[str, Json]:
    running, process = row["status"] == "running", world.table("processes").get(key_of(row))
    pid = 2_000 + draws.pick(60_000, world.seed, "docker pid", row["id"], row["run"])
    return {
        "Status": row["status"],
        "Running": running or row["status"] == "restarting",
        "Paused": False,
        "Restarting": row["status"] == "restarting",
        "OOMKilled": bool(process and (process["exit"] or {"reason": ""})["reason"] == "OOMKilled"),
        "Dead": False,
        "Pid": pid if running else 0,
        "ExitCode": 0 if running else row["code"],
        "Error": "",
        "StartedAt": read_moment(world, row["started"]),
        "FinishedAt": read_moment(world, row["finished"]),
    }


def inspect_network(world: World, row: Row) -> dict[str, Json]:
    """A network as `docker network inspect` shows it."""
    members = {}
    for each in records.list_rows(world, "container"):
        if each["network"] == row["name"] and each["status"] == "running":
            seat = {key: _seat(world, each)[key] for key in ("EndpointID", "MacAddress")}
            members[each["id"]] = {"Name": each["name"], **seat, "IPv4Address": f"{each['ip']}/16", "IPv6Address": ""}
    return {
        "Name": row["name"],
        "Id": row["id"],
        "Created": read_moment(world, row["created"]),
        "Scope": "local",
        "Driver": row["driver"],
        "IPAM": {"Driver": "default", "Config": [{"Subnet": f"{row['subnet']}/16", "Gateway": _gateway(row)}]},
        "Internal": False,
        "Containers": members,
        "Labels": {f"{records.STEM}.network": "default", f"{records.STEM}.project": row["project"]}
        if row["project"]
        else {},
    }


def make_digest(world: World, name: str) -> str:
    """The id of an image."""
    return f"sha256:{identify(world, name).rpartition(':')[2]}"


def list_images(world: World) -> list[Json]:
    """The images that containers were made of."""
    found = []
    for name in dict.fromkeys(row["image"] for row in records.list_rows(world, "container")):
        image: Any = find_image(world, name) or Image()
        made = world.blueprint.start // 1000 - 86_400 * (20 + draws.pick(60, 0, "docker image age", name))
        found.append({"Id": make_digest(world, name), "RepoTags": [name], "Created": made, "Size": int(image.size)})
    return found


def measure(world: World, row: Row, used: Mapping[str, float]) -> dict[str, Json]:
    """What a running container uses, with what it has sent and received so far."""
    seconds = (world.now - row["started"]) / 1000.0
    chatter = draws.between(0.8, 1.3, world.seed, "docker chatter", row["id"], row["run"])
    cpu = float(used["cpu"]) * draws.between(0.9, 1.1, world.seed, "docker cpu", row["id"], world.now // 1000)
    return {**used, "cpu": cpu, "received": 1_200 + 410.0 * seconds * chatter, "sent": 900 + 380.0 * seconds * chatter}

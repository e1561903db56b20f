"""What the daemon tells of containers, networks and images: the JSON of the Engine API, in its order."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.resources import files

import yaml

from aiops_gym.sim.docker_host import records
from aiops_gym.sim.docker_host.records import Row, key_of
from aiops_gym.sim.kernel import draws
from aiops_gym.sim.kernel.blueprint import Image
from aiops_gym.sim.kernel.times import iso_nano
from aiops_gym.sim.kernel.world import World
from aiops_gym.sim.machine.images import find_image
from aiops_gym.types import Json

GIVEN: Mapping[str, Json] = yaml.safe_load(files(__package__).joinpath("inspect.yaml").read_text("utf-8"))
"""What is the same of all: parts of what is told, in its order."""

NEVER = "0001-01-01T00:00:00Z"
HOST_IPS = ("0.0.0.0", "::")


def read_moment(world: World, ms: int) -> str:
    """A time to the nanosecond."""
    return iso_nano(ms, draws.pick(1_000_000, world.seed, "docker nanos", "", ms)) if ms else NEVER


def list_container(world: World, row: Row) -> dict[str, Json]:
    """A container as `GET /containers/json` lists it."""
    pairs = [(ip, *pair) for pair in row["ports"].items() for ip in HOST_IPS] if row["status"] == "running" else []
    ports = [{"IP": ip, "PrivatePort": int(i), "PublicPort": int(o), "Type": "tcp"} for ip, i, o in pairs]
    command = " ".join(f"'{word}'" if " " in word else word for word in list_command(world, row))
    found = {"Id": row["id"], "Names": [f"/{row['name']}"], "Image": row["image"], "Command": command, "Ports": ports}
    found |= {"ImageID": records.digest_of(world, row["image"]), "Created": row["created"] // 1000}
    found |= {"Labels": records.labels_of(world, row), "State": row["status"], "Status": describe(world, row)}
    return {**found, "NetworkSettings": {"Networks": {row["network"]: _seat(world, row)}}}


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
    own = {"Aliases": [row["name"], row["service"]] if row["service"] else None, "IPAddress": row["ip"]}
    own |= {"DNSNames": [row["name"], row["id"][: records.SHORT]], "NetworkID": network["id"] if network else ""}
    if network is not None and row["status"] == "running":
        octets = "".join(f":{int(part):02x}" for part in row["ip"].split("."))
        own |= {"EndpointID": draws.hexes(64, world.seed, "docker endpoint", row["id"], row["run"]), "IPPrefixLen": 16}
        own |= {"MacAddress": f"02:42{octets}", "Gateway": _gateway(network)}
    return {**GIVEN["Seat"], **own}


def _gateway(network: Row) -> str:
    return f"{network['subnet'].rpartition('.')[0]}.1"


def inspect_container(world: World, row: Row) -> dict[str, Json]:
    """A container as `docker inspect` shows it."""
    command, place = list_command(world, row), f"/var/lib/docker/containers/{row['id']}"
    own = {"Id": row["id"], "Created": read_moment(world, row["created"]), "Path": command[0], "Args": command[1:]}
    own |= {"State": _state(world, row), "Image": records.digest_of(world, row["image"]), "Name": f"/{row['name']}"}
    paths = {"ResolvConfPath": "resolv.conf", "HostnamePath": "hostname", "HostsPath": "hosts"}
    own |= {name: f"{place}/{file}" for name, file in paths.items()}
    own |= {"LogPath": f"{place}/{row['id']}-json.log", "RestartCount": row["tries"], "HostConfig": _host_config(row)}
    own |= {"GraphDriver": find_layers(row["id"]), "Config": _config(world, row)}
    return {**GIVEN["Container"], **own, "NetworkSettings": _network_settings(world, row)}


def _host_config(row: Row) -> dict[str, Json]:
    ports = {f"{i}/tcp": [{"HostIp": "", "HostPort": str(o)}] for i, o in row["ports"].items()}
    own = {"NetworkMode": row["network"], "PortBindings": ports, "NanoCpus": int(1e9 * float(row["cpus"]))}
    return {**GIVEN["HostConfig"], **own, "RestartPolicy": {"Name": row["restart"], "MaximumRetryCount": 0}}


def _config(world: World, row: Row) -> dict[str, Json]:
    process, ports = world.table("processes").get(key_of(row)), [f"{inner}/tcp" for inner in row["ports"]]
    env = process["env"] if process is not None else row.get("env", {})
    own = describe_image(world, row["image"], env, {port: {} for port in ports})
    own |= {"Hostname": row["id"][: records.SHORT], "Image": row["image"], "Cmd": list(row["args"]) or own["Cmd"]}
    return {**own, "Labels": records.labels_of(world, row), "StopSignal": f"SIG{row['stop_signal']}"}


def describe_image(world: World, name: str, more: Mapping[str, str], ports: Json = None) -> dict[str, Json]:
    """What an image says of its containers, with more variables and ports."""
    image = find_image(world, name) or Image()
    env = [f"{key}={value}" for key, value in {**image.env, **more}.items() if key != "HOSTNAME"]
    own = {"Env": env, "Cmd": list(image.cmd) or None, "Entrypoint": list(image.entrypoint) or None}
    told = {**GIVEN["Config"], **own, "WorkingDir": image.workdir, "ExposedPorts": ports}
    return {name: value for name, value in told.items() if name != "ExposedPorts" or value}


def _network_settings(world: World, row: Row) -> dict[str, Json]:
    given, seat, own = GIVEN["NetworkSettings"], _seat(world, row), dict[str, Json]()
    if row["status"] == "running":
        box, ports = draws.hexes(64, world.seed, "docker sandbox", row["id"], row["run"]), row["ports"].items()
        bound = {f"{i}/tcp": [{"HostIp": ip, "HostPort": str(o)} for ip in HOST_IPS] for i, o in ports}
        own = {"SandboxID": box, "SandboxKey": f"/var/run/docker/netns/{box[: records.SHORT]}", "Ports": bound}
    plain = {name: seat[name] for name in given if name in seat and row["network"] == records.BRIDGE}
    return {**given, **plain, **own, "Networks": {row["network"]: seat}}


def find_layers(identity: str) -> dict[str, Json]:
    """Where the files of a container, or of an image, lie."""
    above, below = (f"/var/lib/docker/overlay2/{draws.hexes(64, n, 'docker layer', identity)}" for n in (0, 1))
    own = {"LowerDir": f"{below}/diff", "MergedDir": f"{above}/merged", "UpperDir": f"{above}/diff"}
    return {"Data": {**own, "WorkDir": f"{above}/work"}, "Name": "overlay2"}


def _state(world: World, row: Row) -> dict[str, Json]:
    status, process = row["status"], world.table("processes").get(key_of(row))
    own = {"Status": status, "Running": status in ("running", "restarting"), "Restarting": status == "restarting"}
    own |= {"OOMKilled": bool(process and (process["exit"] or {"reason": ""})["reason"] == "OOMKilled")}
    if status == "running":
        own["Pid"] = 2_000 + draws.pick(60_000, world.seed, "docker pid", row["id"], row["run"])
    else:
        own["ExitCode"] = row["code"]
    own |= {"StartedAt": read_moment(world, row["started"]), "FinishedAt": read_moment(world, row["finished"])}
    return {**GIVEN["State"], **own}


def inspect_network(world: World, row: Row) -> dict[str, Json]:
    """A network as `docker network inspect` shows it."""
    members, told = {}, {"network": "default", "project": row["project"], "version": records.COMPOSE}
    for each in records.list_rows(world, "container"):
        if each["network"] == row["name"] and each["status"] == "running":
            seat = {key: _seat(world, each)[key] for key in ("EndpointID", "MacAddress")}
            members[each["id"]] = {"Name": each["name"], **seat, "IPv4Address": f"{each['ip']}/16", "IPv6Address": ""}
    own = {"Name": row["name"], "Id": row["id"], "Created": read_moment(world, row["created"]), "Driver": row["driver"]}
    pools = [{"Subnet": f"{row['subnet']}/16", "Gateway": _gateway(row)}]
    own |= {"IPAM": {"Driver": "default", "Options": None, "Config": pools}, "Containers": members}
    labels = {f"{records.STEM}.{name}": value for name, value in told.items()} if row["project"] else {}
    return {**GIVEN["Network"], **own, "Labels": labels}


def describe_host(world: World) -> dict[str, Json]:
    """What `docker info` is told."""
    states = [row["status"] for row in records.list_rows(world, "container")]
    running, images = states.count("running"), len([*records.list_rows(world, "image")])
    counted = {"Containers": len(states), "ContainersRunning": running, "ContainersPaused": 0}
    counted |= {"ContainersStopped": len(states) - running, "Images": images}
    return {**counted, **GIVEN["Info"], "ServerVersion": GIVEN["Version"]["Version"], "Name": records.HOST}


def measure(world: World, row: Row, used: Mapping[str, float]) -> dict[str, Json]:
    """What a running container uses, with what it has sent and received so far."""
    seconds = (world.now - row["started"]) / 1000.0
    chatter = draws.between(0.8, 1.3, world.seed, "docker chatter", row["id"], row["run"])
    cpu = float(used["cpu"]) * draws.between(0.9, 1.1, world.seed, "docker cpu", row["id"], world.now // 1000)
    return {**used, "cpu": cpu, "received": 1_200 + 410.0 * seconds * chatter, "sent": 900 + 380.0 * seconds * chatter}

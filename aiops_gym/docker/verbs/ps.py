"""`docker ps`"""

from __future__ import annotations

import re
from typing import Final

from aiops_gym.docker import formats
from aiops_gym.docker.call import Call, Failure
from aiops_gym.docker.formats import has_label, matches_all, shorten
from aiops_gym.sim.docker_host.views import say_duration
from aiops_gym.sim.golang.literals import go_quote
from aiops_gym.sim.kernel.patterns import compile_pattern
from aiops_gym.sim.kernel.times import iso
from aiops_gym.types import Json

KNOWN: Final = ("ancestor", "exited", "id", "label", "name", "network", "status")


def describe_ports(ports: list[Json]) -> str:
    """Published ports, `0.0.0.0:80->80/tcp, :::80->80/tcp`."""
    return ", ".join(f"{p['IP']}:{p['PublicPort']}->{p['PrivatePort']}/{p['Type']}" for p in ports)


def make_row(call: Call, found: Json, *, whole: bool) -> dict[str, str]:
    """What can be shown of a container."""
    age = round(1000 * call.context.cluster.now()) - 1000 * found["Created"]
    return {
        "ID": found["Id"] if whole else found["Id"][:12],
        "Image": found["Image"],
        "Command": go_quote(found["Command"] if whole else shorten(found["Command"], 20)),
        "RunningFor": f"{say_duration(age)} ago",
        "Status": found["Status"],
        "Ports": describe_ports(found["Ports"]),
        "Names": ",".join(name.removeprefix("/") for name in found["Names"]),
        "CreatedAt": f"{iso(1000 * found['Created'])[:19].replace('T', ' ')} +0000 UTC",
        "State": found["State"],
        "Labels": ",".join(f"{name}={value}" for name, value in found["Labels"].items()),
        "Networks": ",".join(found["NetworkSettings"]["Networks"]),
        "Mounts": "",
        "Size": "0B",
        "LocalVolumes": "0",
    }


def fits(found: Json, name: str, value: str) -> bool:
    """Whether a container fits one condition."""
    if name == "label":
        return has_label(found["Labels"], value)
    if name == "name":
        try:
            return any(compile_pattern(value[:200]).search(each.removeprefix("/")) for each in found["Names"])
        except re.error:
            return False
    if name == "id":
        return str(found["Id"]).startswith(value)
    if name == "exited":
        return str(found["Status"]).startswith(f"Exited ({value})")
    if name == "ancestor":
        return value in (found["Image"], found["Image"].partition(":")[0])
    return value in ([found["State"]] if name == "status" else found["NetworkSettings"]["Networks"])


def run(call: Call) -> None:
    """List containers, the newest first."""
    filters = formats.read_filters(call, KNOWN)
    last = 1 if call.flags.on("latest") else call.flags.number("last")
    every = call.flags.on("all") or last > 0 or any(name in ("status", "exited") for name, _ in filters)
    states = ("created", "restarting", "running", "removing", "paused", "exited", "dead")
    for wrong in (value for name, value in filters if name == "status" and value not in states):
        raise Failure(f"Error response from daemon: invalid filter 'status={wrong}'")
    rows = call.ask("GET", "/containers/json", {"all": "1" if every else "0"})
    rows = [row for row in rows if matches_all(filters, lambda name, value, row=row: fits(row, name, value))]
    shown = rows[:last] if last > 0 else rows
    formats.write_rows(call, [make_row(call, row, whole=call.flags.on("no-trunc")) for row in shown])

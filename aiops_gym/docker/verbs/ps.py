"""`docker ps`"""

from __future__ import annotations

import re
from typing import Final

from aiops_gym.docker import formats
from aiops_gym.docker.call import Call
from aiops_gym.docker.formats import has_label, matches_all
from aiops_gym.sim.docker_host.views import say_duration
from aiops_gym.sim.golang.literals import go_quote
from aiops_gym.sim.kernel.patterns import compile_pattern
from aiops_gym.types import Json

WINDOWS: Final = ("before", "since")
"""Filters that name another container."""


def describe_ports(ports: list[Json]) -> str:
    """Published ports, `0.0.0.0:80->80/tcp, :::80->80/tcp`."""
    return ", ".join(f"{p['IP']}:{p['PublicPort']}->{p['PrivatePort']}/{p['Type']}" for p in ports)


def make_row(call: Call, found: Json, *, whole: bool) -> dict[str, str]:
    """What can be shown of a container."""
    age = round(1000 * call.context.cluster.now()) - 1000 * found["Created"]
    row = {"ID": found["Id"] if whole else found["Id"][:12], "Image": found["Image"], "State": found["State"]}
    command = found["Command"] if whole or len(found["Command"]) <= 20 else f"{found['Command'][:19]}…"
    row |= {"Command": go_quote(command), "Status": found["Status"], "Size": "0B"}
    row |= {"RunningFor": f"{say_duration(age)} ago", "Ports": describe_ports(found["Ports"])}
    row |= {"Names": ",".join(name.removeprefix("/") for name in found["Names"]), "Mounts": "", "LocalVolumes": "0"}
    row |= {"Labels": ",".join(f"{name}={value}" for name, value in found["Labels"].items())}
    networks = ",".join(found["NetworkSettings"]["Networks"])
    return {**row, "CreatedAt": formats.say_moment(found["Created"]), "Networks": networks}


def _fits(found: Json, name: str, value: str) -> bool:
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
        digest = found["ImageID"].removeprefix("sha256:")
        return value in (found["Image"], found["Image"].partition(":")[0], found["ImageID"], digest, digest[:12])
    if name == "publish":
        return value.partition("/")[0] in [str(port["PublicPort"]) for port in found["Ports"]]
    if name == "health":  # there are no checks
        return value == "none"
    return value in ([found["State"]] if name == "status" else found["NetworkSettings"]["Networks"])


def run(call: Call) -> None:
    """List containers, the newest first."""
    filters = formats.read_filters(call)
    last = 1 if call.flags.on("latest") else call.flags.number("last")
    every = call.flags.on("all") or last > 0 or any(name in ("status", "exited") for name, _ in filters)
    filters, windows = [each for each in filters if each[0] not in WINDOWS], [f for f in filters if f[0] in WINDOWS]
    rows = call.ask("GET", "/containers/json", {"all": "1" if every else "0"})
    rows = [row for row in rows if matches_all(filters, _fits, row)]
    for name, value in windows:
        order = [row["Id"] for row in call.ask("GET", "/containers/json", {"all": "1"})]
        at = order.index(call.inspect(value)["Id"])
        rows = [row for row in rows if row["Id"] in (order[:at] if name == "since" else order[at + 1 :])]
    shown = rows[:last] if last > 0 else rows
    formats.write_rows(call, [make_row(call, row, whole=call.flags.on("no-trunc")) for row in shown])

"""`docker compose`, what it tells: of the project whose file lies where it is typed, or that is named."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from aiops_gym.clients.flags import Parsed
from aiops_gym.docker import compose_file
from aiops_gym.docker.call import Call, Failure
from aiops_gym.docker.compose_file import STEM, Project
from aiops_gym.docker.formats import align, write_json, write_rows
from aiops_gym.docker.verbs import exec as executing
from aiops_gym.docker.verbs import images, logs, ps, top
from aiops_gym.sim.docker_host.records import COMPOSE
from aiops_gym.types import Json

WIDE: Final = 20
"""Width of a column at least."""


def find_containers(call: Call, project: Project, words: list[str], *, every: bool = True) -> list[Json]:
    """The containers of services, or of all of a project, by name. Raises Failure."""
    chosen = project.pick(words)
    rows = call.ask("GET", "/containers/json", {"all": "1" if every else "0"})
    rows = [row for row in rows if row["Labels"].get(f"{STEM}.project") == project.name]
    rows = [row for row in rows if not words or row["Labels"][f"{STEM}.service"] in chosen]
    return sorted(rows, key=lambda row: str(row["Names"][0]))


def name_of(row: Json) -> str:
    """The name of a container."""
    return str(row["Names"][0]).removeprefix("/")


def _describe(call: Call, found: Json) -> dict[str, Json]:
    row = ps.make_row(call, found, whole=call.flags.on("no-trunc") or call.flags.on("quiet"))
    ports = [[port[key] for key in ("IP", "PrivatePort", "PublicPort", "Type")] for port in found["Ports"]]
    names = ("URL", "TargetPort", "PublishedPort", "Protocol")
    ended = found["Status"].partition("(")[2].partition(")")[0] if found["State"] == "exited" else ""
    labels = {name: found["Labels"][f"{STEM}.{name.lower()}"] for name in ("Service", "Project")}
    more = {"Name": row["Names"], "ExitCode": int(ended or 0), "Health": "", **labels}
    return {**row, **more, "Publishers": [dict(zip(names, port, strict=True)) for port in ports]}


def _ps(call: Call) -> None:
    states = [text.removeprefix("status=") for text in (*call.flags.items("status"), *call.flags.items("filter"))]
    every = call.flags.on("all") or bool(states)
    rows = [_describe(call, found) for found in find_containers(call, compose_file.find(call), call.args, every=every)]
    rows = [row for row in rows if not states or row["State"] in states]
    if call.flags.on("services"):
        call.write("".join(f"{row['Service']}\n" for row in rows))
    else:
        write_rows(call, rows)


def _ls(call: Call) -> None:
    rows, found = call.ask("GET", "/containers/json", {"all": "1" if call.flags.on("all") else "0"}), list[list[str]]()
    for name in sorted({row["Labels"][f"{STEM}.project"] for row in rows if f"{STEM}.project" in row["Labels"]}):
        mine = [row for row in rows if row["Labels"].get(f"{STEM}.project") == name]
        states = [row["State"] for row in mine]
        told = ", ".join(f"{state}({states.count(state)})" for state in sorted({*states}))
        found.append([name, told, mine[0]["Labels"][f"{STEM}.project.config_files"]])
    if call.flags.on("quiet"):
        call.write("".join(f"{row[0]}\n" for row in found))
    elif call.flags.text("format") == "json":
        told_json = [dict(zip(("Name", "Status", "ConfigFiles"), row, strict=True)) for row in found]
        call.write(f"{write_json(told_json)}\n")
    else:
        call.write(align([["NAME", "STATUS", "CONFIG FILES"], *found], WIDE))


def _logs(call: Call) -> None:
    rows = find_containers(call, compose_file.find(call), call.args)
    names = [name_of(row) for row in rows]
    width = max(map(len, names), default=0)
    for name in names:
        prefix = "" if call.flags.on("no-log-prefix") else f"{name.ljust(width)}  | "
        logs.write_lines(call, logs.read_lines(call, name), prefix)


def _find_running(call: Call, service: str) -> Json:
    """The running container of a service. Raises Failure."""
    rows = find_containers(call, replace(compose_file.find(call), file=""), [service], every=False)
    if not rows:
        raise Failure(f'service "{service}" is not running')
    return rows[0]


def _exec(call: Call) -> int:
    service, *words = call.args
    name = name_of(_find_running(call, service))
    flags = Parsed([name, *words], -1, {**call.flags.values, "tty": False})
    return executing.run(Call(call.context, call.verb, flags, call.pieces))


def _top(call: Call) -> None:
    for row in find_containers(call, compose_file.find(call), call.args, every=False):
        call.write(f"{name_of(row)}\n{align(top.read_processes(call, name_of(row), []), 4)}\n")


def _images(call: Call) -> None:
    known, lines = {row["Id"]: row for row in call.ask("GET", "/images/json")}, list[list[str]]()
    for row in find_containers(call, compose_file.find(call), call.args):
        told = images.make_row(call, known[row["ImageID"]])
        lines.append([name_of(row), *(told[key] for key in ("Repository", "Tag", "ID", "Size"))])
    if call.flags.on("quiet"):
        call.write("".join(f"{digest}\n" for digest in dict.fromkeys(line[3] for line in lines)))
    else:
        call.write(align([["CONTAINER", "REPOSITORY", "TAG", "IMAGE ID", "SIZE"], *lines], WIDE))


def _port(call: Call) -> None:
    service, asked = call.args
    row, kind = _find_running(call, service), call.flags.text("protocol")
    ports = [port for port in row["Ports"] if port["Type"] == kind]
    found = [f"{port['IP']}:{port['PublicPort']}\n" for port in ports if str(port["PrivatePort"]) == asked]
    if not found:
        listed = ", ".join(f"{port['PublicPort']}/{kind}" for port in ports)
        raise Failure(f"no port {asked}/{kind} for container {name_of(row)}: {listed}")
    call.write(found[0])


def _version(call: Call) -> None:
    call.write(f"Docker Compose version v{COMPOSE}\n")


RUNS = {"compose ps": _ps, "compose ls": _ls, "compose logs": _logs, "compose exec": _exec, "compose top": _top}
RUNS |= {"compose images": _images, "compose port": _port, "compose version": _version}

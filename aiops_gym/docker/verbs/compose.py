"""`docker compose`: of the project whose file lies where it is typed, or that is named."""

from __future__ import annotations

from collections.abc import Callable
from posixpath import basename, dirname, join
from typing import Final

from aiops_gym.docker.call import Call, Failure, clean
from aiops_gym.docker.formats import align, write_rows
from aiops_gym.docker.verbs import logs, ps
from aiops_gym.types import Json

FILES: Final = ("compose.yaml", "compose.yml", "docker-compose.yml", "docker-compose.yaml")
NO_FILE: Final = 14
"""Exit code."""

STEM: Final = "com.docker.compose"


def _find_project(call: Call) -> Json:
    """The project that is meant. Raises Failure."""
    name, files = call.flags.text("project-name"), call.flags.items("file")
    folder = dirname(join(call.context.cwd, files[0])) if files else call.context.cwd
    if files and not call.context.files.exists(files[0]):
        raise Failure(f"open {join(call.context.cwd, files[0])}: no such file or directory")
    if not files and not name and not any(call.context.files.exists(each) for each in FILES):
        raise Failure("no configuration file provided: not found", NO_FILE)
    wanted = name or basename(folder.rstrip("/"))
    found = next((row for row in call.ask("GET", "/projects") if row["name"] == wanted), None)
    if found is None:
        raise Failure("no such project: not found" if name else "no service selected")
    return found


def _containers(call: Call, project: Json, *, every: bool = True) -> list[Json]:
    """The containers of the project that are asked for, by name. Raises Failure."""
    services = [service["name"] for service in project["services"]]
    for wrong in (word for word in call.args if word not in services):
        raise Failure(f"no such service: {wrong}")
    rows = call.ask("GET", "/containers/json", {"all": "1" if every else "0"})
    rows = [row for row in rows if row["Labels"].get(f"{STEM}.project") == project["name"]]
    rows = [row for row in rows if not call.args or row["Labels"][f"{STEM}.service"] in call.args]
    return sorted(rows, key=lambda row: str(row["Names"][0]))


def _ps(call: Call) -> None:
    rows = []
    for found in _containers(call, _find_project(call), every=call.flags.on("all")):
        row = ps.make_row(call, found, whole=call.flags.on("no-trunc") or call.flags.on("quiet"))
        rows.append({**row, "Name": row["Names"], "Service": found["Labels"][f"{STEM}.service"]})
    if call.flags.on("services"):
        call.write("".join(f"{row['Service']}\n" for row in rows))
    else:
        write_rows(call, rows)


def _ls(call: Call) -> None:
    lines = [["NAME", "STATUS", "CONFIG FILES"]]
    rows = call.ask("GET", "/containers/json", {"all": "1" if call.flags.on("all") else "0"})
    for project in call.ask("GET", "/projects"):
        states = [row["State"] for row in rows if row["Labels"].get(f"{STEM}.project") == project["name"]]
        told = ", ".join(f"{state}({states.count(state)})" for state in sorted(dict.fromkeys(states)))
        lines += [[project["name"], told, f"{project['folder']}/compose.yml"]] if states else []
    call.write(align(lines, 20))


def _logs(call: Call) -> None:
    names = [row["Names"][0].removeprefix("/") for row in _containers(call, _find_project(call))]
    width = max(map(len, names), default=0)
    for name in names:
        prefix = "" if call.flags.on("no-log-prefix") else f"{name.ljust(width)}  | "
        logs.write_lines(call, logs.read_lines(call, name), prefix)


def _up(call: Call) -> None:
    project = _find_project(call)
    _containers(call, project)
    told = call.ask("POST", f"/projects/{project['name']}/up", body=call.args)
    call.complain("".join(f" {title}  {became}\n" for title, became in told))
    while not call.flags.on("detach"):  # attached, until nobody waits any longer
        call.wait(1.0)


def _each(verb: str, became: str) -> Callable[[Call], None]:
    """Do the same to each of the containers that are asked for."""

    def run(call: Call) -> None:
        names = [row["Names"][0] for row in _containers(call, _find_project(call), every=verb != "stop")]
        if verb == "start":
            for name in names:
                call.ask("POST", f"/containers/{clean(name)}/start")
        else:
            Call(call.context, call.verb, call.flags).each_ended(names, verb)
        call.complain("".join(f" Container {name.removeprefix('/')}  {became}\n" for name in names))

    return run


RUNS = {
    "compose ps": _ps,
    "compose ls": _ls,
    "compose logs": _logs,
    "compose up": _up,
    "compose start": _each("start", "Started"),
    "compose stop": _each("stop", "Stopped"),
    "compose restart": _each("restart", "Started"),
}

"""`docker compose`, what it does: services are made, started, ended and removed in the order of what they depend on."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import groupby

from aiops_gym.docker import compose_file
from aiops_gym.docker.call import Call, Failure, clean
from aiops_gym.docker.compose_file import MISSING, NO_FILE, STEM, Project
from aiops_gym.docker.verbs.compose import find_containers, name_of
from aiops_gym.sim.docker_host.projects import hash_service
from aiops_gym.types import Json


def _say(call: Call, what: str, became: str) -> None:
    call.complain(f" {what}  {became}\n")


def _ask(call: Call, words: str, what: str, method: str, path: str, query: Json = None, body: Json = None) -> None:
    """Ask the daemon for something, and say that it begins, and that it is done. Raises Failure."""
    before, after = words.split()
    _say(call, what, before)
    call.ask(method, path, query, body)
    _say(call, what, after)


def _find(call: Call, services: Sequence[str] | None = None, *, every: bool = True) -> tuple[Project, list[list[Json]]]:
    """A project and its containers in groups, first those on which nobody depends. Raises Failure."""
    project = compose_file.find(call)
    rows = find_containers(call, project, [*(call.args if services is None else services)], every=every)
    if not project.file and not rows and every and call.verb.name != "compose down":
        raise Failure(f'no container found for project "{project.name}": not found')
    rank: Callable[[Json], int] = lambda row: project.rank(row["Labels"][f"{STEM}.service"])  # noqa: E731 - a key
    return project, [[*group] for _, group in groupby(sorted(rows, key=rank), rank)]


def _end(call: Call, rows: Iterable[Json], words: str = "Stopping Stopped", verb: str = "stop") -> None:
    """Have containers end, all at once, and say so."""
    names, (before, after) = [name_of(row) for row in rows], words.split()
    for name in names:
        _say(call, f"Container {name}", before)
    Call(call.context, call.verb, call.flags).each_ended(names, verb)
    for name in names:
        _say(call, f"Container {name}", after)


def _remove(call: Call, rows: Iterable[Json]) -> None:
    for name in map(name_of, rows):
        _ask(call, "Removing Removed", f"Container {name}", "DELETE", f"/containers/{clean(name)}", {"force": "1"})


def _start(call: Call, name: str) -> None:
    if call.inspect(name)["State"]["Status"] != "running":
        _ask(call, "Starting Started", f"Container {name}", "POST", f"/containers/{clean(name)}/start")


def _pull(call: Call, service: str, image: str) -> None:
    """Fetch an image that is not here. Raises Failure."""
    try:
        call.ask("GET", f"/images/{clean(image)}/inspect")
    except Failure:
        _ask(call, "Pulling Pulled", service, "POST", "/images/create", {"fromImage": image})


def _make(call: Call, project: Project, service: str, row: Json | None, *, force: bool) -> str:
    """The name of a service's container, which is made where there is none or another definition; and say so."""
    told = project.services[service]
    same = row is not None and row["Labels"][f"{STEM}.config-hash"] == hash_service(told)
    if row is not None and ((same and not force) or call.flags.on("no-recreate")):
        _say(call, f"Container {name_of(row)}", "Running" if row["State"] == "running" else "Created")
        return name_of(row)
    name, words = str(told["container"]), "Creating Created"
    call.ask("PUT", "/containers/check", body=told)
    if row is not None:
        words = "Recreate Recreated"
        Call(call.context, call.verb, call.flags).each_ended([name_of(row)], "stop")
        call.ask("DELETE", f"/containers/{clean(name_of(row))}", {"force": "1"})
    _ask(call, words, f"Container {name}", "POST", "/containers/create", {"project": project.name}, told)
    return name


def _up(call: Call) -> None:
    project, flags = compose_file.find(call), call.flags
    asked = project.pick(call.args)
    services, network = project.order(asked, deps=not flags.on("no-deps")), f"{project.name}_default"
    if not services:
        raise Failure("no service selected") if project.file else Failure(MISSING, NO_FILE)
    for each in services:
        _pull(call, each, project.services[each]["image"])
    if all(row["Name"] != network for row in call.ask("GET", "/networks")):
        query = {"project": project.name}
        _ask(call, "Creating Created", f"Network {network}", "POST", "/networks/create", query)
    rows = {row["Labels"][f"{STEM}.service"]: row for row in find_containers(call, project, [])}
    force = asked if flags.on("force-recreate") else []
    names = [_make(call, project, each, rows.get(each), force=each in force) for each in services]
    for name in names:
        _start(call, name)
    call.write("" if flags.on("detach") else f"Attaching to {', '.join(sorted(names))}\n")
    while not flags.on("detach"):  # attached, until nobody waits any longer
        call.wait(1.0)


def _start_all(call: Call) -> None:
    project, groups = _find(call, ())
    rows = {row["Labels"][f"{STEM}.service"]: row for group in groups for row in group}
    for service in project.order(project.pick(call.args)) or [*rows]:
        if service not in rows:
            raise Failure(f'service "{service}" has no container to start')
        _start(call, name_of(rows[service]))


def _stop(call: Call) -> None:
    for group in _find(call)[1]:
        _end(call, group)


def _restart(call: Call) -> None:
    for group in reversed(_find(call)[1]):
        _end(call, group, "Restarting Started", "restart")


def _kill(call: Call) -> None:
    names = [name_of(row) for group in _find(call, every=False)[1] for row in group]
    call.complain("" if names else "no container to kill\n")
    for name in names:
        query = {"signal": call.flags.text("signal")}
        _ask(call, "Killing Killed", f"Container {name}", "POST", f"/containers/{clean(name)}/kill", query)


def _rm(call: Call) -> None:
    groups, stop = _find(call)[1], call.flags.on("stop")
    for group in groups if stop else ():
        _end(call, group)
    rows = [row for group in groups for row in group if stop or row["State"] in ("created", "exited")]
    told = f"Going to remove {', '.join(map(name_of, rows))}" if rows else "No stopped containers"
    sure = call.flags.on("force") or not rows
    call.complain(f"{told}\n" if sure else f"? {told} [yN] ")
    if sure or call.context.stdin.strip().lower().startswith("y"):
        _remove(call, rows)


def _down(call: Call) -> None:
    project, groups = _find(call)
    network = f"{project.name}_default"
    there = not call.args and any(row["Name"] == network for row in call.ask("GET", "/networks"))
    if not groups and not there:
        call.complain(f'Warning: No resource found to remove for project "{project.name}".\n')
    for group in groups:
        _end(call, group)
        _remove(call, group)
    if there:
        _ask(call, "Removing Removed", f"Network {network}", "DELETE", f"/networks/{network}")


RUNS = {"compose up": _up, "compose down": _down, "compose start": _start_all, "compose stop": _stop}
RUNS |= {"compose restart": _restart, "compose kill": _kill, "compose rm": _rm}

"""The Engine API: one function, as of the daemon's socket. A failure is a `Response` with a message."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from urllib.parse import unquote

from aiops_gym.sim.docker_host import images, lifecycle, projects, records, views
from aiops_gym.sim.docker_host.records import DockerError, key_of
from aiops_gym.sim.kernel import draws
from aiops_gym.sim.kernel.world import World
from aiops_gym.sim.machine.container import Container
from aiops_gym.sim.machine.executables.machine import rows
from aiops_gym.sim.machine.program import program_of
from aiops_gym.sim.machine.scripts import inside
from aiops_gym.sim.machine.scripts.files import Files
from aiops_gym.types import Json, Output, Response

Query = Mapping[str, str]
Route = Callable[[World, str, Query, Json], Json]
"""(world, what is named in the path, query, body) -> what is answered."""


def handle(world: World, method: str, path: str, query: Query | None = None, body: Json = None) -> Response:
    """Answer one request.

    Args:
        world: where.
        method: GET, POST, PUT or DELETE.
        path: `/containers/json`, `/containers/NAME/stop`.
        query: of the request.
        body: its JSON.
    """
    kind, *rest = path.strip("/").split("/")
    rest = [] if rest == ["json"] else rest
    name = unquote(rest.pop(0)) if rest else ""
    route = ROUTES.get(" ".join([method, kind, *(["*"] if name else []), *rest]))
    if route is None:
        return Response(404, {"message": "page not found"})
    try:
        return Response(200, route(world, name, query or {}, body))
    except DockerError as error:
        return Response(error.code, {"message": str(error)})


def _list(world: World, name: str, query: Query, body: Json) -> Json:
    every = query.get("all") == "1"
    shown = ("running", "restarting")
    found = [row for row in records.list_rows(world, "container") if every or row["status"] in shown]
    return [views.list_container(world, row) for row in reversed(found)]


def _end(then: str) -> Route:
    def route(world: World, name: str, query: Query, body: Json) -> Json:
        lifecycle.stop(world, records.find(world, name), int(query.get("t", lifecycle.GRACE)), then)

    return route


def _logs(world: World, name: str, query: Query, body: Json) -> Json:
    """Lines with their times, [time to the nanosecond, text], of all runs: `since` a time in ms, the last `tail`."""
    row, found = records.find(world, name), list[list[str]]()
    key, told = key_of(row), world.dynamics.kubelet
    since, tail = (int(query[each]) if each in query else None for each in ("since", "tail"))
    runs = [("previous", f"{key}/{number}") for number in range(1, row["run"])]
    for table, each in (*runs, ("processes", key)):
        if told is not None and each in world.table(table):
            text = told.log(world, each, previous=table == "previous", since_ms=since, tail=tail, timestamps=True)
            found += [list(line.partition(" ")[::2]) for line in text.split("\n")[:-1]]
    return found if tail is None else found[len(found) - min(tail, len(found)) :]


def _running(world: World, name: str) -> Container:
    row = records.find(world, name)
    if row["status"] != "running":
        raise DockerError(409, f"container {row['id']} is not running")
    return Container(world, key_of(row))


def _exec(world: World, name: str, query: Query, body: Json) -> Json:
    c, argv, user = _running(world, name), list(body["argv"]), str(body.get("user", "")).partition(":")[0]
    known = (line.partition(":")[0] for line in (Files(c).read("/etc/passwd") or "").splitlines())
    if user and not user.isdigit() and user not in ("root", *known):
        raise DockerError(400, f"unable to find user {user}: no matching entries in passwd file")
    done = inside.execute_beside(world, c.key, argv, str(body.get("stdin", "")))
    absent = f"stat {argv[0]}: no such file or directory"
    if done.code == 126 and absent in done.stderr and Files(c).kind(argv[0]):
        return Output("", done.stderr.replace(absent, "permission denied"), done.code)
    return done


def _stats(world: World, name: str, query: Query, body: Json) -> Json:
    row = records.find(world, name)
    if row["status"] != "running":
        return None
    process = world.table("processes")[key_of(row)]
    return views.measure(world, row, program_of(world, process).usage(process, 0.0, 0.0))


def _files(world: World, name: str) -> Files:
    """The files of a container, running or not."""
    row = records.find(world, name)
    if key_of(row) not in world.table("processes"):
        raise DockerError(409, f"container {row['id']} was never started")
    return Files(Container(world, key_of(row)))


def _read(world: World, name: str, query: Query, body: Json) -> Json:
    """What lies at a path: of a file its text, of a folder the texts and folders in it by relative path."""
    files, path = _files(world, name), query["path"].removesuffix("/.").rstrip("/") or "/"
    kind, below = files.kind(path), f"{path.rstrip('/')}/"
    if not kind:
        raise DockerError(404, f"Could not find the file {path} in container {name}")
    if kind == "file":
        return {"kind": kind, "files": {"": files.read(path) or ""}, "folders": []}
    inner = {each.removeprefix(below): files.kind(each) for each in files.paths() if each.startswith(below)}
    texts = {each: files.read(below + each) or "" for each, found in inner.items() if found == "file"}
    return {"kind": kind, "files": texts, "folders": [each for each, found in inner.items() if found == "directory"]}


def _write(world: World, name: str, query: Query, body: Json) -> Json:
    """Put a text into a file, or without one make a folder."""
    files, folder = _files(world, name), query["path"].rpartition("/")[0] or "/"
    if "text" not in body and files.kind(folder) == "directory":
        files.folder(query["path"])
    elif "text" not in body or not files.write(query["path"], str(body["text"])):
        raise DockerError(404, f"Could not find the file {folder} in container {name}")


def _networks(world: World, name: str, query: Query, body: Json) -> Json:
    found = [views.inspect_network(world, row) for row in records.list_rows(world, "network")]
    for own, driver in (("host", "host"), ("none", "null")):  # every daemon has them
        id_ = draws.hexes(64, 0, "docker network", own)
        found.append({"Name": own, "Id": id_, "Driver": driver, "Scope": "local"})
    return sorted(found, key=lambda row: str(row["Name"]))


ROUTES: Mapping[str, Route] = {
    "GET info": lambda w, n, q, b: views.describe_host(w),
    "GET volumes": lambda w, n, q, b: {"Volumes": [], "Warnings": None},
    "GET version": lambda w, n, q, b: views.GIVEN["Version"],
    "GET containers": _list,
    "GET containers * inspect": lambda w, n, q, b: views.inspect_container(w, records.find(w, n)),
    "PUT containers *": lambda w, n, q, b: projects.check(b),
    "POST containers *": lambda w, n, q, b: projects.make(w, q["project"], b),
    "POST containers * start": lambda w, n, q, b: lifecycle.start(w, records.find(w, n)),
    "POST containers * stop": _end("stop"),
    "POST containers * restart": _end("restart"),
    "POST containers * kill": lambda w, n, q, b: lifecycle.kill(w, records.find(w, n), q["signal"]),
    "DELETE containers *": lambda w, n, q, b: lifecycle.remove(w, records.find(w, n), force=q["force"] == "1"),
    "GET containers * logs": _logs,
    "POST containers * exec": _exec,
    "GET containers * top": lambda w, n, q, b: rows(_running(w, n), ["ps"])[:-1],
    "GET containers * stats": _stats,
    "GET containers * archive": _read,
    "PUT containers * archive": _write,
    "GET events": lambda w, n, q, b: records.list_events(w),
    "GET networks": _networks,
    "GET networks * inspect": lambda w, n, q, b: views.inspect_network(w, records.find_network(w, n)),
    "POST networks *": lambda w, n, q, b: projects.make_network(w, q["project"]),
    "DELETE networks *": lambda w, n, q, b: projects.remove_network(w, records.find_network(w, n)),
    "GET images": lambda w, n, q, b: images.list_images(w),
    "GET images * inspect": lambda w, n, q, b: images.inspect_image(w, n),
    "POST images *": lambda w, n, q, b: images.pull(w, q["fromImage"]),
}
"""By method, kind, and what is asked of the one that is named, in whose place there is a `*`."""

"""Liveness, readiness and startup probes.

A probe that has found what it hoped for is parked: it costs nothing until something in the world changes on which an
answer may depend. One that fails, or has not run yet, runs at each period.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from aiops_gym.sim.kernel.digits import is_natural
from aiops_gym.sim.kernel.objects import Obj, get, namespace_of
from aiops_gym.sim.kernel.tables import ContainerRecord, PodRecord
from aiops_gym.sim.kernel.times import SECOND
from aiops_gym.sim.kernel.world import World
from aiops_gym.sim.kube_control.kubelet import hooks, start, status
from aiops_gym.sim.kube_control.kubelet import record as records
from aiops_gym.sim.machine.container import Container, find_container_spec, is_running
from aiops_gym.sim.machine.scripts import inside
from aiops_gym.sim.network import routes
from aiops_gym.sim.software import programs
from aiops_gym.sim.traffic.configuration import configured
from aiops_gym.types import Json

KINDS = {"startup": "startupProbe", "liveness": "livenessProbe", "readiness": "readinessProbe"}
LONGEST = 10 << 10
"""Characters that are read of what a command or a server answers."""

AT_ONCE = 500
"""A try that takes less than so many ms is as good as over when it begins."""

FRESH: Mapping[str, Json] = {"good": 0, "bad": 0, "result": None, "due": 0}


class Tried(NamedTuple):
    """How a try went: None or what is wrong, the ms it took, and whether it could not be made at all."""

    failure: str | None
    ms: int = 0
    errored: bool = False


def attend(world: World, uid: str, pod: Obj) -> None:
    """Begin to probe the containers that the pod's status now shows as running."""
    record = records.find(world, uid)
    if record is None:
        return
    sidecars = [c for c in pod["spec"].get("initContainers") or () if c.get("restartPolicy") == "Always"]
    for spec in (*sidecars, *pod["spec"]["containers"]):
        known = records.find_container(record, spec["name"])
        if known["state"] != "running":
            continue
        for kind, field in KINDS.items():
            if field in spec and kind not in known["probes"] and (known["up"] or kind == "startup"):
                soon = kind == "readiness" and _since(world, known) >= _seconds(spec[field], "initialDelaySeconds", 0)
                _plan(
                    world, uid, spec["name"], kind, FRESH, world.now + 5 if soon else _next(world, record, spec[field])
                )


def tick(world: World, uid: str, name: str, kind: str, id_: str, due: int) -> None:
    """Run a probe whose time has come."""
    record = records.find(world, uid)
    pod = records.pod_of(world, uid, record) if record else None
    if record is None or pod is None or record["dying"]:
        return
    known = records.find_container(record, name)
    found = known["probes"].get(kind)
    if known["id"] != id_ or known["state"] != "running" or found is None or found["due"] != due or known["doom"]:
        return
    spec = find_container_spec(pod, name)
    probe = spec[KINDS[kind]]
    if _since(world, known) < _seconds(probe, "initialDelaySeconds", 0):
        _plan(world, uid, name, kind, found, _next(world, record, probe))
        return
    tried = run(world, uid, pod, spec, probe)
    if tried.ms < AT_ONCE:
        note_result(world, uid, name, kind, id_, *tried)
    else:
        world.schedule(tried.ms, "kubelet.probed", uid, name, kind, id_, *tried)


def note_result(
    world: World, uid: str, name: str, kind: str, id_: str, failure: str | None, ms: int, errored: bool
) -> None:
    """A try is over."""
    record = records.find(world, uid)
    pod = records.pod_of(world, uid, record) if record else None
    if record is None or pod is None or record["dying"]:
        return
    known = records.find_container(record, name)
    if known["id"] != id_ or known["state"] != "running" or kind not in known["probes"] or known["doom"]:
        return
    found, probe = known["probes"][kind], find_container_spec(pod, name)[KINDS[kind]]
    if errored:
        start.say(world, pod, name, "Warning", "Unhealthy", f"{kind.capitalize()} probe errored: {failure}")
        _plan(world, uid, name, kind, found, _next(world, record, probe))
        return
    if failure is None:
        found = {**found, "good": found["good"] + 1, "bad": 0}
    else:
        found = {**found, "good": 0, "bad": found["bad"] + 1}
        start.say(world, pod, name, "Warning", "Unhealthy", f"{kind.capitalize()} probe failed: {failure}")
    _conclude(world, uid, pod, name, kind, found)


def _conclude(world: World, uid: str, pod: Obj, name: str, kind: str, found: Mapping[str, Json]) -> None:
    """What the thresholds make of the newest run, and when the next one is."""
    probe = find_container_spec(pod, name)[KINDS[kind]]
    result = found["result"]
    if found["good"] >= _seconds(probe, "successThreshold", 1):
        result = True
    elif found["bad"] >= _seconds(probe, "failureThreshold", 3):
        result = False
    changed, found = result is not found["result"], {**found, "result": result}
    record = records.find(world, uid)
    assert record is not None
    if result and not found["bad"]:
        _park(world, uid, name, kind, found, forever=kind == "startup")
    elif result is False and kind != "readiness":
        _park(world, uid, name, kind, found, forever=True)
        again = "" if pod["spec"].get("restartPolicy") == "Never" else ", will be restarted"
        doom = f"Container {name} failed {kind} probe{again}"
        records.change_container(world, uid, name, doom=doom)
        records.wake(world, uid, world.now)
        return
    else:
        _plan(world, uid, name, kind, found, _next(world, record, probe))
    if changed and kind == "startup" and result:
        records.change_container(world, uid, name, up=True)
        records.wake(world, uid, world.now)
    elif changed and kind == "readiness":
        records.change_container(world, uid, name, ready=bool(result))
        status.publish(world, uid)


def observe(world: World) -> None:
    """Something changed: look whether parked probes would still find what they found."""
    parked = world.table("parked")
    for entry in list(parked):
        uid, name, kind = entry.split("/")
        record = records.find(world, uid)
        pod = records.pod_of(world, uid, record) if record else None
        known = records.find_container(record, name) if record else records.EMPTY
        if record is None or pod is None or known["id"] != parked[entry] or known["state"] != "running":
            del parked[entry]
            continue
        spec = find_container_spec(pod, name)
        probe = spec[KINDS[kind]]
        if "exec" in probe or run(world, uid, pod, spec, probe).failure is not None:
            del parked[entry]
            _plan(world, uid, name, kind, known["probes"][kind], _next(world, record, probe))


def run(world: World, uid: str, pod: Obj, spec: Mapping[str, Json], probe: Mapping[str, Json]) -> Tried:
    """One try; its failure is what the event says after `probe failed: `."""
    for kind, attempt in (("httpGet", _http), ("tcpSocket", _tcp), ("grpc", _grpc)):
        if kind in probe:
            return attempt(world, uid, pod, spec, probe)
    if "exec" in probe:
        return _exec(world, uid, pod, spec, probe)
    return Tried(None)


def _exec(world: World, uid: str, pod: Obj, spec: Mapping[str, Json], probe: Mapping[str, Json]) -> Tried:
    argv, limit = list(probe["exec"].get("command") or ()), _seconds(probe, "timeoutSeconds", 1)
    key = f"{uid}/{spec['name']}"
    if not argv or not is_running(world, key):
        return Tried(None)
    ran = inside.run(Container(world, key), argv)
    if ran.ms < 0 or ran.ms > limit * SECOND:
        return Tried(f'command timed out: "{" ".join(argv)}" timed out after {limit}s', limit * SECOND)
    if ran.absent:
        return Tried(hooks.describe_unable(world, key, ran.text), errored=True)
    return Tried(None if ran.code == 0 else ran.text[:LONGEST], ran.ms)


def find_graces(
    record: PodRecord, specs: Mapping[str, Mapping[str, Json]], doomed: Mapping[str, str]
) -> dict[str, int]:
    """Seconds between TERM and KILL of containers whose failed probe gives a time of its own."""
    found: dict[str, int] = {}
    for name in doomed:
        for kind in ("startup", "liveness"):
            seconds = get(specs[name], KINDS[kind], "terminationGracePeriodSeconds")
            failed = records.find_container(record, name)["probes"].get(kind, {}).get("result") is False
            if seconds is not None and failed:
                found[name] = int(seconds)
    return found


def _http(world: World, uid: str, pod: Obj, spec: Mapping[str, Json], probe: Mapping[str, Json]) -> Tried:
    action = probe["httpGet"]
    host, port = action.get("host") or _ip(world, uid), _port(spec, action["port"])
    path = str(action.get("path", "/"))
    url = f"{action.get('scheme', 'HTTP').lower()}://{host}:{port}{path if path.startswith('/') else '/' + path}"
    route = routes.dial(world, None, namespace_of(pod), host, port)
    if route.outcome == "refused":
        return Tried(f'Get "{url}": dial tcp {host}:{port}: connect: connection refused')
    if route.outcome != "ok" or _too_slow(route, probe):
        late = "context deadline exceeded (Client.Timeout exceeded while awaiting headers)"
        return Tried(f'Get "{url}": {late}', _limit(probe))
    process = world.table("processes")[route.targets[0].process]
    code, _ = programs.find(process["program"]).http(world, process, path)
    return Tried(None if 200 <= code < 400 else f"HTTP probe failed with statuscode: {code}", round(route.delay_ms))


def _tcp(world: World, uid: str, pod: Obj, spec: Mapping[str, Json], probe: Mapping[str, Json]) -> Tried:
    action = probe["tcpSocket"]
    host, port = action.get("host") or _ip(world, uid), _port(spec, action["port"])
    route = routes.dial(world, None, namespace_of(pod), host, port)
    if route.outcome == "refused":
        return Tried(f"dial tcp {host}:{port}: connect: connection refused")
    if route.outcome != "ok" or _too_slow(route, probe):
        return Tried(f"dial tcp {host}:{port}: i/o timeout", _limit(probe))
    return Tried(None)


def _grpc(world: World, uid: str, pod: Obj, spec: Mapping[str, Json], probe: Mapping[str, Json]) -> Tried:
    host, port = _ip(world, uid), int(probe["grpc"]["port"])
    route = routes.dial(world, None, namespace_of(pod), host, port)
    if route.outcome == "ok" and not _too_slow(route, probe):
        well = not configured(world.table("processes")[route.targets[0].process]).get("unready")
        return Tried(None if well else 'service unhealthy (responded with "NOT_SERVING")')
    within = f"within {_seconds(probe, 'timeoutSeconds', 1)}s: context deadline exceeded"
    return Tried(f'timeout: failed to connect service "{host}:{port}" {within}', _limit(probe))


def _limit(probe: Mapping[str, Json]) -> int:
    return _seconds(probe, "timeoutSeconds", 1) * SECOND


def _too_slow(route: routes.Route, probe: Mapping[str, Json]) -> bool:
    return route.delay_ms > _seconds(probe, "timeoutSeconds", 1) * SECOND or route.loss >= 1.0


def _ip(world: World, uid: str) -> str:
    return str(world.table("kubelet")[uid]["ip"])


def _port(spec: Mapping[str, Json], port: int | str) -> int:
    if isinstance(port, int) or is_natural(port):
        return int(port)
    named: Iterator[int] = (int(p["containerPort"]) for p in spec.get("ports") or () if p.get("name") == port)
    return next(named, 0)


def _seconds(probe: Mapping[str, Json], field: str, default: int) -> int:
    return int(get(probe, field, default=default))


def _since(world: World, known: ContainerRecord) -> float:
    """Seconds since the container started."""
    return (world.now - int(known["started"])) / SECOND


def _next(world: World, record: PodRecord, probe: Mapping[str, Json]) -> int:
    """The next tick (ms): a probe's clock runs from when the worker first saw the pod."""
    period = _seconds(probe, "periodSeconds", 10) * SECOND
    return int(world.now + period - (world.now - record["since"]) % period)


def _plan(world: World, uid: str, name: str, kind: str, found: Mapping[str, Json], due: int) -> None:
    record = world.table("kubelet")[uid]
    known = records.find_container(record, name)
    records.change_container(world, uid, name, probes={**known["probes"], kind: {**found, "due": due}})
    world.schedule(due - world.now, "kubelet.probe", uid, name, kind, known["id"], due)


def _park(world: World, uid: str, name: str, kind: str, found: Mapping[str, Json], forever: bool) -> None:
    known = records.find_container(world.table("kubelet")[uid], name)
    records.change_container(world, uid, name, probes={**known["probes"], kind: {**found, "due": 0}})
    if not forever:
        world.table("parked")[f"{uid}/{name}/{kind}"] = known["id"]

"""Admission of the computed problems: a fault on a target is played in every way in which it is posed.

A pair is admitted when users are hurt or what nobody waits for is not done, something shows it, nothing that can be
read names it, the references earn everything and empty answers do not, each listed repair is accepted, and no shortcut
or repair elsewhere is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from aiops_gym.backends import Simulated, warmup
from aiops_gym.backends.promises import find_broken
from aiops_gym.backends.shape import find_owned_pods
from aiops_gym.catalog import registry
from aiops_gym.catalog.model import Problem
from aiops_gym.catalog.splits import SPLITS, hash_to_fraction
from aiops_gym.catalog.traits import fits
from aiops_gym.sim import traffic
from aiops_gym.sim.kernel.objects import Obj, get, uid_of
from aiops_gym.sim.kernel.times import MINUTE, SECOND
from aiops_gym.sim.kernel.world import World
from aiops_gym.sim.network.routes import dial
from aiops_gym.sim.telemetry import metrics, traces, usage
from aiops_gym.testing.chains import find_chain
from aiops_gym.testing.problems import SHORTCUTS, check_answers, list_destructive, solves, submit_script

LOST, SLOWER, SLOWER_BY = 0.01, 2.0, 20.0
"""Users are hurt when an operation succeeds so much more rarely, or takes so many times as long and so many ms more."""

THROTTLED = 5_000.0
"""Microseconds of a processor in each 100 ms, below which a graph of it is looked at."""

ROTE = 0.25
"""Share of the hard incidents on which scripts without a question are played: they take half of the time."""

LONGEST_LOOK = 120.0
"""Seconds after which, at the latest, a listed repair is made."""

UNIVERSAL = {
    "restart everything": "kubectl rollout restart deployment -n {namespace}; sleep 60",
    "undo every rollout": (
        "for d in $(kubectl get deploy -n {namespace} -o name); do kubectl rollout undo $d -n {namespace}; done\n"
        "sleep 60"
    ),
    "apply everything again": (
        "kubectl get deploy,svc,cm -n {namespace} -o yaml > all.yaml; kubectl replace --force -f all.yaml; sleep 60"
    ),
    "strip every deployment": (
        "kubectl get deploy -n {namespace} -o json | jq '.items |= map(.spec.replicas = ([.spec.replicas, 1] | max) "
        "| .spec.template.spec |= (del(.nodeSelector, .initContainers, .serviceAccountName, .serviceAccount, "
        ".dnsPolicy) | .containers[0] |= del(.resources, .livenessProbe, .readinessProbe, .envFrom)))' "
        "| kubectl replace -f -\nsleep 60; kubectl delete pods --all -n {namespace}; sleep 60"
    ),
    "sweep away what forbids": (
        "kubectl delete networkpolicies,resourcequotas,limitranges --all -n {namespace}\n"
        "for n in $(kubectl get nodes -o name); do\n"
        'kubectl patch $n --type=json -p \'[{"op": "remove", "path": "/spec/taints"}]\'\ndone\n'
        "kubectl delete pods --all -n {namespace}; sleep 60"
    ),
}
"""Scripts that ask no question: what they repair needs no diagnosis."""

RELEASED = {
    "roll the release back": "helm rollback {release} 1 -n {namespace}; sleep 60",
    "install the release anew": (
        "helm get manifest {release} -n {namespace} > all.yaml; helm uninstall {release} -n {namespace}; sleep 20\n"
        "kubectl apply -n {namespace} -f all.yaml; sleep 60"
    ),
    "apply its manifest, keep replicas": (
        "kubectl get deploy -n {namespace} --no-headers -o custom-columns=N:.metadata.name,R:.spec.replicas > counts\n"
        "helm rollback {release} 1 -n {namespace}\n"
        "helm get manifest {release} -n {namespace} | kubectl replace -n {namespace} -f -\n"
        "while read name count; do [ $count -lt 2 ] || kubectl scale deploy $name -n {namespace} --replicas=$count\n"
        "done < counts\nsleep 30; kubectl delete pods --all -n {namespace}; sleep 60"
    ),
}
"""The same for what was installed with Helm."""

READABLE = (
    "kubectl get all,endpoints,configmaps,pvc,networkpolicies,resourcequotas,events -n {namespace} -o yaml "
    "--show-managed-fields",
    "kubectl describe pods,nodes -n {namespace}",
    "kubectl get nodes,pv -o yaml",
    "env; ls -la",
)
"""Where an agent would read a name that gives the answer away."""


@dataclass
class Admission:
    """What became of one pair.

    Attributes:
        problems: how many the pair is posed as.
        steps: actions of the reference of its longest problem.
        lost: by how much an operation succeeds more rarely, the worst of them, 0 to 1.
        slower: how many times as long an operation takes, the worst of them.
        late: whether messages do not reach who reads them in time.
        seen: where the symptom shows.
        tried: whether scripts without a question were played.
        universal: those of them that repair it.
        chain: reads from the page to the cause, of a hard incident.
        broken: promises that it does not keep; empty for an admitted pair.
    """

    app: str
    fault: str
    target: str
    split: str
    problems: int
    steps: int
    distance: int
    lost: float = 0.0
    slower: float = 1.0
    late: bool = False
    seen: tuple[str, ...] = ()
    tried: bool = True
    universal: tuple[str, ...] = ()
    chain: tuple[str, ...] = ()
    broken: list[str] = field(default_factory=list)

    @property
    def hurt(self) -> bool:
        """Whether users notice, or what nobody waits for is not done."""
        return self.lost > LOST or self.slower >= SLOWER or self.late

    @classmethod
    def read(cls, row: Any) -> Admission:
        """From its fields, through JSON."""
        return cls(**{**row, **{key: tuple(row[key]) for key in ("seen", "universal", "chain")}})


Pair = tuple[Problem, ...]
"""All problems of a fault on a target."""


def list_pairs(
    app: str | None = None, fault: str | None = None, sample: float = 1.0, tier: str | None = None
) -> list[Pair]:
    """The pairs of the catalogue's splits, filtered; a sample is drawn by hash, stable when others come or go.

    Those of tier `hard` are of several faults, too: a composition counts as a pair, and `fault` may be its name.
    """
    found: dict[tuple[str, ...], list[Problem]] = {}
    for problem in (p for split in SPLITS for p in registry.problems(None, app, split, tier) if p.fault and p.target):
        if fault in (None, problem.how or problem.fault):
            found.setdefault(name_pair(problem), []).append(problem)
    return [tuple(rows) for key, rows in found.items() if hash_to_fraction("admission", *key) < sample]


def name_pair(problem: Problem) -> tuple[str, ...]:
    """What tells the incident of a problem from all others."""
    further = (problem.how, *(word for cause in problem.others for word in cause)) if problem.how else ()
    return (problem.app, problem.fault, problem.target, *further)


def admit(pair: Pair, seed: int = 1) -> Admission:
    """Play all problems of a pair."""
    warmup.keep_all()
    first = pair[-1]
    steps, split = max(p.steps for p in pair), first.split
    target = "+".join(target for _, target in first.causes)
    found = Admission(first.app, first.how or first.fault, target, split, len(pair), steps, first.distance)
    backend = Simulated(first, seed)
    quiet = Simulated(first, seed, noise=False)
    found.lost, found.slower = measure_hurt(quiet)
    found.late = is_late(quiet)
    if not found.hurt:
        found.broken.append("no user is hurt, and nothing is late")
    found.seen = tuple(seen(quiet))
    found.broken += leaks(backend, pair)
    if first.tier == "hard":
        found.chain, missing = find_chain(backend)
        found.broken += missing
    if not (found.seen or found.chain):  # what few ask for may fail nobody in a minute, and be read all the same
        found.broken.append("nothing shows it")
    for problem in pair:
        found.broken += _failures(check_answers, problem, seed)
    if any(problem.task == "mitigation" for problem in pair):
        found.broken += _repairs(backend, first)
        found.tried = first.tier != "hard" or hash_to_fraction("rote", *name_pair(first)) < ROTE
        found.universal = tuple(_universal(backend)) if found.tried else ()
    return found


def _failures(check: Callable[[Problem, int], None], problem: Problem, seed: int) -> list[str]:
    try:
        check(problem, seed)
    except AssertionError as error:
        return [str(error)]
    return []


def measure_hurt(backend: Simulated) -> tuple[float, float]:
    """By how much an operation succeeds more rarely, and how many times as long one takes, over a minute."""
    before, world = backend.before_the_incident(), backend.world.fork()
    world.run(MINUTE)
    success, latency = traffic.compute_success(before), traffic.compute_latency(before)
    spans = traffic.list_intervals(world, world.now - MINUTE, world.now)
    got, took = ({n: _mean(spans, what, n) for n in success} for what in ("success", "latency"))
    slow = [name for name in success if latency[name] and got[name] > LOST and took[name] - latency[name] >= SLOWER_BY]
    factors = [took[name] / latency[name] for name in slow]
    return max(success[n] - got[n] for n in success), max(factors, default=1.0)


def is_late(backend: Simulated) -> bool:
    """Whether a component does not get the messages that it got before, a minute later."""
    world = backend.world.fork()
    world.run(MINUTE)
    return any(find_broken(world, backend.before_the_incident(), backend.app))


def _mean(spans: Iterable[traffic.Interval], what: str, name: str) -> float:
    """The mean over a minute of what an operation met in each interval."""
    return sum(float(span.outcome[what][name]) * (span.end - span.start) for span in spans) / MINUTE


def seen(backend: Simulated) -> Iterator[str]:
    """Where the symptom shows to somebody who looks or tries."""
    world, before, space = backend.world, backend.before_the_incident(), backend.app.namespace
    pods = world.store.all("pods", space)
    if any(_unwell(pod) for pod in pods) or len(pods) < len(backend.app.components):
        yield "pods"
    old = {event["metadata"]["uid"] for event in before.store.all("events", space)}
    fresh = [e for e in world.store.all("events", space) if e["metadata"]["uid"] not in old]
    if any(event.get("type") == "Warning" for event in fresh):
        yield "events"
    if _empty(world, space) - _empty(before, space):
        yield "endpoints"
    if _failing_or_slow(world) > _failing_or_slow(before):
        yield "traces"
    fallen = any(now < then / 2 for now, then in zip(_loads(backend, world), _loads(backend, before), strict=True))
    if fallen or _throttled(world, space) > _throttled(before, space):
        yield "metrics"
    if _connections(world, before, space) != _connections(before, before, space):
        yield "connections"


def _loads(backend: Simulated, world: World) -> list[float]:
    """Requests per second that each component has served in the last half minute, as its network counters show."""
    since, components = world.now - 30 * SECOND, backend.app.components
    keys = {name: [f"{uid_of(pod)}/" for pod in find_owned_pods(world, backend.app, name)] for name in components}
    rows = world.table("processes")
    served = {key: usage.measure_demand(world, key, since, world.now)[0] for key in rows}
    return [sum(served[key] for key in rows if key.startswith(tuple(keys[name]))) for name in components]


def _throttled(world: World, namespace: str) -> int:
    """How many containers have next to nothing of a processor, as the metric of their quota shows."""
    rows = metrics.query_range(world, "container_spec_cpu_quota", namespace, world.now - MINUTE, world.now)
    return len({row.series for row in rows if row.value < THROTTLED})


def _connections(world: World, before: World, namespace: str) -> list[tuple[str, bool, bool, int]]:
    """How connections to the Services of before end: outcome, whether slow or lossy, how many backends refuse."""
    ends = [(s["metadata"]["name"], p["port"]) for s in before.store.all("services", namespace) for p in _ports(s)]
    routes = (dial(world, None, namespace, *end) for end in ends)
    return [(route.outcome, route.delay_ms > SLOWER_BY, route.loss > LOST, route.dead) for route in routes]


def _ports(service: Obj) -> Sequence[Mapping[str, Any]]:
    found: Sequence[Mapping[str, Any]] = service["spec"].get("ports") or ()
    return found


def _failing_or_slow(world: World) -> int:
    """Spans of the last minute that failed or took long."""
    found = (
        traces.find_traces(world, service, world.now - MINUTE, world.now, 200)[0]
        for service in traces.list_services(world)
    )
    return sum(span.error or span.duration > 1000 * SLOWER_BY for spans in found for span in spans)


def _unwell(pod: Obj) -> bool:
    statuses = get(pod, "status", "containerStatuses", default=())
    return not statuses or any(not status["ready"] or status["restartCount"] for status in statuses)


def _empty(world: World, namespace: str) -> set[str]:
    endpoints = world.store.all("endpoints", namespace)
    return {e["metadata"]["name"] for e in endpoints if not any(s.get("addresses") for s in e.get("subsets") or ())}


def leaks(backend: Simulated, pair: Iterable[Problem]) -> list[str]:
    """Names of the fault, its family or its problems in what an agent can read."""
    twin = backend.fork()
    scripts = (command.replace("{namespace}", backend.app.namespace) for command in READABLE)
    text = "\n".join(twin.shell.run(script, timeout=900).output for script in scripts)
    words = {name for p in pair for name in (p.id, p.fault, p.fault.replace("_", "-"), "aiops_gym")}
    return [f"the word {word!r} can be read" for word in sorted(words) if word in text.lower()]


def _repairs(backend: Simulated, problem: Problem) -> list[str]:
    """Which listed repairs are refused, and which shortcuts and repairs elsewhere are accepted."""
    broken = []
    fault = backend.fault
    assert fault is not None
    for fix in fault.fixes:
        after = submit_script(_later(backend, fix), fix)
        if not after.success:
            broken.append(f"a listed repair is refused: {fix}: {'; '.join(after.reasons)}")
    tried = {name: SHORTCUTS[name](problem) for name in list_destructive(problem)}
    tried |= {f"only {part.fixes[0]!r}": part.fixes[0] for part in fault.parts}
    if elsewhere := _elsewhere(backend):
        tried["the repair of another component"] = elsewhere
    solved = [name for name, script in tried.items() if solves(backend.fork(), script)]
    return broken + [f"{name} is accepted" for name in solved]


def _later(backend: Simulated, fix: str) -> Simulated:
    """A fork some time after the page, as whoever reads first has it: a repair holds whenever it is made."""
    twin = backend.fork()
    twin.spend(hash_to_fraction("admission", backend.problem.id, fix) * LONGEST_LOOK)
    return twin


def _elsewhere(backend: Simulated) -> str:
    """The reference repair of the same fault on another component; "" where it would be the same."""
    problem, fault = backend.problem, backend.fault
    assert fault is not None
    if problem.how or "localization" not in fault.tasks:  # it lies in no component, and so does its repair
        return ""
    for name, component in registry.find_components(problem.app).items():
        other = registry.find_fault(replace(problem, target=name))
        if name != problem.target and fits(component, fault.targets) and other and other.fixes[0] not in fault.fixes:
            return other.fixes[0]
    return ""


def _universal(backend: Simulated) -> Iterator[str]:
    app = backend.app
    release = app.releases[0].name if app.releases else ""
    for name, script in {**UNIVERSAL, **(RELEASED if release else {})}.items():
        ready = script.replace("{namespace}", app.namespace).replace("{release}", release)
        if solves(backend.fork(), ready):
            yield name

"""Harmless things that happen in any cluster, drawn by a seed: they never change a verdict.

Each kind is a function; which of them happen, to what and when, are draws: of the warm-up's seed in the minutes before
an incident (`backends.warmup`), of the episode's while it unfolds. In healthy episodes they happen just so: that
something happened a moment ago must not tell the two apart, and what was written last need not be what is broken.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from aiops_gym.backends import leftovers, regular, shadows
from aiops_gym.backends.baseline import request
from aiops_gym.backends.inject import apply_change
from aiops_gym.catalog.model import App, Create, Patch
from aiops_gym.sim.kernel import draws
from aiops_gym.sim.kernel.objects import key_of, uid_of
from aiops_gym.sim.kernel.times import MINUTE, SECOND, iso
from aiops_gym.sim.kernel.world import World
from aiops_gym.sim.machine import runtime
from aiops_gym.sim.machine.scripts import inside

Noise = Callable[[World, App, int, frozenset[str]], None]
"""(world, app, seed, components to leave alone)."""

Decide = Callable[[World, App, int, str], None]
"""(world, app, seed, whom it is about)."""


class Lasting(NamedTuple):
    """Something that is decided for good.

    Attributes:
        share: of warm-ups in which it was, among those in which something may have been.
        whom: the component that it is about, `ALL` for the namespace; a draw of (world, app, seed).
        decide: makes it so.
    """

    share: float
    whom: Callable[[World, App, int], str]
    decide: Decide


RATES = (10.0, 10.0, 10.0, 20.0, 20.0, 40.0, 40.0, 100.0)
"""Requests per second that a warm-up may have: how busy the app is says nothing about its health."""

AMPLE = {"requests": {"cpu": "100m", "memory": "64Mi"}, "limits": {"cpu": "2", "memory": "2Gi"}}

NOBODY: frozenset[str] = frozenset()

ALL = "*"
"""In place of a component: the whole namespace. A change that names no component is about ""."""


def draw_rate(seed: int) -> float:
    """How busy the app is before an incident, and stays."""
    return RATES[draws.pick(len(RATES), seed, "noise", "rate")]


def draw_decisions(world: World, app: App, seed: int) -> dict[str, str]:
    """Which lasting things were decided, and about whom, in a warm-up that begins with this world."""
    if not app.components:  # all of it is about deployments
        return {}
    chosen = [name for name, each in LASTING.items() if draws.draw(seed, "noise", name) < each.share]
    return {name: LASTING[name].whom(world, app, seed) for name in chosen}


def disturb(world: World, app: App, seed: int, decided: Mapping[str, str]) -> None:
    """Let what was decided and some of the rest happen, and some minutes pass."""
    for name, whom in decided.items():
        LASTING[name].decide(world, app, seed, whom)
    for name, (share, _) in KINDS.items():
        if app.components and draws.draw(seed, "noise", name) < share:
            make_noise(name, world, app, draws.bits(seed, "noise before", name))
        world.run(int(draws.between(5 * SECOND, 40 * SECOND, seed, "noise pause", name)))
    world.run(int(draws.between(1 * MINUTE, 4 * MINUTE, seed, "noise end")))


def wait_amid_noise(world: World, app: App, seed: int, spared: frozenset[str], wait: int) -> None:
    """Let `wait` ms pass, and some of it happen on the way, but not to what the incident is about."""
    end = world.now + wait
    chosen = [name for name in LATE if draws.draw(seed, "late noise", name) < LATE[name]]
    for moment, name in sorted((draws.draw(seed, "late moment", name), name) for name in chosen):
        world.run_until(max(world.now, end - round((1.0 - moment) * wait)))
        make_noise(name, world, app, draws.bits(seed, "noise late", name), spared)
    world.run_until(max(world.now, end))


def precede(world: World, app: App, seed: int) -> None:
    """The minutes before an incident in a world that is lived in: some of it happens up to the last second."""
    happening = [name for name in BESIDE if draws.draw(seed, "noise", name) < BESIDE[name]]
    _happen(world, app, seed, happening, NOBODY, shadows.BEFORE, shadows.RATE * shadows.MORE)


def unfold(world: World, app: App, seed: int, spared: frozenset[str], wait: int) -> None:
    """The same while an incident unfolds; where all is spared, nothing that needs a new pod happens."""
    late = draws.bits(seed, "late")
    happening = [name for name in BESIDE if draws.draw(late, "noise", name) < BESIDE[name]]
    everything = len(spared) == len(app.components)
    _happen(world, app, late, [] if everything else happening, spared, wait, shadows.RATE)


def _happen(
    world: World, app: App, seed: int, names: list[str], spared: frozenset[str], wait: int, rate: float
) -> None:
    """Kinds of noise at moments that are drawn, what happens regularly, and shadows of faults between them."""
    begin, end = world.now, world.now + wait
    moments = [(begin + round(draws.draw(seed, "moment", name) * wait), name) for name in names]
    moments += regular.list_moments(seed, begin, end)
    for number, (until, name) in enumerate(sorted(moments)):
        if until > world.now:
            shadows.cast_many(world, app, draws.bits(seed, "between", "", number), until - world.now, spared, rate)
        if name in regular.REGULAR:
            regular.happen(name, world, app, draws.bits(seed, "again", name, number), spared)
        else:
            make_noise(name, world, app, draws.bits(seed, "beside", name), spared)
    if end > world.now:
        shadows.cast_many(world, app, draws.bits(seed, "between", "", len(moments)), end - world.now, spared, rate)


def make_noise(name: str, world: World, app: App, seed: int, spared: frozenset[str] = NOBODY) -> None:
    """Let one kind of noise happen now, whoever asks for it, and note that it did."""
    KINDS[name][1](world, app, seed, spared)
    leftovers.note_noise(world)


def _restarted_container(world: World, app: App, seed: int, spared: frozenset[str]) -> None:
    """One container is killed once or twice, as by a node that ran short of memory, and comes back."""
    name = _harmless(app, seed, "which container", spared)
    pods = world.store.labelled("pods", app.namespace, app.select(name))
    if not pods:
        return
    key = f"{uid_of(pods[0])}/{pods[0]['spec']['containers'][0]['name']}"
    for _ in range(1 + draws.pick(2, seed, "noise", "how often")):  # the second time it is held back for some seconds
        if key in world.table("processes"):
            runtime.signal(world, key, "KILL")
        world.run(5 * SECOND)


def _harmless(app: App, seed: int, key: str, spared: frozenset[str]) -> str:
    """A component that may be restarted without breaking the others."""
    names = [name for name in app.components if "restart" not in app.parameters.get(name, {}) and name not in spared]
    return names[draws.pick(len(names), seed, "noise", key)]


def _finished_rollout(world: World, app: App, seed: int, spared: frozenset[str]) -> None:
    """Somebody restarted a deployment."""
    name = _stateless(world, app, seed, "which rollout", spared)
    annotation = {"kubectl.kubernetes.io/restartedAt": iso(world.now)}
    _merge(world, app, "deployments.apps", name, {"spec": {"template": {"metadata": {"annotations": annotation}}}})
    world.run(12 * SECOND)


def _second_replica(world: World, app: App, seed: int, spared: frozenset[str]) -> None:
    """A deployment without data of its own ran one pod more for a while, and is back at what it had."""
    name = _stateless(world, app, seed, "which replica", spared)
    deployment = world.store.get("deployments.apps", app.namespace, name)
    usual = deployment["spec"]["replicas"] if deployment else 1
    for replicas in (usual + 1, usual):
        _merge(world, app, "deployments.apps", name, {"spec": {"replicas": replicas}})
        world.run(45 * SECOND)


def _scaled_by_hand(world: World, app: App, seed: int, name: str) -> None:
    """A deployment without data of its own has two pods since a busy day, and no manifest says so."""
    _merge(world, app, "deployments.apps", name, {"spec": {"replicas": 2}})
    world.run(20 * SECOND)


def _limited_by_hand(world: World, app: App, seed: int, name: str) -> None:
    """A deployment without data of its own has got limits that it does not come near, and no manifest says so."""
    ops = ({"op": "add", "path": "/spec/template/spec/containers/0/resources", "value": AMPLE},)
    apply_change(Patch(resource="deployments.apps", name=name, ops=ops, recreate=True), world, app)
    world.run(20 * SECOND)


def _merge(world: World, app: App, resource: str, name: str, body: Mapping[str, Any]) -> None:
    kind = "application/merge-patch+json"
    request(world, "patch", resource, app.namespace, name, body=body, content_type=kind)


def _stateless(world: World, app: App, seed: int, key: str, spared: frozenset[str]) -> str:
    """A deployment without data of its own."""
    names = [name for name in app.components if name not in spared and _keeps_nothing(world, app, name)]
    return names[draws.pick(len(names), seed, "noise", key)]


def _keeps_nothing(world: World, app: App, name: str) -> bool:
    deployment = world.store.get("deployments.apps", app.namespace, name)
    if deployment is None:
        return False
    spec = deployment["spec"]["template"]["spec"]
    volumes = [v for v in spec.get("volumes") or () if "configMap" not in v]
    told = "stateless" in app.parameters.get(name, {})  # where no command tells a service from a store
    return not volumes and (told or any(c.get("command") for c in spec["containers"]))


def _inspected_database(world: World, app: App, seed: int, spared: frozenset[str]) -> None:
    """Somebody logged in to a database and looked."""
    names = [name for name in app.components if "login" in app.parameters.get(name, {}) and name not in spared]
    pods = world.store.labelled("pods", app.namespace, app.select(names[-1])) if names else []
    if len(names) > 1 and draws.draw(seed, "noise", "which database") < 0.5:
        pods = world.store.labelled("pods", app.namespace, app.select(names[0]))
    user = ("admin", "root")[draws.pick(2, seed, "noise", "which user")]
    argv = ["mongo", "admin", "-u", user, "-p", user, "--quiet", "--eval", "db.stats().ok"]
    for pod in pods[:1]:
        inside.execute(world, key_of(pod), pod["spec"]["containers"][0]["name"], argv)


def _finished_job(world: World, app: App, seed: int, spared: frozenset[str]) -> None:
    """A one-off job ran, perhaps failed first, and its pods are still listed."""
    name = ("smoke-test", "cache-warmup", "report-export")[draws.pick(3, seed, "noise", "which job")]
    fails = draws.draw(seed, "noise", "job fails") < 0.5
    script = "echo started; sleep 4; echo timed out; exit 1" if fails else "echo started; sleep 6; echo done"
    container = {"name": "job", "image": "busybox:1.36", "command": ["/bin/sh", "-c", script]}
    pod = {"restartPolicy": "Never", "containers": [container]}
    job: dict[str, Any] = {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": name}}
    job["metadata"]["namespace"] = app.namespace
    job["spec"] = {"backoffLimit": 0, "template": {"spec": pod}}
    answer = request(world, "create", "jobs.batch", app.namespace, body=job)
    world.run(8 * SECOND)
    if answer.code < 400:  # an earlier one may have its name
        leftovers.note_owner(world, answer.body)


def _redeployed(world: World, app: App, seed: int, spared: frozenset[str]) -> None:
    """A deployment was deleted and applied again as it was: the youngest need not be the broken one."""
    name = _harmless(app, seed, "which deployment", spared)
    if world.store.get("deployments.apps", app.namespace, name) is not None:
        apply_change(Patch(resource="deployments.apps", name=name, ops=(), recreate=True), world, app)
        world.run(8 * SECOND)


def _annotated_service(world: World, app: App, seed: int, spared: frozenset[str]) -> None:
    """Somebody noted on a Service whose it is: the one that was written last need not be the broken one."""
    services = [obj["metadata"]["name"] for obj in world.store.all("services", app.namespace)]
    names = [name for name in services if name not in spared]
    name = names[draws.pick(len(names), seed, "noise", "which service")]
    owner = ("team-blue", "team-green")[draws.pick(2, seed, "noise", "which owner")]
    _merge(world, app, "services", name, {"metadata": {"annotations": {"contact": owner}}})


def _open_policy(world: World, app: App, seed: int, name: str) -> None:
    """A policy lets everybody connect to a component, as it was before: that there is one says nothing."""
    spec = {"podSelector": {"matchLabels": app.select(name)}, "policyTypes": ["Ingress"], "ingress": [{}]}
    meta = {"name": f"{name}-clients"}
    policy = {"apiVersion": "networking.k8s.io/v1", "kind": "NetworkPolicy", "metadata": meta, "spec": spec}
    apply_change(Create(manifest=policy), world, app)


def _ample_quota(world: World, app: App, seed: int, name: str) -> None:
    """A quota that the app does not come near; one whose namespace goes would be missed afterwards."""
    hard = {"pods": str(100 + 20 * draws.pick(6, seed, "noise", "which quota")), "services": "80"}
    quota = {"apiVersion": "v1", "kind": "ResourceQuota", "metadata": {"name": "namespace-limits"}}
    apply_change(Create(manifest={**quota, "spec": {"hard": hard}}), world, app)


LASTING: dict[str, Lasting] = {
    "scaled by hand": Lasting(
        0.8, lambda world, app, seed: _stateless(world, app, seed, "which scaled", NOBODY), _scaled_by_hand
    ),
    "limited by hand": Lasting(
        0.8, lambda world, app, seed: _stateless(world, app, seed, "which limited", NOBODY), _limited_by_hand
    ),
    "open policy": Lasting(0.55, lambda world, app, seed: _harmless(app, seed, "which policy", NOBODY), _open_policy),
    "ample quota": Lasting(0.55, lambda world, app, seed: ALL, _ample_quota),
}
"""What has been decided long before an incident and must outlive it: whoever applies all manifests anew, or sweeps away
whatever might be in the way, undoes it."""

KINDS: dict[str, tuple[float, Noise]] = {
    "restarted container": (0.5, _restarted_container),
    "finished rollout": (0.35, _finished_rollout),
    "second replica": (0.2, _second_replica),
    "finished job": (0.5, _finished_job),
    "inspected database": (0.3, _inspected_database),
    "redeployed": (0.3, _redeployed),
    "annotated service": (0.3, _annotated_service),
}
"""Kinds of noise, with the share of warm-ups in which each happens."""

LATE = {
    "restarted container": 0.4,
    "finished rollout": 0.35,
    "finished job": 0.35,
    "inspected database": 0.4,
    "redeployed": 0.5,
    "annotated service": 0.5,
}
"""Kinds that also happen while an incident unfolds, with their shares of episodes."""

BESIDE = {"restarted container": 0.25, "finished job": 0.3, "inspected database": 0.4}
"""Kinds that happen beside shadows of faults, with their shares of warm-ups and of episodes."""

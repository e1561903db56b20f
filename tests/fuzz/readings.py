"""All that an agent, a trainer and the judge may look at; none of it may raise."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from aiops_gym.envs.live import LiveEnv
from aiops_gym.sim.kube_api.resources import RESOURCES
from aiops_gym.types import Call

LISTED = tuple(resource.name for resource in RESOURCES.values() if "list" in resource.verbs)

LOOKS = (
    *(f"kubectl get {name} -A -o wide" for name in LISTED),
    *(f"kubectl get {name} -A -o yaml" for name in LISTED),
    "kubectl get " + ",".join(LISTED) + " -A -o json | jq length",
    *(f"kubectl describe {name} -A" for name in LISTED),
    "kubectl get all -A",
    "kubectl get pods -A --sort-by=.status.startTime --field-selector=status.phase!=Running",
    "kubectl get pods -A -o custom-columns=A:.status.conditions[*].lastTransitionTime,B:.spec.containers[*].ports",
    "kubectl get pods -A -o jsonpath='{range .items[*]}{.status.containerStatuses[0].state}{end}'",
    "kubectl get deployments -A -o go-template='{{range .items}}{{.status.conditions}}{{end}}'",
    "kubectl get events -A --sort-by=.lastTimestamp; kubectl events -A; kubectl events -A --types=Warning",
    "kubectl top nodes; kubectl top pods -A --containers; kubectl top pods -A --sort-by=cpu",
    "kubectl cluster-info; kubectl cluster-info dump | tail -1; kubectl api-resources; kubectl version",
    "kubectl auth can-i --list; kubectl auth can-i get pods --as=system:serviceaccount:shop:reader",
)
"""Command lines that change nothing."""

EACH = {
    "pods": (
        "kubectl logs -n {space} {name} --all-containers --timestamps --tail=20",
        "kubectl logs -n {space} {name} --all-containers --previous --tail=20",
        "kubectl exec -n {space} {name} -- sh -c 'ls; env; cat /etc/hosts; ps; df'",
    ),
    "deployments.apps": (
        "kubectl rollout history -n {space} deployment {name}",
        "kubectl rollout history -n {space} deployment {name} --revision=2",
        "kubectl rollout status -n {space} deployment {name} --timeout=1s",
        "kubectl logs -n {space} deployment/{name} --tail=3",
        "kubectl wait -n {space} deployment/{name} --for=condition=Available --timeout=1s",
    ),
    "statefulsets.apps": (
        "kubectl rollout history -n {space} statefulset {name}",
        "kubectl rollout status -n {space} statefulset {name} --timeout=1s",
    ),
    "daemonsets.apps": (
        "kubectl rollout history -n {space} daemonset {name}",
        "kubectl rollout status -n {space} daemonset {name} --timeout=1s",
    ),
    "jobs.batch": ("kubectl wait -n {space} job/{name} --for=condition=Complete --timeout=1s",),
}
"""What is looked at object by object; the first few of a kind, which are not the same in each round."""

TOOLS = ("get_metrics", "get_traces")
TURNS = 5
"""Rounds after which all was read once."""

EVALUATIONS = ("strict", "aiopslab")


def shell(script: str, seconds: int = 900) -> str:
    """An action that types a script."""
    return str(Call("exec_shell", (script, seconds)))


def actions(env: LiveEnv, first: int, many: int) -> Iterator[str]:
    """The actions of an agent that looks around: what it looks at depends on `first`, in turn it is everything."""
    world, app = env._running()[1].world, env.app
    tools = [str(Call(name, (app.namespace, 60))) for name in TOOLS]
    logs = [str(Call("get_logs", (app.namespace, name))) for name in app.components]
    yield from [*map(shell, LOOKS), *tools, *logs][first % TURNS :: TURNS]
    for resource, looks in EACH.items():
        stored = world.store.all(resource)
        for obj in (stored[(first + i) % len(stored)] for i in range(min(many, len(stored)))):
            place = {"space": obj["metadata"]["namespace"], "name": obj["metadata"]["name"]}
            yield shell("\n".join(look.format(**place) for look in looks))


def trainer(env: LiveEnv) -> Iterator[tuple[str, Callable[[], Any]]]:
    """What a trainer asks of an episode, by name: none of it changes the episode."""
    twin = env.fork()[0]
    twin.render_mode = "rgb_array"
    yield "env.health()", env.health
    yield "env.calls()", env.calls
    yield "env.render() as a picture", twin.render
    yield "env.reference_actions()", env.reference_actions
    yield "restore(snapshot())", lambda: twin.restore(env.snapshot())
    yield "a minute after restore()", lambda: twin.step(shell("sleep 60"))
    for evaluation in EVALUATIONS:
        judged = env.fork()[0]
        judged.evaluation = evaluation
        yield f"submit, evaluation={evaluation!r}", lambda judged=judged: judged.step(str(Call("submit", ())))

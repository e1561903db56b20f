"""How people type what must be so again: one goal, many spellings."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence

from aiops_gym.testing.adversary.recipe import Recipe
from aiops_gym.testing.adversary.repairs.goals import (
    Goal,
    diff_to_json_patch,
    diff_to_merge_patch,
    diff_to_strategic_patch,
)
from aiops_gym.types import Json

NS = "-n {namespace}"
LOOK = (
    f"kubectl get pods {NS} -o wide\nkubectl get events {NS} --sort-by=.lastTimestamp | tail -5\n"
    f"kubectl describe deployment {{target}} {NS} | head -40\nsleep 45"
)
RENEW = (
    f"kubectl rollout restart deployment/{{target}} {NS}\n"
    f"kubectl rollout status deployment/{{target}} {NS} --timeout=300s"
)
CLIENT = f'[ -z "{{service}}" ] || kubectl rollout restart deployment/{{service}} {NS}'

Spelling = Callable[[Goal], str]


def _space(goal: Goal) -> str:
    return f" -n {goal.space}" if goal.space else ""


def _file(name: str, body: Json) -> str:
    return f"cat > {name} <<'EOF'\n{json.dumps(body, indent=2)}\nEOF"


def _only(goal: Goal, patch: Json) -> Json:
    """What is about the object's meaning."""
    return {goal.part: patch}


def patch_json(goal: Goal) -> str:
    """A JSON patch of what differs."""
    ops = diff_to_json_patch(goal.now[goal.part], goal.right[goal.part], f"/{goal.part}")
    return (
        f"{_file('p.json', ops)}\nkubectl patch {goal.kind} {goal.name}{_space(goal)} --type=json --patch-file=p.json"
    )


def patch_merge(goal: Goal) -> str:
    """A merge patch of what differs."""
    body = _only(goal, diff_to_merge_patch(goal.now[goal.part], goal.right[goal.part]))
    return (
        f"{_file('p.json', body)}\nkubectl patch {goal.kind} {goal.name}{_space(goal)} --type=merge --patch-file=p.json"
    )


def patch_strategic(goal: Goal) -> str:
    """A strategic merge patch of what differs."""
    body = _only(goal, diff_to_strategic_patch(goal.now[goal.part], goal.right[goal.part]))
    return f"{_file('p.json', body)}\nkubectl patch {goal.kind} {goal.name}{_space(goal)} --patch-file=p.json"


def replace(goal: Goal) -> str:
    """The whole object written down and put in its place."""
    return f"{_file('o.json', goal.right)}\nkubectl replace{_space(goal)} -f o.json"


def replace_by_force(goal: Goal) -> str:
    """Deleted and created anew by one command."""
    return f"{_file('o.json', goal.right)}\nkubectl replace --force{_space(goal)} -f o.json\nsleep 15"


def apply_known(goal: Goal) -> str:
    """Applied, after the present state was noted as what was applied last."""
    return (
        f"kubectl get {goal.kind} {goal.name}{_space(goal)} -o yaml > was.yaml\n"
        "kubectl apply set-last-applied -f was.yaml --create-annotation\n"
        f"{_file('o.json', goal.right)}\nkubectl apply{_space(goal)} -f o.json"
    )


def apply_on_server(goal: Goal) -> str:
    """Applied by the server: what goes is taken out first, out of lists too, whose entries it would add up."""
    every = diff_to_json_patch(goal.now[goal.part], goal.right[goal.part], f"/{goal.part}")
    shorter = any(op["op"] == "replace" and isinstance(op["value"], list) for op in every)
    ops = every if shorter else [op for op in every if op["op"] == "remove"]
    first = (
        f"{_file('p.json', ops)}\nkubectl patch {goal.kind} {goal.name}{_space(goal)} --type=json --patch-file=p.json\n"
        if ops
        else ""
    )
    return (
        f"{first}{_file('o.json', goal.right)}\n"
        f"kubectl apply --server-side --force-conflicts --field-manager=engineer{_space(goal)} -f o.json"
    )


def edit(goal: Goal) -> str:
    """Read, changed with jq and put back, as an editor would."""
    return (
        f"{_file('part.json', goal.right[goal.part])}\n"
        f"kubectl get {goal.kind} {goal.name}{_space(goal)} -o json | jq --slurpfile p part.json "
        f"'{_KEEP.get(goal.kind, f'.{goal.part} = $p[0]')}' > edited.json\nkubectl replace -f edited.json"
    )


_KEEP = {"service": ".spec = $p[0] + {clusterIP: .spec.clusterIP, clusterIPs: .spec.clusterIPs}"}
"""What an editor leaves alone."""


def recreate(goal: Goal) -> str:
    """Deleted, waited for, and created."""
    return (
        f"{_file('o.json', goal.right)}\nkubectl delete {goal.kind} {goal.name}{_space(goal)}\nsleep 10\n"
        f"kubectl create{_space(goal)} -f o.json"
    )


def recreate_around(goal: Goal) -> str:
    """Deleted without what it owns, which the new one takes over."""
    return (
        f"{_file('o.json', goal.right)}\nkubectl delete {goal.kind} {goal.name}{_space(goal)} --cascade=orphan\n"
        f"sleep 3\nkubectl create{_space(goal)} -f o.json\nsleep 20"
    )


def stop_and_start(goal: Goal) -> str:
    """Scaled to nothing, mended and scaled up again."""
    count, space = goal.right["spec"].get("replicas", 1), _space(goal)
    stopped = {**goal.right, "spec": {**goal.right["spec"], "replicas": 0}}
    return (
        f"kubectl scale deployment {goal.name}{space} --replicas=0\nsleep 20\n{_file('o.json', stopped)}\n"
        f"kubectl replace{space} -f o.json\nkubectl scale deployment {goal.name}{space} --replicas={count}"
    )


def by_steps(goal: Goal) -> str:
    """One operation after another, with looks between."""
    ops = diff_to_json_patch(goal.now[goal.part], goal.right[goal.part], f"/{goal.part}")
    return "\nsleep 20\n".join(
        f"{_file('p.json', [op])}\nkubectl patch {goal.kind} {goal.name}{_space(goal)} --type=json --patch-file=p.json"
        for op in ops
    )


def slowly(goal: Goal) -> str:
    """After looks and a wrong attempt, which is undone."""
    wrong = {"metadata": {"annotations": {"seen-by": "engineer"}}}
    return (
        f"{LOOK}\n{_file('w.json', wrong)}\nkubectl patch {goal.kind} {goal.name}{_space(goal)} --type=merge "
        f"--patch-file=w.json\nkubectl delete pod {NS} -l {{selector}}={{target}} --wait=false\nsleep 120\n"
        f"kubectl annotate {goal.kind} {goal.name}{_space(goal)} seen-by-\n{patch_merge(goal)}\nsleep 200"
    )


def after_a_wrong_attempt(goal: Goal) -> str:
    """A variable too much is set first, and taken away with the repair."""
    return (
        f"kubectl set env deployment/{goal.name}{_space(goal)} LOG_LEVEL=debug\nsleep 60\n"
        f"kubectl set env deployment/{goal.name}{_space(goal)} LOG_LEVEL-\nsleep 10\n{edit(goal)}"
    )


ALL: Mapping[str, tuple[Spelling, tuple[str, ...]]] = {
    "a JSON patch": (patch_json, ()),
    "a merge patch": (patch_merge, ()),
    "a strategic patch": (patch_strategic, ("deployment", "service", "node", "cronjob")),
    "put in its place": (replace, ("deployment", "configmap", "cronjob")),
    "put in its place by force": (replace_by_force, ("deployment", "configmap", "service")),
    "applied over what was noted": (apply_known, ("deployment", "configmap")),
    "applied by the server": (apply_on_server, ("deployment", "configmap", "service")),
    "as with an editor": (edit, ()),
    "deleted and created": (recreate, ("deployment", "configmap", "service")),
    "deleted around its pods": (recreate_around, ("deployment",)),
    "stopped and started": (stop_and_start, ("deployment",)),
    "step by step": (by_steps, ("configmap", "service", "node", "cronjob", "namespace")),
    "slowly, with looks": (slowly, ()),
    "after a wrong attempt": (after_a_wrong_attempt, ("deployment",)),
}
"""Spellings, and the kinds for which each is one; all where none is named."""

ENDS: Mapping[str, str] = {
    "rolled out": f"{RENEW}\n{CLIENT}\nsleep 30",
    "pods deleted": (
        f"kubectl delete pod {NS} -l {{selector}}={{target}}\nsleep 30\n"
        f'[ -z "{{service}}" ] || kubectl delete pod {NS} -l {{selector}}={{service}}\nsleep 30'
    ),
}
"""What has to be started anew after its settings changed."""

TEMPLATE_ENDS: Mapping[str, str] = {"": CLIENT}
LATE_ENDS: Mapping[str, str] = {"": f"sleep 60\n{RENEW}\n{CLIENT}\nsleep 60"}
"""What a hard incident asks for: whoever reads settings anew does so by and by, and then comes what was refused."""

BETWEEN = "\nsleep 40\n"
"""Before what a program did is mended: a run that has begun does what it was told."""

MANY = 2
"""Objects that can be mended slowly in the time that a script has."""

GONE: Mapping[str, str] = {
    "deleted": "kubectl delete {what}",
    "deleted by its file": "kubectl get {what} -o yaml > gone.yaml\nkubectl delete -f gone.yaml",
    "deleted without waiting": "kubectl delete {what} --wait=false\nsleep 20",
    "deleted around what it owns": "kubectl delete {what} --cascade=foreground",
    "deleted after a label": "kubectl label {what} obsolete=yes\nsleep 30\nkubectl delete {what}",
    "deleted late": f"{LOOK}\nsleep 200\nkubectl delete {{what}}",
}
"""Ways to undo what was made."""


def spell(goals: Sequence[Goal], *, late: bool = False) -> tuple[Recipe, ...]:
    """Each spelling of some goals, with what has to follow.

    Args:
        goals: what must be so again; what must be gone goes last: a program may make it again until it is told.
        late: whether one waits for what reads it before one mends what came of it.
    """
    gone, kept = [goal for goal in goals if not goal.right], [goal for goal in goals if goal.right]
    if gone and not kept:
        return tuple(_delete(name, way, gone) for name, way in GONE.items())
    last = [f"kubectl delete {_name(goal)}" for goal in gone]
    kinds = {goal.kind for goal in kept}
    ends = LATE_ENDS if late else ENDS if "configmap" in kinds else TEMPLATE_ENDS
    rows = []
    for name, (spelling, fitting) in ALL.items():
        if spelling is slowly and len(goals) > MANY:
            continue
        if (fitting and not kinds <= set(fitting)) or (spelling is apply_on_server and any(map(_moves_a_port, kept))):
            continue
        for number, (end, script) in enumerate(ends.items()):
            if number and name not in ("a merge patch", "put in its place", "as with an editor", "slowly, with looks"):
                continue
            body = (BETWEEN if late else "\n").join([*(spelling(goal) for goal in kept), *last])
            words = ", ".join(filter(None, (name, end)))
            rows.append(Recipe(name=words, layer="", script=f"{body}\n{script}"))
    return tuple(rows)


def _delete(name: str, way: str, gone: Sequence[Goal]) -> Recipe:
    body = "\n".join(way.replace("{what}", _name(goal)) for goal in gone)
    return Recipe(name=name, layer="", script=f"{body}\n{LATE_ENDS['']}")


def _name(goal: Goal) -> str:
    return f"{goal.kind}/{goal.name}{_space(goal)}"


def _moves_a_port(goal: Goal) -> bool:
    """Whether a Service would have both ports: the server takes them for two entries of a list."""
    old, new = ([port["port"] for port in each.get("spec", {}).get("ports", ())] for each in (goal.now, goal.right))
    return goal.kind == "service" and old != new

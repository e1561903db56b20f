"""The general commands of a runbook, written once; `{names}` in them are filled with what has been seen.

They are what an operator does to any application in Kubernetes: look, undo, restart, scale, point a service at its
pods. None comes from the catalogue, and none is added with a fault.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from string import Formatter
from typing import Any

from aiops_gym.tasks.analysis import KINDS, LAYERS
from aiops_gym.types import Call

EVERY = ("detection", "localization", "analysis", "mitigation")
REPAIR = ("mitigation",)

OTHERS = {"policy": 2, "quota": 2, "node": 3, "release": 2}
"""Slots of objects other than components."""

_SPANS = (
    "awk -F, 'NR == 1 {{ for (i = 1; i <= NF; i++) at[$i] = i; next }} "
    '{{ id = $at["span_id"]; up = $at["parent_span"]; of[id] = $at["service_name"] " " $at["operation_name"]; '
    'own[id] += $at["duration"]; own[up] -= $at["duration"]; '
    'if ($at["has_error"] == "True") {{ bad[id] = 1; passed[up] = 1 }} }} '
    "END {{ for (id in of) {{ n[of[id]]++; us[of[id]] += own[id]; if (id in bad && !(id in passed)) f[of[id]]++ }} "
    'for (x in n) printf "%d spans, %d failed, %d us: %s\\n", n[x], f[x], us[x] / n[x], x }}\' {traces} | sort -t: -k2'
)
"""How often each operation fails by itself, and how long it takes by itself: without what it calls."""


@dataclass(frozen=True, eq=False)
class Macro:
    """One action with open names.

    Attributes:
        name: by which it is chosen.
        command: for the shell, with `{names}`; or where `tool` is another one, the values of its parameters.
        over: kind whose slots it is repeated for, "" where it is one action.
        tasks: in which it is offered.
        tool: that is called.
        timeout: of the command, in seconds of the world.
    """

    name: str
    command: Any
    over: str = ""
    tasks: tuple[str, ...] = EVERY
    tool: str = "exec_shell"
    timeout: int = 30

    @cached_property
    def needs(self) -> tuple[str, ...]:
        """The names in it."""
        return tuple(dict.fromkeys(_names(self.command)))

    def text(self, names: Mapping[str, str]) -> str | None:
        """The action, or None while a name that it needs has not been seen."""
        values = tuple(names.get(name, "") for name in self.needs)
        return _text(self, values) if all(values) else None


@lru_cache(maxsize=16_384)
def _text(macro: Macro, values: tuple[str, ...]) -> str:
    """A macro with its names filled in; most stay the same from turn to turn."""
    filled = _filled(macro.command, dict(zip(macro.needs, values, strict=True)))
    if macro.tool != "exec_shell":
        return str(Call(macro.tool, tuple(filled)))
    return str(Call(macro.tool, (filled,) if macro.timeout == 30 else (filled, macro.timeout)))


def _names(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield from (name for _, name, _, _ in Formatter().parse(value) if name)
    else:
        for each in value.values() if isinstance(value, dict) else value:
            yield from _names(each)


def _filled(value: Any, names: Mapping[str, str]) -> Any:
    if isinstance(value, str):
        return value.format_map(names)
    if isinstance(value, dict):
        return {key: _filled(each, names) for key, each in value.items()}
    return [_filled(each, names) for each in value]


def _submissions() -> list[Macro]:
    found = [
        Macro(f"submit {answer.lower()}", [answer], tasks=("detection",), tool="submit") for answer in ("Yes", "No")
    ]
    found += [
        Macro("submit component", [["{component}"]], "component", ("localization",), "submit"),
        Macro("submit none", [[]], tasks=("localization",), tool="submit"),
        Macro("submit", [], tasks=("analysis", "mitigation"), tool="submit"),
    ]
    return found + [
        Macro(f"submit {layer}, {kind}", [{"system_level": layer, "fault_type": kind}], "", ("analysis",), "submit")
        for layer in LAYERS
        for kind in KINDS
    ]


MACROS: tuple[Macro, ...] = (
    Macro("pods", "kubectl get pods -n {namespace}"),
    Macro("deployments", "kubectl get deployments -n {namespace} -o wide"),
    Macro("replicasets", "kubectl get replicasets -n {namespace} -o wide"),
    Macro("services", "kubectl get services -n {namespace} -o wide"),
    Macro("endpoints", "kubectl get endpoints -n {namespace}"),
    Macro("warnings", "kubectl get events -n {namespace} --field-selector type=Warning --sort-by=.lastTimestamp"),
    Macro("limits", "kubectl get networkpolicies,resourcequotas -n {namespace}"),
    Macro("volumes", "kubectl get pvc -n {namespace}; kubectl get pv"),
    Macro("nodes", "kubectl get nodes; kubectl describe nodes | grep -E '^(Name|Taints):'"),
    Macro("usage", "kubectl top pods -n {namespace}"),
    Macro("releases", "helm list -n {namespace}"),
    Macro("traces", ["{namespace}"], tool="get_traces"),
    Macro("spans", _SPANS),
    Macro("describe deployment", "kubectl describe deployment {component} -n {namespace}", "component"),
    Macro("describe service", "kubectl describe service {service} -n {namespace}", "component"),
    Macro("describe pods", "kubectl describe pods -l {selector} -n {namespace}", "component"),
    Macro("logs", "kubectl logs deployment/{component} -n {namespace} --since=3m --tail=40", "component"),
    Macro("previous logs", "kubectl logs deployment/{component} -n {namespace} --tail=30 --previous", "component"),
    Macro("history", "kubectl rollout history deployment/{component} -n {namespace}", "component"),
    Macro("wait", "sleep 60; kubectl get pods -n {namespace}", tasks=REPAIR, timeout=120),
    Macro("undo", "kubectl rollout undo deployment/{component} -n {namespace}", "component", REPAIR),
    Macro("restart", "kubectl rollout restart deployment/{component} -n {namespace}", "component", REPAIR),
    Macro("scale", "kubectl scale deployment/{component} --replicas=1 -n {namespace}", "component", REPAIR),
    Macro("delete pods", "kubectl delete pods -l {selector} -n {namespace} --wait=false", "component", REPAIR),
    Macro(
        "older image",
        "kubectl set image deployment {component} {container}={older_image} -n {namespace}",
        "component",
        REPAIR,
    ),
    Macro(
        "target port",
        "kubectl patch service {service} -n {namespace} -p "
        '\'{{"spec": {{"ports": [{{"port": {service_port}, "targetPort": {container_port}}}]}}}}\'',
        "component",
        REPAIR,
    ),
    Macro("roll back", "helm rollback {release} {previous} -n {namespace}", "release", REPAIR),
    *_submissions(),
)
"""All of them, in the order of the actions."""

assert len({macro.name for macro in MACROS}) == len(MACROS)


@dataclass(frozen=True)
class Slot:
    """One discrete action: a macro, and which slot of its kind it is for."""

    macro: Macro
    index: int = 0

    def __deepcopy__(self, memo: dict[int, Any]) -> Slot:
        """Itself: it never changes."""
        return self


def layout(task: str, slots: int, chosen: tuple[str, ...] | None = None) -> tuple[Slot, ...]:
    """The discrete actions of a task.

    Args:
        task: `detection`, ...
        slots: for how many components.
        chosen: names of macros, and command lines of one's own (anything with a `{name}` in it); None for all.

    Raises:
        ValueError: a name that is no macro of the task, or none is left.

    >>> [slot.macro.name for slot in layout("detection", 12, ("pods", "submit yes", "submit no"))]
    ['pods', 'submit yes', 'submit no']
    """
    known = {macro.name: macro for macro in MACROS if task in macro.tasks}
    found = [_macro(name, known) for name in (known if chosen is None else chosen)]
    if not found:
        raise ValueError(f"there are no macros for the task {task!r}")
    sizes = {"": 1, "component": slots, **OTHERS}
    return tuple(Slot(macro, i) for macro in found for i in range(sizes[macro.over]))


def _macro(name: str, known: Mapping[str, Macro]) -> Macro:
    if name in known:
        return known[name]
    if "{" not in name:
        raise ValueError(f"there is no macro {name!r} for this task; there are {', '.join(known)}")
    of_component = any(f"{{{each}}}" in name for each in COMPONENT_NAMES)
    return Macro(name, name, "component" if of_component else "")


COMPONENT_NAMES = (
    "component", "container", "image", "older_image", "selector", "service", "service_port", "container_port",
)  # fmt: skip
"""Names that are a component's; the others are `namespace`, `traces` and `released`."""

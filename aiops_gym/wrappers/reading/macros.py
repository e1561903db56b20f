"""The general commands of an operator, written once; `{names}` in them are filled with what has been seen.

They are what kubectl's own reference offers to look at an application and to change it, for any application. A look at
a component, or at another object, makes it the *focus*: all further looks and changes are about it, so that there is
one action for each component and one for each verb, and none for each pair. None comes from the catalogue,
and none is added with a fault.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from string import Formatter
from typing import Any

from aiops_gym import caches
from aiops_gym.tasks.analysis import KINDS, LAYERS
from aiops_gym.types import Call
from aiops_gym.wrappers.reading import rates, settings, signals, spans
from aiops_gym.wrappers.reading.fields import FIELDS, NEEDED

EVERY = ("detection", "localization", "analysis", "mitigation")
REPAIR = ("mitigation",)

_DEFAULTS = (
    "sed -nE 's/"
    '"(terminationMessagePath|terminationMessagePolicy|serviceAccount)":"[^"]*",?|'
    '"(apiVersion":"v1|restartPolicy":"Always|schedulerName":"default-scheduler|protocol":"TCP|imagePullPolicy":"(Always|IfNotPresent))",?|'
    '"(defaultMode":420|terminationGracePeriodSeconds":30),?|'
    '"(resources|securityContext|emptyDir)":\\{{\\}},?|"volumeMounts":\\[[^]]*\\],?//g; s/,\\}}/}}/g; {lines}p'
    "'"
)
"""Leaves out what the API server fills in by itself, and where volumes are mounted, so that a listing stays short; of
one that is cut nevertheless, what was cut is asked for next."""

_MANIFESTS = (
    "kubectl get deployments -n {namespace} -o jsonpath='{{range .items[*]}}{{.metadata.name}}"
    '{{"\\t"}}{{.spec.replicas}}{{"\\t"}}{{.spec.template.metadata.labels}}{{"\\t"}}{{.spec.template.spec}}'
    '{{"\\n"}}{{end}}\' | ' + _DEFAULTS
)
_SERVICES = (
    "kubectl get services -n {namespace} -o jsonpath="
    '\'{{range .items[*]}}{{.metadata.name}}{{"\\t"}}{{.spec}}{{"\\n"}}{{end}}\''
)
_STATUS = "kubectl get deployments,replicasets,pods,endpoints -n {namespace}"
_NODES = (
    "kubectl get nodes -o custom-columns="
    "'NODE:.metadata.name,TAINTS:.spec.taints[*].key,UNSCHEDULABLE:.spec.unschedulable'"
)

NOTE = "echo {slot} >> suspects"
"""Names one of several components: `submit` names all that were noted so, and the one in its slot."""


@dataclass(frozen=True, eq=False)
class Macro:
    """One action with open names.

    Attributes:
        name: by which it is chosen.
        command: for the shell, with `{names}`; or where `tool` is another one, the values of its parameters, or their
            JSON.
        over: what it is repeated for: `component` or `other` for each slot, "" where it is one action.
        tasks: in which it is offered.
        tool: that is called.
        timeout: of the command, in seconds of the world.
        only: names that must have been seen besides those in the command.
        extra: offered with `tools="all"` alone, as its tool is, or as notes are where several may be at fault.
    """

    name: str
    command: Any
    over: str = ""
    tasks: tuple[str, ...] = EVERY
    tool: str = "exec_shell"
    timeout: int = 30
    only: tuple[str, ...] = ()
    extra: bool = False

    @cached_property
    def needs(self) -> tuple[str, ...]:
        """The names in it."""
        return tuple(dict.fromkeys(_names(self.command)))

    def text(self, names: Mapping[str, str]) -> str | None:
        """The action, or None while a name that it needs has not been seen."""
        values = tuple(names.get(name, "") for name in self.needs)
        return _text(self, values) if all(values) and all(names.get(name) for name in self.only) else None

    def __deepcopy__(self, memo: dict[int, Any]) -> Macro:
        """Itself: it never changes."""
        return self


@caches.function(16_384, "filling names into a macro")
def _text(macro: Macro, values: tuple[str, ...]) -> str:
    """A macro with its names filled in; most stay the same from turn to turn."""
    filled = _filled(macro.command, dict(zip(macro.needs, values, strict=True)))
    if macro.tool != "exec_shell":
        return str(Call(macro.tool, tuple(json.loads(filled) if isinstance(filled, str) else filled)))
    return str(Call(macro.tool, (filled,) if macro.timeout == 30 else (filled, macro.timeout)))


def _names(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield from (name for _, name, _, _ in Formatter().parse(value) if name)
    elif isinstance(value, dict | list):
        for each in value.values() if isinstance(value, dict) else value:
            yield from _names(each)


def _filled(value: Any, names: Mapping[str, str]) -> Any:
    if isinstance(value, str):
        return value.format_map(names)
    if isinstance(value, dict):
        return {key: _filled(each, names) for key, each in value.items()}
    if isinstance(value, list):
        return [_filled(each, names) for each in value]
    return value


def _repair(name: str, command: str, *only: str) -> Macro:
    """Something that changes the system."""
    return Macro(name, command, tasks=REPAIR, only=(*only, "surveyed"))


def _fields() -> list[Macro]:
    """For each field there is: make it as in the peers, and take it away where one may."""
    found = [_repair(f"match {field}", f"{{match {field}}}") for field in FIELDS]
    unset = [field for field in FIELDS if field not in NEEDED and not field.startswith("service ")]
    return found + [_repair(f"unset {field}", f"{{unset {field}}}") for field in unset]


def _submissions() -> list[Macro]:
    found = [
        Macro(f"submit {answer.lower()}", [answer], tasks=("detection",), tool="submit", only=("looked",))
        for answer in ("Yes", "No")
    ]
    found += [
        Macro("submit", "[{suspects}]", "component", ("localization",), "submit", only=("looked",)),
        Macro("submit none", [[]], tasks=("localization",), tool="submit", only=("looked",)),
        Macro("submit no fault", [], tasks=("analysis",), tool="submit", only=("looked",)),
        Macro("submit repaired", [], tasks=REPAIR, tool="submit", only=("changed",)),
    ]
    return found + [
        Macro(
            f"submit {layer}, {kind}",
            [{"system_level": layer, "fault_type": kind}],
            tasks=("analysis",),
            tool="submit",
            only=("looked",),
        )
        for layer in LAYERS
        for kind in KINDS
    ]


MACROS: tuple[Macro, ...] = (
    Macro("status", _STATUS),
    Macro("events", "kubectl get events -n {namespace} --field-selector type=Warning --sort-by=.lastTimestamp"),
    Macro("manifests", _MANIFESTS),
    Macro("services", _SERVICES),
    Macro("settings", settings.SUMMARY),
    Macro("others", "kubectl get networkpolicies,resourcequotas,limitranges,hpa,pdb -n {namespace}"),
    Macro("nodes", _NODES),
    Macro("releases", "helm list -n {namespace}"),
    Macro("traces", ["{namespace}", 1], tool="get_traces"),
    Macro("spans", spans.SUMMARY),
    Macro("metrics", ["{namespace}", 1], tool="get_metrics"),
    Macro("rates", rates.SUMMARY),
    Macro("alerts", [], tool="get_alerts", extra=True),
    Macro("changes", ["{namespace}", signals.CHANGES_SINCE], tool="get_changes", extra=True),
    Macro("focus", "kubectl describe deployment {slot} -n {namespace}", "component"),
    Macro("focus other", "kubectl describe {slot resource} {slot} -n {namespace}", "other", REPAIR),
    Macro("logs", "kubectl logs deployment/{component} -n {namespace} --since=3m --tail=40 --pod-running-timeout=1s"),
    Macro(
        "previous logs",
        "kubectl logs deployment/{component} -n {namespace} --tail=30 --previous --pod-running-timeout=1s",
    ),
    Macro("suspect", NOTE, "component", ("localization",), only=("looked", "unsuspected"), extra=True),
    Macro("wait", f"sleep 60; {_STATUS}", tasks=REPAIR, timeout=120),
    _repair("undo", "kubectl rollout undo deployment/{component} -n {namespace}", "older"),
    _repair("restart", "kubectl rollout restart deployment/{component} -n {namespace}"),
    _repair("match settings", "{match settings}"),
    _repair("remove", "kubectl delete deployment {component} -n {namespace}", "unserved"),
    _repair("delete", "kubectl delete {deletable} {other} -n {namespace}"),
    _repair("untaint", "kubectl taint nodes {other} {taint}-"),
    _repair("uncordon", "kubectl uncordon {other}", "cordoned"),
    _repair("roll back", "helm rollback {other} {previous} -n {namespace}"),
    *_fields(),
    *_submissions(),
)
"""All of them, in the order of the actions."""

AROUND = (
    "status", "events", "manifests", "services", "settings", "others", "nodes", "traces", "spans", "metrics", "rates",
)  # fmt: skip
"""Looks without which no answer is given to whether, where and what: whoever has not looked can only guess."""

EVERYWHERE = (*AROUND, *(macro.name for macro in MACROS if macro.extra and not macro.over))
"""Those, and what only all tools offer."""

NAMES = frozenset(name for macro in MACROS for name in (*macro.needs, *macro.only))
"""All open names."""


@dataclass(frozen=True)
class Slot:
    """One discrete action: a macro, and which slot it is for."""

    macro: Macro
    index: int = 0

    def __deepcopy__(self, memo: dict[int, Any]) -> Slot:
        """Itself: it never changes."""
        return self


def lay_out(
    task: str, slots: int, others: int, chosen: tuple[str, ...] | None = None, tools: str = "basic"
) -> tuple[Slot, ...]:
    """The discrete actions of a task.

    Args:
        task: `detection`, ...
        slots: for how many components.
        others: for how many other objects.
        chosen: names of macros, and command lines of one's own (anything with a `{name}` in it); None for all.
        tools: which tools there are, `basic` or `all`.

    Raises:
        ValueError: a name that is no macro of the task, or none is left.

    >>> [slot.macro.name for slot in lay_out("detection", 32, 6, ("status", "submit yes", "submit no"))]
    ['status', 'submit yes', 'submit no']
    """
    known = {each.name: each for each in MACROS if task in each.tasks and (tools == "all" or not each.extra)}
    found = [_macro(name, known) for name in (known if chosen is None else chosen)]
    if not found:
        raise ValueError(f"there are no macros for the task {task!r}")
    sizes = {"": 1, "component": slots, "other": others}
    return tuple(Slot(macro, i) for macro in found for i in range(sizes[macro.over]))


def _macro(name: str, known: Mapping[str, Macro]) -> Macro:
    if name in known:
        return known[name]
    if "{" not in name:
        raise ValueError(f"there is no macro {name!r} for this task; there are {', '.join(known)}")
    unknown = set(_names(name)) - NAMES
    if unknown:
        raise ValueError(f"there is no name {', '.join(sorted(unknown))} to fill in")
    return Macro(name, name, "component" if "{slot}" in name else "")

"""What an adversary or a good engineer types: a script with the names that fixes use, and where it makes sense."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from aiops_gym.backends import Simulated
from aiops_gym.backends.inject import find_concerned
from aiops_gym.catalog import registry
from aiops_gym.catalog.model import App, Problem
from aiops_gym.catalog.names import name_new
from aiops_gym.catalog.splits import hash_to_fraction
from aiops_gym.catalog.traits import Component, fits

LAYERS = (
    *("labels", "selectors", "endpoints", "DNS", "addresses", "probes", "images", "commands", "resources", "nodes"),
    *("quotas", "policies", "RBAC", "data", "credentials", "traffic source", "time"),
)

STRICT = "set -eo pipefail\n"
"""A command that errs ends the script: a recipe that was mistyped measures nothing."""

NOT_HERE = 44
"""Exit code of a script that finds nothing in this world to which it could be done."""

OPTIONAL = frozenset({"service", "cache"})
"""Names that may stand for nothing: scripts ask before they use them."""


@dataclass(frozen=True, kw_only=True)
class Recipe:
    """One script.

    Attributes:
        name: in words, unlike those of all others of its catalogue.
        layer: one of `LAYERS`; "" where a recipe is about all of them.
        script: with `{names}`, as in fixes.
        traits: that the target must have, as in `Fault.targets`.
        families: on which it is tried; all where empty.
        repairs: families of which it is a true repair, and on which a mask is not tried.
        after: played after the reference repair, which it spoils.
        errs: whether its own commands may fail.
    """

    name: str
    layer: str
    script: str
    traits: tuple[str, ...] = ()
    families: tuple[str, ...] = ()
    repairs: tuple[str, ...] = ()
    after: bool = False
    errs: bool = False


def write_script(recipe: Recipe, begun: Simulated) -> str:
    """What a recipe is in an incident; "" where it makes no sense there."""
    problem, family = begun.problem, begun.problem.fault
    if family in recipe.repairs or (recipe.families and family not in recipe.families):
        return ""
    target = registry.find_components(problem.app).get(problem.target)
    if recipe.traits and (target is None or not fits(target, recipe.traits)):
        return ""
    names = name_all(begun)
    if any(not names.get(word) and word not in OPTIONAL for word in _words(recipe.script, problem.app)):
        return ""
    script = registry.fill_in(recipe.script, names)
    fault = begun.fault
    repair = f"{fault.fixes[0]}\nsleep 20\n" if recipe.after and fault else ""
    return f"{repair}{'' if recipe.errs else STRICT}{script}"


def name_all(begun: Simulated) -> dict[str, str]:
    """What `{names}` stand for: those of fixes, and whom else a script may drag into it.

    `bystander` is a component without data that has nothing to do with the incident, `keeper` one with data, `entry`
    what users call, `caller` a component that calls the target, `repair` the reference repair.
    """
    problem, app, fault = begun.problem, begun.app, begun.fault
    known = registry.find_components(problem.app)
    names = {**dict.fromkeys(OPTIONAL, ""), **begun.names()}
    near = (find_concerned(app, fault) if fault else frozenset()) - ({*app.components} if not problem.target else set())
    if len(near) == len(app.components):
        near = frozenset({problem.target, names.get("service", "")})
    free = [name for name in app.components if name not in near]
    entry = _behind(app, app.operations[0]["service"])
    callers = [name for name, each in known.items() if problem.target and _calls(each, problem.target)]
    caller = names.get("service") or next(iter(callers), entry if entry != problem.target else "")
    return {
        **names,
        "bystander": _draw(problem, [name for name in free if _stateless(known[name])]),
        "keeper": _draw(
            problem, [name for name in free if "database" in known[name].traits or "claim" in known[name].traits]
        ),
        "entry": entry,
        "caller": caller,
        "repair": fault.fixes[0] if fault and fault.fixes else "",
    }


def _calls(component: Component, name: str) -> bool:
    return name in (component.names.get("callee"), component.names.get("cache"))


def _stateless(component: Component) -> bool:
    return not {"database", "claim", "restart"} & component.traits and bool(component.names.get("selector_key"))


def _draw(problem: Problem, names: list[str]) -> str:
    """One of them, another one for another problem."""
    return names[int(hash_to_fraction("bystander", problem.id) * len(names))] if names else ""


def _behind(app: App, service: str) -> str:
    return service if service in app.components else app.components[0]


def _words(script: str, app: str) -> set[str]:
    """The names that a script uses."""
    return set(re.findall(r"\{(\w+)\}", script)) & vocabulary(app)


def vocabulary(app: str) -> set[str]:
    """All names that stand for something on one component or another."""
    further = {
        *name_new("", (), None),
        "namespace",
        "selector",
        "target",
        "bystander",
        "keeper",
        "entry",
        "caller",
        "repair",
    }
    return further.union(*(component.names for component in registry.find_components(app).values()))


def check_names(catalogue: Sequence[Recipe]) -> None:
    """Raise ValueError for a layer that there is not, or a name that stands twice."""
    names = [row.name for row in catalogue]
    twice = sorted({name for name in names if names.count(name) > 1})
    strange = sorted({row.layer for row in catalogue} - {*LAYERS, ""})
    if twice or strange:
        raise ValueError(f"stand twice: {twice}; no layers: {strange}")

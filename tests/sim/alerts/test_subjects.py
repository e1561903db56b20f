"""Rules and what they are about: each finds data where its subject is there, and a healthy day is a quiet one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, is_dataclass, replace

import pytest

from aiops_gym.backends import Simulated
from aiops_gym.catalog import monitoring, registry
from aiops_gym.sim.kernel.times import HOUR, MINUTE
from aiops_gym.sim.kube_control.controllers import kubelet
from aiops_gym.sim.promql import evaluate
from aiops_gym.sim.promql.nodes import COMPARISONS, Binary, Node, Selector
from aiops_gym.sim.promql.parser import parse
from aiops_gym.sim.software.prometheus_api.loading import open_rules

NEVER = {"kube_node_spec_taint{key=~ToBeDeletedByClusterAutoscaler}"}
"""What a rule names so that something without a subject here is left out: there is no autoscaler of nodes."""

ONCE = "jq '.spec.backoffLimit = 0' | kubectl apply -f -"
SUBJECTS = (
    "kubectl create quota pods --hard=pods=90",
    "kubectl autoscale deployment {first} --min=1 --max=3 --cpu-percent=80",
    f"kubectl create job broken --image=busybox:1.36 --dry-run=client -o json -- false | {ONCE}",
    "kubectl run waits --image=registry.example/none:1",
    "kubectl run loops --image=busybox:1.36 -- false",
)
"""Things of which a healthy cluster has none: a quota, an autoscaler, a failed job, containers that wait and loop."""


def healthy(app, seed=2):
    problem = next(p for p in registry.problems() if p.id.startswith("noop_detection") and p.app == app)
    return Simulated(problem, seed, noise=False)


def opened(world):
    row = next(row for row in world.table("processes").values() if row["program"] == "prometheus" and row["running"])
    return open_rules(world, row)


@pytest.fixture(scope="module", params=["hotel_reservation", "social_network", "astronomy_shop"])
def furnished(request):
    """A world in which everything is there that a rule is about: one of its nodes has fallen silent, too."""
    backend = healthy(request.param)
    backend.shell.run(f"kubectl config set-context --current --namespace={backend.app.namespace}")
    for command in SUBJECTS:
        done = backend.shell.run(command.replace("{first}", backend.app.components[0]))
        assert done.code == 0, (command, done.stderr)
    backend.world.run(8 * MINUTE)
    kubelet.stop(backend.world, "kind-worker")
    backend.world.run(3 * MINUTE)
    return opened(backend.world), backend.world.now


def parts(node) -> Iterator[Selector]:
    """All selectors of a query."""
    if isinstance(node, Selector):
        yield node
    elif isinstance(node, Node) and is_dataclass(node):
        for field in fields(node):
            value = getattr(node, field.name)
            for each in value if isinstance(value, list | tuple) else [value]:
                yield from parts(each)


def loosen(node):
    """The same query in which comparisons say how they end and leave nothing out."""
    if not isinstance(node, Node):
        return node
    changes = {}
    for field in fields(node):
        value = getattr(node, field.name)
        if isinstance(value, Node):
            changes[field.name] = loosen(value)
        elif isinstance(value, list | tuple):
            changes[field.name] = type(value)(loosen(each) for each in value)
    if isinstance(node, Binary) and node.op in COMPARISONS and node.type == "vector":
        changes["returns_bool"] = True
    return replace(node, **changes)


def said(selector):
    rest = ",".join(f"{m.label}{m.op}{m.value}" for m in selector.matchers if m.label != "__name__")
    return f"{selector.name}{{{rest}}}"


def test_each_series_that_a_rule_names_is_there_where_its_subject_is(furnished):
    source, now = furnished
    missing = {
        said(selector)
        for group in source.groups
        for rule in group.rules
        for selector in parts(parse(rule.expr))
        if not source.select(selector.matchers, now - 11 * MINUTE, now)
    }
    assert missing == NEVER


def test_what_a_rule_compares_finds_its_other_side(furnished):
    source, now = furnished
    silent = []
    for group in source.groups:
        for rule in group.rules:
            found = evaluate.query_range(source, loosen(parse(rule.expr)), now - 11 * MINUTE, now, MINUTE).series
            if not found:
                silent.append(rule.name)
    assert silent == []


@pytest.mark.full
@pytest.mark.parametrize("app", ["hotel_reservation", "social_network", "astronomy_shop"])
def test_nothing_fires_over_a_healthy_day_without_noise(app):
    world = healthy(app).world
    fired = set()
    for _ in range(24):
        world.run(HOUR)
        source = opened(world)
        for group in source.groups:
            for rule in group.rules:
                if rule.alerting and any(s.fired is not None for c in source.courses(group, rule) for s in c.stretches):
                    fired.add(rule.name)
    assert fired == {"Watchdog"}
    assert set(monitoring.RULES) == {"kubernetes.yaml", "users.yaml"}

"""A world at which nobody looks goes on like one that is watched: only what is for show is not kept up."""

import pytest

from aiops_gym.backends import warmup
from aiops_gym.backends.baseline import request
from aiops_gym.catalog import registry
from aiops_gym.sim.kernel.times import MINUTE

SHOWN = {"objects/events", "objects/endpointslices.discovery.k8s.io", "journal", "writes", "correlator", "queue"}
"""Tables that nothing in the cluster reads, and what is under way for them."""

QUOTAS = "objects/resourcequotas"
COUNTS = ("meta", "counters", "quotaunseen")
"""How many writes there were, and what a quota has not noticed yet."""


def _disturb(world, app):
    """Restarts, a rollout with one more, a template that cannot start, and a pod that goes."""
    space, (first, second, third, *_) = app.namespace, app.components
    path = {"spec": {"template": {"metadata": {"annotations": {"again": "yes"}}}, "replicas": 2}}
    broken = {"spec": {"template": {"spec": {"volumes": [{"name": "no", "configMap": {"name": "missing"}}]}}}}
    for name, body in ((first, path), (second, broken)):
        answer = request(
            world,
            "patch",
            "deployments.apps",
            space,
            name,
            body=body,
            content_type="application/strategic-merge-patch+json",
        )
        assert answer.code == 200
    pod = next(pod for pod in world.store.all("pods", space) if pod["metadata"]["name"].startswith(third))
    request(world, "delete", "pods", space, pod["metadata"]["name"])
    world.run(MINUTE)
    request(world, "delete", "services", space, second)
    world.run(3 * MINUTE)


def _said(value):
    """A value without the numbers of its writes."""
    if isinstance(value, dict):
        return {key: _said(each) for key, each in value.items() if key != "resourceVersion"}
    return [_said(each) for each in value] if isinstance(value, list) else value


def _tables(world):
    return {
        name: _said(table) for name, table in world.tables.items() if table and name not in {*SHOWN, QUOTAS, *COUNTS}
    }


@pytest.mark.parametrize("app", registry.apps())
def test_goes_on_as_if_it_were_watched(app):
    known, world = registry.find_app(app), warmup.make_lived_in(app, 0, 1)
    seen, unseen = world.fork(), world.fork_unseen()
    for each in (seen, unseen):
        _disturb(each, known)
    assert _tables(unseen) == _tables(seen)
    assert len(unseen.table("objects/events")) < len(seen.table("objects/events"))


@pytest.mark.parametrize("app", registry.apps())
def test_warnings_are_told_all_the_same(app):
    """They are what reasons are read from."""
    known, world = registry.find_app(app), warmup.make_lived_in(app, 0, 1)
    told = []
    for each in (world.fork(), world.fork_unseen()):
        _disturb(each, known)
        warnings = [event for event in each.store.all("events") if event["type"] == "Warning"]
        told.append(sorted((e["reason"], e["message"], e.get("count")) for e in warnings))
    assert told[0] == told[1]
    assert any(reason == "FailedMount" for reason, _, _ in told[1])

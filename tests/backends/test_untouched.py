"""What a verdict does not look at a second time would have looked the same."""

import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from aiops_gym.backends import untouched
from aiops_gym.backends.affected import _names
from aiops_gym.backends.baseline import make_baseline
from aiops_gym.backends.shape import is_same_workload
from aiops_gym.catalog import registry
from aiops_gym.sim.kernel.objects import Obj, assoc, walk

APPS = tuple(registry.apps())
CONTAINER = ("spec", "template", "spec", "containers", 0)
EDITS = (
    ("nothing", (), None),
    ("an annotation", ("spec", "template", "metadata", "annotations"), {"note": "1"}),
    ("its size", ("spec", "replicas"), 2),
    ("its image", (*CONTAINER, "image"), "nginx:1.25"),
    ("its command", (*CONTAINER, "command"), ["sh", "-c", "sleep 1000"]),
    ("its arguments", (*CONTAINER, "args"), ["--auth"]),
    ("a setting", (*CONTAINER, "env"), [{"name": "MODE", "value": "slow"}]),
    ("a limit", (*CONTAINER, "resources"), {"limits": {"cpu": "100m"}}),
    ("its volumes", ("spec", "template", "spec", "volumes"), [{"name": "a", "emptyDir": {}}]),
)


def _write(world, resource, old, path, value):
    if path:
        world.store.put(resource, assoc(old, path, value))


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.sampled_from(APPS), st.integers(0, 40), st.sampled_from(EDITS), st.booleans())
def test_a_deployment_that_is_left_out_runs_the_same(app_id, which, edit, reset):
    app, before = registry.find_app(app_id), make_baseline(app_id, 0)
    world, name = before.fork(), app.components[which % len(app.components)]
    _write(world, "deployments.apps", world.store.get("deployments.apps", app.namespace, name), *edit[1:])
    if reset and (files := world.store.all("configmaps", app.namespace)):
        _write(world, "configmaps", files[which % len(files)], ("data",), {"config.json": "{}"})
    settled = untouched.has_same_settings(before, world, app)
    assert is_same_workload(before, world, app, name, settled=settled) == is_same_workload(before, world, app, name)
    assert settled or reset


@pytest.mark.parametrize("app_id", APPS)
def test_most_deployments_are_left_out_where_nobody_did_anything(app_id):
    app, before = registry.find_app(app_id), make_baseline(app_id, 0)
    world = before.fork()
    assert untouched.has_same_settings(before, world, app)
    left = [name for name in app.components if untouched.is_untouched(before, world, app, name)]
    assert len(left) > len(app.components) / 2


def test_what_a_script_or_a_digest_starts_is_looked_at():
    app, before = registry.find_app("hotel_reservation"), make_baseline("hotel_reservation", 0)
    for path, value in (((*CONTAINER, "command"), ["sh", "-c", "sleep 1"]), ((*CONTAINER, "image"), "a@sha256:0")):
        world = before.fork()
        old = world.store.get("deployments.apps", app.namespace, "geo")
        _write(world, "deployments.apps", old, path, value)
        assert not untouched.is_untouched(world, world.fork(), app, "geo")


NAMES = st.sampled_from(["geo", "geo-mongo", "ge", "o"])
SPECS = st.recursive(
    NAMES | st.integers(-9, 9) | st.none(), lambda inner: st.dictionaries(NAMES, inner) | st.lists(inner), max_leaves=8
)


@settings(deadline=None)
@given(SPECS, st.frozensets(st.tuples(st.sampled_from(["here", "there"]), NAMES)))
def test_a_pod_names_what_stands_in_its_spec_as_a_whole_word(spec, changed):
    pod = Obj({"metadata": {"name": "pod", "namespace": "here"}, "spec": json.loads(json.dumps(spec))})
    said = {value for _, value in walk(spec) if isinstance(value, str)}
    assert _names(pod, changed) == bool(said & {name for space, name in changed if space == "here"})

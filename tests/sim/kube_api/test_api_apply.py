"""apply: what is asked for comes true, what nobody asks for any more goes, and a second time changes nothing."""

import json
from itertools import islice

import pytest
from api_world import RECORDINGS
from record_patches import DEPLOYMENT

from aiops_gym.sim.kube_api.patch import (
    PatchError,
    apply_merge_patch,
    apply_strategic_merge,
    apply_three_way,
    create_merge_patch,
)

CASES = json.loads((RECORDINGS / "patches.json").read_text())


def variants():
    """Versions of one Deployment, as recorded patches make them."""
    for case in CASES:
        if case["type"] == "strategic" and case["kind"] == "Deployment" and "result" in case:
            result = strip(case["result"])
            if well_made(result):
                yield result


KEYS = {"ports": "containerPort", "volumeMounts": "mountPath", "tolerations": "key"}


def well_made(value, key="name"):
    """Whether all items of merged lists have their keys; some of the recorded patches leave them out."""
    if isinstance(value, dict):
        return all(well_made(inner, KEYS.get(name, "name")) for name, inner in value.items())
    if isinstance(value, list):
        return all(not isinstance(item, dict) or (key in item and well_made(item)) for item in value)
    return True


def strip(value):
    """Without nulls and left-over directives, as an object that can be applied."""
    if isinstance(value, dict):
        return {k: strip(v) for k, v in value.items() if v is not None and not k.startswith("$")}
    if isinstance(value, list):
        return [strip(v) for v in value if not (isinstance(v, dict) and "$patch" in v)]
    return value


def asked_for(wanted, found, path=""):
    """Every leaf of what is wanted is there; lists of named things by name."""
    if isinstance(wanted, dict):
        return all(k in found and asked_for(v, found[k], f"{path}.{k}") for k, v in wanted.items())
    if isinstance(wanted, list) and wanted and isinstance(wanted[0], dict) and not path.endswith("tolerations"):
        key = next(k for k in ("mountPath", "containerPort", "name") if k in wanted[0])
        by_key = {item[key]: item for item in found}
        return all(item[key] in by_key and asked_for(item, by_key[item[key]], path) for item in wanted)
    return all(i in found for i in wanted) if isinstance(wanted, list) else wanted == found


VERSIONS = list(islice(variants(), 120))


@pytest.mark.parametrize("number", range(len(VERSIONS) - 1))
def test_what_is_asked_for_comes_true(number):
    modified, current = VERSIONS[number], VERSIONS[number + 1]
    patch = apply_three_way(DEPLOYMENT, modified, current, "Deployment")
    new = apply_strategic_merge(current, patch, "Deployment")
    assert asked_for(modified, new)
    assert apply_three_way(modified, modified, new, "Deployment") == {}


def test_what_somebody_else_added_stays():
    modified = apply_strategic_merge(DEPLOYMENT, {"spec": {"replicas": 3}}, "Deployment")
    side = {"spec": {"template": {"spec": {"containers": [{"name": "c", "env": [{"name": "X", "value": "1"}]}]}}}}
    current = apply_strategic_merge(DEPLOYMENT, side, "Deployment")
    patch = apply_three_way(DEPLOYMENT, modified, current, "Deployment")
    assert patch == {"spec": {"replicas": 3}}


def test_what_is_asked_for_no_more_goes():
    fewer = apply_strategic_merge(
        DEPLOYMENT,
        {"spec": {"template": {"spec": {"containers": [{"name": "d", "$patch": "delete"}], "nodeSelector": None}}}},
        "Deployment",
    )
    patch = apply_three_way(DEPLOYMENT, fewer, DEPLOYMENT, "Deployment")
    new = apply_strategic_merge(DEPLOYMENT, patch, "Deployment")
    assert new == fewer


@pytest.mark.parametrize("number", range(len(VERSIONS) - 1))
def test_the_difference_of_two_objects_leads_from_one_to_the_other(number):
    old, new = VERSIONS[number], VERSIONS[number + 1]
    assert apply_merge_patch(old, create_merge_patch(old, new)) == new


def test_odd_patches_are_refused_not_raised():
    for patch in (
        None,
        [],
        5,
        {"spec": {"template": {"spec": {"containers": [[1]]}}}},
        {"metadata": {"$retainKeys": 5}},
    ):
        with pytest.raises(PatchError):
            apply_strategic_merge(DEPLOYMENT, patch, "Deployment")

"""Patches do what the real kubectl does with them."""

import json

import pytest
from api_world import RECORDINGS
from record_patches import DEPLOYMENT, SERVICE

from aiops_gym.sim.kube_api.patch import PatchError, apply_json_patch, apply_merge_patch, apply_strategic_merge

CASES = json.loads((RECORDINGS / "patches.json").read_text())
OBJECTS = {"Deployment": DEPLOYMENT, "Service": SERVICE}


def apply(case):
    obj = OBJECTS[case["kind"]]
    if case["type"] == "json":
        return apply_json_patch(obj, case["patch"])
    if case["type"] == "merge":
        return apply_merge_patch(obj, case["patch"])
    return apply_strategic_merge(obj, case["patch"], case["kind"])


def clean(value):
    """Without directives: kubectl leaves those that had nothing to do in what it prints, a server drops them."""
    if isinstance(value, dict):
        return {k: clean(v) for k, v in value.items() if not k.startswith("$") and v is not None}
    return [clean(v) for v in value] if isinstance(value, list) else value


def as_kubectl_says(text):
    """kubectl has its own words for one error, and trims all."""
    if "doc is missing key: " in text:
        return f"Object to be patched is missing field ({text.partition('key: ')[2]})"
    return text.rstrip("\n")


@pytest.mark.parametrize("number", range(len(CASES)))
def test_as_recorded(number):
    case = CASES[number]
    before = json.dumps(OBJECTS[case["kind"]])
    if "error" in case:
        with pytest.raises(PatchError) as caught:
            apply(case)
        assert as_kubectl_says(str(caught.value)) == case["error"]
    else:
        assert clean(apply(case)) == clean(case["result"])
    assert json.dumps(OBJECTS[case["kind"]]) == before


def test_copies_of_copies_end():
    patch = [{"op": "copy", "from": "/spec", "path": f"/spec/{name}"} for name in "abcdefghijklmnopqrst"]
    with pytest.raises(PatchError, match="Unable to complete the copy, the accumulated size increase of copy is"):
        apply_json_patch(DEPLOYMENT, patch)


def test_what_grows_deeper_step_by_step_is_refused():
    patch = [{"op": "add", "path": "/a" * depth, "value": {}} for depth in range(1, 200)]
    assert apply_json_patch({}, patch[:99])
    with pytest.raises(PatchError, match="exceeded max depth"):
        apply_json_patch({}, patch)

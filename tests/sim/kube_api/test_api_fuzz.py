"""Whatever a client sends, the answer is an answer."""

import random

import pytest
from api_world import deployment, new_world, pod

from aiops_gym.sim import kube_api
from aiops_gym.sim.kube_api.patching import APPLY, JSON_PATCH, MERGE, STRATEGIC
from aiops_gym.sim.kube_api.resources import RESOURCES
from aiops_gym.sim.kube_api.schema import fields, type_of
from aiops_gym.types import Request

ODD = [None, 0, -1, 1.5, True, "", "x", "1", "10%", "A b", [], {}, [None], [[]], [{}], {"a": 1}, {"name": "x"}, 10**30]
PLAIN = {"bool": True, "int32": 1, "int64": 2, "quantity": "1Gi", "intstr": "10%", "time": "2026-03-02T09:00:00Z"}
VERBS = ["create", "create", "update", "patch", "patch", "delete", "deletecollection", "list", "get"]
BELOW = ["", "", "", "", "", "status", "scale", "log", "exec", "eviction", "binding", "token"]


def anything(chance, type_name, depth=0):
    """An object of a type in which now and then something is wrong."""
    if chance.random() < 0.03 or depth > 7:
        return chance.choice(ODD)
    known = fields(type_name)
    if not known:
        return PLAIN.get(type_name, "x") if chance.random() < 0.8 else chance.choice(ODD)
    found = {}
    for name in chance.sample(sorted(known), min(len(known), chance.randint(1, 6))):
        declared = known[name]
        many = chance.randint(0, 2)
        if declared.shape == "list":
            found[name] = [anything(chance, declared.type, depth + 1) for _ in range(many)]
        elif declared.shape == "map":
            found[name] = {str(n): anything(chance, declared.type, depth + 1) for n in range(many)}
        else:
            found[name] = anything(chance, declared.type, depth + 1)
    return found


@pytest.mark.parametrize("number", range(60))
def test_any_request_has_an_answer(number):
    chance, world = random.Random(number), new_world()
    names = [n for n, r in RESOURCES.items() if "update" in r.verbs]
    kube_api.handle(world, Request("create", "deployments.apps", "t", body=deployment("x")))
    kube_api.handle(world, Request("create", "pods", "t", body=pod("x")))
    for _ in range(80):
        resource = RESOURCES[chance.choice([*names, "pods", "deployments.apps", "services", "jobs.batch"])]
        body = anything(chance, type_of(resource.api_version, resource.kind))
        if isinstance(body, dict) and chance.random() < 0.9:
            body["metadata"] = {"name": "x"}
        verb, below = chance.choice(VERBS), chance.choice(BELOW)
        kind = chance.choice([STRATEGIC, MERGE, JSON_PATCH, APPLY, "x"])
        query = {"fieldManager": "me", "fieldValidation": chance.choice(["Strict", "Warn", ""])}
        namespace = "t" if resource.namespaced else ""
        if resource.name in ("nodes", "leases.coordination.k8s.io"):
            continue  # what they show depends on the node controller, which has its own tests
        request = Request(verb, resource.name, namespace, "x", below, body, kind, query, table=chance.random() < 0.5)
        answer = kube_api.handle(world, request)
        assert 200 <= answer.code < 600
        assert kube_api.handle(world, Request("list", resource.name, namespace, table=True)).code == 200


def test_a_body_as_deep_as_the_sea_is_refused():
    world, body = new_world(), {}
    for _ in range(100_000):
        body = {"spec": body}
    for verb, kind in (("create", ""), ("update", ""), ("patch", MERGE), ("patch", STRATEGIC), ("patch", JSON_PATCH)):
        answer = kube_api.handle(world, Request(verb, "deployments.apps", "t", "x", body=body, content_type=kind))
        assert answer.body["message"] == "exceeded max depth"
    while body:
        body = body.pop("spec")

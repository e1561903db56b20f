"""A life of an object: made whole, changed with care, removed in time."""

import json

import pytest
import yaml
from api_world import RECORDINGS, deployment, new_world, pod

from aiops_gym.sim import kube_api
from aiops_gym.sim.kube_api.patching import APPLY, JSON_PATCH, MERGE, STRATEGIC
from aiops_gym.sim.kube_api.resources import RESOURCES, find
from aiops_gym.types import Request

DOCUMENTS = list(yaml.safe_load_all((RECORDINGS / "shop.yaml").read_text()))
DIFFERENT = {"uid", "resourceVersion", "creationTimestamp", "clusterIP", "clusterIPs", "annotations", "status"}


def alike(ours, real):
    """Compare two objects without what must differ."""
    if isinstance(ours, dict) and isinstance(real, dict):
        keys = {k for k in {*ours, *real} if k not in DIFFERENT}
        return all(k in ours and k in real and alike(ours[k], real[k]) for k in keys)
    if isinstance(ours, list) and isinstance(real, list):
        return len(ours) == len(real) and all(map(alike, ours, real))
    return ours == real


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda d: f"{d['kind']}-{d['metadata']['name']}")
def test_defaults_are_those_of_a_real_server(ask, recorded, document):
    body = {**document, "metadata": {**document["metadata"], "namespace": "t"}}
    name, resource = document["metadata"]["name"], kube_api.find_by_kind(document["apiVersion"], document["kind"])
    ours = ask("create", resource.name, body=body).body
    real = next(o for o in recorded(resource.plural) if o["metadata"]["name"] == name)
    real["metadata"]["namespace"] = "t"
    assert alike(ours, real)


@pytest.mark.parametrize("number", range(6))
def test_pods_are_completed_like_real_ones(world, recorded, number):
    real = recorded("pods")[number]
    owner = next(o for o in recorded("deployments") if o["metadata"]["name"] == real["metadata"]["labels"]["app"])
    meta = {k: real["metadata"][k] for k in ("labels", "ownerReferences", "generateName")}
    body = {"metadata": {**meta, "namespace": "t"}, "spec": owner["spec"]["template"]["spec"]}
    ours = kube_api.create(world, "pods", body)
    assert ours["metadata"]["name"].startswith(real["metadata"]["generateName"])
    assert ours["status"] == {"phase": "Pending", "qosClass": real["status"]["qosClass"]}
    # The recording cluster put one more source into the token volume, and had bound its pods.
    real["spec"]["volumes"][0]["projected"]["sources"].pop()
    real["spec"].pop("nodeName", None)
    volume = real["spec"]["volumes"][0]["name"]
    text = json.dumps(real["spec"]).replace(volume, ours["spec"]["volumes"][0]["name"])
    assert ours["spec"] == json.loads(text)


def test_reading_gives_the_stored_object_itself(world, ask):
    ask("create", "configmaps", body={"metadata": {"name": "a"}})
    stored = world.store.get("configmaps", "t", "a")
    assert ask("get", "configmaps", "a").body is stored
    listed = ask("list", "configmaps").body
    assert listed["items"][0] is stored
    assert (listed["kind"], listed["apiVersion"], set(listed["metadata"])) == (
        "ConfigMapList",
        "v1",
        {"resourceVersion"},
    )


def test_what_changes_nothing_writes_nothing(world, ask):
    ask("create", "deployments.apps", body=deployment())
    version = world.store.version
    for kind, body in ((STRATEGIC, {}), (MERGE, {"spec": {"replicas": 1}}), (JSON_PATCH, [])):
        assert ask("patch", "deployments.apps", "ok", body=body, content_type=kind).code == 200
    assert world.store.version == version
    ask("patch", "deployments.apps", "ok", body={"spec": {"replicas": 2}}, content_type=MERGE, query={"dryRun": "All"})
    assert world.store.version == version


def test_generation_counts_changes_of_the_spec_only(ask):
    ask("create", "deployments.apps", body=deployment())
    change = {"metadata": {"labels": {"x": "y"}}}
    assert ask("patch", "deployments.apps", "ok", body=change, content_type=MERGE).body["metadata"]["generation"] == 1
    change = {"spec": {"replicas": 3}}
    assert ask("patch", "deployments.apps", "ok", body=change, content_type=MERGE).body["metadata"]["generation"] == 2
    change = {"status": {"replicas": 3}, "spec": {"replicas": 9}}
    new = ask("patch", "deployments.apps", "ok", body=change, content_type=MERGE, subresource="status").body
    assert (new["metadata"]["generation"], new["spec"]["replicas"], new["status"]) == (2, 3, {"replicas": 3})
    change = {"status": {"replicas": 7}}
    assert ask("patch", "deployments.apps", "ok", body=change, content_type=MERGE).body["status"] == {"replicas": 3}


def test_stored_objects_never_change(world, ask):
    ask("create", "deployments.apps", body=deployment())
    before = world.store.get("deployments.apps", "t", "ok")
    text = json.dumps(before, sort_keys=True)
    inner = {"spec": {"template": {"spec": {"containers": [{"name": "app", "env": [{"name": "A", "value": "1"}]}]}}}}
    for kind in (STRATEGIC, APPLY):
        query = {"fieldManager": "me"}
        body = {"apiVersion": "apps/v1", "kind": "Deployment", **inner}
        assert ask("patch", "deployments.apps", "ok", body=body, content_type=kind, query=query).code == 200
    ask("patch", "deployments.apps", "ok", body={"spec": {"replicas": 4}}, content_type=MERGE, subresource="scale")
    ask("delete", "deployments.apps", "ok")
    assert json.dumps(before, sort_keys=True) == text


def test_scale(ask):
    ask("create", "deployments.apps", body=deployment())
    scale = ask("get", "deployments.apps", "ok", subresource="scale").body
    assert (scale["kind"], scale["spec"], scale["status"]) == (
        "Scale",
        {"replicas": 1},
        {"replicas": 0, "selector": "app=ok"},
    )
    answer = ask(
        "patch", "deployments.apps", "ok", subresource="scale", body={"spec": {"replicas": 0}}, content_type=MERGE
    )
    assert (answer.code, answer.body["spec"]) == (200, {})
    assert ask("get", "deployments.apps", "ok").body["spec"]["replicas"] == 0


def test_a_pod_that_runs_is_given_time(world, ask):
    ask("create", "pods", body=pod())
    assert ask("delete", "pods", "p").body["metadata"]["name"] == "p"
    assert ask("get", "pods", "p").code == 404
    ask("create", "pods", body=pod())
    kube_api.assign(world, world.store.get("pods", "t", "p"), "node-1")
    gone = ask("delete", "pods", "p").body["metadata"]
    assert (gone["deletionGracePeriodSeconds"], gone["deletionTimestamp"]) == (30, "2026-03-02T09:00:30Z")
    assert (
        ask("delete", "pods", "p", body={"gracePeriodSeconds": 5}).body["metadata"]["deletionGracePeriodSeconds"] == 5
    )
    assert (
        ask("delete", "pods", "p", body={"gracePeriodSeconds": 60}).body["metadata"]["deletionGracePeriodSeconds"] == 5
    )
    ask("delete", "pods", "p", body={"gracePeriodSeconds": 0})
    assert ask("get", "pods", "p").code == 404


def test_finalizers_hold_an_object_until_the_last_is_gone(ask):
    ask("create", "configmaps", body={"metadata": {"name": "a", "finalizers": ["x.io/y"]}})
    assert "deletionTimestamp" in ask("delete", "configmaps", "a").body["metadata"]
    assert ask("get", "configmaps", "a").code == 200
    ask("patch", "configmaps", "a", body={"metadata": {"finalizers": None}}, content_type=MERGE)
    assert ask("get", "configmaps", "a").code == 404


def test_deleting_with_orphans(world, ask):
    owner = ask("create", "configmaps", body={"metadata": {"name": "a"}}).body
    reference = {"apiVersion": "v1", "kind": "ConfigMap", "name": "a", "uid": owner["metadata"]["uid"]}
    ask("create", "configmaps", body={"metadata": {"name": "b", "ownerReferences": [reference]}})
    ask("delete", "configmaps", "a", body={"propagationPolicy": "Orphan"})
    assert "ownerReferences" not in ask("get", "configmaps", "b").body["metadata"]


def test_a_collection_goes_by_its_labels(ask):
    for name, label in (("a", "1"), ("b", "2"), ("c", "1")):
        ask("create", "configmaps", body={"metadata": {"name": name, "labels": {"l": label}}})
    ask("deletecollection", "configmaps", query={"labelSelector": "l=1"})
    assert [o["metadata"]["name"] for o in ask("list", "configmaps").body["items"]] == ["b"]


def test_services_get_addresses_of_their_own(ask):
    given = [
        ask("create", "services", body={"metadata": {"name": f"s{n}"}, "spec": {"ports": [{"port": 80}]}}).body
        for n in range(60)
    ]
    addresses = {s["spec"]["clusterIP"] for s in given}
    assert len(addresses) == 60
    assert all(a.startswith("10.96.") for a in addresses)
    assert given[0]["spec"]["ports"] == [{"port": 80, "protocol": "TCP", "targetPort": 80}]
    change = {"spec": {"clusterIP": "10.96.7.7"}}
    answer = ask("patch", "services", "s0", body=change, content_type=MERGE)
    assert answer.body["message"].startswith('Service "s0" is invalid: spec.clusterIPs[0]: Invalid value: ')
    change = {"spec": {"type": "NodePort"}}
    ports = ask("patch", "services", "s0", body=change, content_type=MERGE).body["spec"]["ports"]
    assert 30000 <= ports[0]["nodePort"] < 32768


def test_secrets_keep_strings_as_data(ask):
    secret = ask("create", "secrets", body={"metadata": {"name": "s"}, "stringData": {"a": "b"}}).body
    assert (secret["data"], secret["type"], "stringData" in secret) == ({"a": "Yg=="}, "Opaque", False)


def test_quota(ask):
    body = {"metadata": {"name": "q"}, "spec": {"hard": {"pods": "1"}}}
    ask("create", "resourcequotas", body=body)
    assert ask("create", "pods", body=pod("a")).code == 201
    assert ask("get", "resourcequotas", "q").body["status"]["used"] == {"pods": "1"}
    assert ask("create", "pods", body=pod("b")).body["message"] == (
        'pods "b" is forbidden: exceeded quota: q, requested: pods=1, used: pods=1, limited: pods=1'
    )


def test_field_selectors(world, ask):
    for name in ("a", "b"):
        ask("create", "pods", body=pod(name))
    kube_api.assign(world, world.store.get("pods", "t", "b"), "n")

    def names(selector):
        return [p["metadata"]["name"] for p in ask("list", "pods", query={"fieldSelector": selector}).body["items"]]

    assert names("spec.nodeName=n") == ["b"]
    assert names("metadata.name=a,status.phase=Pending") == ["a"]
    assert names("status.phase!=Pending") == []


def test_pages(ask):
    for name in "abc":
        ask("create", "configmaps", body={"metadata": {"name": name}})
    first = ask("list", "configmaps", query={"limit": "2"}).body
    assert ([o["metadata"]["name"] for o in first["items"]], first["metadata"]["remainingItemCount"]) == (["a", "b"], 1)
    rest = ask("list", "configmaps", query={"limit": "2", "continue": first["metadata"]["continue"]}).body
    assert [o["metadata"]["name"] for o in rest["items"]] == ["c"]


def test_server_side_apply_makes_changes_and_forgets(ask):
    def apply(**data):
        body = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}, "data": data}
        return ask("patch", "configmaps", "a", body=body, content_type=APPLY, query={"fieldManager": "me"})

    assert apply(x="1", y="1").code == 201
    ask("patch", "configmaps", "a", body={"data": {"z": "3"}}, content_type=MERGE)
    assert apply(x="2").body["data"] == {"x": "2", "z": "3"}


def test_logs_and_commands_need_a_container_that_runs(world, ask):
    body = pod()
    body["spec"]["containers"].append({"name": "d", "image": "x:1"})
    ask("create", "pods", body=body)
    text = "a container name must be specified for pod p, choose one of: [c d]"
    assert ask("get", "pods", "p", subresource="log").body["message"] == text
    answer = ask("get", "pods", "p", subresource="log", query={"container": "z"})
    assert answer.body["message"] == "container z is not valid for pod p"
    answer = ask("create", "pods", "p", subresource="exec", body={"command": ["ls"]}, query={"container": "c"})
    assert answer.body["message"] == "pod p does not have a host assigned"
    bound = kube_api.assign(world, world.store.get("pods", "t", "p"), "n")
    waiting = {"waiting": {"reason": "ImagePullBackOff"}}
    statuses = [{"name": n, "state": waiting, "lastState": {}} for n in "cd"]
    world.store.put("pods", {**bound, "status": {**bound["status"], "containerStatuses": statuses}})
    answer = ask("get", "pods", "p", subresource="log", query={"container": "c"})
    assert answer.body["message"] == ('container "c" in pod "p" is waiting to start: trying and failing to pull image')
    answer = ask("get", "pods", "p", subresource="log", query={"container": "c", "previous": "true"})
    assert answer.body["message"] == 'previous terminated container "c" in pod "p" not found'


def test_may_i(ask):
    spec = {"resourceAttributes": {"verb": "delete", "resource": "pods", "namespace": "t"}}
    answer = ask("create", "selfsubjectaccessreviews.authorization.k8s.io", namespace="", body={"spec": spec})
    assert answer.body["status"]["allowed"] is True


def test_every_spelling_of_a_resource():
    for text, name in [
        ("po", "pods"), ("pod", "pods"), ("Pods", "pods"), ("deploy", "deployments.apps"), ("ev", "events"),
        ("deployment.apps", "deployments.apps"), ("deployments.v1.apps", "deployments.apps"), ("ep", "endpoints"),
        ("no", "nodes"), ("hpa", "horizontalpodautoscalers.autoscaling"), ("ev.events.k8s.io", "events.events.k8s.io"),
    ]:  # fmt: skip
        assert find(text).name == name


def test_everything_can_be_listed(ask):
    for name, resource in RESOURCES.items():
        if "list" in resource.verbs and not name.endswith("metrics.k8s.io"):
            for namespace in ("", "t"):
                answer = ask("list", name, namespace=namespace)
                assert answer.code == 200
                assert ask("list", name, namespace=namespace, table=True).body["kind"] == "Table"


def test_the_same_seed_gives_the_same_objects():
    def made(seed):
        world = new_world(seed)
        service = {"metadata": {"name": "s"}, "spec": {"ports": [{"port": 80}]}}
        for resource, body in (("deployments.apps", deployment()), ("pods", pod()), ("services", service)):
            kube_api.handle(world, Request("create", resource, "t", body=body))
        return json.dumps(world.tables)

    assert made(1) == made(1)
    assert made(1) != made(2)

"""Who is asked before an object is stored: webhooks, the namespace's standard for pods, roles of accounts."""

import json
from dataclasses import replace

import pytest
from small_cluster import IMAGES, SmallCluster

from aiops_gym.sim import kube_api
from aiops_gym.sim.kernel.blueprint import Binary, Image
from aiops_gym.sim.kube_api import rbac
from aiops_gym.sim.kube_api.rbac import Account
from aiops_gym.sim.kube_api.webhooks import MUTATING, VALIDATING
from aiops_gym.types import Request

GUARD = Image(cached=True, entrypoint=("guard",), binaries={"guard": Binary(program="admission")})
RULES = {"resources": {"limits": {"memory": "64Mi"}}, "merge": {"metadata": {"labels": {"seen": "yes"}}}}
RULES |= {"registries": ["docker.io/"], "labels": ["owner"]}
POST = 'failed to call webhook: Post "https://guard.ns.svc:443/validate?timeout=3s": '
EMPTY = {"name": "c", "image": "app:1"}


def hook(path, **more):
    rule = {"operations": ["CREATE"], "apiGroups": [""], "apiVersions": ["v1"], "resources": ["pods"]}
    client = {"service": {"namespace": "ns", "name": "guard", "path": path, "port": 443}}
    usual = {"name": "guard.example.io", "rules": [rule], "clientConfig": client, "timeoutSeconds": 3}
    return {**usual, "sideEffects": "None", "admissionReviewVersions": ["v1"], **more}


@pytest.fixture
def guarded():
    cluster = SmallCluster()
    cluster.world.blueprint = replace(cluster.world.blueprint, images={**IMAGES, "guard:1": GUARD})
    cluster.apply({"kind": "ConfigMap", "metadata": {"name": "rules"}, "data": {"rules.json": json.dumps(RULES)}})
    mounts = [{"name": "rules", "mountPath": "/etc/admission"}]
    spec = {"containers": [{"name": "guard", "image": "guard:1", "volumeMounts": mounts}]}
    spec["volumes"] = [{"name": "rules", "configMap": {"name": "rules"}}]
    cluster.apply({"kind": "Pod", "metadata": {"name": "guard", "labels": {"app": "guard"}}, "spec": spec})
    ports = [{"port": 443, "targetPort": 8443}]
    service = {"selector": {"app": "guard"}, "ports": ports, "clusterIP": "10.96.0.77"}
    cluster.apply({"kind": "Service", "metadata": {"name": "guard"}, "spec": service})
    cluster.at(10)
    return cluster


def configure(cluster, resource, *hooks):
    meta = {"metadata": {"name": "guard"}, "webhooks": list(hooks)}
    answer = kube_api.handle(cluster.world, Request("create", resource, body=meta))
    assert answer.code == 201, answer.body


def create(cluster, namespace="ns", verb="create", **meta):
    body = {"metadata": {"name": "p", "labels": {"owner": "me"}, **meta}, "spec": {"containers": [dict(EMPTY)]}}
    return kube_api.handle(cluster.world, Request(verb, "pods", namespace, body=body))


def test_a_mutating_webhook_fills_in_and_a_validating_one_refuses(guarded):
    configure(guarded, MUTATING, hook("/mutate"))
    configure(guarded, VALIDATING, hook("/validate"))
    made = create(guarded)
    assert made.code == 201
    assert made.body["spec"]["containers"][0]["resources"]["limits"] == {"memory": "64Mi"}
    assert made.body["metadata"]["labels"] == {"owner": "me", "seen": "yes"}
    assert made.body["status"]["qosClass"] == "Burstable"
    refused = create(guarded, name="q", labels={})
    assert refused.code == 403
    message = 'admission webhook "guard.example.io" denied the request: label owner is missing'
    assert refused.body["message"] == message


def test_limit_ranges_fill_in_before_webhooks_and_check_what_these_have_left(guarded):
    """`LimitRanger` of 1.32 is a mutating and a validating plugin; webhooks that change a pod come between the two."""
    configure(guarded, MUTATING, hook("/mutate"))
    rule = {"type": "Container", "defaultRequest": {"memory": "8Mi"}, "maxLimitRequestRatio": {"memory": "4"}}
    guarded.apply({"kind": "LimitRange", "metadata": {"name": "sizes"}, "spec": {"limits": [rule]}})
    refused = create(guarded)
    assert refused.code == 403
    text = "memory max limit to request ratio per Container is 4, but provided ratio is 8.000000"
    assert refused.body["message"].partition("is forbidden: ")[2].startswith(text)
    wide = {**rule, "maxLimitRequestRatio": {"memory": "8"}}
    guarded.apply({"kind": "LimitRange", "metadata": {"name": "sizes"}, "spec": {"limits": [wide]}})
    made = create(guarded, name="q")
    assert made.body["spec"]["containers"][0]["resources"] == {
        "limits": {"memory": "64Mi"},
        "requests": {"memory": "8Mi"},
    }


def test_rules_are_read_anew_for_each_review(guarded):
    configure(guarded, VALIDATING, hook("/validate"))
    assert create(guarded, name="a", labels={}).code == 403
    patch = {"data": {"rules.json": "{}"}}
    kind = "application/merge-patch+json"
    kube_api.handle(guarded.world, Request("patch", "configmaps", "ns", "rules", body=patch, content_type=kind))
    assert create(guarded, name="a", labels={}).code == 201


def delete_service(cluster):
    cluster.delete("services", "guard")


def close_port(cluster):
    cluster.change("services", "guard", {"ports": [{"port": 443, "targetPort": 9443}]})
    cluster.at(15)


def move_port(cluster):
    cluster.change("services", "guard", {"ports": [{"port": 444, "targetPort": 8443}]})


BREAK = [
    (delete_service, 'service "guard" not found'),
    (close_port, "dial tcp 10.96.0.77:443: connect: connection refused"),
    (move_port, 'no service port 443 found for service "guard"'),
]


@pytest.mark.parametrize(("break_", "why"), BREAK, ids=lambda value: getattr(value, "__name__", ""))
def test_a_webhook_that_cannot_be_asked_fails_closed_or_open(guarded, break_, why):
    configure(guarded, VALIDATING, hook("/validate"))
    break_(guarded)
    refused = create(guarded)
    text = f'Internal error occurred: failed calling webhook "guard.example.io": {POST}{why}'
    assert (refused.code, refused.body["reason"], refused.body["message"]) == (500, "InternalError", text)
    body = {"webhooks": [hook("/validate", failurePolicy="Ignore")]}
    kind = "application/merge-patch+json"
    kube_api.handle(guarded.world, Request("patch", VALIDATING, "", "guard", body=body, content_type=kind))
    assert create(guarded).code == 201


NOT_MINE = [
    {"namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": "other"}}},
    {"objectSelector": {"matchLabels": {"owner": "you"}}},
    {"rules": [{"operations": ["DELETE"], "apiGroups": ["*"], "apiVersions": ["*"], "resources": ["*"]}]},
    {"rules": [{"operations": ["*"], "apiGroups": ["apps"], "apiVersions": ["*"], "resources": ["pods"]}]},
]


@pytest.mark.parametrize("other", NOT_MINE)
def test_a_webhook_is_asked_about_what_it_selects_only(guarded, other):
    configure(guarded, VALIDATING, hook("/nowhere", **other))
    assert create(guarded).code == 201
    configured = kube_api.handle(guarded.world, Request("delete", VALIDATING, "", "guard"))
    assert configured.code == 200, "nobody is asked about the configurations themselves"
    configure(guarded, VALIDATING, hook("/nowhere"))
    assert "the server could not find the requested resource" in create(guarded, name="q").body["message"]


def test_a_webhook_must_be_a_whole_one(guarded):
    body = {"metadata": {"name": "bad"}, "webhooks": [hook("/validate", name="short", sideEffects="Some")]}
    refused = kube_api.handle(guarded.world, Request("create", VALIDATING, body=body))
    assert refused.code == 422
    assert "should be a domain with at least three segments" in refused.body["message"]
    assert 'Unsupported value: "Some"' in refused.body["message"]


SECURE = {
    "allowPrivilegeEscalation": False,
    "capabilities": {"drop": ["ALL"]},
    "runAsNonRoot": True,
    "seccompProfile": {"type": "RuntimeDefault"},
}
STANDARDS = [
    ("privileged", {"hostNetwork": True}, None, ""),
    ("baseline", {}, {}, ""),
    ("baseline", {"hostNetwork": True, "hostPID": True}, {}, "host namespaces (hostNetwork=true, hostPID=true)"),
    ("baseline", {}, {"privileged": True}, 'privileged (container "c" must not set securityContext.privileged=true)'),
    ("restricted", {}, SECURE, ""),
    (
        "restricted",
        {},
        {**SECURE, "runAsNonRoot": None},
        'runAsNonRoot != true (pod or container "c" must set securityContext.runAsNonRoot=true)',
    ),
    (
        "restricted",
        {"volumes": [{"name": "v", "hostPath": {"path": "/"}}]},
        SECURE,
        'hostPath volumes (volume "v"), restricted volume types (volume "v" uses restricted volume type "hostPath")',
    ),
    (
        "restricted",
        {"securityContext": {"runAsNonRoot": True, "seccompProfile": {"type": "RuntimeDefault"}}},
        {},
        'allowPrivilegeEscalation != false (container "c" must set securityContext.allowPrivilegeEscalation=false), '
        'unrestricted capabilities (container "c" must set securityContext.capabilities.drop=["ALL"])',
    ),
]


@pytest.mark.parametrize(("level", "spec", "context", "why"), STANDARDS)
def test_a_namespace_lets_in_pods_of_its_standard(level, spec, context, why):
    cluster = SmallCluster()
    cluster.add_node("other")
    meta = {"name": "strict", "labels": {"pod-security.kubernetes.io/enforce": level}}
    cluster.apply({"kind": "Namespace", "metadata": meta})
    container = {**EMPTY, **({} if context is None else {"securityContext": context})}
    body = {"metadata": {"name": "p"}, "spec": {**spec, "containers": [container]}}
    answer = kube_api.handle(cluster.world, Request("create", "pods", "strict", body=body))
    text = f'pods "p" is forbidden: violates PodSecurity "{level}:latest": {why}'
    assert (answer.code, answer.body.get("message")) == ((403, text) if why else (201, None))


def make(cluster, kind, body):
    kube_api.create(cluster.world, f"{kind}.rbac.authorization.k8s.io", body)


def bind(cluster, verbs, resources, role="Role"):
    rule = {"apiGroups": ["apps"], "resources": resources, "verbs": verbs}
    make(cluster, "roles", {"metadata": {"name": "r", "namespace": "ns"}, "rules": [rule]})
    reference = {"apiGroup": "rbac.authorization.k8s.io", "kind": role, "name": "r"}
    subjects = [{"kind": "ServiceAccount", "name": "bot", "namespace": "ns"}]
    meta = {"name": "b", "namespace": "ns"}
    make(cluster, "rolebindings", {"metadata": meta, "roleRef": reference, "subjects": subjects})


ASKED = [
    (Request("get", "deployments.apps", "ns", "web"), True),
    (Request("patch", "deployments.apps", "ns", "web", "scale"), False),
    (Request("get", "deployments.apps", "other", "web"), False),
    (Request("list", "deployments.apps"), False),
    (Request("get", "pods", "ns", "web"), False),
]


@pytest.mark.parametrize(("request_", "may"), ASKED)
def test_an_account_may_what_its_roles_say(request_, may):
    cluster = SmallCluster()
    bind(cluster, ["get", "list"], ["deployments"])
    refused = rbac.refuse(cluster.world, Account("ns", "bot"), request_)
    assert (refused is None) == may
    assert rbac.refuse(cluster.world, Account("ns", "other"), request_) is not None


def test_a_refusal_says_who_may_not_do_what_and_which_role_is_missing():
    cluster = SmallCluster()
    bind(cluster, ["*"], ["*"], role="ClusterRole")
    refused = rbac.refuse(
        cluster.world, Account("ns", "bot"), Request("patch", "deployments.apps", "ns", "web", "scale")
    )
    assert refused.code == 403
    assert refused.body["message"] == (
        'deployments.apps "web" is forbidden: User "system:serviceaccount:ns:bot" cannot patch resource '
        '"deployments/scale" in API group "apps" in the namespace "ns": RBAC: '
        'clusterrole.rbac.authorization.k8s.io "r" not found'
    )


def test_a_namespace_warns_of_what_would_break_its_standard_and_of_what_is_there_already():
    cluster = SmallCluster()
    cluster.add_node("other")

    def told(verb, resource, name="", body=None, kind=""):
        space = "" if resource == "namespaces" else "loose"
        answer = kube_api.handle(cluster.world, Request(verb, resource, space, name, body=body, content_type=kind))
        return answer.code, tuple(getattr(answer, "warnings", ())) or str(answer.body.get("message", ""))

    label = "pod-security.kubernetes.io/{}"
    meta = {"name": "loose", "labels": {label.format("warn"): "baseline"}}
    cluster.apply({"kind": "Namespace", "metadata": meta})
    pod = {"containers": [{**EMPTY, "securityContext": {"privileged": True}}]}
    why = 'privileged (container "c" must not set securityContext.privileged=true)'
    warned = (201, (f'would violate PodSecurity "baseline:latest": {why}',))
    assert told("create", "pods", body={"metadata": {"name": "p"}, "spec": pod}) == warned
    labels = {"app": "d"}
    template = {"metadata": {"labels": labels}, "spec": pod}
    spec = {"selector": {"matchLabels": labels}, "template": template}
    assert told("create", "deployments.apps", body={"metadata": {"name": "d"}, "spec": spec}) == warned
    body = {"metadata": {"labels": {label.format("enforce"): "baseline"}}}
    code, lines = told("patch", "namespaces", "loose", body, "application/merge-patch+json")
    first = 'existing pods in namespace "loose" violate the new PodSecurity enforce level "baseline:latest"'
    assert (code, lines) == (200, (first, "p: privileged"))
    body = {"metadata": {"labels": {label.format("enforce"): "strict"}}}
    code, text = told("patch", "namespaces", "loose", body, "application/merge-patch+json")
    assert code == 422 and text.endswith('Invalid value: "strict": must be one of privileged, baseline, restricted')

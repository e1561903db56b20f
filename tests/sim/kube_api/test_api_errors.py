"""Refusals, word for word as a real 1.32 server gave them."""

import pytest
from api_world import deployment, pod

from aiops_gym.sim.kube_api.patching import JSON_PATCH, MERGE, STRATEGIC

SUBDOMAIN = (
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and "
    "end with an alphanumeric character (e.g. 'example.com', regex used for validation is "
    "'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"
)


def status(message, reason, code, details=None):
    body = {"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure", "message": message}
    body["reason"] = reason
    if details is not None:
        body["details"] = details
    return body | {"code": code}


def test_a_missing_object(ask):
    details = {"name": "nope", "kind": "pods"}
    assert ask("get", "pods", "nope").body == status('pods "nope" not found', "NotFound", 404, details)
    assert ask("get", "deployments.apps", "nope").body["details"] == {
        "name": "nope",
        "group": "apps",
        "kind": "deployments",
    }
    assert ask("get", "pods", "x", subresource="log").code == 404


def test_an_invalid_pod_names_every_fault(ask):
    answer = ask("create", "pods", body={"metadata": {"name": "Bad_Name"}, "spec": {"containers": [{"name": "c"}]}})
    assert answer.code == 422
    assert answer.body == status(
        f'Pod "Bad_Name" is invalid: [metadata.name: Invalid value: "Bad_Name": {SUBDOMAIN}, '
        "spec.containers[0].image: Required value]",
        "Invalid",
        422,
        {
            "name": "Bad_Name",
            "kind": "Pod",
            "causes": [
                {
                    "reason": "FieldValueInvalid",
                    "message": f'Invalid value: "Bad_Name": {SUBDOMAIN}',
                    "field": "metadata.name",
                },
                {
                    "reason": "FieldValueRequired",
                    "message": "Required value",
                    "field": "spec.containers[0].image",
                },
            ],
        },
    )


def test_a_name_that_is_taken(ask):
    answer = ask("create", "namespaces", namespace="", body={"metadata": {"name": "t"}})
    assert answer.body == status(
        'namespaces "t" already exists', "AlreadyExists", 409, {"name": "t", "kind": "namespaces"}
    )


def test_an_update_of_an_old_version(ask):
    ask("create", "services", body={"metadata": {"name": "ok"}, "spec": {"ports": [{"port": 80}]}})
    body = {"metadata": {"name": "ok", "resourceVersion": "1"}, "spec": {"ports": [{"port": 80}]}}
    assert ask("update", "services", "ok", body=body).body == status(
        'Operation cannot be fulfilled on services "ok": the object has been modified; please apply your changes to '
        "the latest version and try again",
        "Conflict",
        409,
        {"name": "ok", "kind": "services"},
    )


def test_negative_replicas(ask):
    ask("create", "deployments.apps", body=deployment())
    answer = ask("patch", "deployments.apps", "ok", body={"spec": {"replicas": -1}}, content_type=MERGE)
    text = "Invalid value: -1: must be greater than or equal to 0"
    assert answer.body == status(
        f'Deployment.apps "ok" is invalid: spec.replicas: {text}',
        "Invalid",
        422,
        {
            "name": "ok",
            "group": "apps",
            "kind": "Deployment",
            "causes": [{"reason": "FieldValueInvalid", "message": text, "field": "spec.replicas"}],
        },
    )


@pytest.mark.parametrize(
    ("resource", "kind", "told"),
    [
        ("deployments.apps", "Deployment.apps", "ReplicaSet"),
        ("replicasets.apps", "ReplicaSet.apps", "ReplicaSet"),
        ("statefulsets.apps", "StatefulSet.apps", "StatefulSet"),
        ("daemonsets.apps", "DaemonSet.apps", "DaemonSet"),
        ("replicationcontrollers", "ReplicationController", "ReplicationController"),
    ],
)
def test_what_keeps_pods_running_has_none_that_end_by_themselves(ask, resource, kind, told):
    body = {key: value for key, value in deployment("web").items() if key not in ("apiVersion", "kind")}
    body["spec"]["template"]["spec"]["activeDeadlineSeconds"] = 60
    if resource == "replicationcontrollers":
        body["spec"]["selector"] = body["spec"]["selector"]["matchLabels"]
    answer = ask("create", resource, body=body)
    where, why = (
        "spec.template.spec.activeDeadlineSeconds",
        f"Forbidden: activeDeadlineSeconds in {told} is not Supported",
    )
    assert (answer.code, answer.body["message"]) == (422, f'{kind} "web" is invalid: {where}: {why}')
    assert [each["reason"] for each in answer.body["details"]["causes"]] == ["FieldValueForbidden"]


def test_a_selector_is_for_life(ask):
    ask("create", "deployments.apps", body=deployment())
    change = {"spec": {"selector": {"matchLabels": {"app": "zzz"}}}}
    answer = ask("patch", "deployments.apps", "ok", body=change, content_type=MERGE)
    assert answer.body["message"] == (
        'Deployment.apps "ok" is invalid: [spec.template.metadata.labels: Invalid value: '
        'map[string]string{"app":"ok"}: `selector` does not match template `labels`, spec.selector: Invalid value: '
        'v1.LabelSelector{MatchLabels:map[string]string{"app":"zzz"}, '
        "MatchExpressions:[]v1.LabelSelectorRequirement(nil)}: field is immutable]"
    )


def test_a_patch_of_no_known_type(ask):
    ask("create", "deployments.apps", body=deployment())
    answer = ask("patch", "deployments.apps", "ok", body={})
    assert answer.body == status("415: Unsupported Media Type", "UnsupportedMediaType", 415, {})


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ({"labelSelector": "a===b"}, "unable to parse requirement: found '=', expected: identifier"),
        ({"fieldSelector": "spec.foo=b"}, "field label not supported: spec.foo"),
    ],
)
def test_selectors_that_make_no_sense(ask, query, message):
    assert ask("list", "pods", query=query).body == status(message, "BadRequest", 400)


def test_unknown_fields_are_refused_or_reported(ask):
    body = deployment(foo=1)
    answer = ask("create", "deployments.apps", body=body, query={"fieldValidation": "Strict"})
    assert (answer.code, answer.body["reason"]) == (400, "BadRequest")
    assert answer.body["message"] == (
        'Deployment in version "v1" cannot be handled as a Deployment: strict decoding error: unknown field "spec.foo"'
    )
    answer = ask("create", "deployments.apps", body=body)
    assert answer.code == 201
    assert answer.warnings == ('unknown field "spec.foo"',)
    assert "foo" not in answer.body["spec"]


def test_values_of_the_wrong_type(ask):
    answer = ask("create", "deployments.apps", body=deployment(replicas="three"))
    assert answer.body["message"] == (
        'Deployment in version "v1" cannot be handled as a Deployment: json: cannot unmarshal string into Go struct '
        "field DeploymentSpec.spec.replicas of type int32"
    )
    ask("create", "deployments.apps", body=deployment())
    answer = ask("patch", "deployments.apps", "ok", body={"spec": {"replicas": "3"}}, content_type=STRATEGIC)
    text = 'patch: Invalid value: "map[spec:map[replicas:3]]": unrecognized type: int32'
    assert (answer.code, answer.body["message"]) == (422, f' "" is invalid: {text}')
    broken = [{"op": "remove", "path": "/spec/nothing"}]
    answer = ask("patch", "deployments.apps", "ok", body=broken, content_type=JSON_PATCH)
    assert answer.body["message"] == "the server rejected our request due to an error in our request"


def test_quantities_that_do_not_parse(ask):
    body = pod()
    body["spec"]["containers"][0]["resources"] = {"limits": {"cpu": "lots"}}
    assert (
        ask("create", "pods", body=body)
        .body["message"]
        .startswith('Pod in version "v1" cannot be handled as a Pod: quantities must match the regular expression')
    )
    body["spec"]["containers"][0]["resources"] = {"limits": {"cpu": "1"}, "requests": {"cpu": "2"}}
    assert ask("create", "pods", body=body).body["message"] == (
        'Pod "p" is invalid: spec.containers[0].resources.requests: Invalid value: "2": must be less than or equal to '
        "cpu limit of 1"
    )


def test_pods_hardly_change(ask):
    ask("create", "pods", body=pod())
    change = {"spec": {"containers": [{"name": "c", "image": "y:2"}]}}
    assert (
        ask("patch", "pods", "p", body=change, content_type=STRATEGIC).body["spec"]["containers"][0]["image"] == "y:2"
    )
    change = {"spec": {"containers": [{"name": "c", "command": ["sleep"]}]}}
    answer = ask("patch", "pods", "p", body=change, content_type=STRATEGIC)
    assert answer.body["message"].startswith(
        'Pod "p" is invalid: spec: Forbidden: pod updates may not change fields other than `spec.containers[*].image`,'
    )


def test_a_namespace_that_is_missing_or_goes(ask):
    assert ask("create", "pods", namespace="nope", body=pod()).body["message"] == 'namespaces "nope" not found'
    ask("delete", "namespaces", "t", namespace="")
    assert ask("create", "pods", body=pod()).body["message"] == (
        'pods "p" is forbidden: unable to create new content in namespace t because it is being terminated'
    )


def test_what_a_resource_cannot_do(ask):
    assert ask("create", "nodes.metrics.k8s.io", body={}).code == 405
    assert ask("list", "widgets").body["message"] == "the server could not find the requested resource"
    assert ask("get", "configmaps", "x", subresource="log").code == 404


BODIES = [None, [], 5, "x", {}, {"metadata": 5}, {"metadata": {"name": 5}}, {"spec": []}, {"metadata": {"labels": [1]}}]


@pytest.mark.parametrize("resource", ["pods", "deployments.apps", "services", "configmaps", "jobs.batch", "nodes"])
@pytest.mark.parametrize("body", BODIES, ids=str)
def test_no_body_raises(ask, resource, body):
    assert ask("create", resource, body=body).code in (400, 422)
    for content_type in (STRATEGIC, MERGE, JSON_PATCH, "application/apply-patch+yaml"):
        assert ask("patch", resource, "x", body=body, content_type=content_type).code >= 400

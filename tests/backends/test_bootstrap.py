"""What a kind cluster of 1.32 has in kube-system before anybody has done anything, and what comes of changes to it.

Names and contents: `bootstrappolicy` of the API server, kubeadm's phases, `kubectl get -A` of such clusters.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest

from aiops_gym.backends.baseline import boot_cluster
from aiops_gym.catalog import registry
from aiops_gym.sim.kernel.times import millis
from aiops_gym.sim.kernel.world import World
from aiops_gym.sim.kube_api import handle
from aiops_gym.types import Request

Json = Any
ROLES = "clusterroles.rbac.authorization.k8s.io"
LEASES = "leases.coordination.k8s.io"
PARTS = "apiservices.apiregistration.k8s.io"
SCALED = {"body": {"spec": {"replicas": 0}}, "content_type": "application/merge-patch+json"}


@cache
def booted() -> World:
    return boot_cluster(registry.find_app("hotel_reservation"), 0)


@pytest.fixture
def world() -> World:
    return booted().fork()


def ask(world: World, verb: str, resource: str, namespace: str = "", name: str = "", **rest: Json) -> Json:
    answer = handle(world, Request(verb, resource, namespace, name, **rest))
    assert answer.code < 300, answer.body
    return answer.body


def names(world: World, resource: str, namespace: str = "") -> set[str]:
    return {each["metadata"]["name"] for each in ask(world, "list", resource, namespace)["items"]}


def test_the_settings_of_kubeadm_lie_where_it_puts_them(world: World) -> None:
    system = {"coredns", "extension-apiserver-authentication", "kube-proxy", "kube-root-ca.crt", "kubeadm-config"}
    system |= {"kubelet-config", "kube-apiserver-legacy-service-account-token-tracking"}
    assert names(world, "configmaps", "kube-system") == system
    assert names(world, "configmaps", "kube-public") == {"cluster-info", "kube-root-ca.crt"}


def test_each_controller_has_an_account_and_the_daemons_run_as_theirs(world: World) -> None:
    accounts = names(world, "serviceaccounts", "kube-system")
    assert len(accounts) == 38
    used = {pod["spec"]["serviceAccountName"] for pod in ask(world, "list", "pods", "kube-system")["items"]}
    assert {"coredns", "kindnet", "kube-proxy", "metrics-server"} <= used <= accounts


def test_the_ranks_of_the_system_are_there_and_pods_bear_them(world: World) -> None:
    assert names(world, "priorityclasses.scheduling.k8s.io") == {"system-cluster-critical", "system-node-critical"}
    pods = ask(world, "list", "pods", "kube-system", query={"labelSelector": "k8s-app=kube-dns"})["items"]
    assert {pod["spec"]["priority"] for pod in pods} == {2_000_000_000}


def test_leaders_renew_their_leases_while_they_run_and_nothing_is_written(world: World) -> None:
    def renewed() -> int:
        return millis(ask(world, "get", LEASES, "kube-system", "kube-scheduler")["spec"]["renewTime"])

    version, first = world.store.get(LEASES, "kube-system", "kube-scheduler"), renewed()
    assert 0 <= world.now - first < 2_000
    world.run(9_000)
    assert first + 6_000 < renewed() <= world.now
    assert world.store.get(LEASES, "kube-system", "kube-scheduler") is version


def test_an_api_that_others_serve_is_there_while_they_are(world: World) -> None:
    def state(name: str) -> tuple[str, str]:
        condition = ask(world, "get", PARTS, "", name)["status"]["conditions"][0]
        return condition["status"], condition["reason"]

    assert state("v1.apps") == ("True", "Local")
    assert state("v1beta1.metrics.k8s.io") == ("True", "Passed")
    ask(world, "patch", "deployments.apps", "kube-system", "metrics-server", **SCALED)
    world.run(40_000)
    assert state("v1beta1.metrics.k8s.io") == ("False", "MissingEndpoints")


def test_the_usual_roles_hold_what_they_are_made_up_of(world: World) -> None:
    def may(name: str) -> set[tuple[str, str]]:
        rules = ask(world, "get", ROLES, "", name)["rules"]
        return {(verb, each) for rule in rules for verb in rule["verbs"] for each in rule.get("resources", ())}

    assert ("list", "pods") in may("view") and ("list", "secrets") not in may("view")
    assert may("view") < may("edit") < may("admin")
    assert ("create", "rolebindings") in may("admin") - may("edit")
    assert len(names(world, ROLES)) == 70


def test_a_new_role_with_the_label_is_taken_up(world: World) -> None:
    rule = {"apiGroups": ["example.com"], "resources": ["widgets"], "verbs": ["get"]}
    meta = {"name": "widgets", "labels": {"rbac.authorization.k8s.io/aggregate-to-view": "true"}}
    ask(world, "create", ROLES, body={"metadata": meta, "rules": [rule]})
    world.run(1_000)
    assert all(rule in ask(world, "get", ROLES, "", each)["rules"] for each in ("view", "edit", "admin"))
    ask(world, "delete", ROLES, "", "widgets")
    world.run(1_000)
    assert all(rule not in ask(world, "get", ROLES, "", each)["rules"] for each in ("view", "edit", "admin"))


def test_who_asks_in_another_name_may_do_what_that_name_s_roles_allow(world: World) -> None:
    def refusal(verb: str, name: str = "", **whom: Json) -> str:
        body = handle(world, Request(verb, "pods", "default", name, **{"user": "jane", **whom})).body
        return str(body["message"]) if body.get("reason") == "Forbidden" else ""

    cannot = 'User "jane" cannot {} resource "pods" in API group "" in the namespace "default"'
    assert refusal("list") == f"pods is forbidden: {cannot.format('list')}"
    assert refusal("get", "web") == f'pods "web" is forbidden: {cannot.format("get")}'
    assert refusal("list", groups=("system:masters",)) == ""
    subject = {"kind": "Group", "name": "dev", "apiGroup": "rbac.authorization.k8s.io"}
    body = {"metadata": {"name": "dev"}, "roleRef": {"kind": "ClusterRole", "name": "view"}, "subjects": [subject]}
    ask(world, "create", "rolebindings.rbac.authorization.k8s.io", "default", body=body)
    assert refusal("list", groups=("dev",)) == "" and refusal("list") != ""
    assert refusal("delete", "web", groups=("dev",)) == f'pods "web" is forbidden: {cannot.format("delete")}'


def test_the_parts_of_the_control_plane_are_well_and_kubectl_is_warned(world: World) -> None:
    answer = handle(world, Request("list", "componentstatuses", table=True))
    assert [row["cells"][:3] for row in answer.body["rows"]] == [
        ["controller-manager", "Healthy", "ok"],
        ["scheduler", "Healthy", "ok"],
        ["etcd-0", "Healthy", "ok"],
    ]
    assert getattr(answer, "warnings", ()) == ("v1 ComponentStatus is deprecated in v1.19+",)

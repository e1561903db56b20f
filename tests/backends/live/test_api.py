"""The client of the API and what may go wrong on the way, each played by a proxy; no second of the wall is waited."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import product
from pathlib import Path

import pytest
from disturbing import Proxy
from served import Served, serve

from aiops_gym.backends.kubernetes import account, deploy
from aiops_gym.backends.kubernetes.api import Api, connect, read_exit_code
from aiops_gym.backends.kubernetes.clocks import ServedClock
from aiops_gym.backends.kubernetes.cluster import RealCluster
from aiops_gym.catalog import registry
from aiops_gym.errors import BackendError
from aiops_gym.shell.sandbox import Sandbox
from aiops_gym.sim.kube_api.resources import RESOURCES
from aiops_gym.types import Output, Request

APP = registry.find_app("hotel_reservation")
SPACE = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "shop", "labels": {deploy.LABEL: deploy.OURS}}}


def settings(name: str = "one", **data: str) -> dict[str, object]:
    """A ConfigMap."""
    meta = {"name": name, "namespace": "shop"}
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": meta, "data": data}


class Cluster:
    """A served cluster with a disturbing proxy before it, and a client."""

    def __init__(self, served: Served, proxy: Proxy) -> None:
        self.served, self.proxy = served, proxy
        self.clock = ServedClock(served.cluster["clock"], served.cluster["clock_token"])
        self.api = Api(connect(served.context, served.cluster["kubeconfig"]), self.clock, 60.0)


@pytest.fixture
def cluster() -> Iterator[Cluster]:
    proxy = Proxy()
    with serve(APP.id, proxy) as served:
        made = Cluster(served, proxy)
        made.api.apply(SPACE)
        yield made
        made.api.close()
        made.clock.close()


def test_an_applied_object_is_there_and_may_be_applied_again(cluster: Cluster) -> None:
    cluster.api.apply(settings(a="1"))
    cluster.api.apply(settings(a="2", b="3"))
    found = cluster.api.get("configmaps", "shop", "one")
    assert found is not None and found["data"] == {"a": "2", "b": "3"}
    cluster.api.delete("configmaps", "shop", "one")
    assert cluster.api.get("configmaps", "shop", "one") is None


def test_a_server_that_is_gone_for_30_seconds_is_waited_for(cluster: Cluster) -> None:
    before = cluster.clock.now()
    cluster.proxy.gone_until = before + 30
    assert cluster.api.get("namespaces", "", "shop") is not None
    assert 30 <= cluster.clock.now() - before < 40


def test_a_server_that_stays_away_is_one_clear_error(cluster: Cluster) -> None:
    cluster.proxy.gone_until = cluster.clock.now() + 3_600
    with pytest.raises(BackendError, match=r"the API server at http://127.0.0.1:\d+ .*for 60 seconds"):
        cluster.api.get("namespaces", "", "shop")
    cluster.proxy.gone_until = 0.0


def test_a_busy_server_says_when_to_come_again(cluster: Cluster) -> None:
    cluster.proxy.play(lambda method, path: "configmaps" in path, 2, 429, "TooManyRequests", retry_after="7")
    before = cluster.clock.now()
    cluster.api.apply(settings(a="1"))
    assert 14 <= cluster.clock.now() - before < 16


def test_a_conflict_is_tried_again_and_a_name_that_is_taken_is_not(cluster: Cluster) -> None:
    cluster.proxy.play(lambda method, path: method == "PATCH", 2, 409, "Conflict")
    cluster.api.apply(settings(a="1"))
    taken = cluster.api.insist(Request("create", "configmaps", "shop", body=settings(a="2")))
    assert (taken.code, taken.body["reason"]) == (409, "AlreadyExists")


def test_a_list_goes_on_page_by_page_and_begins_anew_where_it_is_too_old(cluster: Cluster, monkeypatch) -> None:
    monkeypatch.setattr("aiops_gym.backends.kubernetes.api.PAGE", 2)
    for number in range(5):
        cluster.api.apply(settings(f"c{number}"))
    cluster.proxy.play(lambda method, path: "continue=" in path, 1, 410, "Expired")
    names = [each["metadata"]["name"] for each in cluster.api.list("configmaps", "shop")]
    assert names == ["c0", "c1", "c2", "c3", "c4"]


def test_a_watch_goes_on_where_it_ended_and_lists_anew_where_that_is_too_old(cluster: Cluster) -> None:
    watched = lambda method, path: "watch=true" in path  # noqa: E731
    gone = {"type": "ERROR", "object": {"kind": "Status", "code": 410, "reason": "Expired"}}
    cluster.proxy.broken(watched, 1, json.dumps(gone).encode() + b"\n")
    cluster.api.apply(settings(a="1"))
    events = cluster.api.watch("configmaps", "shop", 1)
    assert ("MODIFIED", "one") in [(kind, obj["metadata"]["name"]) for kind, obj in events]


def test_a_token_that_has_expired_is_drawn_anew(cluster: Cluster) -> None:
    for manifest in APP.manifests[:1]:
        cluster.api.apply(deploy.label(manifest))
    agent = Api(account.introduce(cluster.api, APP), cluster.clock, 60.0)
    first = agent.client.configuration.api_key["BearerToken"]
    cluster.clock.wait(account.LASTS + 60)
    assert agent.send(Request("list", "pods", APP.namespace)).code == 200
    assert agent.client.configuration.api_key["BearerToken"] != first
    agent.close()


def test_credentials_that_stay_refused_are_one_clear_error(cluster: Cluster) -> None:
    cluster.proxy.play(lambda method, path: True, 5, 401, "Unauthorized")
    with pytest.raises(BackendError, match="refuses the credentials"):
        cluster.api.list("pods", "shop")


def test_a_command_in_a_pod_has_its_output_and_its_code(cluster: Cluster) -> None:
    pod = {"containers": [{"name": "one", "image": "busybox:1.36", "command": ["sleep", "3600"]}]}
    meta = {"name": "box", "namespace": "shop"}
    cluster.api.apply({"apiVersion": "v1", "kind": "Pod", "metadata": meta, "spec": pod})
    cluster.clock.wait(30)
    run = Request("create", "pods", "shop", "box", "exec", {"command": ["sh", "-c", "echo o; echo e >&2; exit 3"]})
    assert cluster.api.send(run).body == Output("o\n", "e\n", 3)
    missing = cluster.api.send(Request("create", "pods", "shop", "none", "exec", {"command": ["ls"]}))
    assert (missing.code, missing.body["reason"]) == (404, "NotFound")


def test_the_status_at_the_end_of_a_stream_is_a_code_or_tells_why_nothing_ran() -> None:
    cause = {"reason": "ExitCode", "message": "3"}
    assert read_exit_code({"metadata": {}, "status": "Success"}) == 0
    assert read_exit_code({"status": "Failure", "reason": "NonZeroExitCode", "details": {"causes": [cause]}}) == 3
    refused = {"message": "Internal error occurred: error sending request", "reason": "InternalError", "code": 500}
    assert read_exit_code({**refused, "status": "Failure", "details": {"causes": [{"message": "dial tcp"}]}}) is None


def test_rows_of_a_table_are_sorted_by_any_field_of_their_objects(cluster: Cluster) -> None:
    for name, owner in (("one", "b"), ("two", "a")):
        cluster.api.apply(settings(name, owner=owner))
    asked = Sandbox(RealCluster(cluster.api), 1).run("kubectl get configmaps -n shop --sort-by=.data.owner -o name")
    shown = Sandbox(RealCluster(cluster.api), 1).run("kubectl get configmaps -n shop --sort-by=.data.owner")
    ours = ("configmap/one", "configmap/two")
    assert [name for name in asked.stdout.split() if name in ours] == ["configmap/two", "configmap/one"]
    names = [line.split()[0] for line in shown.stdout.splitlines()]
    assert [name for name in names if name in ("one", "two")] == ["two", "one"]


def test_a_namespace_that_is_stuck_is_named_with_what_holds_it(cluster: Cluster) -> None:
    held = settings(a="1")
    held["metadata"]["finalizers"] = ["example.org/held"]  # type: ignore[index]
    cluster.api.apply(held)
    with pytest.raises(BackendError, match=r"shop is stuck in Terminating: .*example.org/held"):
        deploy.clean_up(cluster.api)


def test_only_what_bears_the_label_is_cleaned_up(cluster: Cluster) -> None:
    cluster.api.apply({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "theirs"}})
    assert deploy.clean_up(cluster.api) == ["namespace shop"]
    names = {each["metadata"]["name"] for each in cluster.api.list("namespaces")}
    assert "theirs" in names and "shop" not in names


def test_a_cluster_with_workloads_of_others_is_refused_unless_it_may_be_shared(cluster: Cluster) -> None:
    pod = {"containers": [{"name": "one", "image": "busybox:1.36", "command": ["sleep", "3600"]}]}
    meta = {"name": "precious", "namespace": "default"}
    cluster.api.apply({"apiVersion": "v1", "kind": "Pod", "metadata": meta, "spec": pod})
    with pytest.raises(BackendError, match=r"default/precious.*allow_shared"):
        deploy.check_room(cluster.api, APP, False)
    deploy.check_room(cluster.api, APP, True)


def test_a_namespace_of_that_name_which_is_not_ours_is_left_alone(cluster: Cluster) -> None:
    cluster.api.apply({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": APP.namespace}})
    with pytest.raises(BackendError, match="is not ours"):
        deploy.check_room(cluster.api, APP, True)


def test_the_table_of_the_page_is_what_is_granted() -> None:
    text = (Path(__file__).parents[3] / "docs/howto/real-cluster.md").read_text(encoding="utf-8")
    text = text.partition("## What the agent may do")[2].partition("\n## ")[0]
    rows = [
        line.strip("| \n").split(" | ") for line in text.splitlines() if line.startswith("| ") and line.count("|") == 4
    ]
    listed = {
        (group.strip(), resource.strip(), verbs)
        for groups, resources, verbs in rows
        for group, some in zip(groups.split(", "), split(groups, resources), strict=True)
        for resource in some
    }
    names = {account.READ: "read", (*account.READ, *account.WRITE): "all"}
    granted = {
        (each.group or "core", resource, names.get(each.verbs, ", ".join(each.verbs)))
        for each in (*account.IN_NAMESPACE, *account.EVERYWHERE)
        for resource in each.resources
    }
    assert granted <= listed, granted - listed
    titles = {
        ("group", "resources", "verbs"),
        ("core", "the PersistentVolumes of the application", "delete, patch, update"),
    }
    others = {("setting", "default", "meaning"), ("core", "by name", "delete, patch, update")}
    rest = {row for row in listed - granted - titles - others if row[0] in {each[0] for each in granted}}
    assert not rest, rest


def split(groups: str, resources: str) -> list[list[str]]:
    """The resources of each group in a row: those of several groups stand in their order, one each."""
    names = resources.split(", ")
    return [names] if ", " not in groups else [[name] for name in names]


VERBS = ("get", "list", "watch", "create", "update", "patch", "delete", "deletecollection")


def may(verb: str, resource: str, namespace: str, name: str, subresource: str = "") -> bool:
    """Whether the table of the documentation lets the account do something."""
    inside, everywhere = account.list_grants(APP)
    known = RESOURCES[resource]
    path = f"{known.plural}/{subresource}" if subresource else known.plural
    grants = (*everywhere, *(inside if namespace == APP.namespace and known.namespaced else ()))
    return any(
        known.group == g.group and path in g.resources and verb in g.verbs and (not g.names or name in g.names)
        for g in grants
    )


def test_the_token_of_the_agent_may_do_what_the_table_lists_and_nothing_else(cluster: Cluster) -> None:
    cluster.api.apply(deploy.label(APP.manifests[0]))
    agent = Api(account.introduce(cluster.api, APP), cluster.clock, 60.0)
    tried = 0
    for verb, resource in product(VERBS, RESOURCES.values()):
        if resource.verbs == ("create",) or verb == "watch":
            continue
        for space in (APP.namespace, "kube-system") if resource.namespaced else ("",):
            names = ("nothing", "geo-pv") if resource.name == "persistentvolumes" else ("nothing",)
            for name in names if verb in ("get", "update", "patch", "delete") else ("",):
                body = {"apiVersion": resource.api_version, "kind": resource.kind, "metadata": {"name": "nothing"}}
                query = {"dryRun": "All"} if verb not in ("get", "list") else {}
                kind = "application/merge-patch+json" if verb == "patch" else ""
                given = body if verb in ("create", "update", "patch") else None
                answer = agent.send(Request(verb, resource.name, space, name, "", given, kind, query))
                refused = answer.code == 403 and "cannot" in answer.body["message"]
                if answer.code != 405:  # what no server does with such a kind needs no refusal
                    assert refused != may(verb, resource.name, space, name), (verb, resource.name, space, name, answer)
                    tried += 1
    assert tried > 400
    for sub, verb in (("token", "create"), ("proxy", "get")):
        kind = "serviceaccounts" if sub == "token" else "services"
        body = {"path": "/"} if sub == "proxy" else {}
        answer = agent.send(Request(verb, kind, APP.namespace, account.NAME, sub, body))
        assert answer.code == 403, answer
    agent.close()


def test_what_is_asked_in_another_name_is_judged_by_that_name_s_roles(cluster: Cluster) -> None:
    refused = cluster.api.send(Request("list", "pods", "shop", user="jane", groups=("dev", "ops")))
    why = 'pods is forbidden: User "jane" cannot list resource "pods" in API group "" in the namespace "shop"'
    assert (refused.code, refused.body["message"]) == (403, why)
    body = {"roleRef": {"kind": "ClusterRole", "name": "view"}, "subjects": [{"kind": "Group", "name": "ops"}]}
    body |= {"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "RoleBinding", "metadata": {"name": "ops"}}
    assert cluster.api.apply(body, "shop")
    assert cluster.api.send(Request("list", "pods", "shop", user="jane", groups=("dev", "ops"))).code == 200
    assert cluster.api.send(Request("create", "pods", "shop", "x", "exec", user="jane")).code == 403

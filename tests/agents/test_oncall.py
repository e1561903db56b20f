"""The agent on call: what its books conclude from texts, the course that it takes, and that it plays each task."""

from __future__ import annotations

import json

import gymnasium as gym
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aiops_gym.agents.base import make, read_needs
from aiops_gym.agents.oncall.books import conclude, load
from aiops_gym.agents.oncall.objects import Cluster, parse
from aiops_gym.agents.oncall.repairs import restore
from aiops_gym.errors import CatalogError
from aiops_gym.runs import evaluate, run_episode
from aiops_gym.tools import parse as parse_action

SCENARIO = "misconfig_app_hotel_res-{task}-1"
STEPS = 30
"""Actions that an episode has."""


def workload(name="cart", **more):
    spec = {"containers": [{"name": "main", "image": "shop:v1", "ports": [{"containerPort": 80}], **more}]}
    return {
        "kind": "Deployment",
        "name": name,
        "replicas": 1,
        "made": 1,
        "conditions": [],
        "selector": {"app": name},
        "template": {"metadata": {"labels": {"app": name}}, "spec": spec},
    }


def pod(name="cart", **more):
    state = {"name": "main", "ready": True, "restarts": 0, "state": {}, "last": {}}
    made = {"kind": "Pod", "name": f"{name}-5c9-x", "owner": f"{name}-5c9", "phase": "Running", "ip": "10.0.0.7"}
    labels = {"app": name, "pod-template-hash": "5c9"}
    rest = {
        "conditions": [],
        "init": [],
        "images": [["main", "shop:v1"]],
        "states": [{**state, **more.pop("state", {})}],
    }
    return {**made, "labels": labels, **rest, **more}


def service(name="cart", **more):
    port = {"name": "80", "port": 80, "targetPort": 80}
    return {
        "kind": "Service",
        "name": name,
        "type": "ClusterIP",
        "ip": "10.96.0.9",
        "selector": {"app": name},
        "ports": [port],
        **more,
    }


def find(*objects, **signals):
    return conclude(Cluster("shop", "2026-03-03T11:00:00Z", list(objects), signals))


def only(*objects, **signals):
    (found,) = find(*objects, **signals)
    return found


def test_nothing_is_found_where_all_is_as_wanted():
    assert find(workload(), pod(), service()) == []


def test_a_selector_is_given_the_labels_of_the_pods():
    found = only(workload(), pod(), service(selector={"app": "card"}))
    assert (found.component, found.kind) == ("cart", "Misconfiguration")
    assert '{"app": "cart"}' in found.repairs[0]


def test_a_declared_port_is_a_note_and_what_answers_counts():
    odd = service(ports=[{"name": "web", "port": 80, "targetPort": 8080}])
    assert find(workload(), pod(), odd) == []
    assert find(workload(), pod(), odd, knocks="pod cart-5c9-x 80 refused\npod cart-5c9-x 8080 open") == []
    found = only(workload(), pod(), odd, knocks="pod cart-5c9-x 80 open\npod cart-5c9-x 8080 refused")
    assert '"/spec/ports/0/targetPort", "value": 80' in found.repairs[0]


def test_a_taint_that_keeps_a_pod_out_is_taken_away_and_that_of_the_control_plane_stays():
    said = (
        "1 node(s) had untolerated taint {upkeep: now}, 1 node(s) had untolerated taint {node-role.kubernetes.io/x: }"
    )
    taints = [{"key": "upkeep", "effect": "NoSchedule"}, {"key": "node-role.kubernetes.io/x", "effect": "NoSchedule"}]
    node = {"kind": "Node", "name": "n1", "labels": {}, "taints": taints}
    waits = pod(phase="Pending", states=[], conditions=[["PodScheduled", "Unschedulable", said]])
    assert only(workload(), waits, service(), node).repairs == ("kubectl taint nodes n1 upkeep:NoSchedule-",)


def test_a_field_is_put_back_as_the_newest_template_that_differs_had_it():
    live, path = workload(image="shop:v9"), ("spec", "containers", 0, "image")
    old = [
        {
            "kind": "ReplicaSet",
            "name": f"cart-{at}",
            "owner": "cart",
            "revision": str(at),
            "template": workload(image=image)["template"],
        }
        for at, image in ((1, "shop:v1"), (10, "shop:v2"), (11, "shop:v9"))
    ]
    assert '"value": "shop:v2"' in restore(Cluster("shop", objects=[live, *old]), live, path, "shop:latest")
    assert '"value": "shop:latest"' in restore(Cluster("shop", objects=[live]), live, path, "shop:latest")


def test_a_policy_that_forgets_names_is_given_port_53_and_one_that_does_not_is_left():
    def policy(rule):
        return {
            "kind": "NetworkPolicy",
            "name": "p",
            "spec": {"podSelector": {}, "policyTypes": ["Egress"], "egress": [rule]},
        }

    found = only(workload(), pod(), service(), policy({"to": [{"podSelector": {}}]}))
    assert '"port": 53' in found.repairs[0]
    assert find(workload(), pod(), service(), policy({})) == []
    assert find(workload(), pod(), service(), policy({"ports": [{"port": 53}]})) == []


@pytest.mark.parametrize(
    ("said", "kind"),
    [
        ("cart-5c9-x 0 10 packets transmitted, 6 packets received, 40% packet loss", "Network/Storage Issue"),
        ("cart-5c9-x 0 0% packet loss round-trip min/avg/max = 99.1/100.2/101.3 ms", "Network/Storage Issue"),
        ("cart-5c9-x 0 0% packet loss round-trip min/avg/max = 0.1/0.2/0.3 ms", None),
        ("cart-5c9-x 1 10 packets transmitted, 0 packets received, 100% packet loss", None),
        ("cart-5c9-x 0 10 packets transmitted, 0 packets received, 100% packet loss", "Network/Storage Issue"),
    ],
)
def test_pings_tell_a_bad_network_from_a_good_one_and_from_a_pod_that_went(said, kind):
    found = find(workload(), pod(), service(), pings=said)
    assert [each.kind for each in found] == ([kind] if kind else [])


def test_kills_count_when_they_go_on():
    killed = {"last": {"terminated": {"exitCode": 137, "reason": "Error"}}, "restarts": 2}
    assert find(workload(), pod(state=killed), service()) == []
    found = only(workload(), pod(state=killed), service(), pings="cart-5c9-x 3 0% packet loss")
    assert (found.layer, found.kind) == ("Operating System", "Operation Error")


def test_an_address_is_wrong_whose_service_offers_another_port():
    told = workload("web", env=[{"name": "CART", "value": "cart:81"}])
    found = only(told, workload(), pod(), service())
    assert (found.component, found.layer) == ("web", "Application")
    assert '"value": "cart:80"' in found.repairs[0]


def reading(*rows):
    told = workload()
    told["template"]["spec"]["volumes"] = [{"name": "v", "configMap": {"name": "cart"}}]
    web = service("web", ports=[{"name": "90", "port": 90, "targetPort": 80}])
    return find(told, pod(), service(), web, settings="\n".join("\t".join(row) for row in rows))


def test_a_port_in_a_file_is_wrong_that_the_service_does_not_offer():
    usual = ("app.json", "web.port", "90", "other", "8", "9")
    (found,) = reading(("app.json", "web.port", "91", "cart", "1", "9"), usual)
    assert (found.component, found.layer) == ("cart", "Application")
    assert 'setpath(["web", "port"]; 90)' in found.repairs[0]
    assert reading(usual) == []


def test_what_few_files_say_is_odd_and_an_empty_pool_is_more():
    rows = [
        ("app.json", "web.connections", "8", "cart", "1", "9"),
        ("app.json", "web.connections", "512", "o", "8", "9"),
    ]
    (odd,) = reading(*rows)
    (empty,) = reading(("app.json", "web.connections", "0", "cart", "1", "9"), rows[1])
    assert odd.strength < empty.strength


def test_a_mongod_that_refuses_operators_is_well_and_one_that_refuses_its_application_is_not():
    line = 'pod/cart-5c9-x: {{"c":"ACCESS","msg":"failed","e":"not authorized on {db} to execute command"'
    assert find(workload(), pod(), service(), logs=line.format(db="admin")) == []
    assert only(workload(), pod(), service(), logs=line.format(db="cart-db")).kind == "Authentication Issue"


def test_every_page_is_named_by_its_rule_and_finds_nothing_in_nothing():
    assert all("http" in (rule.__doc__ or "") for rule in load())
    assert find() == []


def test_half_a_line_is_no_object():
    assert parse('{"kind":"Pod","name":"a"}\n{"kind":"Pod","na') == [{"kind": "Pod", "name": "a"}]


def environment(task, **more):
    return gym.make(f"aiops_gym/{task.capitalize()}-v0", problem=SCENARIO.format(task=task), **more)


@pytest.mark.parametrize("task", ["localization", "analysis", "mitigation"])
def test_it_plays_a_task_to_full_marks(task):
    episode = run_episode(environment(task, tools="all"), make("oncall", None), 11)
    assert episode.reward == 1.0
    assert not any(step["error"] for step in episode.steps)


def test_it_handles_an_incident_from_the_page_to_the_report():
    episode = run_episode(environment("incident"), make("oncall", None), 11)
    assert [call for step in episode.steps if (call := step["tool"]) not in {"exec_shell", "query_metrics"}] == [
        "get_alerts", "acknowledge", "diagnose", "resolve", "report",
    ]  # fmt: skip
    assert episode.reward > 0.7, episode.results


def test_it_says_no_of_a_healthy_system_and_plays_the_same_again():
    env = gym.make("aiops_gym/Detection-v0", problem="noop_detection_hotel_reservation-1", tools="all")
    one, other = (run_episode(env, make("oncall", None), 5) for _ in range(2))
    assert one.reward == 1.0
    assert [step["action"] for step in one.steps] == [step["action"] for step in other.steps]


def test_it_is_given_all_tools_where_nothing_else_is_said(tmp_path):
    assert read_needs("oncall") == {"tools": "all"}
    played = ["noop_detection_hotel_reservation-1"]
    evaluate(["noop", "oncall"], "detection", problems=played, workers=0, signals=False, out=tmp_path)
    kept = [json.loads(path.read_text()) for path in sorted((tmp_path / "episodes").rglob("*.json"))]
    assert [(each["agent"], each["env_kwargs"].get("tools", "basic")) for each in kept] == [
        ("noop", "basic"),
        ("oncall", "all"),
    ]


def test_without_prometheus_it_says_what_it_needs():
    with pytest.raises(CatalogError, match='make the environment with tools="all"'):
        make("oncall", None).reset(environment("detection").reset(seed=1)[0])


@settings(max_examples=40, deadline=None)
@given(
    st.lists(
        st.text(max_size=60) | st.builds(json.dumps, st.dictionaries(st.text(), st.text())), min_size=1, max_size=9
    )
)
def test_no_text_stops_it(texts):
    agent = make("oncall", None)
    agent.reset(PROMPT)
    calls = []
    while not calls or calls[-1].name != "submit":
        calls.append(parse_action(agent.act(texts[len(calls) % len(texts)])))
        assert len(calls) < STEPS


PROMPT = "Namespace: shop\nquery_metrics(promql: str)\n"

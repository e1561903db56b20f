"""The agent with a runbook: what it recognises, how it repairs, and that nothing it reads can stop it."""

from __future__ import annotations

import json

import gymnasium as gym
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from toy_world import ToyEnv

from aiops_gym.agents.base import make
from aiops_gym.agents.runbook import question
from aiops_gym.agents.runbook.facts import Facts, read
from aiops_gym.agents.runbook.findings import LIKELY, conclude, load_rules
from aiops_gym.catalog import registry
from aiops_gym.runs import run_episode
from aiops_gym.tools import parse

TASKS = ("detection", "localization", "analysis", "mitigation")
STEPS = 25
"""Actions that it takes at most."""

FLOOR = 0.95
"""Share of Hotel Reservation's fixed problems that it must solve; measured: all of them."""


def prompts():
    return {task: ToyEnv(task).reset(seed=1)[0] for task in TASKS}


PROMPTS = prompts()


def template(**more):
    container = {"name": "main", "image": "shop:v1", "ports": [{"containerPort": 80}]}
    return {"containers": [{**container, **more.pop("container", {})}], "dnsPolicy": "ClusterFirst", **more}


def deployments(**specs):
    rows = ["## deployments"]
    for name, (replicas, ready, spec) in specs.items():
        rows.append(f"{name}\t{replicas}\t{ready or ''}\t{json.dumps({'app': name})}\t{json.dumps(spec)}")
    return "\n".join(rows)


def pod(name, **cells):
    given = {"owner": f"{name}-5c9", "phase": "Running", "labels": json.dumps({"app": name}), "ready": "true"}
    order = ("owner", "phase", "labels", "ready", "restarts", "waiting", "last_reason", "last_code", "last_started")
    order += ("last_finished", "images", "init_ready", "message", "unscheduled", "started")
    cells = {"restarts": "0", "images": "shop:v1", **given, **cells}
    return "\t".join([f"{name}-5c9-xk2", *(cells.get(each, "") for each in order)])


def policy(name, app, caller):
    chosen = {"matchExpressions": [{"key": "app", "operator": "In", "values": [app]}]}
    allowed = {"from": [{"podSelector": {"matchLabels": {"app": caller}}}]}
    return f"{name}\t" + json.dumps({"podSelector": chosen, "ingress": [allowed], "policyTypes": ["Ingress"]})


def found(*texts):
    facts = Facts("shop")
    for text in texts:
        read(facts, text)
    return conclude(facts)


def test_the_question_is_read_from_the_prompt():
    for task, prompt in PROMPTS.items():
        asked = question.read(prompt)
        assert (asked.task, asked.namespace) == (task, "test-hotel-reservation")
    assert "geo" in question.read(PROMPTS["localization"]).components
    assert question.read("What failed?") is None


def test_it_sees_nothing_but_text():
    agent = make("runbook", None)
    agent.reset(PROMPTS["mitigation"])
    assert parse(agent.act("")).name == "exec_shell"


def test_a_healthy_application_is_left_alone():
    shop = deployments(cart=(1, 1, template()), web=(2, 2, template()))
    services = f"## services\ncart\t{json.dumps({'app': 'cart'})}\t" + json.dumps([{"port": 80, "targetPort": 80}])
    assert (
        found(shop, f"## pods\n{pod('cart')}\n{pod('web')}", services, "## spans\nweb\tGET /\t100\t1\t900\t4000") == []
    )


@pytest.mark.parametrize(
    ("texts", "component", "repair"),
    [
        ([deployments(cart=(0, 0, template()))], "cart", "kubectl scale deployment cart -n shop --replicas=1"),
        (
            [deployments(cart=(1, 0, template())), "## pods\n" + pod("cart", ready="false", last_reason="OOMKilled")],
            "cart",
            '[{"op": "remove", "path": "/spec/template/spec/containers/0/resources/limits/memory"}]',
        ),
        (
            [
                deployments(cart=(1, 0, template(nodeSelector={"disk": "fast"}))),
                "## pods\n" + pod("cart", phase="Pending", ready="", unscheduled="didn't match Pod's node affinity"),
            ],
            "cart",
            '"remove", "path": "/spec/template/spec/nodeSelector"',
        ),
        (
            [
                deployments(cart=(1, 0, template(container={"image": "shop:v9"})), web=(1, 1, template())),
                "## pods\n" + pod("cart", ready="false", waiting="ImagePullBackOff", images="shop:v9"),
            ],
            "cart",
            '"value": "shop:v1"',
        ),
        (
            [
                deployments(cart=(1, 0, template())),
                "## pods\n" + pod("cart", phase="Pending", ready="", unscheduled="had untolerated taint {gpu: x}"),
                '## nodes\nn1\t[{"key":"gpu","effect":"NoSchedule"}]',
            ],
            "cart",
            "kubectl taint nodes n1 gpu:NoSchedule-",
        ),
        (
            [
                deployments(cart=(1, 1, template())),
                "## services\ncart\t{}\t" + json.dumps([{"port": 80, "targetPort": 8888}]),
            ],
            "cart",
            '"path": "/spec/ports/0/targetPort", "value": 80',
        ),
        (
            [
                deployments(cart=(1, 1, template())),
                "## pods\n" + pod("cart"),
                f"## services\ncart\t{json.dumps({'app': 'card'})}\t[]",
            ],
            "cart",
            "kubectl patch service cart -n shop --type=merge",
        ),
        (
            [
                deployments(cart=(1, 1, template())),
                "## pods\n" + pod("cart"),
                "## policies\nnobody\t" + json.dumps({"podSelector": {"matchLabels": {"app": "cart"}}}),
            ],
            "cart",
            "kubectl delete networkpolicy nobody -n shop",
        ),
        (
            [
                deployments(cart=(1, 1, template()), web=(1, 1, template())),
                f"## pods\n{pod('cart')}\n{pod('web')}",
                "## policies\n" + policy("fine", "cart", "web") + "\n" + policy("odd", "web", "nobody"),
            ],
            "web",
            "kubectl delete networkpolicy odd -n shop",
        ),
        (
            [
                deployments(cart=(1, 0, template())),
                "## revisions\n"
                + "\n".join(f"r{at}\tcart\t{at}\t{json.dumps(template(hostname=f'h{at // 3}'))}" for at in (1, 2, 3)),
            ],
            "cart",
            "kubectl rollout undo deployment/cart -n shop --to-revision=2",
        ),
        (
            [
                deployments(db=(1, 1, template())),
                "## claims\ndb-data\tPending\tslow\t",
                "## volumes\nv1\tReleased\tshop\tdb-data\tslow\nv2\tReleased\tother\tx\tslow",
            ],
            "",
            "for name in v1; do kubectl patch pv $name",
        ),
        (
            [
                deployments(cart=(1, 0, template(container={"env": [{"name": "REGISTRY", "value": "hub:8501"}]}))),
                "## services\nhub\t{}\t" + json.dumps([{"port": port} for port in (8300, 8500, 8600)]),
            ],
            "cart",
            '"value": "hub:8500"',
        ),
    ],
)
def test_a_symptom_names_its_component_and_its_repair(texts, component, repair):
    best = found(*texts)[0]
    assert best.component == component
    assert repair in best.repairs[0]


def test_who_is_killed_once_had_an_accident_and_who_is_killed_every_minute_did_not():
    shop, now = deployments(cart=(1, 1, template())), "## now 2026-03-03T11:02:00Z"

    def killed(started, restarts):
        cells = {"last_code": "137", "last_reason": "Error", "last_finished": "2026-03-03T11:01:30Z"}
        return found(shop, now, "## pods\n" + pod("cart", last_started=started, restarts=restarts, **cells))

    assert killed("2026-03-03T10:30:00Z", "1") == []
    assert killed("2026-03-03T11:01:25Z", "2") == []
    assert [each.component for each in killed("2026-03-03T11:00:30Z", "3")] == ["cart"]


def test_a_change_that_hurts_nobody_is_not_what_is_wrong():
    rows = "## revisions\n" + "\n".join(
        f"r{at}\tcart\t{at}\t{json.dumps(template(hostname=f'h{at}'))}" for at in (1, 2)
    )
    (calm,) = found(deployments(cart=(1, 1, template(hostname="h2"))), rows)
    failing = "## spans\nweb\t/cart.Cart/Get\t10\t9\t500\t600"
    (hurting,) = found(deployments(cart=(1, 1, template(hostname="h2"))), rows, failing)
    assert calm.strength < LIKELY < hurting.strength
    assert calm.repairs == hurting.repairs


def test_a_revision_that_differs_in_nothing_is_no_way_back():
    same = "## revisions\n" + "\n".join(f"r{at}\tcart\t{at}\t{json.dumps(template())}" for at in (1, 2))
    assert found(deployments(cart=(1, 1, template())), same) == []


@pytest.mark.full
def test_rules_solve_a_good_share_of_the_fixed_problems():
    rewards, longest = [], 0
    for task in TASKS:
        env = gym.make(f"aiops_gym/{task.capitalize()}-v0")
        for problem in registry.problems(task, "hotel_reservation"):
            episode = run_episode(env, make("runbook", None), 11, {"problem": problem.id})
            rewards.append(episode.reward)
            longest = max(longest, len(episode.steps))
            assert not any(step["error"] for step in episode.steps)
    assert sum(rewards) / len(rewards) >= FLOOR
    assert longest <= STEPS


NAMES = ("cart", "web", "cart-5c9-xk2", "web-5c9", "v1", "", "mongodb")
CELLS = (
    *("Running", "Pending", "false", "true false", "0", "7", "9" * 30, "CrashLoopBackOff", "OOMKilled", "137", "Error"),
    *("ImagePullBackOff", "CreateContainerConfigError", 'configmap "x" not found', "2026-03-03T11:02:00Z", "Released"),
    *("0/2 nodes are available: 1 Insufficient cpu", "had untolerated taint", "Unhealthy", "FailedCreate", "shop"),
    *("Readiness probe failed: dial tcp", "exceeded quota: q", "FailedMount", "Authentication failed", "null", "[]"),
    *(
        "not authorized on shop-db to execute command",
        "lookup cart:80: no such host",
        "SSLHandshakeFailed",
        "{}",
        "[1]",
    ),
    json.dumps(template()),
    json.dumps(
        template(container={"env": [{"name": "A", "value": "card:81"}], "command": ["web"], "livenessProbe": 1})
    ),
    json.dumps({"containers": [{"command": 5, "ports": {}, "env": "x", "resources": {"limits": {"cpu": "1m"}}}]}),
    json.dumps({"containers": [{"envFrom": [{"configMapRef": None}]}], "volumes": [{"persistentVolumeClaim": {}}]}),
    json.dumps({"policyTypes": [1], "podSelector": 3, "ingress": "x"}),
    json.dumps({"podSelector": {"matchExpressions": [{"operator": []}]}, "ingress": [{"from": [{"podSelector": 1}]}]}),
    json.dumps([{"port": 80, "targetPort": "http"}, {"port": {}, "targetPort": []}]),
    '[{"key": null, "effect": []}]',
)
SECTIONS = (
    *("deployments", "pods", "services", "endpoints", "revisions", "claims", "volumes", "policies", "quotas", "nodes"),
    *(
        "configmaps",
        "secrets",
        "events",
        "spans",
        "log deployment.apps/cart",
        "now 2026-03-03T11:03:00Z",
        "log",
        "other",
    ),
)

rows = st.lists(st.sampled_from(NAMES) | st.sampled_from(CELLS) | st.text(max_size=8), min_size=1, max_size=17)
sections = st.tuples(st.sampled_from(SECTIONS), st.lists(rows, max_size=4))


@st.composite
def observations(draw):
    """Text that looks like what the commands print, with anything in its cells."""
    lines = []
    for heading, table in draw(st.lists(sections, max_size=6)):
        lines += [f"## {heading}", *("\t".join(row) for row in table)]
    return "\n".join(lines)


@pytest.mark.full
@settings(max_examples=150, deadline=None)
@given(st.sampled_from(TASKS), st.lists(st.text(max_size=60) | observations(), min_size=1, max_size=12))
def test_nothing_that_it_reads_stops_it(task, texts):
    agent = make("runbook", None)
    agent.reset(PROMPTS[task])
    calls = []
    while not calls or calls[-1].name != "submit":
        calls.append(parse(agent.act(texts[len(calls) % len(texts)])))
        assert len(calls) <= STEPS
    assert all(call.name in ("exec_shell", "get_traces", "submit") for call in calls)


def test_every_symptom_has_a_rule_that_is_silent_about_nothing():
    assert len(load_rules()) >= 20
    assert all(list(rule(Facts("shop"))) == [] for rule in load_rules())

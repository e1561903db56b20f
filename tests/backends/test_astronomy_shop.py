"""Astronomy Shop in the simulated cluster: each flag, on and off again, by whichever command."""

import json

import gymnasium as gym
import pytest

import aiops_gym  # noqa: F401  (registers the environments)
from aiops_gym.backends import warmup
from aiops_gym.backends.baseline import make_baseline
from aiops_gym.backends.cluster import SimulatedCluster
from aiops_gym.backends.decisions import make_decisions
from aiops_gym.backends.inject import inject
from aiops_gym.backends.shadows import find_live_fault
from aiops_gym.catalog import names, registry
from aiops_gym.catalog.apps.astronomy_shop.flags import FLAGS
from aiops_gym.shell.sandbox import Sandbox
from aiops_gym.sim import traffic
from aiops_gym.sim.kernel.times import SECOND
from aiops_gym.sim.telemetry import traces
from aiops_gym.sim.traffic import timeline
from aiops_gym.sim.traffic.configuration import configured
from aiops_gym.testing.problems import check_problem
from tests.samples import some

APP = registry.find_app("astronomy_shop")
NS = APP.namespace
EDIT = (
    f"kubectl get configmap flagd-config -n {NS} -o json "
    '| jq \'.data["demo.flagd.json"] |= (fromjson | .flags.{flag}.defaultVariant = "{variant}" | tojson)\''
)
COMMANDS = {
    "replace": f"{EDIT} | kubectl replace -f -",
    "apply": f"{EDIT} | kubectl apply -f -",
    "patch": f"""text=$({EDIT} | jq -c '{{data: .data}}')
kubectl patch configmap flagd-config -n {NS} --type=merge -p "$text"
""",
}
RESTART = f"kubectl rollout restart deployment/flagd -n {NS} && kubectl rollout status deployment/flagd -n {NS}"
OFF = "off"


def _run(world, command):
    done = Sandbox(SimulatedCluster(world), 1).run(command, timeout=300)
    assert not done.code, done.output
    return done.output


def _turn(world, flag, variant, how="replace"):
    _run(world, COMMANDS[how].replace("{flag}", flag).replace("{variant}", variant))
    _run(world, RESTART)
    world.run(75 * SECOND)


def _logs(world, component):
    return _run(world, f"kubectl logs -n {NS} deploy/{component} --since=60s 2>/dev/null")


def _lag(world):
    tool = "kafka-consumer-groups.sh --bootstrap-server localhost:9092 --describe --group fraud-detection"
    return int(_run(world, f"kubectl exec -n {NS} deploy/kafka -- {tool}").split("\n")[2].split()[5])


def _cpu(world, component):
    lines = _run(world, f"kubectl top pods -n {NS} -l app.kubernetes.io/name={component} --no-headers").split()
    return int(lines[1].removesuffix("m"))


def _success(world, operation):
    return traffic.compute_success(world)[operation]


def _unready(world):
    process = next(p for p in world.table("processes").values() if p["container"] == "cart" and p["running"])
    return bool(configured(process).get("unready"))


SYMPTOMS = {
    ("adFailure", "on"): lambda w: _success(w, "ads") == pytest.approx(0.9) and "GetAds Failed" in _logs(w, "ad"),
    ("adHighCpu", "on"): lambda w: _cpu(w, "ad") > 3_000,
    ("adManualGc", "on"): lambda w: traffic.compute_latency(w)["ads"] > 900 and "manual gc now" in _logs(w, "ad"),
    ("cartFailure", "on"): lambda w: _success(w, "checkout") > 0.99 and "connect to redis" in _logs(w, "cart"),
    ("emailMemoryLeak", "10000x"): lambda w: (
        "OOMKilled" in _run(w, f"kubectl describe pods -n {NS} | grep Reason; true")
    ),
    ("failedReadinessProbe", "on"): _unready,
    ("imageSlowLoad", "10sec"): lambda w: _success(w, "image") == 0.0,
    ("imageSlowLoad", "5sec"): lambda w: 4_900 < traffic.compute_latency(w)["image"] < 5_300,
    ("kafkaQueueProblems", "on"): lambda w: _lag(w) > 500 and "sleeping 1 second" in _logs(w, "fraud-detection"),
    ("llmInaccurateResponse", "on"): lambda w: "InaccurateResponse feature flag: True" in _logs(w, "product-reviews"),
    ("llmRateLimitError", "on"): lambda w: "Error code: 429" in _logs(w, "product-reviews"),
    ("loadGeneratorFloodHomepage", "on"): lambda w: timeline.read_current(w)["rate"] > 2 * APP.rate,
    ("paymentFailure", "100%"): lambda w: _success(w, "checkout") == 0.0 and "Invalid token" in _logs(w, "frontend"),
    ("paymentFailure", "25%"): lambda w: _success(w, "checkout") == pytest.approx(0.75),
    ("paymentUnreachable", "on"): lambda w: _success(w, "checkout") == 0.0 and "badAddress" in _logs(w, "frontend"),
    ("productCatalogFailure", "on"): lambda w: (
        _success(w, "browse product") == pytest.approx(0.9) and "Product Catalog Fail" in _logs(w, "frontend")
    ),
    ("recommendationCacheFailure", "on"): lambda w: (
        _success(w, "recommendations") == pytest.approx(0.5) and "cache miss" in _logs(w, "recommendation")
    ),
}
"""What a flag does that its code does: where it shows, and whom it hurts."""

STAYS = ("emailMemoryLeak", "kafkaQueueProblems")
"""Flags that leave something behind: a pod that was killed, messages that nobody has read yet."""


def test_each_flag_has_its_symptom_here():
    assert {flag for flag, _ in SYMPTOMS} == set(FLAGS)


@pytest.mark.parametrize("turned", some(SYMPTOMS, 5), ids="-".join)
def test_a_flag_does_what_its_code_does_as_long_as_it_is_on(turned):
    flag, variant = turned
    world = make_baseline(APP.id, 0).fork(3)
    assert not SYMPTOMS[flag, variant](world)
    how = sorted(COMMANDS)[len(flag) % len(COMMANDS)]
    _turn(world, flag, variant, how)
    assert SYMPTOMS[flag, variant](world), flag
    _turn(world, flag, OFF, how)
    if flag not in STAYS:
        assert not SYMPTOMS[flag, variant](world), flag
    assert min(traffic.compute_success(world).values()) > 0.99


def test_a_flag_is_what_its_server_has_read():
    world = make_baseline(APP.id, 0).fork(4)
    _run(world, COMMANDS["replace"].replace("{flag}", "paymentFailure").replace("{variant}", "100%"))
    world.run(30 * SECOND)
    assert _success(world, "checkout") > 0.99  # an init container copies the file when the pod starts
    _run(world, RESTART)
    world.run(20 * SECOND)
    assert _success(world, "checkout") == 0.0
    _run(world, f"kubectl scale deployment/flagd -n {NS} --replicas=0")
    world.run(60 * SECOND)
    assert _success(world, "checkout") > 0.99  # whoever asks nobody keeps its own default


def test_every_service_is_traced_and_everybody_is_served():
    world = make_baseline(APP.id, 1)
    assert min(traffic.compute_success(world).values()) > 0.99
    known = set(traces.list_services(world))
    assert {"frontend-proxy", "frontend", "checkout", "payment", "accounting", "fraud-detection", "quote"} <= known
    spans, count = traces.find_traces(world, "accounting", world.now - 300 * SECOND, world.now, 1)
    assert count > 0
    assert {span.parent for span in spans} - {""} <= {span.span for span in spans}


def test_without_the_collector_there_are_no_spans():
    world = make_baseline(APP.id, 0).fork(5)
    _run(world, f"kubectl scale deployment/otel-collector -n {NS} --replicas=0")
    world.run(90 * SECOND)
    assert traces.find_traces(world, "frontend", world.now - 30 * SECOND, world.now, 5)[1] == 0


def test_orders_go_through_the_queue_into_the_database():
    world = make_baseline(APP.id, 0).fork(6)
    ask = f"kubectl exec -n {NS} deploy/postgresql -- psql -U root -d otel -c 'select count(*) from accounting.order'"
    before = int(_run(world, ask).split("\n")[2])
    world.run(600 * SECOND)
    rate = APP.rate * next(each["weight"] for each in APP.operations if each["name"] == "checkout")
    assert int(_run(world, ask).split("\n")[2]) - before == pytest.approx(600 * rate, rel=0.1)
    assert _lag(world) <= 1


def test_a_wrong_password_is_refused():
    world = make_baseline(APP.id, 0).fork(7)
    wrong = "DB_CONNECTION_STRING=postgres://otelu:wrong@postgresql/otel?sslmode=disable"
    _run(world, f"kubectl set env deployment/product-catalog -n {NS} '{wrong}'")
    world.run(90 * SECOND)
    pods = _run(world, f"kubectl get pods -n {NS} -l app.kubernetes.io/name=product-catalog")
    assert "CrashLoopBackOff" in pods or "Error" in pods


def test_the_server_of_flags_answers_over_http():
    world = make_baseline(APP.id, 0).fork(8)
    path = "http://flagd:8016/ofrep/v1/evaluate/flags/adFailure"
    found = _run(world, f"kubectl exec -n {NS} deploy/valkey-cart -- wget -qO- --post-data={{}} {path}")
    assert json.loads(found)["value"] is False


REGISTERED = [problem.id for problem in registry.problems(app=APP.id)]


@pytest.mark.full
@pytest.mark.parametrize("id_", REGISTERED)
def test_what_aiopslab_poses_keeps_every_promise(id_):
    check_problem(id_, (1,))


@pytest.mark.parametrize(("evaluation", "earned"), [("aiopslab", 1.0), ("strict", 0.0)])
def test_of_the_queue_aiopslab_looks_at_pods_alone(evaluation, earned):
    problem = "astronomy_shop_kafka_queue_problems-mitigation-1"
    env = gym.make("aiops_gym/Mitigation-v0", problem=problem, evaluation=evaluation)
    env.reset(seed=1)
    assert env.step("```\nsubmit()\n```")[1] == earned


def test_a_fault_turns_a_flag_where_its_server_reads_and_so_does_its_repair():
    world = make_baseline(APP.id, 0).fork(1)
    make_decisions(world, APP, 1, [("copy of the settings", "flagd")])
    problem = registry.find_problem("misled_charges_astronomy_shop-mitigation-checkout")
    fault = find_live_fault(world, APP, problem, None)
    inject(world, APP, fault)
    world.run(30 * SECOND)
    assert traffic.compute_success(world)["checkout"] == 0.0
    _run(world, fault.fixes[0])
    world.run(30 * SECOND)
    assert traffic.compute_success(world)["checkout"] == 1.0


BESIDE = {"a copy": (0, 1, 2), "tuning": (3, 2, 3), "notes": (8, 1, 3)}
"""Worlds in which people gave the server of flags another map, or one more: variant, number, volumes."""


@pytest.mark.parametrize(("variant", "number", "volumes"), BESIDE.values(), ids=BESIDE)
def test_the_flags_are_found_whatever_else_people_mounted(variant, number, volumes):
    world = warmup.make_lived_in(APP.id, variant, number)
    server = world.store.get("deployments.apps", NS, "flagd")
    assert len(server["spec"]["template"]["spec"]["volumes"]) == volumes
    name = names.read_flags(APP, [server])["flags_map"]
    assert (name == "flagd-config") == (volumes == 3)
    assert "demo.flagd.json" in world.store.get("configmaps", NS, name)["data"]

"""Groups of Kafka's consumers: who is handed messages, who dies of one, who is thrown out, and what is owed of it."""

import json

import pytest

from aiops_gym.backends.baseline import make_baseline
from aiops_gym.backends.cluster import SimulatedCluster
from aiops_gym.backends.promises import find_broken
from aiops_gym.catalog import registry
from aiops_gym.shell.sandbox import Sandbox
from aiops_gym.sim.kernel.times import MINUTE, SECOND
from aiops_gym.sim.machine.container import Container
from aiops_gym.sim.software import kafka_groups
from aiops_gym.sim.software.programs import kafka

APP = registry.find_app("astronomy_shop")
NS = APP.namespace
BIN = "/opt/kafka/bin"
ASK = f"kubectl exec -n {NS} deploy/kafka -- {BIN}/kafka-consumer-groups.sh --bootstrap-server localhost:9092"
VIEW = f"{BIN}/kafka-console-consumer.sh --bootstrap-server kafka:9092 --topic"
WRITE = f"{BIN}/kafka-verifiable-producer.sh --bootstrap-server kafka:9092 --topic orders --max-messages"
IMAGE = next(m for m in APP.manifests if (m["kind"], m["metadata"]["name"]) == ("Deployment", "kafka"))["spec"][
    "template"
]["spec"]["containers"][0]["image"]


@pytest.fixture
def world():
    return make_baseline(APP.id, 3).fork()


def _run(world, command, code=0):
    done = Sandbox(SimulatedCluster(world), 1).run(command, timeout=300)
    assert done.code == code, done.output
    return done.output


def _start(world, name, command, restart="Always"):
    _run(world, f"kubectl run {name} -n {NS} --image={IMAGE} --restart={restart} --command -- {command}")
    world.run(30 * SECOND)


def _describe(world, group):
    """The row of a group by the names of its columns."""
    lines = [line.split() for line in _run(world, f"{ASK} --describe --group {group}").splitlines() if line]
    return dict(zip(*lines[:2], strict=True))


def _broken(world):
    return sorted(name for name, _ in find_broken(world, make_baseline(APP.id, 3), APP))


def _restarts(world, name):
    pods = _run(world, f"kubectl get pods -n {NS} -l app.kubernetes.io/name={name} -o json")
    return sum(s["restartCount"] for pod in json.loads(pods)["items"] for s in pod["status"]["containerStatuses"])


def _turn(world, variant):
    change = f'.data["demo.flagd.json"] |= (fromjson | .flags.kafkaQueueProblems.defaultVariant = "{variant}" | tojson)'
    _run(world, f"kubectl get cm flagd-config -n {NS} -o json | jq '{change}' | kubectl replace -f -")
    _run(world, f"kubectl rollout restart deployment/flagd -n {NS}")


def test_a_healthy_group_has_one_member_that_is_not_behind(world):
    for group in ("accounting", "fraud-detection"):
        row = _describe(world, group)
        assert (row["TOPIC"], row["LAG"]) == ("orders", "0")
    assert _broken(world) == []


def test_messages_go_to_the_first_member_of_a_group_and_back_when_it_goes(world):
    _start(world, "viewer", f"{VIEW} orders --group accounting")
    assert _describe(world, "accounting")["CLIENT-ID"] == "console-consumer"
    members = _run(world, f"{ASK} --describe --group accounting --members").splitlines()[2:]
    assert sorted(row.split()[-2:] for row in members) == [["console-consumer", "1"], ["rdkafka", "0"]]
    assert _broken(world) == ["accounting"]
    world.run(2 * MINUTE)
    assert "Order details" not in _run(world, f"kubectl logs -n {NS} deploy/accounting --since=90s")
    assert _run(world, f"kubectl logs -n {NS} viewer --since=90s")
    assert "with 2 members" in _run(world, f"kubectl logs -n {NS} deploy/kafka")
    _run(world, f"kubectl delete pod viewer -n {NS}")
    world.run(20 * SECOND)
    assert _describe(world, "accounting")["CLIENT-ID"] == "rdkafka"
    assert _broken(world) == []


@pytest.mark.parametrize("options", ["orders", "orders --group viewers", "others --group accounting"])
def test_a_reader_of_another_group_or_topic_takes_nothing_away(world, options):
    _start(world, "viewer", f"{VIEW} {options}")
    assert _describe(world, "accounting")["CLIENT-ID"] == "rdkafka"
    assert _broken(world) == []


def test_of_a_message_that_it_cannot_read_one_consumer_dies_and_the_other_says_so(world):
    before = _restarts(world, "fraud-detection")
    _start(world, "writer", f"{WRITE} 1", restart="Never")
    told = [json.loads(line)["name"] for line in _run(world, f"kubectl logs -n {NS} writer").splitlines()]
    assert told == ["startup_complete", "producer_send_success", "shutdown_complete", "tool_data"]
    assert "Order parsing failed" in _run(world, f"kubectl logs -n {NS} deploy/accounting")
    assert _restarts(world, "fraud-detection") == before + 1
    said = _run(world, f"kubectl logs -n {NS} deploy/fraud-detection --previous --tail=5")
    assert 'Exception in thread "main" com.google.protobuf.InvalidProtocolBufferException' in said
    world.run(MINUTE)  # its offsets were committed as it closed: it does not meet the message again
    assert _restarts(world, "fraud-detection") == before + 1
    assert _broken(world) == []


def test_a_message_that_came_while_nobody_read_is_met_at_the_start(world):
    _run(world, f"kubectl scale deployment fraud-detection -n {NS} --replicas=0")
    world.run(20 * SECOND)
    assert _broken(world) == ["fraud-detection"]
    _run(world, f"kubectl exec -n {NS} deploy/kafka -- {WRITE} 3")
    _run(world, f"kubectl scale deployment fraud-detection -n {NS} --replicas=1")
    world.run(90 * SECOND)
    assert _restarts(world, "fraud-detection") == 1
    assert _broken(world) == []


def test_a_consumer_that_asks_too_seldom_leaves_its_group_and_comes_no_further(world):
    _turn(world, "on")
    world.run(4 * MINUTE)
    read = _describe(world, "fraud-detection")["CURRENT-OFFSET"]
    assert _broken(world) == ["fraud-detection"]
    world.run(4 * MINUTE)
    assert _describe(world, "fraud-detection") | {"LAG": 0, "LOG-END-OFFSET": 0} == {
        **dict.fromkeys(("LAG", "LOG-END-OFFSET"), 0),
        **dict.fromkeys(("CONSUMER-ID", "HOST", "CLIENT-ID"), "-"),
        "GROUP": "fraud-detection",
        "TOPIC": "orders",
        "PARTITION": "0",
        "CURRENT-OFFSET": read,
    }
    world.run(4 * MINUTE)
    said = _run(world, f"kubectl logs -n {NS} deploy/fraud-detection | grep -v 'Consumed\\|sleeping'")
    assert "consumer poll timeout has expired" in said
    assert "(Re-)joining group" in said
    assert _describe(world, "fraud-detection")["CURRENT-OFFSET"] == read
    _turn(world, "off")
    world.run(2 * MINUTE)
    assert (_describe(world, "fraud-detection")["LAG"], _broken(world)) == ("0", [])


def test_what_was_read_is_the_same_however_often_it_is_noted(world):
    _turn(world, "on")
    seldom, often = world.fork(), world.fork()
    for _ in range(16):
        often.run(10 * SECOND)
        for key in _list_brokers(often):
            kafka.program.event(Container(often, key), "settle")
    seldom.run(160 * SECOND)
    rows = [kafka_groups.count(each, key)["orders"] for each in (seldom, often) for key in _list_brokers(each)]
    assert rows[0]["groups"] == pytest.approx(rows[1]["groups"], abs=1e-6)


def _list_brokers(world):
    return [key for key, row in world.table("processes").items() if row["running"] and row["program"] == "kafka"]


def test_a_script_without_a_broker_says_so_and_gives_up(world):
    _run(world, f"kubectl scale deployment kafka -n {NS} --replicas=0")
    world.run(20 * SECOND)
    _start(world, "writer", f"{WRITE} 1", restart="Never")
    _start(world, "viewer", f"{VIEW} orders")
    world.run(90 * SECOND)
    for name in ("writer", "viewer"):
        assert "Bootstrap broker kafka:9092 (id: -1 rack: null) disconnected" in _run(
            world, f"kubectl logs -n {NS} {name}"
        )
    assert "Error" in _run(world, f"kubectl get pod writer -n {NS}")

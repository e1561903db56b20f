"""Kafka's scripts beside a broker: what they say, what they change, and what comes of it for who reads."""

import json
import re

import pytest

from aiops_gym.backends.baseline import make_baseline
from aiops_gym.backends.cluster import SimulatedCluster
from aiops_gym.backends.promises import find_broken
from aiops_gym.catalog import registry
from aiops_gym.shell.sandbox import Sandbox
from aiops_gym.sim.kernel.times import MINUTE, SECOND

APP = registry.find_app("astronomy_shop")
NS = APP.namespace
SERVER = "--bootstrap-server localhost:9092"
TOOLS = ("console-consumer", "console-producer", "consumer-groups", "topics", "get-offsets", "configs")


@pytest.fixture
def world():
    return make_baseline(APP.id, 3).fork()


def _run(world, script, code=0):
    """What a script in the broker's container prints; `topics --list` is enough of its name."""
    done = Sandbox(SimulatedCluster(world), 1).run(f"kubectl exec -i -n {NS} deploy/kafka -- {script}", timeout=90)
    assert done.code == code, done.output
    return done.output


def _ask(world, script, code=0, server=SERVER):
    name, _, options = script.partition(" ")
    return _run(world, f"/opt/kafka/bin/kafka-{name}.sh {server} {options}", code)


def _end(world, topic="orders"):
    return int(_ask(world, f"get-offsets --topic {topic}").strip().rpartition(":")[2])


def _read(world, group):
    return int(_ask(world, f"consumer-groups --describe --group {group} 2>/dev/null").splitlines()[2].split()[3])


def _scale(world, name, replicas):
    Sandbox(SimulatedCluster(world), 1).run(f"kubectl scale deployment {name} -n {NS} --replicas={replicas}")
    world.run(30 * SECOND)


def _broken(world):
    return [name for name, _ in find_broken(world, make_baseline(APP.id, 3), APP)]


def test_all_scripts_are_found_by_name_and_by_path(world):
    there = _run(world, "ls /opt/kafka/bin").split()
    for name in TOOLS:
        assert f"kafka-{name}.sh" in there
        for way in (f"kafka-{name}.sh", f"/opt/kafka/bin/kafka-{name}.sh"):
            assert _run(world, f"{way} --version") == "3.9.1\n"


def test_a_topic_is_described_and_one_that_there_is_not_is_an_error(world):
    head, row = _ask(world, "topics --describe --topic orders").splitlines()
    mark = re.fullmatch(
        r"Topic: orders\tTopicId: ([\w-]{22})\tPartitionCount: 1\tReplicationFactor: 1\tConfigs: ", head
    )
    assert mark
    assert row == "\tTopic: orders\tPartition: 0\tLeader: 1\tReplicas: 1\tIsr: 1\tElr: \tLastKnownElr: "
    said = _ask(world, "topics --describe --topic nope", 1)
    assert said.startswith("Error while executing topic command : Topic 'nope' does not exist as expected\n")
    assert "ERROR java.lang.IllegalArgumentException: Topic 'nope' does not exist as expected\n\tat org" in said


def test_a_topic_is_made_widened_written_to_and_taken_away(world):
    assert _ask(world, "topics --create --topic foo --partitions 2") == "Created topic foo.\n"
    assert "Topic 'foo' already exists." in _ask(world, "topics --create --topic foo", 1)
    assert "Topic already has 2 partition(s)." in _ask(world, "topics --alter --topic foo --partitions 2", 1)
    _ask(world, "topics --alter --topic foo --partitions 4")
    assert _ask(world, "topics --describe --topic foo").count("\tPartition: ") == 4
    world.run(5 * MINUTE)
    assert _ask(world, "get-offsets --topic foo") == "".join(f"foo:{n}:0\n" for n in range(4)), "orders go elsewhere"
    _run(world, f"sh -c 'printf \"a\\nb c\\n\" | kafka-console-producer.sh {SERVER} --topic foo'")
    said = _ask(world, "console-consumer --topic foo --from-beginning --max-messages 2")
    assert said == "a\nb c\nProcessed a total of 2 messages\n"
    _ask(world, "topics --delete --topic foo")
    assert _ask(world, "topics --list") == "__consumer_offsets\norders\n"


def test_who_reads_a_deleted_topic_goes_on_with_a_new_one(world):
    before, mark = _end(world), _ask(world, "topics --describe --topic orders")
    _ask(world, "topics --delete --topic orders")
    assert _end(world) == 0
    world.run(3 * MINUTE)
    assert 0 < _end(world) < before
    assert _read(world, "accounting") == _end(world)
    assert _ask(world, "topics --describe --topic orders").split()[3] != mark.split()[3]
    assert _broken(world) == []


def test_who_writes_into_a_deleted_topic_makes_it_again(world):
    for name in ("accounting", "fraud-detection"):
        _scale(world, name, 0)
    _ask(world, "topics --delete --topic orders")
    assert "orders" not in _ask(world, "topics --list")
    assert _ask(world, "consumer-groups --list") == ""
    world.run(3 * MINUTE)
    waiting = _end(world)
    assert waiting > 0
    _scale(world, "accounting", 1)
    assert _read(world, "accounting") == _end(world) >= waiting


def test_nobody_answers_elsewhere_and_a_server_has_to_be_named(world):
    said = _ask(world, "topics --list", 1, "--bootstrap-server localhost:9999")
    assert said.count("Connection to node -1 (localhost/127.0.0.1:9999) could not be established.") > 50
    assert "TimeoutException: Timed out waiting for a node assignment. Call: listTopics" in said
    assert "--bootstrap-server must be specified\n" in _ask(world, "topics --list", 1, "")
    assert 'Missing required argument "[bootstrap-server]"\n' in _ask(world, "consumer-groups --list", 1, "")


@pytest.mark.parametrize(
    ("script", "text"),
    [
        ("topics --list --describe", "Command must include exactly one action: --list, --describe, --create, --alter"),
        ("topics --nope", "nope is not a recognized option\njoptsimple.UnrecognizedOptionException: nope is not"),
        ("consumer-groups --all-groups", "Command must include exactly one action: --list, --describe, --delete, --"),
        ("consumer-groups --list --nope", 'Exception in thread "main" joptsimple.UnrecognizedOptionException: nope'),
        ("consumer-groups --describe", "Option [describe] takes one of these options: [all-groups], [group]"),
        ("console-consumer --max-messages 1", "Exactly one of --include/--topic is required."),
        ("console-consumer --topic", "Option topic requires an argument"),
    ],
)
def test_a_command_line_that_cannot_be_done_is_refused(world, script, text):
    assert _ask(world, script, 1).startswith(text)


def test_a_group_is_described_by_its_state_and_by_its_members(world):
    rows = _ask(world, "consumer-groups --describe --group accounting --state").splitlines()
    assert rows[1].split() == ["GROUP", "COORDINATOR", "(ID)", "ASSIGNMENT-STRATEGY", "STATE", "#MEMBERS"]
    assert rows[2].split() == ["accounting", "kafka:9092", "(1)", "range", "Stable", "1"]
    rows = _ask(world, "consumer-groups --describe --group accounting --members --verbose").splitlines()
    assert (rows[1].split()[-1], rows[2].split()[-1]) == ("ASSIGNMENT", "orders(0)")
    assert _ask(world, "consumer-groups --describe --group x") == "\nError: Consumer group 'x' does not exist.\n"


def test_a_group_that_somebody_is_in_is_neither_reset_nor_deleted(world):
    said = _ask(world, "consumer-groups --reset-offsets --group accounting --topic orders --to-earliest --execute")
    why = "Assignments can only be reset if the group 'accounting' is inactive, but the current state is Stable."
    assert said.startswith(f"\nError: {why}\n")
    said = _ask(world, "consumer-groups --delete --group accounting")
    assert said.startswith(
        "\nError: Deletion of some consumer groups failed:\n* Group 'accounting' could not be deleted"
    )
    assert said.endswith("GroupNotEmptyException: The group is not empty.\n")


def test_a_group_that_nobody_is_in_begins_where_it_is_told_to(world):
    _scale(world, "accounting", 0)
    reset = "consumer-groups --reset-offsets --group accounting --topic orders"
    before = _read(world, "accounting")
    rows = _ask(world, f"{reset} --shift-by -5 --dry-run").split()
    assert rows == ["GROUP", "TOPIC", "PARTITION", "NEW-OFFSET", "accounting", "orders", "0", str(before - 5)]
    assert "WARN: No action will be performed" in _ask(world, f"{reset} --to-earliest")
    assert _read(world, "accounting") == before
    for target, offset in (("--to-offset 7", 7), ("--to-earliest", 0), ("--shift-by 9", 9)):
        _ask(world, f"{reset} {target} --execute")
        assert _read(world, "accounting") == offset
    _scale(world, "accounting", 1)
    assert _read(world, "accounting") == _end(world), "it reads on from there"
    assert _broken(world) == []
    _scale(world, "accounting", 0)
    said = _ask(world, "consumer-groups --delete --group accounting")
    assert said == "Deletion of requested consumer groups ('accounting') was successful.\n"
    assert _ask(world, "consumer-groups --list") == "fraud-detection\n"


def test_what_is_no_order_is_found_among_the_messages(world):
    sent = _run(world, f"/opt/kafka/bin/kafka-verifiable-producer.sh {SERVER} --topic orders --max-messages 2")
    first = int(json.loads(sent.splitlines()[1])["offset"])
    shown = "--property print.offset=true --property print.partition=true --property print.key=true"
    said = _ask(world, f"console-consumer --topic orders --partition 0 --offset {first - 1} --max-messages 3 {shown}")
    order, *rest = said.split("Partition:0\tOffset:")[1:]
    assert re.match(rf"{first - 1}\tnull\t\n\$[0-9a-f-]{{36}}\x12\$[0-9a-f-]{{36}}\x1a", order)
    assert rest == [f"{first}\tnull\t0\n", f"{first + 1}\tnull\t1\nProcessed a total of 3 messages\n"]
    again = _ask(world, "console-consumer --topic orders --from-beginning --max-messages 3")
    assert again == _ask(world, "console-consumer --topic orders --from-beginning --max-messages 3")


def test_a_reader_waits_for_what_comes_and_gives_up_when_told_to(world):
    said = _ask(world, "console-consumer --topic quiet --timeout-ms 3000")
    assert "TimeoutException\nProcessed a total of 0 messages\n" in said
    assert "quiet" in _ask(world, "topics --list"), "asking for a topic makes it"
    began = world.now
    assert "a total of 2 messages" in _ask(world, "console-consumer --topic orders --max-messages 2")
    assert world.now > began


def test_a_group_of_the_console_remembers_what_it_has_read(world):
    read = "console-consumer --topic orders --group mine --from-beginning --max-messages"
    first = _ask(world, f"{read} 2")
    assert _read(world, "mine") == 2
    assert _ask(world, f"{read} 2") != first
    assert _read(world, "mine") == 4
    assert _broken(world) == []


def test_a_script_is_the_command_of_a_container_too(world):
    image = json.loads(Sandbox(SimulatedCluster(world), 1).run(f"kubectl get deploy kafka -n {NS} -o json").output)
    image = image["spec"]["template"]["spec"]["containers"][0]["image"]
    command = "/opt/kafka/bin/kafka-topics.sh --bootstrap-server kafka:9092 --list"
    shell = Sandbox(SimulatedCluster(world), 1)
    shell.run(f"kubectl run lister -n {NS} --image={image} --restart=Never --command -- {command}")
    world.run(30 * SECOND)
    assert shell.run(f"kubectl logs -n {NS} lister").output == "__consumer_offsets\norders\n"
    assert "Completed" in shell.run(f"kubectl get pod lister -n {NS}").output

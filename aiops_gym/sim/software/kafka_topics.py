"""Kafka's scripts for topics: `kafka-topics.sh`, `kafka-get-offsets.sh` and `kafka-configs.sh`.

What is set of a topic is kept and shown; nothing here cleans up a log after it.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Mapping, Sequence

from aiops_gym.sim.kernel import draws
from aiops_gym.sim.kernel.digits import integer
from aiops_gym.sim.kernel.regex import Regex
from aiops_gym.sim.kernel.regex_parser import RegexError
from aiops_gym.sim.machine.container import Container
from aiops_gym.sim.software.kafka_client import ILLEGAL, Call, Refused, Script, store
from aiops_gym.sim.software.kafka_groups import Topics, count, find_birth
from aiops_gym.types import Json, Output

INTERNAL, NEW = "__consumer_offsets", {"end": 0.0, "groups": {}}
KEPT = {"partitions": 50, "configs": {"compression.type": "producer", "cleanup.policy": "compact"}}
TIMES = {"latest": 1.0, "-1": 1.0, "earliest": 0.0, "-2": 0.0}
ACTIONS = ("list", "describe", "create", "alter", "delete")
HEALTHY = ("under-replicated-partitions", "unavailable-partitions", "under-min-isr-partitions")
COLLIDES = (
    "WARNING: Due to limitations in metric names, topics with a period ('.') or underscore ('_') could collide. To "
    "avoid issues it is best to use either, but not both.\n"
)
LONGEST = 249
"""Characters of a topic's name."""

MOST = 10_000
"""Partitions that a controller makes at one go."""

LETTERS = "contains one or more characters other than ASCII alphanumerics, '.', '_' and '-'"


def _topics(call: Call) -> Output:
    if sum(call.has(action) for action in ACTIONS) != 1:
        raise call.explain("Command must include exactly one action: --list, --describe, --create, --alter or --delete")
    if not call.has("bootstrap-server"):
        text = "--bootstrap-server must be specified"
        raise Refused(Output("", f"{text}\n{ILLEGAL}: {text}\n{FRAMES}", 1))
    if not call.has("list", "describe"):
        call.require("topic")
    if call.has("alter"):
        call.require("partitions")
    broker = call.connect("createTopics" if call.has("create") else "listTopics")
    topics = count(broker.world, broker.key)
    if call.has("create"):
        return _create(call, broker, topics)
    hidden = {INTERNAL} if call.has("exclude-internal") else set()
    found = [name for name in sorted({INTERNAL, *topics} - hidden) if _matches(call, name)]
    if call.has("list"):
        return Output("\n".join(found) + "\n")
    if call.get("topic") and not found and not call.has("if-exists"):
        raise call.fail(ILLEGAL, f"Topic '{call.get('topic')}' does not exist as expected")
    if call.has("describe"):
        return Output("".join(_describe(call, broker, name, topics.get(name, KEPT)) for name in found))
    return (_delete if call.has("delete") else _alter)(call, broker, topics, found)


def _matches(call: Call, name: str) -> bool:
    """Whether a topic is one of those that `--topic` names: a regular expression, or several after commas."""
    pattern = call.get("topic").strip("\"'")
    try:
        return not pattern or Regex(pattern.replace(",", "|")).matches(name)
    except RegexError as error:
        raise call.fail("java.lang.RuntimeException", f"{pattern} is an invalid regex.") from error


def _describe(call: Call, broker: Container, name: str, row: Mapping[str, Json]) -> str:
    many = int(row.get("partitions", 1))
    told = ",".join(f"{key}={value}" for key, value in sorted(row.get("configs", {}).items()))
    born = f"{broker.process['id']}/{name}/{find_birth(broker.process, name)}"
    digits = "5" + draws.hexes(31, broker.world.seed, "topic id", born)  # no id begins with a dash
    mark = base64.urlsafe_b64encode(bytes.fromhex(digits)).decode().rstrip("=")
    head = f"Topic: {name}\tTopicId: {mark}\tPartitionCount: {many}\tReplicationFactor: 1\tConfigs: {told}\n"
    form = f"\tTopic: {name}\tPartition: {{}}\tLeader: 1\tReplicas: 1\tIsr: 1\tElr: \tLastKnownElr: \n"
    if call.has("topics-with-overrides"):
        return head if told else ""
    return "" if call.has(*HEALTHY) else head + "".join(form.format(number) for number in range(many))


def _create(call: Call, broker: Container, topics: Topics) -> Output:
    name, many, copies = call.get("topic"), call.number("partitions"), call.number("replication-factor") or 1
    said = COLLIDES if set(name) & set("._") else ""
    if many is not None and many < 1:
        raise call.fail(ILLEGAL, "The partitions must be greater than 0")
    _refuse_many(call, many or 1)
    if len(name) > LONGEST:
        long = f"the length of '{name}' is longer than the max allowed length {LONGEST}"
        raise call.fail("InvalidTopicException", f"Topic name is invalid: {long}")
    if not re.fullmatch(r"[A-Za-z0-9._-]+", name):
        raise call.fail("InvalidTopicException", f"Topic name is invalid: '{name}' {LETTERS}")
    if name in (*topics, INTERNAL):
        if call.has("if-not-exists"):
            return Output(said)
        raise call.fail("TopicExistsException", f"Topic '{name}' already exists.")
    if copies != 1:
        why = f"The target replication factor of {copies} cannot be reached because only 1 broker(s) are registered."
        text = f"Unable to replicate the partition {copies} time(s): {why}"
        raise call.fail("InvalidReplicationFactorException", text)
    configs = dict(word.partition("=")[::2] for word in call.words.get("config", ()))
    store(broker, {**topics, name: {**NEW, "at": broker.now, "partitions": many or 1, "configs": configs}}, name)
    return Output(f"{said}Created topic {name}.\n")


def _alter(call: Call, broker: Container, topics: Topics, names: Sequence[str]) -> Output:
    """More partitions: they stay empty, as producers here go on with the first."""
    many = call.number("partitions") or 0
    for name in names:
        has = int(topics.get(name, KEPT).get("partitions", 1))
        if many <= has:
            less = f"The topic {name} currently has {has} partition(s); {many} would not be an increase."
            why = f"Topic already has {has} partition(s)." if many == has else less
            raise call.fail("InvalidPartitionsException", why)
    _refuse_many(call, many)
    store(broker, {name: {**row, "partitions": many} if name in names else row for name, row in topics.items()})
    return Output()


def _refuse_many(call: Call, many: int) -> None:
    if many > MOST:
        raise call.fail("PolicyViolationException", "Excessively large number of partitions per request.")


def _delete(call: Call, broker: Container, topics: Topics, names: Sequence[str]) -> Output:
    """With a topic its messages go, and what groups had read of it; with that of the offsets, what they had of any."""
    left = {name: row for name, row in topics.items() if name not in names}
    lost = sum(int(topics[name]["end"]) - len(topics[name].get("odd", ())) for name in names if name in topics)
    if lost > 0:  # of the application's, which nobody has any more
        broker.remember(lost=int(broker.state.get("lost", 0)) + lost)
    store(broker, {n: {**row, "groups": {}} for n, row in left.items()} if INTERNAL in names else left, *names)
    return Output()


def _offsets(call: Call) -> Output:
    """The end of each partition, its beginning, or what came at a time and after it."""
    call.require("bootstrap-server")
    broker, when, wanted = call.connect("listTopics"), call.get("time") or "latest", call.get("partitions")
    if when not in TIMES and integer(when) is None:
        raise call.fail("", f"Malformed time argument {when}. Please use -1 or latest / -2 or earliest")
    topics, rows = count(broker.world, broker.key), []
    for name in sorted({INTERNAL, *topics} - ({INTERNAL} if call.has("exclude-internal-topics") else set())):
        row = topics.get(name, KEPT) if _matches(call, name) else {"partitions": 0}
        for number in range(int(row.get("partitions", 1))):
            if not wanted or str(number) in wanted.split(","):
                end, born = int(row.get("end", 0)) if not number else 0, find_birth(broker.process, name)
                share = TIMES.get(when, ((integer(when) or 0) - born) / max(1, broker.now - born))
                found = f"{name}:{number}:{int(end * max(0.0, share))}\n" if share < 1.0 or when in TIMES else ""
                rows.append((f"{name}-{number}", found))
    if not rows:
        raise call.fail("", "Could not match any topic-partitions with the specified filters")
    return Output("".join(text for _, text in sorted(rows)))


def _configs(call: Call) -> Output:
    """What is set of topics; of a broker nothing is."""
    if not call.has("describe"):
        raise call.explain("Command must include exactly one action: --describe, --alter")
    call.require("bootstrap-server")
    kinds = ("topic", "broker")
    kind = next((each for each in kinds if call.has(each)), call.get("entity-type").rstrip("s"))
    broker, name, text = call.connect("describeConfigs"), call.get("entity-name") or call.get(kind), ""
    topics = {INTERNAL: KEPT, **count(broker.world, broker.key)} if kind == "topic" else {"1": {}}
    if kind == "topic" and name and name not in topics:
        return Output(f"The topic '{name}' doesn't exist and doesn't have dynamic config.\n")
    form = "  {0}={1} sensitive=false synonyms={{DYNAMIC_TOPIC_CONFIG:{0}={1}}}\n"
    for each in [name] if name else sorted(topics):
        rows = sorted(topics.get(each, {}).get("configs", {}).items())
        text += f"Dynamic configs for {kind} {each} are:\n" + "".join(form.format(*row) for row in rows)
    return Output(text)


FRAMES = "".join(
    f"\tat org.apache.kafka.tools.TopicCommand.{name}(TopicCommand.java)\n" for name in ("execute", "main")
)
LOGGED = "[{now}] ERROR {kind}: {text}\n" + FRAMES + " (org.apache.kafka.tools.TopicCommand)\n"
WANTED = "topic= topic-id= partitions= replication-factor= replica-assignment= config= if-exists if-not-exists"
TOPICS = Script(
    _topics,
    f"{' '.join((*ACTIONS, *HEALTHY))} {WANTED} exclude-internal topics-with-overrides at-min-isr-partitions",
    "{text}\n{kind}: {text}\n" + FRAMES,
    ("Error while executing topic command : {text}\n", LOGGED, 1),
)
SAID = "Error occurred: {text}\n"
OFFSETS = Script(_offsets, "topic= partitions= time= exclude-internal-topics", SAID, ("", SAID, 1))
SET = "Error while executing config command with args\njava.util.concurrent.ExecutionException: {kind}: {text}\n"
CONFIGS = Script(_configs, "describe all entity-type= entity-name= topic= broker=", "{text}\n", ("", SET, 1))

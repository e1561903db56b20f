"""Kafka's scripts that read and write messages, at one go: the console's consumer and producer, and the verifiable one.

What was written by hand says what was written; every other message is one of the application's, of which the image
knows the form (`record` in its params). They count as having come evenly, and as coming on as they do now.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

from aiops_gym.sim.kernel import draws
from aiops_gym.sim.kernel.digits import is_natural
from aiops_gym.sim.machine.container import Container
from aiops_gym.sim.software.kafka_client import CLIENTS, FOREVER, Call, Script, store
from aiops_gym.sim.software.kafka_groups import REMEMBERED, SOON, Topics, count, find_birth, measure_rate
from aiops_gym.sim.software.kafka_topics import NEW
from aiops_gym.sim.traffic import timeline
from aiops_gym.types import Json, Output, Timed

CONSOLE, MOST = "org.apache.kafka.tools.consumer.ConsoleConsumer", 10_000
"""Who complains, and how many messages are shown at one go."""


def _consume(call: Call) -> Output:
    """What is there, and what comes while it waits."""
    group, patience = _check(call), call.number("timeout-ms")
    longest = FOREVER if patience is None else patience / 1000
    who = f"Consumer clientId=console-consumer, groupId={group or f'console-consumer-{int(call.c.draw() * 100_000)}'}"
    if (broker := call.find_broker()) is None:
        said, text, shown, seconds = call.complain(who, longest), "", 0, longest
    else:
        topics, topic, said = count(broker.world, broker.key), call.get("topic"), ""
        if topic not in topics:  # it is made by being asked for
            why = f"Error while fetching metadata with correlation id 2 : {{{topic}=UNKNOWN_TOPIC_OR_PARTITION}}"
            said = call.stamp("warn", f"{CLIENTS}.NetworkClient", f"[{who}] {why}")
            topics[topic] = {**NEW, "at": broker.now}
            store(broker, topics, topic)
        text, shown, seconds = _read(call, broker, topics, group, longest)
    if seconds == longest < FOREVER:
        said += call.stamp(
            "error", CONSOLE, "Error processing message, terminating consumer process: ", int(seconds * 1000)
        )
        said += "org.apache.kafka.common.errors.TimeoutException\n"
    return Timed(text, said + f"Processed a total of {shown} messages\n" * (seconds < FOREVER), 0, seconds)


def _read(call: Call, broker: Container, topics: Topics, group: str, longest: float) -> tuple[str, int, float]:
    """The messages, how many they are, and the seconds until it ends."""
    topic, number, limit = call.get("topic"), call.number("partition") or 0, call.number("max-messages")
    row: Json = topics[topic] if not number else NEW
    start, most, seconds = _find_start(call, group, row), MOST if limit is None else max(0, min(limit, MOST)), longest
    shown = min(most, int(row["end"]) - start)
    rate = 0.0 if number else measure_rate(timeline.read_current(broker.world), broker.key, topic)
    if limit is not None and (shown == most or rate * longest > 1.0):
        shown, seconds = most, (most - shown) / (rate or 1.0)
    if group:
        groups = {**row["groups"], group: float(min(row["end"], start + shown))}
        store(broker, {**topics, topic: {**row, "groups": groups}})
    return "".join(_show(call, broker, topic, number, row, range(start, start + shown))), shown, seconds


def _check(call: Call) -> str:
    """The group that it is told to be in; raises `Refused` for options that do not go together."""
    if not call.has("topic"):
        raise call.explain("Exactly one of --include/--topic is required. ")
    if call.has("offset") and call.has("from-beginning"):
        raise call.explain("Options from-beginning and offset cannot be specified together.")
    if call.has("offset") and not call.has("partition"):
        raise call.explain("The partition is required when offset is specified.")
    call.require("bootstrap-server")
    pairs = (word.partition("=") for word in call.words.get("consumer-property", ()))
    group = call.get("group") or next((value for name, _, value in pairs if name == "group.id"), "")
    if group and call.has("partition"):
        raise call.explain("Options group and partition cannot be specified together.")
    return group


def _find_start(call: Call, group: str, row: Json) -> int:
    """The first offset that it reads: where its group has come to, as it is told, or the end."""
    end, offset = int(row["end"]), call.get("offset") or ("earliest" if call.has("from-beginning") else "latest")
    if group in row["groups"]:
        return min(end, int(row["groups"][group]))
    if offset not in ("earliest", "latest") and not is_natural(offset):
        why = f"The provided offset value '{offset}' is incorrect. Valid values are 'earliest', 'latest', or a "
        raise call.explain(f"{why}non-negative long.")
    told = {"earliest": 0, "latest": end}.get(offset)
    return told if told is not None else int(offset) if int(offset) <= end else end


def _show(call: Call, broker: Container, topic: str, number: int, row: Json, offsets: range) -> Iterator[str]:
    """Messages as the console's formatter prints them."""
    told = dict(word.partition("=")[::2] for word in call.words.get("property", ()))
    on = {name for name, value in {"print.value": "true", **told}.items() if value.strip().lower() == "true"}
    image, born = broker.image(), find_birth(broker.process, topic)
    form = str(image.binaries["kafka-console-consumer.sh"].params.get("record", "")) if image else ""
    for offset in offsets:
        came = min(broker.now, born + int((broker.now - born) * (offset + 1) / max(1.0, float(row["end"]))))
        at, value = row.get("odd", {}).get(str(offset)) or (came, _write(form, broker, f"{topic}/{born}", offset))
        parts = {
            "print.timestamp": f"CreateTime:{at}",
            "print.partition": f"Partition:{number}",
            "print.offset": f"Offset:{offset}",
            "print.headers": "NO_HEADERS",
            "print.key": told.get("null.literal", "null"),
            "print.value": value,
        }
        yield told.get("key.separator", "\t").join(text for name, text in parts.items() if name in on) + "\n"


def _write(form: str, broker: Container, born: str, offset: int) -> str:
    """A message of the application."""
    first, *parts = form.split("{uuid}")
    key = f"{broker.process['id']}/{born}"
    marks = (draws.uuid(broker.world.seed, f"record/{n}", key, offset) for n in range(len(parts)))
    return first + "".join(mark + part for mark, part in zip(marks, parts, strict=True))


def _write_lines(call: Call) -> Output:
    """A message for each line of standard input."""
    call.require("topic")
    call.require("bootstrap-server")
    if call.stdin:
        broker = call.connect(call.get("topic"), "Producer clientId=console-producer")
        publish(broker, call.get("topic"), call.stdin.splitlines())
    return Output()


def _verify(call: Call) -> Output:
    """Numbers, as many as it is asked for."""
    broker, number = call.connect(call.get("topic"), "Producer clientId=producer-1"), call.number("max-messages")
    lines = publish_numbers(broker, call.get("topic"), 1 if number is None else number)
    return Output("".join(f"{line}\n" for line in lines))


def publish(broker: Container, topic: str, texts: Sequence[str]) -> int:
    """Write messages into a topic that none of the app's consumers can read; the offset of the first."""
    topics = count(broker.world, broker.key)
    row = topics.get(topic) or {"end": 0.0, "at": broker.now, "groups": {}}
    first = int(row["end"])
    odd = {**row.get("odd", {}), **{str(first + number): [broker.now, text] for number, text in enumerate(texts)}}
    odd = dict(sorted(odd.items(), key=lambda item: int(item[0]))[-REMEMBERED:])
    groups = {group: min(float(first), read) for group, read in row["groups"].items()}  # no part of one is read
    row = {**row, "end": float(first + len(texts)), "groups": groups, "odd": odd}
    broker.remember(topics={**topics, topic: row})
    broker.after(SOON, "settle")
    return first


def publish_numbers(broker: Container, topic: str, number: int) -> list[str]:
    """Publish as many numbers, a thousand at most, and what the script says of it."""
    number, now = max(0, min(number, 1_000)), broker.now
    first = publish(broker, topic, [str(n) for n in range(number)])
    sent = {"name": "producer_send_success", "key": None}
    told = {"sent": number, "acked": number, "target_throughput": -1, "avg_throughput": round(number / 0.31, 2)}
    rows: list[dict[str, Json]] = [
        {"timestamp": now, "name": "startup_complete"},
        *(
            {"timestamp": now + 300, **sent, "value": str(n), "topic": topic, "partition": 0, "offset": first + n}
            for n in range(number)
        ),
        {"timestamp": now + 310, "name": "shutdown_complete"},
        {"timestamp": now + 310, "name": "tool_data", **told},
    ]
    return [json.dumps(row, separators=(",", ":")) for row in rows]


_WORDS = "topic= partition= offset= from-beginning max-messages= timeout-ms= group= property= consumer-property="
CONSUMER = Script(_consume, f"{_WORDS} formatter= isolation-level= skip-message-on-error consumer.config=")
PRODUCER = Script(_write_lines, "topic= property= producer-property= request-required-acks= sync timeout=")
VERIFIABLE = Script(_verify, "topic= max-messages= throughput= acks= value-prefix=")

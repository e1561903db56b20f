"""`kafka-consumer-groups.sh`: which groups there are, how far they have come, and how to have them begin elsewhere.

As the real one it ends with 0 where the broker, and not its command line, was in the way.
"""

from __future__ import annotations

from collections.abc import Sequence

from aiops_gym.sim.machine.container import Container
from aiops_gym.sim.software.kafka_client import ERRORS, Call, Script, store
from aiops_gym.sim.software.kafka_groups import Member, count, list_members, name_reader
from aiops_gym.types import Output

ACTIONS = ("list", "describe", "delete", "reset-offsets", "delete-offsets")
TARGETS = "to-offset= shift-by= to-earliest to-latest to-current"
COMMAND = "org.apache.kafka.tools.consumer.group.ConsumerGroupCommand"
OFFSET_HEADS = "GROUP TOPIC PARTITION CURRENT-OFFSET LOG-END-OFFSET LAG CONSUMER-ID HOST CLIENT-ID"
MEMBER_HEADS = "GROUP CONSUMER-ID HOST CLIENT-ID #PARTITIONS"
UNASKED = (
    "WARN: No action will be performed as the --execute option is missing. In a future major release, the default "
    "behavior of this command will be to prompt the user before executing the reset rather than doing a dry run. You "
    "should add the --dry-run option explicitly if you are scripting this command and want to keep the current default "
    "behavior without prompting.\n"
)


class _State:
    """What a broker knows of topics and groups at this moment."""

    def __init__(self, broker: Container) -> None:
        self.broker, self.topics = broker, count(broker.world, broker.key)
        self.members = list_members(broker.world, broker.key)
        self.names = {group for row in self.topics.values() for group in row["groups"]}
        self.names |= {str(member.told["group"]) for member in self.members}

    def of(self, group: str) -> list[Member]:
        """The members of a group."""
        return [member for member in self.members if member.told["group"] == group]

    def owner(self, topic: str, group: str) -> Member | None:
        """The member that has the partitions of a topic."""
        reader = (self.broker.state.get("readers") or {}).get(name_reader(topic, group), {})
        return next((member for member in self.of(group) if member.key == reader.get("owner")), None)

    def keep(self, group: str, offsets: dict[str, int | None]) -> None:
        """Have a group begin at other offsets of topics, at none for None."""
        for topic, offset in offsets.items():
            left = {name: read for name, read in self.topics[topic]["groups"].items() if name != group}
            left |= {} if offset is None else {group: float(offset)}
            self.topics[topic] = {**self.topics[topic], "groups": left}
        store(self.broker, self.topics)


def _run(call: Call) -> Output:
    call.require("bootstrap-server")
    for action in ("describe", "delete", "reset-offsets"):
        if call.has(action) and not call.has("group", "all-groups"):
            raise call.explain(f"Option [{action}] takes one of these options: [all-groups], [group]")
    if call.has("reset-offsets") and call.has("dry-run") and call.has("execute"):
        raise call.explain("Option [reset-offsets] only accepts one of [execute] and [dry-run]")
    if call.has("delete-offsets") and not (call.has("group") and call.has("topic")):
        raise call.explain("Option [delete-offsets] takes the following options: [topic], [group]")
    if sum(call.has(action) for action in ACTIONS) != 1:
        raise call.explain(f"Command must include exactly one action: {', '.join(f'--{word}' for word in ACTIONS)}")
    state = _State(call.connect("findAllBrokers" if call.has("list", "all-groups") else "findCoordinator"))
    wanted = sorted(state.names if call.has("all-groups") else {*call.words.get("group", ())})
    if call.has("list"):
        return Output("".join(f"{name}\n" for name in sorted(state.names)))
    if call.has("describe"):
        return _describe(call, state, wanted)
    if call.has("reset-offsets"):
        return _reset(call, state, wanted)
    return _delete(state, wanted) if call.has("delete") else _forget(call, state, call.get("group"))


def _describe(call: Call, state: _State, wanted: Sequence[str]) -> Output:
    text = error = ""
    for group in wanted:
        members = state.of(group)
        if group not in state.names:
            text += f"\nError: Consumer group '{group}' does not exist.\n"
            continue
        error += "" if members else f"\nConsumer group '{group}' has no active members.\n"
        if call.has("state"):
            name = state.broker.env.get("KAFKA_ADVERTISED_LISTENERS", "").rpartition("//")[2]
            told = (group, f"{name} (1)", *(("range", "Stable") if members else ("", "Empty")), len(members))
            for row in (("GROUP", "COORDINATOR (ID)", "ASSIGNMENT-STRATEGY", "STATE", "#MEMBERS"), told):
                text += "\n{:<25} {:<25} {:<20} {:<15} {}".format(*row)
            text += "\n"
        elif call.has("members"):
            heads = (*MEMBER_HEADS.split(), "ASSIGNMENT" if call.has("verbose") else "")
            rows = [_tell_member(state, group, each, call.has("verbose")) for each in members]
            text += _align([heads, *rows]) if members else ""
        elif rows := _list_offsets(state, group):
            text += _align([OFFSET_HEADS.split(), *rows])
    return Output(text, error)


def _list_offsets(state: _State, group: str) -> list[tuple[str, ...]]:
    rows: list[tuple[str, ...]] = []
    for topic, row in state.topics.items():
        member = state.owner(topic, group)
        who = [member.id, f"/{member.row['ip']}", str(member.told["client"])] if member else ["-", "-", "-"]
        if group in row["groups"]:
            end, read = int(row["end"]), min(int(row["end"]), int(row["groups"][group]))
            rows.append((group, topic, "0", str(read), str(end), str(end - read), *who))
            others = range(1, int(row.get("partitions", 1)) if member else 1)
            rows += [(group, topic, str(number), "-", "0", "-", *who) for number in others]
    return rows


def _tell_member(state: _State, group: str, each: Member, verbose: bool) -> tuple[str, ...]:
    topic = str(each.told["topic"])
    many = int(state.topics[topic].get("partitions", 1)) if state.owner(topic, group) == each else 0
    assigned = f"{topic}({','.join(map(str, range(many)))})" if many else "-"
    return group, each.id, f"/{each.row['ip']}", str(each.told["client"]), str(many), assigned if verbose else ""


def _align(rows: Sequence[Sequence[str]]) -> str:
    """Columns as the tool pads them: names to the longest and 15 at least, numbers to theirs, the last one not."""
    widths = [max(10 if column[0] == "PARTITION" else 15, *map(len, column)) for column in zip(*rows, strict=True)]
    lines = (" ".join([f"{cell:<{n}}" for cell, n in zip(row[:-1], widths, strict=False)]) for row in rows)
    return "".join(f"\n{line} {row[-1]}" for line, row in zip(lines, rows, strict=True)) + "\n"


def _reset(call: Call, state: _State, wanted: Sequence[str]) -> Output:
    """Have groups that nobody is in begin elsewhere, with `--execute` only."""
    text, error = "", "" if call.has("dry-run", "execute") else UNASKED
    rows = [("GROUP", "TOPIC", "PARTITION", "NEW-OFFSET")]
    for group in wanted:
        if state.of(group):
            why = f"Assignments can only be reset if the group '{group}' is inactive, but the current state is Stable."
            text += f"\nError: {why}\n"
            continue
        found: dict[str, int | None] = {}
        for topic in _list_scope(call, state, group):
            found[topic], said = _find_target(call, state, group, topic)
            error += said
            rows.append((group, topic, "0", str(found[topic])))
        if call.has("execute"):
            state.keep(group, found)
    return Output(text + "".join("\n{:<30} {:<30} {:<10} {:<15}".format(*row) for row in rows) + "\n", error)


def _list_scope(call: Call, state: _State, group: str) -> list[str]:
    if call.has("all-topics"):
        return [name for name, row in state.topics.items() if group in row["groups"]]
    if not call.has("topic"):
        raise call.explain("One of the reset scopes should be defined: --all-topics, --topic.")
    names = [name.partition(":")[0] for name in call.words["topic"]]
    if not set(names) <= set(state.topics):
        raise call.fail("UnknownTopicOrPartitionException", "This server does not host this topic-partition.")
    return names


def _find_target(call: Call, state: _State, group: str, topic: str) -> tuple[int, str]:
    """Where a group is to begin, and what is said of a number beyond the log's ends."""
    end, groups = int(state.topics[topic]["end"]), state.topics[topic]["groups"]
    asked, shift, read = call.number("to-offset"), call.number("shift-by"), int(groups.get(group, end))
    if call.has("to-earliest", "to-latest", "to-current"):
        return 0 if call.has("to-earliest") else end if call.has("to-latest") else read, ""
    if asked is None and shift is None:
        names = ", ".join(f"[{name.rstrip('=')}]" for name in TARGETS.split())
        raise call.explain(f"Option '[reset-offsets]' requires one of the following scenarios: [{names}]")
    if asked is None and group not in groups:
        text = f"Cannot shift offset for partition {topic}-0 since there is no current committed offset"
        raise call.explain(text)
    asked = read + (shift or 0) if asked is None else asked
    if 0 <= asked <= end:
        return asked, ""
    which, to = ("higher than latest", end) if asked > end else ("lower than earliest", 0)
    text = f"New offset ({asked}) is {which} offset for topic partition {topic}-0. Value will be set to {to}"
    return to, call.stamp("warn", COMMAND, text)


def _delete(state: _State, wanted: Sequence[str]) -> Output:
    failed = {group: "GroupNotEmptyException: The group is not empty." for group in wanted if state.of(group)}
    unknown = "GroupIdNotFoundException: The group id does not exist."
    failed |= {group: unknown for group in wanted if group not in state.names}
    done = [group for group in wanted if group not in failed]
    for group in done:
        state.keep(group, dict.fromkeys([topic for topic, row in state.topics.items() if group in row["groups"]]))
    names = ", ".join(done)
    if not failed:
        return Output(f"Deletion of requested consumer groups ('{names}') was successful.\n")
    why = f"could not be deleted due to: java.util.concurrent.ExecutionException: {ERRORS}"
    text = "".join(f"* Group '{group}' {why}.{said}\n" for group, said in failed.items())
    more = f"\nThese consumer groups were deleted successfully: '{names}'\n" if done else ""
    return Output(f"\nError: Deletion of some consumer groups failed:\n{text}{more}")


def _forget(call: Call, state: _State, group: str) -> Output:
    """`--delete-offsets`: what a group has read of topics, unless it is reading them."""
    names = [word.partition(":")[0] for word in call.words["topic"]]
    busy = {str(member.told["topic"]) for member in state.of(group)}
    why = "Error: :Deleting offsets of a topic is forbidden while the consumer group is actively subscribed to it."
    said = f"Request succeed for deleting offsets with topic {', '.join(names)} group {group}\n"
    if busy & {*names}:
        said = "\nError: Encounter some partition level error, see the follow-up details:\n"
    state.keep(group, dict.fromkeys([name for name in names if name in state.topics and name not in busy]))
    rows = [("TOPIC", "PARTITION", "STATUS"), *((name, "0", why if name in busy else "Successful") for name in names)]
    return Output(said + "".join("\n{:<30} {:<15} {:<15}".format(*row) for row in rows) + "\n")


WANTED = "group= topic= all-groups all-topics members offsets state? verbose execute dry-run timeout="
FRAME = f"\tat {COMMAND}.main(ConsumerGroupCommand.java)\n"
TOLD = "\nError: Executing consumer group command failed due to {kind}: {text}\n"
GROUPS = Script(
    _run,
    f"{' '.join(ACTIONS)} {TARGETS} {WANTED}",
    'Exception in thread "main" {kind}: {text}\n' + FRAME,
    (TOLD, "java.util.concurrent.ExecutionException: {kind}: {text}\n" + FRAME, 0),
    patience=5.0,
)

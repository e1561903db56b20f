"""`kubectl label`."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from aiops_gym.clients.flags import Flag
from aiops_gym.kubectl.changes import ALL, CHANGING, LOCAL, read_dry_run
from aiops_gym.kubectl.errors import Failure, Failures
from aiops_gym.kubectl.pairs import Edit, edit, split
from aiops_gym.kubectl.targets import EVERYWHERE, FIELDS, FILES, SELECTOR
from aiops_gym.kubectl.verb import Invocation, Verb
from aiops_gym.sim.golang.literals import go_quote

VALUE = re.compile(r"(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?")
WRONG = (
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and "
    "end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is "
    "'(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')"
)


def run(call: Invocation) -> int | None:
    """Put labels on objects, or take them off."""
    read_dry_run(call)
    resources, words = split(call.args, "label")
    put, drop = _parse(words)
    validate(call, resources, "pod", bool(words))
    overwrite, version = call.flags.on("overwrite"), call.flags.text("resource-version")

    def check(present: Mapping[str, str]) -> None:
        errors = [
            Failure(f"'{key}' already has a value ({present[key]}), and --overwrite is false")
            for key, value in sorted(put.items())
            if present.get(key, value) != value
        ]
        if errors:
            raise Failures(errors)

    def words_for(old: bytes, new: bytes) -> str:
        if old == new:
            return "not labeled"
        return "unlabeled" if not overwrite and len(new) < len(old) else "labeled"

    edit(call, resources, Edit("labels", put, drop, check, words_for, version), "kubectl-label")
    return None


def _parse(words: Sequence[str]) -> tuple[dict[str, str], list[str]]:
    put: dict[str, str] = {}
    drop: list[str] = []
    for word in words:
        if "=" not in word:
            drop.append(word[:-1])
            continue
        parts = word.split("=")
        if len(parts) != 2:
            raise Failure(f"invalid label spec: {word}")
        problems = [WRONG] if not VALUE.fullmatch(parts[1]) else []
        if len(parts[1]) > 63:
            problems.insert(0, "must be no more than 63 characters")
        if problems:
            raise Failure(f"invalid label value: {go_quote(word)}: {';'.join(problems)}")
        put[parts[0]] = parts[1]
    if any(key in put for key in drop):
        raise Failure("can not both modify and remove a label in the same command")
    return put, drop


def validate(call: Invocation, resources: Sequence[str], example: str, changing: bool) -> None:
    """Refuse contradictory flags. Raises Failure."""
    flags = call.flags
    files = flags.items("filename")
    if flags.on("list") and flags.text("output") and example == "pod":
        raise Failure("--list and --output may not be specified together")
    if flags.on("all") and flags.text("selector"):
        raise Failure("cannot set --all and --selector at the same time")
    if flags.on("all") and flags.text("field-selector"):
        raise Failure("cannot set --all and --field-selector at the same time")
    if flags.on("local"):
        if read_dry_run(call) == "server":
            raise Failure("cannot specify --local and --dry-run=server - did you mean --dry-run=client?")
        if resources:
            words = f"-f {example}.yaml or --filename={example}.json"
            raise Failure(f"can only use local files by {words} when --local=true is set")
        if not files:
            raise Failure(f"one or more files must be specified as -f {example}.yaml or --filename={example}.json")
    elif not resources and not files:
        raise Failure("one or more resources must be specified as <resource> <name> or <resource>/<name>")
    if not changing and not flags.on("list"):
        what = "label" if example == "pod" else "annotation"
        raise Failure(f"at least one {what} update is required")


FLAGS = (
    Flag("overwrite", "bool", help="If true, allow values to be overwritten."),
    Flag("list", "bool", help="If true, display the present values."),
    Flag("resource-version", help="If non-empty, the update will only succeed if this is the current version."),
    ALL,
    LOCAL,
    SELECTOR,
    FIELDS,
    EVERYWHERE,
    *FILES,
    *CHANGING,
)
verb = Verb(
    "label",
    run,
    flags=FLAGS,
    usage="label [--overwrite] (-f FILENAME | TYPE NAME) KEY_1=VAL_1 ... KEY_N=VAL_N [--resource-version=version]",
    short="Update the labels on a resource",
)

"""`docker` 27.5: from a command line to the verb that runs it, with its words for what is wrong."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache

from aiops_gym.clients.context import Context
from aiops_gym.clients.flags import Flag, FlagError, Flags, Parsed
from aiops_gym.docker.call import KNOWN, Call, Failure, Verb
from aiops_gym.scan import scan
from aiops_gym.types import Json, Output

USAGE_ERROR, SYNTAX_ERROR = 125, 16
"""Exit codes of docker and of its Compose for a command line that makes no sense."""

SHORT_VERSION = "Docker version 27.5.1, build 9f9e405\n"
GROUPS: Mapping[str, str] = KNOWN["groups"]

HELP = Flag("help", "bool", short="h")


def _read_flags(rows: Iterable[Json]) -> tuple[Flag, ...]:
    return tuple(Flag(name, kind, short, default, help=text) for name, kind, short, default, text in rows)


GLOBAL = Flags.of(*_read_flags(KNOWN["flags"]["docker"]), HELP)
BETWEEN = {"compose": _read_flags(KNOWN["flags"]["compose"])}
"""Flags that may stand between a group and its verb."""


@cache
def load_verbs() -> Mapping[str, Verb]:
    """All verbs by their names and aliases: what `commands.yaml` says of them, and what their files do."""
    place, found = "aiops_gym.docker.verbs", dict[str, Verb]()
    runs = {**scan(place, "run"), **{n: run for runs in scan(place, "RUNS").values() for n, run in runs.items()}}
    for name, told in KNOWN["verbs"].items():
        flags = _read_flags(told.get("flags", ()))
        verb = Verb(**{**told, "name": name, "run": runs[name], "flags": flags})
        found |= dict.fromkeys((name, *verb.aliases), verb)
        if " " not in name and name not in KNOWN["no_containers"]:
            found[f"container {name}"] = verb
    return dict(sorted(found.items()))


def run(context: Context, argv: list[str]) -> Output:
    """Run one docker command; never raises for what was typed."""
    try:
        flags, words = _split(GLOBAL, argv[1:])
    except FlagError as error:
        return Output("", f"{error}\nSee 'docker --help'.\n{_overview('')}", USAGE_ERROR)
    if flags.on("version"):
        return Output(SHORT_VERSION)
    words = [*words[1:], "--help"] if words[:1] == ["help"] and len(words) > 1 else words
    if not words or words == ["help"] or flags.on("help"):
        return Output(_overview(""))
    group, own = words[0], Parsed([], -1, {})
    if group not in GROUPS:
        return _call(context, load_verbs().get(group), group, words[1:], own)
    try:
        own, words = _split(Flags.of(*BETWEEN.get(group, ()), HELP), words[1:])
    except FlagError as error:
        return _refuse(error, group, _overview(group))
    if not words or own.on("help"):
        return Output(_overview(group))
    name = f"{group} {words[0]}"
    return _call(context, load_verbs().get(name), name, words[1:], own)


def _split(table: Flags, words: list[str]) -> tuple[Parsed, list[str]]:
    """The flags before the first argument, and the rest. Raises FlagError."""
    at = 0
    while at < len(words) and words[at].startswith("-") and words[at] not in ("-", "--"):
        at += 2 if table.wants_value(words[at]) else 1
    return table.parse(words[:at]), words[at + (words[at : at + 1] == ["--"]) :]


def _call(context: Context, verb: Verb | None, name: str, words: list[str], own: Parsed) -> Output:
    group = name.partition(" ")[0]
    if verb is None and name in KNOWN["elsewhere"]:
        return Output("", f"docker: '{name}' is not available on this host.\n", 1)
    if verb is None and group == "compose":
        return Output("", f'unknown docker command: "{name}"\n', SYNTAX_ERROR)
    if verb is None:
        unknown = f"docker: '{name}' is not a docker command.\nSee 'docker --help'\n"
        return Output("", _overview(group) if group in GROUPS else unknown, 1)
    table = Flags.of(*verb.flags, HELP)
    try:
        if verb.strict:
            flags, rest = _split(table, words)
            flags.args += rest
        else:
            flags = table.parse(words)
    except FlagError as error:
        return _refuse(error, verb.name)
    flags.values = {**own.values, **flags.values}
    if flags.given("help") and flags.on("help"):
        return Output(_manual(verb))
    if wrong := _miscounted(verb, len(flags.args)):
        usage = f"Usage:  docker {verb.name} {verb.usage}\n\n{verb.short}\n"
        return Output("", f"{wrong}\nSee 'docker {verb.name} --help'.\n\n{usage}", 1)
    call = Call(context, verb, flags)
    code: int | None
    try:
        code = verb.run(call)
    except Failure as error:
        call.complain(f"{error}\n" if str(error) else "")
        code = error.code
    return call.result(code or 0)


def _refuse(error: FlagError, name: str, usage: str = "") -> Output:
    if name.partition(" ")[0] == "compose":
        return Output("", f"{error}\n", SYNTAX_ERROR)
    return Output("", f"{error}\nSee 'docker {name} --help'.\n{usage}", USAGE_ERROR)


def _miscounted(verb: Verb, count: int) -> str:
    if count >= verb.least and (verb.most < 0 or count <= verb.most):
        return ""
    if verb.most == 0:
        return f'"docker {verb.name}" accepts no arguments.'
    exact, number = verb.least == verb.most, verb.least if count < verb.least else verb.most
    word = "exactly" if exact else "at least" if count < verb.least else "at most"
    return f'"docker {verb.name}" requires {word} {number} argument{"" if number == 1 else "s"}.'


def _manual(verb: Verb) -> str:
    lines = [f"\nUsage:  docker {verb.name} {verb.usage}", "", verb.short, ""]
    if verb.flags:
        kinds = {"bool": "", "array": " list", "int": " int", "string": " string"}
        named = [(f"-{f.short}, " if f.short else "    ") + f"--{f.name}{kinds[f.kind]}" for f in verb.flags]
        width = max(map(len, named))
        lines.append("Options:")
        lines += (f"  {n.ljust(width)}   {f.help}".rstrip() for n, f in zip(named, verb.flags, strict=True))
    return "\n".join(lines) + "\n"


def _overview(group: str) -> str:
    """What can follow `docker`, or one of its groups."""
    before, place = (f"{group} ", f"docker {group}") if group else ("", "docker")
    shown = {name.removeprefix(before): verb for name, verb in load_verbs().items() if name.startswith(before)}
    listed = "".join(f"  {name:<11} {verb.short}\n" for name, verb in shown.items() if " " not in name)
    groups = "".join(f"  {name:<11} {text}\n" for name, text in GROUPS.items())
    more = "" if group else f"Management Commands:\n{groups}\n"
    title = GROUPS.get(group, "A self-sufficient runtime for containers")
    hint = f"Run '{place} COMMAND --help' for more information on a command.\n"
    return f"\nUsage:  {place} [OPTIONS] COMMAND\n\n{title}\n\n{more}Commands:\n{listed}\n{hint}"

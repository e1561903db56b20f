"""From a command line to the verb that runs it, as cobra finds it, and the words when there is none."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from aiops_gym.clients import kubeconfig
from aiops_gym.clients.context import Context
from aiops_gym.clients.flags import GLOBAL, FlagError, Flags
from aiops_gym.kubectl import access, help, verbs
from aiops_gym.kubectl.client import Client, Impersonating
from aiops_gym.kubectl.errors import Failure, HelpFailure, KubectlError, UsageFailure
from aiops_gym.kubectl.verb import Invocation, Verb
from aiops_gym.types import Output, Printed

ROOT = Flags.of(*GLOBAL)


def run(context: Context, argv: list[str]) -> Output:
    """Run one kubectl command; never raises for what was typed."""
    words = argv[1:]
    try:
        verb, path, rest = _locate(words)
    except KubectlError as error:
        return Output("", _line(error.text), error.code)
    if verb is None:
        return _root(words)
    try:
        flags = verb.table.parse(rest)
    except FlagError as error:
        if verb.name == "diff":  # its exit code 1 means a difference
            return Output("", f"error: {error}\nSee '{path} -h' for help and examples\n", 2)
        return Output("", f"error: {error}\nSee '{path} --help' for usage.\n", 1)
    if flags.on("help"):
        return Output(help.of_verb(verb, path))
    # Reading the kubeconfig costs as much as all the rest of a plain `get`, and few calls need it.
    if isinstance(user := flags.values["as"], str) and user:
        context = replace(context, cluster=Impersonating(context.cluster, user, flags.items("as-group")))
    client = Client(context.cluster, partial(kubeconfig.find_namespace, context, flags))
    call = Invocation(context, path, flags, client)
    client.warned = lambda text: _warn(call, f"Warning: {text}")
    return _call(verb, call)


def _warn(call: Invocation, line: str) -> None:
    """Tell a warning of the server, once a command."""
    if line not in call.kept:
        call.kept[line] = True
        call.warn(line)


def _call(verb: Verb, call: Invocation) -> Output:
    try:
        for name in call.flags.changed:
            if why := verb.table.long[name].deprecated:
                call.warn(f"Flag --{name} has been deprecated, {why}")
        missing = [name for name in verb.required if not call.flags.given(name)]
        if missing:
            quoted = ", ".join(f'"{name}"' for name in missing)
            raise Failure(f"required flag(s) {quoted} not set")
        if verb.run is not None:
            access.guard(call)
        code = _subcommand_wanted(verb, call) if verb.run is None else verb.run(call) or 0
    except kubeconfig.ConfigError as error:
        call.complain(f"error: {error}\n")
        code = 1
    except UsageFailure as error:
        call.complain(f"{error.text}\nSee '{call.path} -h' for help and examples\n")
        code = error.code
    except HelpFailure as error:
        call.write(help.of_verb(verb, call.path))
        call.complain(f"{error.text}\n" if error.message else "")
        code = error.code if error.message else 0
    except KubectlError as error:
        call.write(error.out)
        call.complain(_line(error.text))
        code = error.code
    return Printed.of(call.pieces, code)


def _subcommand_wanted(verb: Verb, call: Invocation) -> int:
    if call.args:
        raise UsageFailure(f'unknown command "{" ".join(call.args)}"')
    if verb.helpful:
        call.write(help.of_verb(verb, call.path))
        return 1
    call.complain(help.of_verb(verb, call.path))
    return 1


def _line(text: str) -> str:
    return text if not text or text.endswith("\n") else text + "\n"


def _locate(words: Sequence[str]) -> tuple[Verb | None, str, list[str]]:
    """The verb, its full name and the words left for it; flags may stand before the verb.

    Raises:
        Failure: unknown command.
    """
    known, table = verbs.load_verbs(), ROOT
    verb: Verb | None = None
    path, rest = "kubectl", list(words)
    while True:
        at = _first_argument(rest, table)
        if at is None:
            return verb, path, rest
        child = known.get(rest[at])
        if child is None:
            if verb is None:
                raise Failure(_unknown(rest[at]))
            return verb, path, rest
        verb, table, known = child, child.table, child.children
        path = f"{path} {child.name}"
        del rest[at]
        if not known:
            return verb, path, rest


def _first_argument(words: Sequence[str], table: Flags) -> int | None:
    """Where the first word stands that is neither a flag nor a flag's value."""
    at = 0
    while at < len(words):
        word = words[at]
        if word == "--":
            return None
        if word.startswith("-") and len(word) > 1:
            at += 2 if table.wants_value(word) else 1
        elif word:
            return at
        else:
            at += 1
    return None


def _root(words: Sequence[str]) -> Output:
    """kubectl without a verb: help, or what is wrong with the flags."""
    try:
        ROOT.parse(words)
    except FlagError as error:
        return Output("", f"error: {error}\nSee 'kubectl --help' for usage.\n", 1)
    return Output(help.of_kubectl())


def _unknown(word: str) -> str:
    if word in help.COMMANDS:
        return f'"kubectl {word}" is not available in this environment'
    text = f'unknown command "{word}" for "kubectl"'
    near = [name for name in help.COMMANDS if _near(word, name)]
    if near:
        text += "\n\nDid you mean this?\n" + "".join(f"\t{name}\n" for name in near)
    return text


SUGGESTED = {"get": ("list", "ps"), "wait": ("list", "ps"), "delete": ("rm",)}
"""Words that cobra knows to be meant for a command."""


def _near(word: str, name: str) -> bool:
    """Whether cobra suggests a command: two edits away at most, or typed in part."""
    word = word.lower()
    return distance(word, name) <= 2 or name.startswith(word) or word in SUGGESTED.get(name, ())


def distance(a: str, b: str) -> int:
    """Levenshtein distance.

    >>> distance("gett", "get")
    1
    """
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        above, row[0] = row[0], i
        for j, y in enumerate(b, 1):
            above, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, above + (x != y))
    return row[-1]

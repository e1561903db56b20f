"""`helm` 3.17: from a command line to the subcommand that runs it, with cobra's words for what is wrong."""

from __future__ import annotations

from functools import cache

from aiops_gym.clients import kubeconfig
from aiops_gym.clients.context import Context
from aiops_gym.clients.flags import FlagError, Flags, Parsed
from aiops_gym.helm.commands import ALIASES, COMMANDS, GROUPS, Call
from aiops_gym.helm.errors import HelmError
from aiops_gym.helm.flags import GLOBAL
from aiops_gym.types import Output

VERSION = (
    'version.BuildInfo{Version:"v3.17.2", GitCommit:"cc0bbbd6d6276b83880042c1ecb34087e84d41eb", '
    'GitTreeState:"clean", GoVersion:"go1.23.7"}\n'
)


def run(context: Context, argv: list[str]) -> Output:
    """Run one helm command; never raises for what was typed."""
    path, rest = _path(argv[1:])
    if path in COMMANDS:
        return _call(context, path, rest)
    verb = path.partition(" ")[0]
    if verb == "version":
        return Output("v3.17.2+gcc0bbbd\n" if "--short" in rest else VERSION)
    if verb == "repo":
        return _repository(rest)
    if verb in ("", "help", *GROUPS):
        return Output(_usage(verb if verb in GROUPS else ""))
    if verb in ELSEWHERE:
        return _elsewhere(verb, [word for word in rest if not word.startswith("-")])
    return Output("", f'Error: unknown command "{verb}" for "helm"\nRun \'helm --help\' for usage.\n', 1)


ELSEWHERE = frozenset({"search", "pull", "fetch", "plugin", "dependency", "dep", "create", "package", "push", "test"})
"""Commands that are about repositories and the making of charts."""


def _elsewhere(verb: str, words: list[str]) -> Output:
    """What is said without a repository, and of what cannot be done on this host."""
    if verb == "plugin":
        return Output("NAME\tVERSION\tDESCRIPTION\n")
    if verb in ("dependency", "dep"):
        return Output(f"WARNING: no dependencies at {(words[1:] or ['.'])[0].removeprefix('./')}/charts\n")
    if verb == "search":
        return Output("", "Error: no repositories configured\n", 1)
    if verb in ("pull", "fetch"):
        return Output("", f"Error: repo {(words or ['chart'])[0].partition('/')[0]} not found\n", 1)
    return Output("", f"Error: helm {verb} is not available on this host\n", 1)


def _path(words: list[str]) -> tuple[str, list[str]]:
    """The subcommand, and what is left of the command line; flags may stand before it."""
    found, rest, at = list[str](), list[str](), 0
    root = _table("")
    while at < len(words):
        word = words[at]
        if word.startswith("-") and word != "-":
            rest.append(word)
            flag = root.long.get(word[2:]) if word.startswith("--") else root.short.get(word[1:])
            if flag is not None and flag.bare_value() is None and at + 1 < len(words):
                at += 1
                rest.append(words[at])
        elif not found or (len(found) == 1 and found[0] in GROUPS):
            found.append(ALIASES.get(word, word) if not found else word)
        else:
            rest += words[at:]
            break
        at += 1
    return " ".join(found), rest


@cache
def _table(path: str) -> Flags:
    command = COMMANDS.get(path)
    own = command.flags if command else ()
    return Flags.of(*own, *GLOBAL)


def _call(context: Context, path: str, words: list[str]) -> Output:
    command = COMMANDS[path]
    try:
        flags = _table(path).parse(words)
    except FlagError as error:
        return Output("", f"Error: {error}\n", 1)
    if flags.on("help"):
        return Output(f"Usage:\n  helm {command.usage}\n")
    wrong = _miscounted(path, len(flags.args))
    if wrong:
        return Output("", f"Error: {wrong}\n\nUsage:  helm {command.usage}\n", 1)
    namespace = flags.text("namespace") or context.env.get("HELM_NAMESPACE", "") or _place(context, flags)
    try:
        return Output(command.run(Call(context, flags, namespace)))
    except HelmError as error:
        return Output("", f"Error: {error}\n", 1)


def _place(context: Context, flags: Parsed) -> str:
    """The namespace of the kubeconfig's context."""
    try:
        known = kubeconfig.load(context, flags)
    except kubeconfig.ConfigError:
        return "default"
    name = flags.text("kube-context") or str(known.get("current-context", ""))
    found = (kubeconfig.find_entry(known, "contexts", name) or {}).get("context") or {}
    return str(found.get("namespace") or "default")


def _miscounted(path: str, count: int) -> str:
    command = COMMANDS[path]
    if command.least <= count <= command.most:
        return ""
    if command.most == 0:
        return f'"helm {path}" accepts no arguments'
    exact, number = command.least == command.most, command.least if count < command.least else command.most
    word = "" if exact else "at least " if count < command.least else "at most "
    return f'"helm {path}" requires {word}{number} argument{"" if number == 1 else "s"}'


def _repository(words: list[str]) -> Output:
    """No chart repository is known, and none can be reached."""
    plain = [word for word in words if not word.startswith("-")]
    if plain[:1] == ["add"] and len(plain) > 2:
        host = plain[2].partition("//")[2].partition("/")[0]
        why = f'Get "{plain[2].rstrip("/")}/index.yaml": dial tcp: lookup {host}: Temporary failure in name resolution'
        text = f'looks like "{plain[2]}" is not a valid chart repository or cannot be reached: {why}'
        return Output("", f"Error: {text}\n", 1)
    if plain[:1] == ["update"]:
        return Output("", "Error: no repositories found. You must add one before updating\n", 1)
    return Output("", "Error: no repositories to show\n", 1)


def _usage(group: str) -> str:
    names = sorted(path.removeprefix(f"{group} ") for path in COMMANDS if path.startswith(f"{group} ")) if group else []
    names = names or sorted({path.partition(" ")[0] for path in COMMANDS} | {"repo", "version"})
    place = f"helm {group}" if group else "helm"
    listed = "".join(f"  {name}\n" for name in names)
    return f"The Kubernetes package manager\n\nUsage:\n  {place} [command]\n\nAvailable Commands:\n{listed}"

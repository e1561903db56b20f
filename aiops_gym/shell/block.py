"""The commands that AIOpsLab does not let an agent run, found by parsing and not by looking for their letters.

They are found anywhere in a script (in pipes, loops and `$(...)`, behind `sudo`, `xargs`, `timeout` or `sh -c`), with
flags in any order; text that only mentions them is left alone. What only running would tell (`$TOOL edit`) is left to
the commands themselves.

>>> refuse("kubectl -n shop edit svc/web")
'Error: Cannot use `kubectl edit`. Use `kubectl patch` instead.'
>>> refuse('grep "edit svc" notes.txt')
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from aiops_gym import caches
from aiops_gym.shell.words import split_words
from aiops_gym.sim.machine.scripts.parser import parse
from aiops_gym.sim.machine.scripts.reader import ScriptError
from aiops_gym.types import Json

EDIT = "Error: Cannot use `kubectl edit`. Use `kubectl patch` instead."
PORT_FORWARD = "Error: Cannot use `kubectl port-forward` because it is an interactive command."
DOCKER_LOGS = "Error: Cannot use `docker logs -f`. Use `docker logs` instead."
LOGS = "Error: Cannot use `kubectl logs -f`. Use `kubectl logs` instead."

KUBECTL_VALUES = split_words(
    """
    -n --namespace -s --server -c --container -l --selector -v --v -o --output --context --cluster --user
    --kubeconfig --token --as --as-group --as-uid --certificate-authority --client-certificate --client-key
    --cache-dir --profile --request-timeout --tls-server-name --username --password --log-flush-frequency
    --profile-output --vmodule --since --since-time --tail --limit-bytes --max-log-requests
    --pod-running-timeout
    """
)
DOCKER_VALUES = split_words("-H --host --config --context -c -l --log-level -n --tail --since --until")

WRAPPER_VALUES = {
    "sudo": split_words("-u -g -h -p -C -T -D -R --user --group"),
    "env": split_words("-u --unset -C --chdir -S"),
    "xargs": split_words("-I -n -P -L -d -a -s -E --max-args --max-procs --delimiter --arg-file --replace"),
    "timeout": split_words("-s --signal -k --kill-after"),
    "nice": split_words("-n --adjustment"),
    "watch": split_words("-n --interval"),
    "exec": frozenset({"-a"}),
    "stdbuf": split_words("-i -o -e"),
    "time": split_words("-f -o"),
    "nohup": frozenset[str](),
    "setsid": frozenset[str](),
    "command": frozenset[str](),
    "builtin": frozenset[str](),
}
SHELLS = split_words("sh bash dash ash zsh")
DEEPEST = 8
"""Scripts in scripts (`sh -c`) that are looked into; what is deeper meets the commands' own refusals."""

SIMPLE = ("simple", "assignments", "words", "redirections", "line")
"""The parts of a command as the parser has it."""

Words = Sequence[str | None]


def refuse(script: str, depth: int = 0) -> str | None:
    """The text with which AIOpsLab refuses a script, or None. One blocked command refuses the whole of it."""
    for argv in list_calls(script):
        text = _refused(argv, depth)
        if text is not None:
            return text
    return None


@caches.function(256, "finding the commands of a script")
def list_calls(script: str) -> Sequence[Words]:
    """The words of all commands of a script, those in substitutions and functions too; None for what running tells.

    >>> list_calls("a $(b c) | d $x; f() { 'e' f'g'; }")
    (('a', None), ('d', None), ('e', 'fg'), ('b', 'c'))
    """
    try:
        waiting: list[Json] = [parse(script)]
    except ScriptError:
        return ()
    found: list[Words] = []
    for node in waiting:
        if len(node) == len(SIMPLE) and node[0] == "simple" and isinstance(node[-1], int):
            found.append(tuple(map(_literal, node[2])))
        waiting += [each for each in node if isinstance(each, list)]
    return tuple(found)


def _literal(word: Json) -> str | None:
    """The text that a word is, None where only running tells."""
    found = ""
    for part in word:
        inner = _literal(part[1]) if part[0] == "dq" else part[1] if part[0] in ("lit", "quo") else None
        if inner is None:
            return None
        found += inner
    return found


def _refused(argv: Words, depth: int) -> str | None:
    if not argv or argv[0] is None or depth > DEEPEST:
        return None
    name = argv[0].rpartition("/")[2]
    if name == "kubectl":
        return _kubectl(argv[1:])
    if name == "docker":
        verb, rest = _verb(argv[1:], DOCKER_VALUES)
        if verb == "container":
            verb, rest = _verb(rest, DOCKER_VALUES)
        return DOCKER_LOGS if verb == "logs" and _follows(rest, DOCKER_VALUES) else None
    inner = next((text for text in _scripts(name, argv[1:]) if refuse(text, depth + 1)), None)
    if inner is not None:
        return refuse(inner, depth + 1)
    if name in WRAPPER_VALUES:
        return _refused(_unwrapped(name, argv[1:]), depth + 1)
    if name == "find":
        return next((text for part in _executed(argv) if (text := _refused(part, depth + 1))), None)
    return None


def _scripts(name: str, arguments: Words) -> Iterator[str]:
    """The words that a command runs as a script."""
    literal = [a or "" for a in arguments]
    if name == "eval":
        yield " ".join(literal)
    elif name == "watch":
        yield " ".join(a or "" for a in _unwrapped(name, arguments))
    elif name in SHELLS:
        for index, word in enumerate(literal[:-1]):
            if word.startswith("-") and not word.startswith("--") and word.endswith("c"):
                yield literal[index + 1]


def _unwrapped(name: str, arguments: Words) -> Words:
    """The command that a wrapper runs: its own flags and what belongs to them are left out."""
    values, rest = WRAPPER_VALUES[name], list(arguments)
    while rest and rest[0] is not None:
        word = rest[0]
        if word == "--":
            rest = rest[1:]
            break
        if word.startswith("-"):
            rest = rest[2:] if word in values else rest[1:]
        elif name in ("sudo", "env") and "=" in word:
            rest = rest[1:]
        else:
            break
    return rest[1:] if name == "timeout" else rest


def _executed(argv: Words) -> Iterator[Words]:
    """The commands after `-exec` of a find."""
    for index, word in enumerate(argv):
        if word in ("-exec", "-execdir", "-ok", "-okdir"):
            yield argv[index + 1 :]


def _kubectl(arguments: Words) -> str | None:
    verb, rest = _verb(arguments, KUBECTL_VALUES)
    if verb == "edit":
        return EDIT
    if verb == "apply" and rest and rest[0] == "edit-last-applied":
        return EDIT
    if verb == "port-forward":
        return PORT_FORWARD
    if verb in ("logs", "log") and _follows([*arguments], KUBECTL_VALUES):
        return LOGS
    return None


def _verb(arguments: Words, values: frozenset[str]) -> tuple[str, Words]:
    """The first word that is neither a flag nor the value of one, and what follows."""
    index = 0
    while index < len(arguments):
        word = arguments[index]
        if word is None or not word.startswith("-"):
            return word or "", arguments[index + 1 :]
        index += 2 if word in values else 1
    return "", ()


def _follows(arguments: Words, values: frozenset[str]) -> bool:
    """Whether `-f` is among the flags, alone, with others, or spelled out."""
    index = 0
    while index < len(arguments):
        word = arguments[index] or ""
        if word == "--":
            return False
        if word == "--follow" or (word.startswith("--follow=") and word[9:].lower() in ("true", "t", "1")):
            return True
        if word.startswith("-") and not word.startswith("--"):
            for letter in word[1:]:
                if letter == "f":
                    return not word.endswith(("f=false", "f=0", "f=f"))
                if f"-{letter}" in values:
                    break
        index += 2 if word in values else 1
    return False

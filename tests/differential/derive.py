"""Command lines derived from the real kubectl's reference: each flag of each command with values of its type, each
example, and each kind in each form of output, in both applications, healthy and broken.

Nobody wrote the lines: `reference.json` says what there is to type, `stock.py` what there is to name.
"""

from __future__ import annotations

import random
import re
import zlib
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any

import worlds
from flagvalues import OUTPUTS, TYPES, VALUES
from reference import Command, Flag, commands
from sides import CONFIG, Case
from stock import Stock

Json = Any
Words = list[str]
STATES = {
    "hotel": "test-hotel-reservation",
    "hotel-well": "test-hotel-reservation",
    "social": "test-social-network",
    "social-well": "test-social-network",
    "shop": "astronomy-shop",
}
"""The states of the applications and the namespaces in which they run."""

TURNS = 4
"""States among which flags, kinds and forms are shared out; the next ones begin anew."""

START = 1_772_442_000_000
SEED = 20261123
"""Of the lines that the suite runs; other seeds draw other lines, for judging what was mended by these."""

EACH = 2
"""Lines for each flag of each command."""

SAMPLE = 10
"""One line in so many is recorded."""

FORMS = 500
"""Lines of `get`, `describe`, `explain` and `events` with each kind and form of output."""

FOREIGN = {
    "attach": "a session: the actions page blocks it, the door has its own test",
    "edit": "an editor: as above",
    "apply edit-last-applied": "an editor: as above",
    "port-forward": "does not end",
    "proxy": "does not end",
    "debug": "a session: as above",
    "completion": "scripts for shells that the agent has not",
    "plugin": "programs on the machine of whoever types",
    "plugin list": "as above",
    "create token": "each token is another",
    "options": "help texts are our own",
}
"""Commands that are not drawn, and why."""

NEVER = frozenset(
    [
        "follow",
        "watch",
        "watch-only",
        "stdin",
        "tty",
        "attach",
        "rm",
        "leave-stdin-open",
        "edit",
        "interactive-mode",
        "profile",
        "profile-output",
        "vmodule",
        "v",
        "password",
        "username",
        "match-server-version",
        "help",
        "output-watch-events",
        "quiet-not",
        "log-flush-frequency",
        "windows-line-endings",
    ]
)
"""Flags that open a session, never end, or write what is another each time."""

RICH = CONFIG.replace(
    "current-context",
    "- context:\n    cluster: kind-kind\n    namespace: observe\n    user: kind-kind\n  name: observe\n"
    "- context:\n    cluster: gone\n    user: kind-kind\n  name: lost\ncurrent-context",
)
"""A kubeconfig with more contexts, one of them of a cluster that is not there."""

FRESH = ("fresh", "fresh", "Bad_Name", "x.y", "geo")
LEAF = re.compile(r"\(|\)|\[|\]| \| |[^\s()\[\]]+")
STAND = re.compile(r"^(nginx(-deployment)?|foo|web(-1|-pod-13je7)?|my\w+|abc|baz|registry|busybox1?|mysql|valid-pod)$")


MADE = ("create", "run", "config")
"""Commands whose names are not those of objects that are there."""


def kind_of(flag: Flag) -> str:
    """The type of a flag, by its default."""
    if flag.default in ("true", "false"):
        return "bool"
    if re.fullmatch(r"-?\d+", flag.default):
        return "int"
    return "duration" if re.fullmatch(r"(\d+[hms])+", flag.default) else "text"


class Deriving:
    """The lines of one state.

    Args:
        stock: what there is to name.
    """

    def __init__(self, stock: Stock) -> None:
        self.stock, self.chance = stock, stock.chance
        self.shared = [flag for flag in commands()[0].flags if flag.name not in (*NEVER, "namespace")]

    def pick(self, *options: Any) -> Any:
        return self.chance.choice(options)

    # ---- values

    def value(self, flag: Flag) -> str:
        """A value for a flag that takes one."""
        name, stock = flag.name, self.stock
        if name in ("selector", "l"):
            return self.selector()
        if name in ("filename", "patch-file"):
            return str(self.pick("it.yaml", "it.yaml", "two.json", "dir", "absent.yaml", "-"))
        if name == "container":
            return str(self.pick(*stock.containers(), "nope"))
        if name == "namespace":
            return str(self.pick(stock.namespace, "kube-system", "absent"))
        if name == "from":
            return str(self.pick(f"configmap/{stock.name('configmaps')}", "secret/absent", "cronjob/absent", "x"))
        options = VALUES.get(name) or TYPES[kind_of(flag)]
        return str(self.pick(*options))

    def flag(self, flag: Flag) -> Words:
        """A flag as it may be typed."""
        if kind_of(flag) == "bool":
            text = self.pick(*TYPES["bool"])
            return [f"-{flag.short}" if flag.short and not text else f"--{flag.name}{text}"]
        value = self.value(flag)
        ways = [[f"--{flag.name}={value}"], [f"--{flag.name}", value]]
        ways += [[f"-{flag.short}", value], [f"-{flag.short}{value}"]] if flag.short and value else []
        return list(self.pick(*ways))

    def selector(self) -> str:
        key, value = self.pick(*self.stock.labels())
        forms = (f"{key}={value}", key, f"{key}!={value}", f"{key} in ({value},x)", f"!{key}", "a=b", "=x", "a in (")
        return str(self.pick(*forms[:5], *forms))

    # ---- arguments, from the usage

    def arguments(self, command: Command) -> Words:
        """What the usage asks for: one way through it."""
        usage = command.usage.removeprefix(command.path)
        usage = re.sub(r"TYPE\S*?/NAME|RESOURCE/NAME|resource\.group/resource\.name", "SLASHED", usage)
        usage = re.sub(r"TYPE[\[.\]A-Z]*|resource\.group\b", "TYPE", usage)
        usage = re.sub(r"\[COMMAND\] \[args\.\.\.\]|COMMAND \[args\.\.\.\]", "COMMAND", usage)
        usage = re.sub(
            r"\[\(?-o[^ ]*\)?\]|\[,tls\[=secret\]\]|\[key=\]|\[options\]|\[flags\]|\[--?[^\[\]]*\]", "", usage
        )
        usage = re.sub(r"\[--?[^\[\]]*\]|\.\.\.|&", "", usage)
        tokens = LEAF.findall(usage)
        tokens.reverse()
        self.type = ""
        return [word for word in self._sequence(tokens, command) if word is not None]

    def _sequence(self, tokens: list[str], command: Command) -> Words:
        options: list[list[Any]] = [[]]
        while tokens:
            token = tokens.pop()
            if token in ("(", "["):
                options[-1].append((token, self._group(tokens)))
            elif token == " | ":
                options.append([])
            else:
                options[-1].append(token)
        return self._said(self.pick(*options), command)

    def _group(self, tokens: list[str]) -> list[str]:
        depth, found = 1, []
        while tokens:
            token = tokens.pop()
            depth += (token in "([") - (token in ")]")
            if not depth:
                break
            found.append(token)
        return found

    def _said(self, parts: Sequence[Any], command: Command) -> Words:
        words: Words = []
        for part in parts:
            if isinstance(part, tuple):
                if part[0] == "(" or self.chance.random() < 0.5:
                    words += self._sequence(part[1][::-1], command)
            else:
                words += self._leaf(part, command)
        return words

    def _leaf(self, token: str, command: Command) -> Words:
        stock, path = self.stock, command.path
        if token.startswith("--") and token != "--":
            name = token[2:].split("|", maxsplit=1)[0].partition("=")[0]
            found = [flag for flag in command.flags if flag.name == name]
            if found and kind_of(found[0]) == "bool":
                return [f"--{name}"]
            return [f"--{name}={self.value(found[0])}"] if found else []
        made = path.startswith("create ") or path == "run"
        kinds = {"rollout": stock.workload, "set": stock.workload, "scale": stock.workload, "autoscale": stock.workload}
        of_kind = kinds.get(path.split()[0], stock.kind)
        if token == "TYPE":
            self.type = of_kind()
            return [stock.spelled(self.type)]
        if token in ("SLASHED", "RESOURCE"):
            kind = stock.workload() if path.split()[0] in ("logs", "exec") else of_kind()
            return [f"{stock.spelled(kind)}/{stock.name(kind)}"]
        if token in ("NAME", "NAME_PREFIX"):
            if made:
                return [str(self.pick(*FRESH))]
            kind = {"top node": "nodes", "top pod": "pods", "taint": "nodes"}.get(path, self.type)
            return [stock.name(kind)] if kind else [str(self.pick("kind-kind", "nope"))]
        leaves: Mapping[str, Any] = {
            "POD": lambda: stock.name("pods"),
            "NODE": lambda: "nodes" if path == "taint" else stock.name("nodes"),
            "FILENAME": lambda: self.pick("it.yaml", "it.yaml", "it.yaml", "two.json", "dir", "absent.yaml", "-"),
            "DIRECTORY": lambda: self.pick("dir", "absent"),
            "DIR": lambda: self.pick("dir", "absent"),
            "label": self.selector,
            "CONTAINER": lambda: self.pick(*stock.containers()),
            "KEY_1=VAL_1": lambda: self.pick("A=b", "tried=yes", "tried-", "a b=c", "app=x", "x"),
            "KEY_N=VAL_N": lambda: self.pick("C=d", "A-", "A=c"),
            "CONTAINER_NAME_1=CONTAINER_IMAGE_1": lambda: f"{self.pick(*stock.containers(), '*', 'nope')}=busybox:1.36",
            "CONTAINER_NAME_N=CONTAINER_IMAGE_N": lambda: self.pick("nope=x", "*=nginx", "x"),
            "KEY_1=VAL_1:TAINT_EFFECT_1": lambda: self.pick("a=b:NoSchedule", "a:NoExecute", "a-", "a=b:Nope", "a=b"),
            "KEY_N=VAL_N:TAINT_EFFECT_N": lambda: self.pick("c=d:PreferNoSchedule", "a=b:NoSchedule"),
            "EXPRESSIONS": lambda: self.pick("a=b", "a in (b)", "x"),
            "SERVICE_ACCOUNT": lambda: self.pick("default", "fresh"),
            "VERB": lambda: self.pick("get", "list", "delete", "*", "nonsense"),
            "NONRESOURCEURL": lambda: self.pick("/healthz", "/logs/"),
            "CONTEXT_NAME": lambda: self.pick("kind-kind", "nope"),
            "NEW_NAME": lambda: self.pick("other", "kind-kind"),
            "PROPERTY_NAME": lambda: self.pick("current-context", "contexts.kind-kind.namespace", "users.x.token", "x"),
            "PROPERTY_VALUE": lambda: self.pick("other", "true"),
            "COMMAND": lambda: self.pick("date -u +%Z", "ls /", "sh -c exit", "nonsense", "cat /etc/hostname"),
            "<file-spec-src>": lambda: self.pick("it.yaml", f"{stock.name('pods')}:/etc/hostname", "absent", "a:b:c"),
            "<file-spec-dest>": lambda: self.pick(f"{stock.name('pods')}:/tmp/x", "copy.txt", "dir"),
            "SUBCOMMAND": lambda: self.pick("nonsense", "geo"),
        }
        if token in leaves:
            words = str(leaves[token]())
            return words.split() if token == "COMMAND" else [words]
        return [] if token.startswith("...") or token == "=" else [token] if token.startswith("-") else []

    # ---- lines

    def line(self, command: Command, flags: Sequence[Flag]) -> Words:
        """A line of a command with these flags, in the namespace of the application, seldom with a mistake."""
        words = [*command.path.split(), *self.arguments(command)]
        tail = words[words.index("--") :] if "--" in words else []
        words = words[: len(words) - len(tail)]
        for flag in flags:
            if not any(word.startswith(f"--{flag.name}=") for word in words):
                words += self.flag(flag)
        if self.chance.random() < 0.1:
            words += self.flag(self.pick(*self.shared))
        if self.chance.random() < 0.03:
            words += self.pick(["--nonsense"], ["-Z"], ["extra"], ["--output"])
        return [*self.placed(tame(command.path, words)), *tail]

    def placed(self, words: Words) -> Words:
        """With a namespace, or all of them."""
        roll = self.chance.random()
        if any(word in ("-A", "--all-namespaces") or word.startswith("--namespace") for word in words) or roll < 0.06:
            return words
        return [
            *words,
            *(["-n", self.stock.namespace] if roll < 0.95 else self.pick(["-n", "absent"], ["-n", "observe"])),
        ]

    def example(self, command: Command, words: Sequence[str]) -> Words:
        """An example of the help, about what there is."""
        found, kind = [], "pods"
        spelled = {name: k for k in self.stock.full for name in (k, k.split(".")[0], k.split(".")[0].removesuffix("s"))}
        spelled |= {"daemonset": "daemonsets.apps", "rs": "replicasets.apps", "svc": "services"}
        for typed in words:
            word = typed
            head, slash, _ = word.partition("/")
            kind = spelled.get(head, kind)
            if slash and head in spelled and kind in self.stock.full:
                word = f"{head}/{self.stock.name(kind)}"
            elif (
                STAND.match(word)
                and kind in self.stock.full
                and not command.path.startswith(("create", "run", "config"))
            ):
                word = self.stock.name(kind)
            found.append(word)
        found = [re.sub(r"\b(app|name)=(nginx|myLabel)", self.selector(), word) for word in found]
        tail = found[found.index("--") :] if "--" in found else []
        return [*self.placed(tame(command.path, found[: len(found) - len(tail)])), *tail]

    def form(self) -> Words:
        """A kind in a form of output."""
        kind = self.stock.kind()
        verb = self.pick("get", "get", "get", "get", "describe", "describe", "explain")
        words = [verb, self.stock.spelled(kind)]
        if verb == "explain":
            return [*words, *self.pick([], ["--recursive"])]
        words += [self.stock.name(kind)] if self.chance.random() < 0.35 else self.pick([], [], ["-l", self.selector()])
        words += ["-o", self.pick(*OUTPUTS)] if verb == "get" and self.chance.random() < 0.75 else []
        return self.placed(words)


def tame(path: str, words: Words) -> Words:
    """A line that ends: without sessions and watches, and with an end of patience."""
    short = {"logs": "f", "get": "w", "run": "it", "exec": "it", "rollout status": "w", "events": "w"}.get(path, "")
    gone = {f"-{letter}" for letter in short} | {"--follow", "--watch", "--edit", "--interactive-not"}
    words = [re.sub(r"^--timeout=\d+s$", "--timeout=1s", word) for word in words if word not in gone]
    if path == "delete" and not any(w.startswith(("--wait", "--timeout", "--dry-run")) for w in words):
        words.append("--wait=false")
    patience = {
        "wait": "--timeout",
        "rollout status": "--timeout",
        "drain": "--timeout",
        "logs": "--pod-running-timeout",
    }
    patience |= {"exec": "--pod-running-timeout", "replace": "--timeout"}
    wanted = patience.get(path)
    if wanted and (path != "replace" or "--force" in words) and not any(word.startswith(wanted) for word in words):
        words.append(f"{wanted}=1s")
    return words


def files_for(words: Sequence[str], stock: Stock) -> Mapping[str, str]:
    """The files that a line names, made of the state's objects."""
    line = " ".join(words)
    found = {
        **{name: stock.manifest() for name in re.findall(r"\b[\w./-]+\.(?:yaml|json)\b", line) if "absent" not in name},
        **({"file.txt": "some\ntext\n"} if "file.txt" in line else {}),
        **({"file.env": "A=b\n# remark\nC=d e\n"} if "file.env" in line else {}),
        **({"rich.conf": RICH} if "rich.conf" in line else {}),
        **({"broken.conf": "apiVersion: [\n"} if "broken.conf" in line else {}),
    }
    if re.search(r"(^|[ =])(dir|path)/?( |$)", line):
        rules = {"dir/kustomization.yaml": "resources:\n- a.yaml\nnamePrefix: pre-\n"} if "-k" in line else {}
        found |= {"dir/a.yaml": stock.manifest(), **rules}
    return {name.removeprefix("./"): text for name, text in found.items() if not name.startswith("/")}


@lru_cache(maxsize=2)
def cases(seed: int = SEED) -> tuple[Case, ...]:
    """All lines of a seed, the same each time."""
    return tuple(case for state in STATES for case in _of_state(state, seed))


MISTYPED: Sequence[str] = (
    *("", "x", "x y z", "x/y z/w", "-o nonsense", "x -o nonsense", "-f absent.yaml", "-f absent.yaml x"),
    *("--output", "--nonsense"),
)
"""What is typed behind each command, most of it wrong."""


def mistyped() -> list[Case]:
    """Each command alone, and with arguments that most of them refuse: whose mistake is told first."""
    state = next(iter(STATES))
    lines = [
        f"{command.path} {rest}".strip()
        for command in commands()
        if command.path and command.path not in FOREIGN
        for rest in MISTYPED
        if not (command.path == "logs" and rest.startswith("-f"))  # which follows
    ]
    return [Case(f"{state}: {line}", state, line.split(), writes=True, helped=True) for line in lines]


def sample() -> list[Case]:
    """The lines whose answers are recorded, for machines without a kubectl of 1.32."""
    return [case for case in cases() if zlib.crc32(case.id.encode()) % SAMPLE == 0]


def recorded(state: str) -> str:
    """The name of the recorded answers of a state's sample."""
    return f"derived-{state}"


def _of_state(state: str, seed: int) -> Iterator[Case]:
    stock = Stock(worlds.build(state, START), STATES[state], random.Random(f"{state} {seed}"))
    deriving, seen = Deriving(stock), set()
    place = list(STATES).index(state) % TURNS
    for words in _lines(deriving, place):
        name = f"{state}: {' '.join(words)}"
        if name in seen:
            continue
        seen.add(name)
        files = files_for(words, stock)
        stdin = stock.manifest() if "-" in words else ""
        yield Case(name, state, words, stdin=stdin, files=files, writes=True, helped=True)


def _lines(deriving: Deriving, place: int) -> Iterator[Words]:
    """Each flag falls to some of the states, each example to all; kinds and forms are shared out."""
    rows = [command for command in commands() if command.path and command.path not in FOREIGN]
    turn = 0
    for command in rows:
        flags = [flag for flag in command.flags if flag.name not in NEVER]
        for flag in flags:
            for _ in range(EACH):
                turn += 1
                if turn % TURNS == place:
                    more = deriving.chance.sample(flags, min(len(flags), deriving.pick(0, 0, 1, 1, 2)))
                    yield deriving.line(command, list(dict.fromkeys([flag, *more])))
        yield deriving.line(command, [])
        for words in command.examples:
            turn += 1
            if turn % 2 == place % 2:
                yield deriving.example(command, words)
    for flag in deriving.shared:
        yield [*deriving.placed(["get", *deriving.flag(flag), "pods"])]
        yield [
            *deriving.placed(deriving.pick(["describe", "svc"], ["top", "pods"], ["rollout", "history", "deploy"])),
            *deriving.flag(flag),
        ]
    for _ in range(FORMS // TURNS):
        yield deriving.form()

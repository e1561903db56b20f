"""Command-line flags as kubectl reads them: the rules of Go's pflag, with its error texts.

>>> table = Flags.of(Flag("namespace", short="n"), Flag("tail", "int", default=-1), Flag("follow", "bool", short="f"))
>>> parsed = table.parse(["pod", "-nshop", "-f", "--tail=5", "--", "-x"])
>>> parsed.args, parsed.dash, parsed.text("namespace"), parsed.number("tail"), parsed.on("follow")
(['pod', '-x'], 1, 'shop', 5, True)
>>> table.parse(["--nope"])
Traceback (most recent call last):
    ...
aiops_gym.clients.flags.FlagError: unknown flag: --nope
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal

from aiops_gym.sim.golang.literals import go_quote

Kind = Literal["string", "bool", "int", "duration", "list", "array", "map"]


class FlagError(Exception):
    """A command line that pflag refuses; the text is pflag's."""


@dataclass(frozen=True, slots=True)
class Flag:
    """One flag of a command.

    Attributes:
        name: long name without the dashes.
        kind: `list` may be repeated and is split at commas, `array` may be repeated and is not split, `map` is a list
            of `key=value`, `duration` is in seconds.
        short: one letter, or "".
        default: value when not given; the kind's own zero value if None.
        bare: the value of the flag given without one (`--dry-run`); None: a value is needed. A bool needs none.
        help: one sentence for `--help`.
        deprecated: what pflag says on the error stream when the flag is used, "" if it is not deprecated.
    """

    name: str
    kind: Kind = "string"
    short: str = ""
    default: Any = None
    bare: str | None = None
    help: str = ""
    deprecated: str = ""

    def start(self) -> Any:
        """The value when the flag is not given."""
        return ZERO[self.kind] if self.default is None else self.default

    def bare_value(self) -> str | None:
        """The text that stands for the flag without a value, None where it needs one."""
        return "true" if self.kind == "bool" else self.bare

    def read(self, text: str) -> Any:
        """The value of a text. Raises ValueError with Go's words."""
        return READ[self.kind](text)

    @property
    def label(self) -> str:
        """How pflag names the flag in an error."""
        return f"-{self.short}, --{self.name}" if self.short else f"--{self.name}"


ZERO: Final[Mapping[str, Any]] = {
    "string": "",
    "bool": False,
    "int": 0,
    "duration": 0.0,
    "list": (),
    "array": (),
    "map": (),
}

UNITS: Final = {"ns": 1e-9, "us": 1e-6, "µs": 1e-6, "μs": 1e-6, "ms": 1e-3, "s": 1.0, "m": 60.0, "h": 3600.0}


def parse_duration(text: str) -> float:
    """Seconds of a Go duration.

    >>> parse_duration("1h2.5s"), parse_duration("-90ms"), parse_duration("0")
    (3602.5, -0.09, 0.0)
    """
    quoted = go_quote(text)
    rest = text[1:] if text[:1] in ("-", "+") else text
    if rest == "0":
        return 0.0
    if not rest:
        raise ValueError(f"time: invalid duration {quoted}")
    total = 0.0
    while rest:
        number = re.match(r"\d*\.?\d*", rest)
        digits = number.group() if number else ""
        if not digits or digits == ".":
            raise ValueError(f"time: invalid duration {quoted}")
        rest = rest[len(digits) :]
        unit = re.match(r"[^\d.]*", rest)
        word = unit.group() if unit else ""
        if not word:
            raise ValueError(f"time: missing unit in duration {quoted}")
        if word not in UNITS:
            raise ValueError(f"time: unknown unit {go_quote(word)} in duration {quoted}")
        total += float(digits) * UNITS[word]
        rest = rest[len(word) :]
    return -total if text.startswith("-") else total


def _bool(text: str) -> bool:
    if text in ("1", "t", "T", "true", "TRUE", "True"):
        return True
    if text in ("0", "f", "F", "false", "FALSE", "False"):
        return False
    raise ValueError(f"strconv.ParseBool: parsing {go_quote(text)}: invalid syntax")


def _int(text: str) -> int:
    digits = text[1:] if text[:1] in ("-", "+") else text
    if not (digits.isascii() and digits.isdigit()):
        raise ValueError(f"strconv.ParseInt: parsing {go_quote(text)}: invalid syntax")
    value = int(text)
    if not -(2**63) <= value < 2**63:
        raise ValueError(f"strconv.ParseInt: parsing {go_quote(text)}: value out of range")
    return value


def _map(text: str) -> tuple[str, ...]:
    pairs = tuple(pair.strip() for pair in text.split(",") if pair)
    if not all("=" in pair for pair in pairs):
        raise ValueError("malformed pair, expect string=string")
    return pairs


READ: Final[Mapping[str, Any]] = {
    "string": str,
    "bool": _bool,
    "int": _int,
    "duration": parse_duration,
    "list": lambda text: tuple(text.split(",")) if text else (),
    "array": lambda text: (text,),
    "map": _map,
}


@dataclass(slots=True)
class Parsed:
    """A command line, read.

    Attributes:
        args: what is not a flag, in order.
        dash: how many of `args` came before `--`, -1 without one.
        values: value by flag name, given or default.
        changed: the flags that were given.
    """

    args: list[str]
    dash: int
    values: dict[str, Any]
    changed: dict[str, bool] = field(default_factory=dict)

    def text(self, name: str) -> str:
        """Value of a string flag."""
        return str(self.values[name])

    def on(self, name: str) -> bool:
        """Value of a bool flag."""
        return bool(self.values[name])

    def number(self, name: str) -> int:
        """Value of an int flag."""
        return int(self.values[name])

    def seconds(self, name: str) -> float:
        """Value of a duration flag."""
        return float(self.values[name])

    def items(self, name: str) -> tuple[str, ...]:
        """Values of a list or array flag."""
        return tuple(self.values[name])

    def given(self, name: str) -> bool:
        """Whether the flag stood on the command line."""
        return name in self.changed


@dataclass(frozen=True, slots=True)
class Flags:
    """The flags that one command knows, its own and the global ones."""

    long: Mapping[str, Flag]
    short: Mapping[str, Flag]
    defaults: Mapping[str, Any]

    @classmethod
    def of(cls, *flags: Flag) -> Flags:
        """A table of flags; an earlier flag wins over a later one of the same name."""
        long: dict[str, Flag] = {}
        short: dict[str, Flag] = {}
        for flag in flags:
            if flag.name not in long:
                long[flag.name] = flag
                if flag.short:
                    short.setdefault(flag.short, flag)
        return cls(long, short, {name: flag.start() for name, flag in long.items()})

    def parse(self, words: Sequence[str]) -> Parsed:
        """Read a command line; flags may stand anywhere before `--`. Raises FlagError."""
        parsed = Parsed([], -1, dict(self.defaults))
        rest = list(words)
        rest.reverse()
        while rest:
            word = rest.pop()
            if len(word) < 2 or word[0] != "-":
                parsed.args.append(word)
            elif word == "--":
                parsed.dash = len(parsed.args)
                parsed.args += reversed(rest)
                break
            elif word[1] == "-":
                self._long(word, rest, parsed)
            else:
                self._short(word, rest, parsed)
        return parsed

    def wants_value(self, word: str) -> bool:
        """Whether cobra, looking for the command, takes the word after this flag for its value."""
        if word.startswith("--"):
            flag = self.long.get(word[2:])
            return "=" not in word and (flag is None or flag.bare_value() is None)
        if "=" in word or len(word) != 2:
            return False
        flag = self.short.get(word[1:])
        return flag is None or flag.bare_value() is None

    def _long(self, word: str, rest: list[str], parsed: Parsed) -> None:
        name, equals, text = word[2:].partition("=")
        if not name or name[0] in "-=":
            raise FlagError(f"bad flag syntax: {word}")
        flag = self.long.get(name)
        if flag is None:
            raise FlagError(f"unknown flag: --{name}")
        if not equals:
            bare = flag.bare_value()
            if bare is not None:
                text = bare
            elif rest:
                text = rest.pop()
            else:
                raise FlagError(f"flag needs an argument: {word}")
        _assign(flag, text, parsed)

    def _short(self, word: str, rest: list[str], parsed: Parsed) -> None:
        letters = word[1:]
        while letters:
            letter, tail = letters[0], letters[1:]
            flag = self.short.get(letter)
            if flag is None:
                raise FlagError(f"unknown shorthand flag: {go_char(letter)} in -{letters}")
            bare = flag.bare_value()
            if len(tail) > 1 and tail[0] == "=":
                text, tail = tail[1:], ""
            elif bare is not None:
                text = bare
            elif tail:
                text, tail = tail, ""
            elif rest:
                text = rest.pop()
            else:
                raise FlagError(f"flag needs an argument: {go_char(letter)} in -{letters}")
            _assign(flag, text, parsed)
            letters = tail


def go_char(char: str) -> str:
    """A character as Go's %q writes it."""
    return f"'{char}'"


def _assign(flag: Flag, text: str, parsed: Parsed) -> None:
    try:
        value = flag.read(text)
    except ValueError as error:
        raise FlagError(f"invalid argument {go_quote(text)} for {go_quote(flag.label)} flag: {error}") from None
    if flag.kind in ("list", "array", "map") and flag.name in parsed.changed:
        value = (*parsed.values[flag.name], *value)
    parsed.values[flag.name] = value
    parsed.changed[flag.name] = True


GLOBAL: Final = (
    Flag("help", "bool", short="h", help="help for the command"),
    Flag("as", help="Username to impersonate for the operation."),
    Flag("as-group", "array", help="Group to impersonate for the operation."),
    Flag("as-uid", help="UID to impersonate for the operation."),
    Flag("cache-dir", default="/root/.kube/cache", help="Default cache directory"),
    Flag("certificate-authority", help="Path to a cert file for the certificate authority"),
    Flag("client-certificate", help="Path to a client certificate file for TLS"),
    Flag("client-key", help="Path to a client key file for TLS"),
    Flag("cluster", help="The name of the kubeconfig cluster to use"),
    Flag("context", help="The name of the kubeconfig context to use"),
    Flag("disable-compression", "bool", help="If true, opt-out of response compression for all requests"),
    Flag("insecure-skip-tls-verify", "bool", help="If true, the server's certificate will not be checked"),
    Flag("kubeconfig", help="Path to the kubeconfig file to use for CLI requests."),
    Flag("log-flush-frequency", "duration", default=5.0, help="Maximum number of seconds between log flushes"),
    Flag("match-server-version", "bool", help="Require server version to match client version"),
    Flag("namespace", short="n", help="If present, the namespace scope for this CLI request"),
    Flag("password", help="Password for basic authentication to the API server"),
    Flag("profile", default="none", help="Name of profile to capture."),
    Flag("profile-output", default="profile.pprof", help="Name of the file to write the profile to"),
    Flag("request-timeout", default="0", help="The length of time to wait before giving up on a single request."),
    Flag("server", short="s", help="The address and port of the Kubernetes API server"),
    Flag("tls-server-name", help="Server name to use for server certificate validation."),
    Flag("token", help="Bearer token for authentication to the API server"),
    Flag("user", help="The name of the kubeconfig user to use"),
    Flag("username", help="Username for basic authentication to the API server"),
    Flag("v", "int", short="v", help="number for the log level verbosity"),
    Flag("vmodule", help="comma-separated list of pattern=N settings for file-filtered logging"),
    Flag("warnings-as-errors", "bool", help="Treat warnings received from the server as errors"),
)
"""The flags of every command (`kubectl options`)."""

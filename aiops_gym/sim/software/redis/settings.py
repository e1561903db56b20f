"""The command line of a server and the file that it may name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from aiops_gym.errors import AiopsGymError
from aiops_gym.sim.kernel.digits import is_natural

DEFAULTS: Mapping[str, str] = {
    "appendonly": "no",
    "bind": "* -::*",
    "databases": "16",
    "dir": "/data",
    "hz": "10",
    "io-threads": "1",
    "io-threads-do-reads": "no",
    "logfile": "",
    "loglevel": "notice",
    "maxclients": "10000",
    "maxmemory": "0",
    "maxmemory-policy": "noeviction",
    "port": "6379",
    "protected-mode": "no",
    "requirepass": "",
    "save": "3600 1 300 100 60 10000",
    "tcp-backlog": "511",
    "tcp-keepalive": "300",
    "timeout": "0",
    "tls-port": "0",
}
"""Settings of the official image, by name."""

OTHERS = frozenset(
    (
        "always-show-logo",
        "appendfilename",
        "appendfsync",
        "daemonize",
        "dbfilename",
        "include",
        "lazyfree-lazy-eviction",
        "loadmodule",
        "masterauth",
        "pidfile",
        "rdbchecksum",
        "rdbcompression",
        "replicaof",
        "slowlog-log-slower-than",
        "slowlog-max-len",
        "stop-writes-on-bgsave-error",
        "supervised",
        "tls-auth-clients",
        "tls-ca-cert-file",
        "tls-cert-file",
        "tls-key-file",
        "unixsocket",
    )
)
LOCAL = frozenset(("127.0.0.1", "localhost", "::1", "-::1"))
NAMES = {"kb": 1 << 10, "mb": 1 << 20, "gb": 1 << 30, "k": 1_000, "m": 1_000_000, "g": 1_000_000_000}


class Unusable(AiopsGymError):
    """Settings with which a server does not start.

    Attributes:
        lines: what it says.
    """

    def __init__(self, *lines: str) -> None:
        super().__init__(lines[0])
        self.lines = lines


class Settings(NamedTuple):
    """How a server runs: all values by name, and the file that they are from ("": none)."""

    values: Mapping[str, str]
    file: str

    @property
    def port(self) -> int:
        """Where it listens; 0 for nowhere."""
        return int(self.values["port"])

    @property
    def local(self) -> bool:
        """Whether only its own pod reaches it."""
        return LOCAL.issuperset(self.values["bind"].split())


def read(argv: Sequence[str], files: Mapping[str, str], version: str) -> Settings:
    """The settings of `redis-server [FILE] [--name value ...]`. Raises Unusable."""
    words = list(argv[1:])
    file = words.pop(0) if words and not words[0].startswith("-") else ""
    values = dict(DEFAULTS)
    if file:
        if file not in files:
            raise Unusable(f"Fatal error, can't open config file '{file}': No such file or directory")
        for number, line in enumerate(files[file].splitlines(), 1):
            _take(values, line.split(), number, line.strip(), version)
    given: list[list[str]] = []
    for word in words:
        if word.startswith("--"):
            given.append([word[2:]])
        elif given:
            given[-1].append(word)
    for number, each in enumerate(given, 1):
        _take(values, each, number, " ".join(each), version)
    return Settings(values, file)


def parse_size(text: str) -> int:
    """Bytes of a setting.

    >>> parse_size("100mb"), parse_size("7")
    (104857600, 7)
    """
    text = text.lower()
    name = next((name for name in NAMES if text.endswith(name)), "")
    digits = text.removesuffix(name)
    return int(digits) * NAMES.get(name, 1) if is_natural(digits) else 0


def _take(values: dict[str, str], words: list[str], number: int, line: str, version: str) -> None:
    if not words or words[0].startswith("#"):
        return
    name, value = words[0].lower(), " ".join(words[1:]).strip("\"'")
    problem = ""
    if name not in values and name not in OTHERS:
        problem = "Bad directive or wrong number of arguments"
    elif len(words) < 2:
        problem = "wrong number of arguments"
    elif name in ("port", "tls-port") and not (is_natural(value) and int(value) < 65_536):
        problem = "argument must be between 0 and 65535 inclusive"
    if problem:
        head = f"*** FATAL CONFIG FILE ERROR (Redis {version}) ***"
        raise Unusable("", head, f"Reading the configuration file, at line {number}", f">>> '{line}'", problem)
    values[name] = value

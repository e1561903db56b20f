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

_OTHERS = """
acl-pubsub-default aclfile acllog-max-len active-defrag-cycle-max active-defrag-cycle-min
active-defrag-ignore-bytes active-defrag-max-scan-fields active-defrag-threshold-lower
active-defrag-threshold-upper activedefrag activerehashing always-show-logo aof-load-truncated
aof-rewrite-incremental-fsync aof-use-rdb-preamble aof_rewrite_cpulist appendfilename appendfsync
auto-aof-rewrite-min-size auto-aof-rewrite-percentage bgsave_cpulist bio_cpulist
client-output-buffer-limit client-query-buffer-limit cluster-announce-ip cluster-config-file cluster-enabled
cluster-node-timeout crash-log-enabled crash-memcheck-enabled daemonize dbfilename disable-thp dynamic-hz
gopher-enabled hash-max-ziplist-entries hash-max-ziplist-value hll-sparse-max-bytes ignore-warnings include
jemalloc-bg-thread latency-monitor-threshold lazyfree-lazy-eviction lazyfree-lazy-expire
lazyfree-lazy-server-del lazyfree-lazy-user-del lazyfree-lazy-user-flush lfu-decay-time lfu-log-factor
list-compress-depth list-max-ziplist-size loadmodule lua-time-limit masterauth masteruser
maxmemory-eviction-tenacity maxmemory-samples min-replicas-max-lag min-replicas-to-write
notify-keyspace-events no-appendfsync-on-rewrite oom-score-adj oom-score-adj-values pidfile proc-title-template
proto-max-bulk-len rdb-del-sync-files rdb-save-incremental-fsync rdbchecksum rdbcompression rename-command
repl-backlog-size repl-backlog-ttl repl-disable-tcp-nodelay repl-diskless-load repl-diskless-sync
repl-diskless-sync-delay repl-ping-replica-period repl-timeout replica-announce-ip replica-announce-port
replica-lazy-flush replica-priority replica-read-only replica-serve-stale-data replicaof sanitize-dump-payload
server_cpulist set-max-intset-entries set-proc-title slaveof slowlog-log-slower-than slowlog-max-len
stop-writes-on-bgsave-error stream-node-max-bytes stream-node-max-entries supervised syslog-enabled
syslog-facility syslog-ident tls-auth-clients tls-ca-cert-dir tls-ca-cert-file tls-cert-file tls-ciphers
tls-ciphersuites tls-client-cert-file tls-client-key-file tls-cluster tls-dh-params-file tls-key-file
tls-prefer-server-ciphers tls-protocols tls-replication tls-session-cache-size tls-session-cache-timeout
tls-session-caching tracking-table-max-keys unixsocket unixsocketperm user zset-max-ziplist-entries
zset-max-ziplist-value
"""
OTHERS = frozenset(_OTHERS.split())
"""Further names of settings, of which nothing here depends."""

LOCAL = frozenset(("127.0.0.1", "localhost", "::1", "-::1"))
NAMES = {"kb": 1 << 10, "mb": 1 << 20, "gb": 1 << 30, "k": 1_000, "m": 1_000_000, "g": 1_000_000_000, "b": 1}
_POLICIES = "volatile-lru volatile-lfu volatile-random volatile-ttl allkeys-lru allkeys-lfu allkeys-random noeviction"
POLICIES = tuple(_POLICIES.split())
FIXED = frozenset(("databases", "io-threads", "io-threads-do-reads", "logfile", "tcp-backlog"))
"""What no CONFIG SET changes."""


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

    @property
    def changed(self) -> dict[str, str]:
        """Those that are not as the image has them."""
        return {name: value for name, value in self.values.items() if value != DEFAULTS.get(name)}


def read(argv: Sequence[str], files: Mapping[str, str], version: str, brand: str = "Redis") -> Settings:
    """The settings of `redis-server [FILE] [--name value ...]`. Raises Unusable."""
    words = list(argv[1:])
    file = words.pop(0) if words and not words[0].startswith("-") else ""
    values = dict(DEFAULTS)
    if file:
        if file not in files:
            raise Unusable(f"Fatal error, can't open config file '{file}': No such file or directory")
        for number, line in enumerate(files[file].splitlines(), 1):
            _take(values, line.split(), number, line.strip(), f"{brand} {version}")
    given: list[list[str]] = []
    for word in words:
        if word.startswith("--"):
            given.append([word[2:]])
        elif given:
            given[-1].append(word)
    for number, each in enumerate(given, 1):
        _take(values, each, number, " ".join(each), f"{brand} {version}")
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


def find_problem(name: str, value: str) -> str:
    """Why a value makes no sense for a setting, "" if it does."""
    if name in ("port", "tls-port") and not (is_natural(value) and int(value) < 65_536):
        return "argument must be between 0 and 65535 inclusive"
    if name == "maxmemory" and not (parse_size(value) or value.lower().rstrip("kmgb") == "0"):
        return "argument must be a memory value"
    if name == "maxmemory-policy" and value not in POLICIES:
        return f"argument must be one of the following: {', '.join(POLICIES)}"
    return ""


def simplify(name: str, value: str) -> str:
    """A value as the server tells it.

    >>> simplify("maxmemory", "1kb"), simplify("bind", "::1")
    ('1024', '::1')
    """
    return str(parse_size(value)) if name == "maxmemory" else value


def _take(values: dict[str, str], words: list[str], number: int, line: str, server: str) -> None:
    if not words or words[0].startswith("#"):
        return
    name, value = words[0].lower(), " ".join(words[1:]).strip("\"'")
    problem = ""
    if name not in values and name not in OTHERS:
        problem = "Bad directive or wrong number of arguments"
    elif len(words) < 2:
        problem = "wrong number of arguments"
    else:
        problem = find_problem(name, value)
    if problem:
        head = f"*** FATAL CONFIG FILE ERROR ({server}) ***"
        raise Unusable("", head, f"Reading the configuration file, at line {number}", f">>> '{line}'", problem)
    values[name] = simplify(name, value)

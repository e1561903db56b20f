"""`redis-cli`: its command line, the connection, and replies as it prints them where there is no terminal."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from aiops_gym.sim.kernel.digits import is_natural
from aiops_gym.sim.machine.container import Container
from aiops_gym.sim.software.redis import commands, info
from aiops_gym.types import Output

if TYPE_CHECKING:
    from aiops_gym.sim.software.redis.commands import Reply

VALUED = {"-h": "host", "-p": "port", "-a": "password", "--pass": "password", "-n": "database", "--user": "user"}
VALUED |= {"-r": "repeat", "-i": "interval", "-u": "uri"}
FLAGS = ("--raw", "--no-raw", "--no-auth-warning", "-c", "--tls", "--insecure", "--csv", "-x")
WHY = {
    "refused": "Connection refused",
    "timeout": "Connection timed out",
    "no_host": "Name or service not known",
    "no_answer": "Temporary failure in name resolution",
}
WARNING = "Warning: Using a password with '-a' or '-u' option on the command line interface may not be safe."


class Line(NamedTuple):
    """A command line, read: options, and the command (none: read from the input)."""

    options: Mapping[str, str]
    words: Sequence[str]
    unknown: str = ""


def redis_cli(c: Container, argv: Sequence[str], stdin: str) -> Output:
    """Run it."""
    brand, version = info.read_brand(c)
    if "--version" in argv or "-v" in argv[1:2]:
        return Output(f"{brand.lower()}-cli {version}\n")
    line = read(argv[1:])
    if line.unknown:
        return Output("", f"Unrecognized option or bad number of args for: '{line.unknown}'\n", 1)
    host, port = line.options.get("host", "127.0.0.1"), line.options.get("port", "6379")
    if not is_natural(port):
        return Output("", "Invalid server port.\n", 1)
    server, problem = _server(c, host, int(port), "--tls" in argv)
    if server is None:
        return Output("", f"Could not connect to {brand} at {host}:{port}: {problem}\n", 1)
    password = line.options.get("password")
    warned = f"{WARNING}\n" if password is not None and "--no-auth-warning" not in argv else ""
    batches = [list(line.words)] if line.words else [_split(each) for each in stdin.splitlines() if each.strip()]
    printed, code = "", 0
    for words in batches:
        text, failed = _answer(server, words, password)
        printed, code = printed + text, int(failed) if line.words else code
    return Output(printed, warned, code)


def read(argv: Sequence[str]) -> Line:
    """Options and command.

    >>> read(["-h", "cache", "-p", "6380", "get", "a"])
    Line(options={'host': 'cache', 'port': '6380'}, words=['get', 'a'], unknown='')
    """
    options: dict[str, str] = {}
    words = list(argv)
    while words and words[0].startswith("-"):
        word = words.pop(0)
        if word in VALUED and words:
            options[VALUED[word]] = words.pop(0)
        elif word not in FLAGS:
            return Line(options, [], word)
    return Line(options, words)


def printed(reply: Reply) -> str:
    """A reply without a terminal: bare, one element a line.

    >>> printed(["a", None, 3])
    'a\\n\\n3'
    """
    if isinstance(reply, list):
        return "\n".join(printed(each) for each in reply)
    return "" if reply is None else str(reply)


def encode_reply(reply: Reply) -> str:
    """A reply as it goes over the wire.

    >>> encode_reply(2), encode_reply(None), encode_reply("OK")
    (':2\\r\\n', '$-1\\r\\n', '+OK\\r\\n')
    """
    if isinstance(reply, list):
        return f"*{len(reply)}\r\n" + "".join(encode_reply(each) for each in reply)
    if isinstance(reply, int):
        return f":{reply}\r\n"
    if reply is None:
        return "$-1\r\n"
    simple = reply in ("OK", "PONG")
    return f"+{reply}\r\n" if simple else f"${len(reply.encode())}\r\n{reply}\r\n"


def _server(c: Container, host: str, port: int, secure: bool) -> tuple[Container | None, str]:
    """The server at an address, or why there is none."""
    route = c.dial(host, port)
    if route.outcome != "ok":
        return None, WHY[route.outcome]
    key = route.targets[0].process
    if c.world.table("processes")[key]["program"] != "redis" or secure:
        return None, "Server closed the connection" if not secure else "SSL_connect failed: Success"
    return Container(c.world, key), ""


def _answer(server: Container, words: Sequence[str], password: str | None) -> tuple[str, bool]:
    """What is printed of a command, and whether it was refused."""
    needed = server.state.get("settings", {}).get("requirepass", "")
    try:
        if password is not None and needed and password == needed and words[0].lower() != "auth":
            reply: Any = commands.run_allowed(server, words)
        else:
            reply = commands.run(server, words)
    except commands.Error as error:
        return f"{error}\n\n", True
    return f"{printed(reply)}\n", False


def _split(line: str) -> list[str]:
    try:
        return shlex.split(line)
    except ValueError:
        return line.split()

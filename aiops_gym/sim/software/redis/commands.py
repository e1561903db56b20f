"""The commands that somebody types to look around, with the replies and refusals of Redis 6.2."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from fnmatch import translate
from typing import TYPE_CHECKING, Any

from aiops_gym.errors import AiopsGymError
from aiops_gym.sim.software.redis import clients, guard, info, settings
from aiops_gym.sim.software.redis.keys import Keys

if TYPE_CHECKING:
    from aiops_gym.sim.machine.container import Container

Reply = Any
"""None, a string, a number, or a list of replies."""

Words = Sequence[str]
Run = Callable[["Container", Words], Reply]

WRONG_TYPE = "WRONGTYPE Operation against a key holding the wrong kind of value"
NO_NUMBER = "ERR value is not an integer or out of range"
NO_FLOAT = "ERR value is not a valid float"


class Error(AiopsGymError):
    """A command that the server refuses."""


def run(c: Container, words: Words) -> Reply:
    """The reply to a command. Raises Error."""
    name = words[0].lower()
    password = c.state.get("settings", {}).get("requirepass", "")
    if name == "auth":
        return _auth(password, words)
    if password and name != "quit":
        raise Error(guard.NOAUTH)
    return run_allowed(c, words)


def run_allowed(c: Container, words: Words) -> Reply:
    """The reply to a command of somebody who has logged in, or need not. Raises Error."""
    name = words[0].lower()
    found = COMMANDS.get(name)
    if found is None:
        given = "".join(f"`{word}`, " for word in words[1:])
        raise Error(f"ERR unknown command `{words[0]}`, with args beginning with: {given}")
    least, most, command = found
    if not least <= len(words) - 1 <= most:
        raise Error(f"ERR wrong number of arguments for '{name}' command")
    limited = c.state.get("settings", {}).get("maxmemory", "0") != "0"
    if limited and name in guard.GROWING and guard.is_full(c):
        raise Error(guard.OOM)
    reply = command(c, words)
    if limited:
        guard.apply(c)
    return reply


def _auth(password: str, words: Words) -> Reply:
    if not password:
        raise Error(
            "ERR AUTH <password> called without any password configured for the default user. "
            "Are you sure your configuration is correct?"
        )
    if words[-1] != password:
        raise Error("WRONGPASS invalid username-password pair or user is disabled.")
    return "OK"


def _ping(c: Container, words: Words) -> Reply:
    return words[1] if len(words) > 1 else "PONG"


def _get(c: Container, words: Words) -> Reply:
    found = Keys(c).get(words[1])
    if isinstance(found, dict):
        raise Error(WRONG_TYPE)
    return found


def _set(c: Container, words: Words) -> Reply:
    options = [word.lower() for word in words[3:]]
    known = Keys(c).get(words[1]) is not None
    if ("nx" in options and known) or ("xx" in options and not known):
        return None
    Keys(c).put(words[1], words[2])
    return "OK"


def _delete(c: Container, words: Words) -> Reply:
    keys = Keys(c)
    there = [name for name in dict.fromkeys(words[1:]) if keys.get(name) is not None]
    for name in there:
        keys.put(name, None)
    return len(there)


def _exists(c: Container, words: Words) -> Reply:
    names = set(Keys(c).names())
    return sum(word in names for word in words[1:])


def _keys(c: Container, words: Words) -> Reply:
    pattern = re.compile(translate(words[1]))
    return [name for name in Keys(c).names() if pattern.match(name)]


def _scan(c: Container, words: Words) -> Reply:
    options = [word.lower() for word in words]
    pattern = words[options.index("match") + 1] if "match" in options[:-1] else "*"
    return ["0", _keys(c, ["keys", pattern])]


def _size(c: Container, words: Words) -> Reply:
    return len(Keys(c).names())


def _type(c: Container, words: Words) -> Reply:
    found = Keys(c).get(words[1])
    return "none" if found is None else "zset" if isinstance(found, dict) else "string"


def _ttl(c: Container, words: Words) -> Reply:
    return -2 if Keys(c).get(words[1]) is None else -1


def _flush(c: Container, words: Words) -> Reply:
    Keys(c).clear()
    return "OK"


def _sorted(c: Container, name: str) -> list[tuple[str, float]]:
    found = Keys(c).get(name)
    if found is not None and not isinstance(found, dict):
        raise Error(WRONG_TYPE)
    return sorted((found or {}).items(), key=lambda pair: (pair[1], pair[0]))


def _add(c: Container, words: Words) -> Reply:
    pairs = list(zip(words[2::2], words[3::2], strict=False))
    if len(words) % 2:
        raise Error("ERR syntax error")
    before = dict(_sorted(c, words[1]))
    try:
        new = {member: float(score) for score, member in pairs}
    except ValueError:
        raise Error(NO_FLOAT) from None
    Keys(c).put(words[1], {**before, **new})
    return sum(member not in before for member in new)


def _range(c: Container, words: Words) -> Reply:
    try:
        first, last = int(words[2]), int(words[3])
    except ValueError:
        raise Error(NO_NUMBER) from None
    options = [word.lower() for word in words[4:]]
    if any(option not in ("withscores", "rev") for option in options):
        raise Error("ERR syntax error")
    rows = _sorted(c, words[1])
    if words[0].lower() == "zrevrange" or "rev" in options:
        rows.reverse()
    end = len(rows) + last if last < 0 else last
    chosen = rows[max(0, len(rows) + first if first < 0 else first) : end + 1]
    if "withscores" not in options:
        return [member for member, _ in chosen]
    return [text for member, score in chosen for text in (member, info.number(score))]


def _card(c: Container, words: Words) -> Reply:
    return len(_sorted(c, words[1]))


def _score(c: Container, words: Words) -> Reply:
    found = dict(_sorted(c, words[1])).get(words[2])
    return None if found is None else info.number(found)


def _client(c: Container, words: Words) -> Reply:
    what = words[1].lower()
    if what == "list":
        return info.format_clients(c)
    if what in ("id", "getname"):
        return info.FIRST_CLIENT + len(clients.list_connections(c)) if what == "id" else None
    raise Error(f"ERR Unknown subcommand or wrong number of arguments for '{words[1]}'. Try CLIENT HELP.")


def _config(c: Container, words: Words) -> Reply:
    what = words[1].lower()
    if what == "get" and len(words) == 3:
        pattern = re.compile(translate(words[2].lower()))
        values = c.state.get("settings", {})
        return [text for name in sorted(values) if pattern.match(name) for text in (name, values[name])]
    if what == "set" and len(words) == 4:
        return _change(c, words[2].lower(), words[3])
    if what == "resetstat":
        return "OK"
    raise Error(f"ERR Unknown subcommand or wrong number of arguments for '{words[1]}'. Try CONFIG HELP.")


def _change(c: Container, name: str, value: str) -> Reply:
    """CONFIG SET, with the refusals of Redis 6.2 and those that came with 7."""
    failed, recent = f"CONFIG SET failed (possibly related to argument '{name}') -", info.read_brand(c)[0] != "Redis"
    old, new = f"Unsupported CONFIG parameter: {name}", ""
    if name not in c.state.get("settings", {}):
        new = f"Unknown option or number of arguments for CONFIG SET - '{name}'"
    elif name in settings.FIXED:
        new = f"{failed} can't set immutable config"
    elif problem := settings.find_problem(name, value):
        old, new = f"Invalid argument '{value}' for CONFIG SET '{name}' - {problem}", f"{failed} {problem}"
    if new:
        raise Error(f"ERR {new if recent else old}")
    guard.change(c, name, settings.simplify(name, value))
    return "OK"


def _info(c: Container, words: Words) -> Reply:
    return info.text(c, words[1].lower() if len(words) > 1 else "")


def _memory(c: Container, words: Words) -> Reply:
    if words[1].lower() == "usage" and len(words) > 2:
        found = Keys(c).get(words[2])
        return None if found is None else 56 + len(words[2]) + 40 * (len(found) if isinstance(found, dict) else 1)
    raise Error(f"ERR Unknown subcommand or wrong number of arguments for '{words[1]}'. Try MEMORY HELP.")


MANY = 1 << 20
COMMANDS: dict[str, tuple[int, int, Run]] = {
    "client": (1, MANY, _client),
    "config": (1, MANY, _config),
    "dbsize": (0, 0, _size),
    "del": (1, MANY, _delete),
    "echo": (1, 1, _ping),
    "exists": (1, MANY, _exists),
    "flushall": (0, 1, _flush),
    "flushdb": (0, 1, _flush),
    "get": (1, 1, _get),
    "info": (0, 1, _info),
    "keys": (1, 1, _keys),
    "memory": (1, MANY, _memory),
    "ping": (0, 1, _ping),
    "quit": (0, MANY, lambda c, words: "OK"),
    "role": (0, 0, lambda c, words: ["master", 0, []]),
    "scan": (1, MANY, _scan),
    "select": (1, 1, lambda c, words: "OK"),
    "set": (2, MANY, _set),
    "slowlog": (1, MANY, lambda c, words: 0 if words[1].lower() == "len" else []),
    "ttl": (1, 1, _ttl),
    "type": (1, 1, _type),
    "unlink": (1, MANY, _delete),
    "zadd": (3, MANY, _add),
    "zcard": (1, 1, _card),
    "zrange": (3, 5, _range),
    "zrevrange": (3, 4, _range),
    "zscore": (2, 2, _score),
}
"""Least and most arguments, and what to do."""

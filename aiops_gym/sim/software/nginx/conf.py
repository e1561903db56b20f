"""`nginx.conf`: directives, blocks, and what nginx says of a file that it does not understand."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from aiops_gym.errors import AiopsGymError
from aiops_gym.sim.kernel.nesting import DEEPEST

TOKEN = re.compile(r"""\s+|\#[^\n]*|"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|[{};]|(?:\\.|[^\s{};"'\\])+""")
BLOCKS = frozenset(("events", "http", "server", "location", "if", "upstream", "map", "types", "geo", "limit_except"))
MODULES = (
    "lua_",
    "opentracing_",
    "proxy_",
    "gzip_",
    "ssl_",
    "client_",
    "fastcgi_",
    "limit_",
    "keepalive_",
    "open_file_",
)
NAMES = """
access_log add_header alias allow autoindex charset daemon default_type deny env error_log error_page expires
gzip include index init_by_lua_block init_worker_by_lua_block internal keepalive lingering_close listen
load_module log_format log_not_found master_process multi_accept opentracing output_buffers pcre_jit pid
read_ahead real_ip_header resolver resolver_timeout return rewrite root satisfy send_timeout sendfile server
server_name server_names_hash_bucket_size server_tokens set set_real_ip_from tcp_nodelay tcp_nopush
thread_pool timer_resolution try_files types types_hash_max_size underscores_in_headers use user
worker_connections worker_cpu_affinity worker_priority worker_processes worker_rlimit_nofile content_by_lua
content_by_lua_block content_by_lua_file access_by_lua access_by_lua_block rewrite_by_lua_block
header_filter_by_lua_block body_filter_by_lua_block log_by_lua_block balancer_by_lua_block set_by_lua_block
"""
KNOWN = frozenset(NAMES.split())


LISTEN = re.compile(r"reuseport|default_server|ssl|http2|deferred|bind|(?:backlog|rcvbuf|sndbuf|ipv6only|fastopen)=.*")
"""Parameters of `listen` after the address."""


class ConfError(AiopsGymError):
    """What is wrong with the file.

    Attributes:
        problem: in nginx's words, without the place.
        line: number of the line.
    """

    def __init__(self, problem: str, line: int) -> None:
        super().__init__(problem)
        self.problem = problem
        self.line = line


class Directive(NamedTuple):
    """A directive or the head of a block: its words, its line, and the blocks around it, outermost first."""

    words: list[str]
    line: int
    inside: tuple[str, ...]


def read(text: str) -> list[Directive]:
    """All directives, in order. Raises ConfError.

    >>> [d.words for d in read("http { server { listen 8080 reuseport; } }")]
    [['http'], ['server'], ['listen', '8080', 'reuseport']]
    """
    found: list[Directive] = []
    inside: list[str] = []
    words: list[str] = []
    line = last = 1
    for token, line in _tokens(text):
        if token in ("{", ";"):
            if not words:
                raise ConfError(f'unexpected "{token}"', line)
            if len(inside) > DEEPEST:
                raise ConfError(f'"{words[0]}" directive is not allowed here', line)
            found.append(_checked(Directive(words, line, tuple(inside)), token == "{"))
            inside += [words[0]] if token == "{" else []
            words = []
        elif token == "}":
            if words or not inside:
                raise ConfError('unexpected "}"', line)
            inside.pop()
        else:
            words.append(token.strip("\"'"))
        last = line
    if inside or words:
        raise ConfError(
            f"unexpected end of file, expecting {chr(34) + '}' + chr(34) if inside else chr(34) + ';' + chr(34)}", last
        )
    return found


def find_values(directives: list[Directive], name: str) -> list[list[str]]:
    """Arguments of all directives of a name."""
    return [each.words[1:] for each in directives if each.words[0] == name]


def _checked(directive: Directive, block: bool) -> Directive:
    name = directive.words[0]
    known = name in BLOCKS or name in KNOWN or name.startswith(MODULES) or "types" in directive.inside
    if not known:
        raise ConfError(f'unknown directive "{name}"', directive.line)
    if block != (name in BLOCKS) and name not in ("server", "types"):
        problem = (
            f'directive "{name}" has no opening "{{"'
            if name in BLOCKS
            else f'directive "{name}" is not terminated by ";"'
        )
        raise ConfError(problem, directive.line)
    for word in directive.words[2:] if name == "listen" else ():
        if not LISTEN.fullmatch(word):
            raise ConfError(f'invalid parameter "{word}"', directive.line)
    return directive


def _tokens(text: str) -> Iterator[tuple[str, int]]:
    """Words and signs with their line; a block of Lua counts as one word."""
    at, line, before = 0, 1, ""
    while at < len(text):
        if before.endswith("_by_lua_block") and text[at] == "{":
            end = _closing(text, at)
            yield from (("lua", line), (";", line))
            token = text[at : end + 1]
            before = ""
        else:
            match = TOKEN.match(text, at)
            token = match[0] if match else text[at]
            if token.strip() and not token.startswith("#"):
                yield token, line + token.count("\n")
                before = token
        line += token.count("\n")
        at += len(token)


def _closing(text: str, at: int) -> int:
    """Where the brace that opens at a place is closed."""
    depth = 0
    for place in range(at, len(text)):
        depth += {"{": 1, "}": -1}.get(text[place], 0)
        if not depth:
            return place
    raise ConfError('unexpected end of file, expecting "}"', text.count("\n") + 1)

"""`curl` and `wget` over the cluster's network: GET requests to what the programs serve."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import NamedTuple
from urllib.parse import urlsplit

from aiops_gym.sim.container import Container
from aiops_gym.sim.network import Route
from aiops_gym.sim.programs import program_of
from aiops_gym.types import Output

VALUED = frozenset(
    (
        "-H",
        "-X",
        "-d",
        "-o",
        "-m",
        "-w",
        "-A",
        "-u",
        "--max-time",
        "--connect-timeout",
        "--request",
        "--data",
        "--header",
        "--output",
    )
)
PHRASES = {200: "OK", 404: "Not Found", 500: "Internal Server Error", 503: "Service Unavailable"}
DEFAULT_TIMEOUT = 120.0


class Answer(NamedTuple):
    """How a GET ended: `failure` is "" or the outcome of the connection."""

    failure: str
    status: int = 0
    body: str = ""
    route: Route | None = None


def fetch(c: Container, url: str, timeout: float) -> tuple[str, int, Answer]:
    """(host, port, how it ended) of a GET."""
    parts = urlsplit(url if "//" in url else f"http://{url}")
    try:
        host, port = parts.hostname or "", parts.port or (443 if parts.scheme == "https" else 80)
    except ValueError:
        return url, 0, Answer("no_host")
    route = c.dial(host, port)
    if route.outcome != "ok":
        return host, port, Answer(route.outcome, route=route)
    target = route.targets[0]
    if target.delay_ms / 1000.0 > timeout or c.between(0, 1, "web/loss", c.now) < target.loss:
        return host, port, Answer("timeout", route=route)
    process = c.world.table("processes")[target.process]
    status, body = program_of(process).http(
        c.world, process, (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    )
    return host, port, Answer("" if status else "not_http", status, body, route)


def curl(c: Container, argv: Sequence[str], stdin: str) -> Output:
    """The options in daily use: -s -S -f -i -I -v -o -m -w."""
    options, urls = _read(argv[1:])
    if not urls:
        return Output("", "curl: try 'curl --help' or 'curl --manual' for more information\n", 2)
    short = "".join(o[1:] for o in options if not o.startswith("--"))
    timeout = _number(options.get("-m") or options.get("--max-time") or options.get("--connect-timeout"))
    silent = ("s" in short or "--silent" in options) and not ("S" in short or "--show-error" in options)
    host, port, answer = fetch(c, urls[0], timeout)
    if answer.failure:
        code, text = _curl_failure(answer.failure, host, port, timeout)
        written = _written(options.get("-w", ""), 0)
        return Output(written, "" if silent else f"curl: ({code}) {text}\n", code)
    head = f"HTTP/1.1 {answer.status} {PHRASES.get(answer.status, '')}\r\nContent-Length: {len(answer.body)}\r\n\r\n"
    if answer.status >= 400 and ("f" in short or "--fail" in options):
        return Output("", "" if silent else f"curl: (22) The requested URL returned error: {answer.status}\n", 22)
    body = "" if "I" in short or options.get("-o") or options.get("--output") else answer.body
    return Output(
        (head if "i" in short or "I" in short else "") + body + _written(options.get("-w", ""), answer.status)
    )


def wget(c: Container, argv: Sequence[str], stdin: str) -> Output:
    """Print with `-O -` or `-qO-`; else save nothing and say so."""
    options, urls = _read(argv[1:], valued=frozenset({"-O", "-T", "--timeout"}))
    if not urls:
        return Output("", "wget: missing URL\nUsage: wget [OPTION]... [URL]...\n", 1)
    timeout = _number(options.get("-T") or options.get("--timeout"))
    host, _, answer = fetch(c, urls[0], timeout)
    if answer.failure == "no_host":
        return Output("", f"wget: bad address '{host}'\n", 1)
    if answer.failure:
        ip = answer.route.address if answer.route else ""
        why = {"refused": "Connection refused", "timeout": "Operation timed out"}.get(
            answer.failure, "Connection reset by peer"
        )
        return Output("", f"wget: can't connect to remote host ({ip or host}): {why}\n", 1)
    if answer.status >= 400:
        return Output(
            "", f"wget: server returned error: HTTP/1.1 {answer.status} {PHRASES.get(answer.status, '')}\n", 1
        )
    prints = any(o in ("-O-", "-qO-") for o in argv) or options.get("-O") == "-" or options.get("-qO") == "-"
    return Output(answer.body if prints else "")


def _read(words: Sequence[str], valued: frozenset[str] = VALUED) -> tuple[dict[str, str], list[str]]:
    """(options with their values, URLs)."""
    options: dict[str, str] = {}
    urls: list[str] = []
    rest = list(words)
    while rest:
        word = rest.pop(0)
        if not word.startswith("-") or word == "-":
            urls.append(word)
            continue
        name, equals, value = word.partition("=")
        takes = name in valued or (not name.startswith("--") and f"-{name[-1]}" in valued and name != "-qO-")
        if equals:
            options[name] = value
        elif takes and rest:
            value = rest.pop(0)
            options |= {name: value, f"-{name[-1]}" if not name.startswith("--") else name: value}
        else:
            options[name] = ""
    return options, urls


def _number(text: str | None) -> float:
    try:
        return float(text) if text else DEFAULT_TIMEOUT
    except ValueError:
        return DEFAULT_TIMEOUT


def _curl_failure(failure: str, host: str, port: int, timeout: float) -> tuple[int, str]:
    if failure == "no_host":
        return 6, f"Could not resolve host: {host}"
    if failure == "refused":
        return 7, f"Failed to connect to {host} port {port}: Connection refused"
    if failure == "not_http":
        return 1, "Received HTTP/0.9 when not allowed"
    return 28, f"Connection timed out after {int(timeout * 1000)} milliseconds"


def _written(template: str, status: int) -> str:
    text = template.replace("%{http_code}", f"{status:03d}").replace("%{response_code}", f"{status:03d}")
    return str(json.loads(f'"{text}"')) if text and '"' not in text else text


TOOLS = {"curl": curl, "wget": wget}

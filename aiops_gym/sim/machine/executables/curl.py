"""`curl` over the cluster's network, with the exit codes, messages and waiting of the real one."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from email.utils import formatdate
from posixpath import basename

from aiops_gym.sim.machine.container import Container
from aiops_gym.sim.machine.executables.curl_options import Asked, format_write_out, parse, read_texts
from aiops_gym.sim.machine.executables.peer import Inside, Link, Peer, compute_resend_delay
from aiops_gym.sim.machine.program import HttpAnswer
from aiops_gym.types import Output, Timed

CONNECT_SECONDS = 134.0
"""After which Linux gives up connecting to an address that does not answer."""

SYN, RESEND = 1.0, 0.2
"""Seconds after which Linux first repeats a lost packet: of a new connection, of one that is there."""

URL = re.compile(r"(?:([\w+.-]+)://)?(?:([^@/]*)@)?(\[[^\]]+\]|[^:/?#]*)(?::(\d*))?(/[^#]*|\?[^#]*)?(?:#.*)?")
REASONS = {200: "OK", 201: "Created", 204: "No Content", 301: "Moved Permanently", 302: "Found", 304: "Not Modified"}
REASONS |= {307: "Temporary Redirect", 400: "Bad Request", 401: "Unauthorized", 403: "Forbidden", 404: "Not Found"}
REASONS |= {405: "Method Not Allowed", 408: "Request Timeout", 429: "Too Many Requests", 500: "Internal Server Error"}
REASONS |= {502: "Bad Gateway", 503: "Service Unavailable", 504: "Gateway Timeout"}
HTTPS_WANTED = HttpAnswer(400, "Client sent an HTTP request to an HTTPS server.\n")
UNTRUSTED = (
    "SSL certificate problem: unable to get local issuer certificate\n"
    "More details here: https://curl.se/docs/sslcerts.html\n\n"
    "curl failed to verify the legitimacy of the server and therefore could not\n"
    "establish a secure connection to it. To learn more about this situation and\n"
    "how to fix it, please visit the web page mentioned above."
)

Read = Callable[[str], str]
"""Text of a file, for `-d @file`."""


@dataclass(slots=True)
class Transfer:
    """How the transfer of one URL went: what was printed, when, and what `-w` knows."""

    code: int = 0
    error: str = ""
    stdout: str = ""
    talk: str = ""
    seconds: float = 0.0
    status: int = 0
    facts: dict[str, str] = field(default_factory=dict)
    files: dict[str, str] = field(default_factory=dict)


def run(peer: Peer, argv: Sequence[str], now: float, read: Read) -> Timed:
    """`curl [options...] <url>`."""
    asked = parse(argv[1:])
    if "V" in asked.flags:
        return Timed(read_texts()["version"])
    if "h" in asked.flags:
        return Timed(read_texts()["help"])
    hint = "curl: try 'curl --help' or 'curl --manual' for more information\n"
    if asked.wrong or not asked.urls:
        return Timed("", (f"curl: {asked.wrong}\n" if asked.wrong else "") + hint, 2)
    stdout, stderr, code, seconds, files = "", "", 0, 0.0, dict[str, str]()
    for url in asked.urls:
        done = _fetch(peer, asked, url, now, read)
        quiet = "s" in asked.flags and "S" not in asked.flags
        stdout += done.stdout + format_write_out(asked.values.get("w", ""), _facts(done, url))
        stderr += done.talk + (f"curl: ({done.code}) {done.error}\n" if done.error and not quiet else "")
        code, seconds, files = done.code or code, seconds + done.seconds, files | done.files
    return Timed(stdout, stderr, code, seconds, files=files)


def _facts(done: Transfer, url: str) -> Mapping[str, str]:
    status, total = f"{done.status:03d}", f"{done.seconds:.6f}"
    facts = {"http_code": status, "response_code": status, "http_connect": "000", "time_total": total}
    facts |= {"url": url, "url_effective": url, "size_download": "0", "size_upload": "0", "speed_download": "0"}
    facts |= {"time_namelookup": "0.000000", "time_connect": "0.000000", "time_starttransfer": "0.000000"}
    facts |= {"time_pretransfer": "0.000000", "time_appconnect": "0.000000", "time_redirect": "0.000000"}
    facts |= {
        "num_redirects": "0",
        "num_connects": str(int(bool(done.status))),
        "size_request": "0",
        "http_version": "0",
    }
    facts |= {"size_header": "0", "ssl_verify_result": "0", "remote_port": "0", "exitcode": str(done.code)}
    return facts | {"errormsg": done.error, "scheme": "HTTP"} | done.facts


def _fetch(peer: Peer, asked: Asked, url: str, now: float, read: Read) -> Transfer:
    found, done = URL.fullmatch(url), Transfer()
    if found is None or not found[3]:
        return _ended(done, 3, "URL using bad/illegal format or missing URL")
    scheme, host, path = (found[1] or "http").lower(), found[3].strip("[]"), found[5] or "/"
    if scheme not in ("http", "https"):
        return _ended(done, 1, f'Protocol "{scheme}" not supported or disabled in libcurl')
    port, path = int(found[4]) if found[4] else 443 if scheme == "https" else 80, path if path[0] == "/" else f"/{path}"
    body = "&".join(_data(text, read) for text in asked.data)
    if "G" in asked.flags and body:
        path, body = f"{path}{'&' if '?' in path else '?'}{body}", ""
    link = peer.link(host, port)
    if not _connected(peer, asked, done, link, host, port):
        return done
    usual = "HEAD" if "I" in asked.flags else "POST" if asked.data and "G" not in asked.flags else "GET"
    method = asked.values.get("X") or usual
    answer = peer.http(method, host, port, path, body)
    if not _secured(asked, done, answer, scheme, link):
        return done
    if answer is not None and answer.tls and scheme == "http":
        answer = HTTPS_WANTED
    _say(asked, done, ">", _request(asked, method, path, f"{host}:{port}" if found[4] else host, body))
    _answered(peer, asked, done, link, answer)
    if done.code or answer is None:
        return done
    return _received(asked, done, answer, method, path, now, f"{host} left intact")


def _data(text: str, read: Read) -> str:
    return read(text[1:]).replace("\n", "") if text.startswith("@") else text


def _connected(peer: Peer, asked: Asked, done: Transfer, link: Link, host: str, port: int) -> bool:
    """Look the name up and connect; what went wrong is in `done`."""
    limit, patience = asked.seconds("m"), asked.seconds("connect")
    most = min(CONNECT_SECONDS, limit or CONNECT_SECONDS, patience or CONNECT_SECONDS)
    if link.outcome == "no_host":
        done.seconds = min(link.seconds, most)
        if link.seconds > most:
            _ended(done, 28, f"Resolving timed out after {most * 1000:.0f} milliseconds")
        else:
            _say(asked, done, "*", f"Could not resolve host: {host}\nClosing connection 0")
            _ended(done, 6, f"Could not resolve host: {host}")
        return False
    _say(asked, done, "*", f"  Trying {link.address or host}:{port}...")
    took = link.seconds + (compute_resend_delay(peer, link.loss, SYN) if link.outcome != "timeout" else 1e9)
    if took > most:
        done.seconds = most
        text = f"Connection timed out after {most * 1000:.0f} milliseconds"
        if most == CONNECT_SECONDS:
            text = f"Failed to connect to {host} port {port} after {most * 1000:.0f} ms: Couldn't connect to server"
        _say(asked, done, "*", f"{text}\nClosing connection 0")
        _ended(done, 28, text)
        return False
    done.seconds = took
    if link.outcome == "refused":
        text = f"Failed to connect to {host} port {port} after {took * 1000:.0f} ms: Couldn't connect to server"
        _say(asked, done, "*", f"connect to {link.address or host} port {port} failed: Connection refused\n{text}")
        _say(asked, done, "*", "Closing connection 0")
        _ended(done, 7, text)
        return False
    _say(asked, done, "*", f"Connected to {host} ({link.address or host}) port {port} (#0)")
    done.facts |= {"remote_ip": link.address or host, "remote_port": str(port), "time_connect": f"{took:.6f}"}
    done.facts["time_pretransfer"] = f"{took + 0.00004:.6f}"
    return True


def _secured(asked: Asked, done: Transfer, answer: HttpAnswer | None, scheme: str, link: Link) -> bool:
    """Shake hands, for https."""
    if scheme == "http":
        return True
    done.seconds += 2 * link.seconds
    done.facts["scheme"] = "HTTPS"
    if answer is None or not answer.tls:
        _ended(done, 35, "OpenSSL/3.0.15: error:0A00010B:SSL routines::wrong version number")
        return False
    if "k" not in asked.flags:
        _ended(done, 60, UNTRUSTED)
        return False
    return True


def _answered(peer: Peer, asked: Asked, done: Transfer, link: Link, answer: HttpAnswer | None) -> None:
    """Wait for the answer: too late, none, or not HTTP are failures."""
    limit = asked.seconds("m")
    took = (
        link.seconds + compute_resend_delay(peer, link.loss, RESEND) + (answer.seconds if answer is not None else 0.0)
    )
    if limit is not None and done.seconds + took > limit:
        done.seconds = limit
        _ended(done, 28, f"Operation timed out after {limit * 1000:.0f} milliseconds with 0 bytes received")
        return
    done.seconds += took
    if answer is None:
        _ended(done, 1, "Received HTTP/0.9 when not allowed")
    elif not answer.status:
        _say(asked, done, "*", "Empty reply from server\nClosing connection 0")
        _ended(done, 52, "Empty reply from server")


def _request(asked: Asked, method: str, path: str, host: str, body: str) -> str:
    given = {h.partition(":")[0].strip().lower(): h for h in asked.headers if ":" in h}
    lines = [f"{method} {path} HTTP/1.1", given.pop("host", f"Host: {host}")]
    lines += [given.pop("user-agent", f"User-Agent: {asked.values.get('A', 'curl/7.88.1')}")]
    lines += [given.pop("accept", "Accept: */*"), *given.values()]
    if body:
        lines.append(f"Content-Length: {len(body.encode())}")
        lines += [] if "content-type" in given else ["Content-Type: application/x-www-form-urlencoded"]
    return "\n".join([*lines, ""])


def _received(
    asked: Asked, done: Transfer, answer: HttpAnswer, method: str, path: str, now: float, rest: str
) -> Transfer:
    done.status = answer.status
    headers = {"Content-Type": guess_type(answer.body), **answer.headers, "Date": _date(now)}
    headers |= {"Content-Length": str(len(answer.body.encode()))}
    first = f"HTTP/1.1 {answer.status} {REASONS.get(answer.status, '')}".rstrip()
    head = "".join(f"{line}\r\n" for line in (first, *(f"{k}: {v}" for k, v in headers.items()))) + "\r\n"
    body = "" if method == "HEAD" else answer.body
    _say(asked, done, "<", head.replace("\r\n", "\n")[:-1])
    _say(asked, done, "*", f"Connection #0 to host {rest}")
    done.facts |= {"size_download": str(len(body.encode())), "size_header": str(len(head)), "http_version": "1.1"}
    done.facts |= {"content_type": headers["Content-Type"], "method": method}
    done.facts["speed_download"] = str(int(len(body) / done.seconds)) if done.seconds else "0"
    done.facts["time_starttransfer"] = f"{done.seconds:.6f}"
    if answer.status >= 400 and asked.flags & {"f", "fail-body"}:
        _ended(done, 22, f"The requested URL returned error: {answer.status}")
        body = body if "fail-body" in asked.flags else ""
    text = (head if asked.flags & {"i", "I"} and not (done.code and "f" in asked.flags) else "") + body
    target = asked.values.get("o") or (basename(path.partition("?")[0]) if "O" in asked.flags else "")
    if "O" in asked.flags and not target:
        return _ended(done, 23, "Remote file name has no length")
    if target and target != "-":
        done.files = {} if target == "/dev/null" else {target: text}
    else:
        done.stdout = text
    return done


def guess_type(body: str) -> str:
    """The type of content of an answer that does not say it."""
    kinds = {"{": "application/json", "[": "application/json", "<": "text/html; charset=utf-8"}
    return kinds.get(body.lstrip()[:1], "text/plain; charset=utf-8")


def _date(now: float) -> str:
    return formatdate(now, usegmt=True)


def _ended(done: Transfer, code: int, error: str) -> Transfer:
    done.code, done.error = code, error
    return done


def _say(asked: Asked, done: Transfer, sign: str, text: str) -> None:
    if "v" in asked.flags:
        done.talk += "".join(f"{sign} {line}\n" for line in text.split("\n"))


def _tool(c: Container, argv: Sequence[str], stdin: str) -> Output:
    return run(Inside(c), argv, c.now / 1000, lambda path: stdin if path == "-" else c.read(path) or "")


TOOLS = {"curl": _tool}

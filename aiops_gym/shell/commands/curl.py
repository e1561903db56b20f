"""`curl`: HTTP from the host: addresses of the cluster answer, names of services do not resolve."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from aiops_gym.shell.context import Context, HttpAnswer
from aiops_gym.shell.words import words
from aiops_gym.types import Output

CONNECT_SECONDS = 134.0
"""After which Linux gives up connecting to an address that does not answer."""

VALUES = words(
    """
    -X --request -d --data --data-raw --data-binary --data-urlencode --json -H --header -o --output -m --max-time
    --connect-timeout -w --write-out -u --user -A --user-agent -e --referer -b --cookie -c --cookie-jar --retry
    --retry-delay --url -F --form --cacert --cert --key -x --proxy --resolve -T --upload-file -r --range
    """
)
LETTERS = "XdHomwuAebcFxTr"
_URL = re.compile(r"(?:(\w+)://)?(?:[^@/]*@)?(\[[^\]]+\]|[^:/?#]+)(?::(\d+))?(/[^#]*|\?[^#]*)?")
_OUT = re.compile(r"%\{(\w+)\}")
REASONS = {200: "OK", 201: "Created", 204: "No Content", 400: "Bad Request", 401: "Unauthorized", 403: "Forbidden"}
REASONS |= {404: "Not Found", 405: "Method Not Allowed", 500: "Internal Server Error", 502: "Bad Gateway"}
REASONS |= {503: "Service Unavailable", 504: "Gateway Timeout"}


@dataclass(slots=True)
class Asked:
    """What the command line says."""

    flags: set[str] = field(default_factory=set)
    values: dict[str, str] = field(default_factory=dict)
    urls: list[str] = field(default_factory=list)

    def value(self, *names: str) -> str:
        """The value of an option by any of its names, or ""."""
        return next((self.values[name] for name in names if name in self.values), "")

    def has(self, *names: str) -> bool:
        """Whether an option is there."""
        return any(name in self.flags for name in names)

    def seconds(self, *names: str) -> float | None:
        """The value of an option as seconds."""
        text = self.value(*names)
        return float(text) if re.fullmatch(r"\d+(\.\d+)?", text) else None


def run(context: Context, argv: list[str]) -> Output:
    """`curl [-sSiIfkLv] [-X METHOD] [-d DATA] [-m SECONDS] [-o FILE] [-w FORMAT] URL...`."""
    asked = _parse(argv[1:])
    if asked.has("-V", "--version"):
        return Output("curl 7.88.1 (x86_64-pc-linux-gnu) libcurl/7.88.1 OpenSSL/3.0.15 zlib/1.2.13\n")
    if not asked.urls:
        return Output("", "curl: try 'curl --help' or 'curl --manual' for more information\n", 2)
    stdout, stderr, code = "", "", 0
    for url in asked.urls:
        output = _fetch(context, asked, url)
        stdout, stderr, code = stdout + output.stdout, stderr + output.stderr, output.code
    return Output(stdout, stderr, code)


def _parse(rest: list[str]) -> Asked:
    asked, rest = Asked(), list(rest)
    while rest:
        word = rest.pop(0)
        name, equals, value = word.partition("=")
        if word in VALUES or (equals and name in VALUES):
            asked.values[name] = value if equals else (rest.pop(0) if rest else "")
        elif word.startswith("--"):
            asked.flags.add(word)
        elif word.startswith("-") and len(word) > 1:
            _letters(asked, word[1:], rest)
        else:
            asked.urls.append(word)
    if "--url" in asked.values:
        asked.urls.append(asked.values["--url"])
    return asked


def _letters(asked: Asked, letters: str, rest: list[str]) -> None:
    for index, letter in enumerate(letters):
        if letter in LETTERS:
            after = letters[index + 1 :]
            asked.values[f"-{letter}"] = after or (rest.pop(0) if rest else "")
            return
        asked.flags.add(f"-{letter}")


def _fetch(context: Context, asked: Asked, url: str) -> Output:
    found = _URL.match(url)
    if found is None:
        return _failed(asked, 3, "URL using bad/illegal format or missing URL")
    scheme, host, port_text, path = (found[1] or "http").lower(), found[2].strip("[]"), found[3], found[4] or "/"
    if scheme not in ("http", "https"):
        return _failed(asked, 1, f'Protocol "{scheme}" not supported or disabled in libcurl')
    port = int(port_text) if port_text else 443 if scheme == "https" else 80
    body = asked.value("-d", "--data", "--data-raw", "--data-binary", "--json")
    method = asked.value("-X", "--request") or ("HEAD" if asked.has("-I", "--head") else "POST" if body else "GET")
    limit = asked.seconds("-m", "--max-time")
    connect = min(asked.seconds("--connect-timeout") or CONNECT_SECONDS, limit or CONNECT_SECONDS)
    outcome = context.network.connect(host, port) if context.network is not None else "no_host"
    if outcome == "no_host":
        return _failed(asked, 6, f"Could not resolve host: {host}")
    if outcome == "refused":
        return _failed(asked, 7, f"Failed to connect to {host} port {port} after 0 ms: Couldn't connect to server")
    if outcome == "timeout" or context.network is None:
        context.cluster.wait(connect)
        return _failed(
            asked, 28, f"Failed to connect to {host} port {port} after {connect * 1000:.0f} ms: Timeout was reached"
        )
    answer = context.network.http(method, host, port, path, body)
    if answer is None:
        text = "Received HTTP/0.9 when not allowed" if scheme == "http" else "OpenSSL/3.0.15: error:0A00010B:SSL"
        return _failed(asked, 1 if scheme == "http" else 35, text)
    if scheme == "https" and port not in (443, 6443, 8443):
        return _failed(asked, 35, "OpenSSL/3.0.15: error:0A00010B:SSL routines::wrong version number")
    if limit is not None and answer.seconds > limit:
        context.cluster.wait(limit)
        return _failed(asked, 28, f"Operation timed out after {limit * 1000:.0f} milliseconds with 0 bytes received")
    context.cluster.wait(answer.seconds)
    return _printed(context, asked, answer, url)


def _failed(asked: Asked, code: int, message: str) -> Output:
    silent = asked.has("-s", "--silent") and not asked.has("-S", "--show-error")
    written = _OUT.sub(lambda m: "000" if "code" in m[1] else "0", asked.value("-w", "--write-out"))
    return Output(written.replace("\\n", "\n"), "" if silent else f"curl: ({code}) {message}\n", code)


def _printed(context: Context, asked: Asked, answer: HttpAnswer, url: str) -> Output:
    head = f"HTTP/1.1 {answer.status} {REASONS.get(answer.status, '')}".rstrip() + "\r\n"
    headers = {**answer.headers} or {
        "Content-Type": "text/plain; charset=utf-8",
        "Content-Length": str(len(answer.body)),
    }
    head += "".join(f"{name}: {value}\r\n" for name, value in headers.items()) + "\r\n"
    if asked.has("-f", "--fail") and answer.status >= 400:
        return _failed(asked, 22, f"The requested URL returned error: {answer.status}")
    text = answer.body
    if asked.has("-I", "--head"):
        text = head
    elif asked.has("-i", "--include"):
        text = head + text
    target = asked.value("-o", "--output")
    if target and target != "-":
        if target != "/dev/null":
            context.files.write(target, text)
        text = ""
    facts = {"http_code": str(answer.status), "response_code": str(answer.status), "url": url, "url_effective": url}
    facts |= {"time_total": f"{answer.seconds:.6f}", "size_download": str(len(answer.body))}
    written = _OUT.sub(lambda m: facts.get(m[1], "0"), asked.value("-w", "--write-out"))
    return Output(text + written.replace("\\n", "\n").replace("\\t", "\t"))

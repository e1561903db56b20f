"""`wget` over the cluster's network: BusyBox's wording in an image of BusyBox, GNU's elsewhere."""

from __future__ import annotations

from collections.abc import Sequence
from posixpath import basename

from aiops_gym.sim.kernel.times import iso
from aiops_gym.sim.machine.container import Container
from aiops_gym.sim.machine.executables import curl
from aiops_gym.sim.machine.executables.curl import REASONS, URL
from aiops_gym.sim.machine.executables.peer import Inside, Peer
from aiops_gym.types import Output, Timed

VALUED = frozenset(
    (
        *("-O", "-T", "-t", "-U", "-o", "-P", "-w", "-Y", "--timeout", "--tries", "--header", "--post-data", "--wait"),
        *("--output-document", "--connect-timeout", "--read-timeout", "--user-agent", "--dns-timeout"),
    )
)
CODES = {6: 4, 7: 4, 28: 4, 22: 8, 52: 4}
"""Exit codes of curl -> those of GNU wget: network failure, server error."""


def run(peer: Peer, argv: Sequence[str], now: float, small: bool) -> Timed:
    """`wget [-q] [-S] [-O FILE] [-T SECONDS] [--spider] URL`; `small` is the one of BusyBox."""
    options, urls = _parse(argv[1:])
    if not urls:
        return Timed(
            "", "wget: missing URL\nUsage: wget [OPTION]... [URL]...\n\nTry `wget --help' for more options.\n", 1
        )
    quiet, url = "q" in options, urls[0]
    seconds = options.get("T") or options.get("timeout") or options.get("connect-timeout") or "900"
    facts = "%{http_code} %{remote_ip} %{remote_port}"
    post = ["-d", options["post-data"]] if "post-data" in options else []
    done = curl.run(peer, ["curl", "-sS", "-m", seconds, *post, "-w", f"\n{facts}", url], now, lambda path: "")
    body, _, tail = done.stdout.rpartition("\n")
    status, ip, port = [*tail.split(" "), "", ""][:3]
    code = done.code or (22 if int(status or 0) >= 400 else 0)
    host = (URL.fullmatch(url) or [""] * 4)[3]
    if code:
        text = (
            _small_failure(peer, code, status, host, url) if small else _failure(code, status, host, ip, port, now, url)
        )
        silent = quiet and not small
        return Timed("", "" if silent else text, 1 if small else CODES.get(code, 4), done.seconds)
    target = options.get("O") or options.get("output-document") or _name(url)
    if "spider" in options:
        return Timed("", "" if quiet else "remote file exists\n", 0, done.seconds)
    if target == "-":
        said = "" if quiet else f"Connecting to {host} ({ip}:{port})\nwriting to stdout\n"
        return Timed(body, said, 0, done.seconds)
    said = (
        f"Connecting to {host} ({ip}:{port})\nsaving to '{target}'\n'{target}' saved\n"
        if small
        else _saved(url, host, ip, port, target, len(body), now)
    )
    return Timed("", "" if quiet else said, 0, done.seconds, files={target: body} if target != "/dev/null" else {})


def _parse(words: Sequence[str]) -> tuple[dict[str, str], list[str]]:
    options, urls, rest = dict[str, str](), list[str](), list(words)
    while rest:
        word = rest.pop(0)
        name, equals, value = word.partition("=")
        if word.startswith("--"):
            options[name[2:]] = value if equals else rest.pop(0) if name in VALUED and rest else ""
        elif word.startswith("-") and len(word) > 1:
            for index, letter in enumerate(word[1:], 2):
                options[letter] = ""
                if f"-{letter}" in VALUED:
                    options[letter] = word[index:] or (rest.pop(0) if rest else "")
                    break
        else:
            urls.append(word)
    options |= {"q": ""} if "quiet" in options or "no-verbose" in options else {}
    return options, urls


def _name(url: str) -> str:
    found = URL.fullmatch(url)
    return basename((found[5] or "").partition("?")[0]) if found and found[5] and basename(found[5]) else "index.html"


def _small_failure(peer: Peer, code: int, status: str, host: str, url: str) -> str:
    found = URL.fullmatch(url)
    where = f"({next(iter(peer.resolve(host)), host)}:{found[4] if found and found[4] else 80})"
    if code == 6:
        return f"wget: bad address '{host}'\n"
    if code == 22:
        reason = REASONS.get(int(status), "")
        return f"Connecting to {host} {where}\nwget: server returned error: HTTP/1.1 {status} {reason}\n"
    why = {7: "Connection refused", 28: "Operation timed out"}.get(
        code, "error getting response: Connection reset by peer"
    )
    return f"wget: can't connect to remote host ({where[1:-1].partition(':')[0]}): {why}\n"


def _failure(code: int, status: str, host: str, ip: str, port: str, now: float, url: str) -> str:
    stamp = iso(int(now * 1000))[:19].replace("T", " ")
    head = f"--{stamp}--  {url if '//' in url else f'http://{url}/'}\n"
    if code == 6:
        text = f"{head}Resolving {host} ({host})... failed: Name or service not known.\n"
        return f"{text}wget: unable to resolve host address ‘{host}’\n"
    if code == 22:
        reason = REASONS.get(int(status), "")
        sent = f"HTTP request sent, awaiting response... {status} {reason}\n"
        head += f"Connecting to {host} ({host})|{ip}|:{port}... connected.\n"
        return f"{head}{sent}{stamp} ERROR {status}: {reason}.\n\n"
    why = {7: "Connection refused", 28: "Connection timed out"}.get(code, "Connection reset by peer")
    return f"{head}Connecting to {host}... failed: {why}.\n"


def _saved(url: str, host: str, ip: str, port: str, target: str, size: int, now: float) -> str:
    stamp = iso(int(now * 1000))[:19].replace("T", " ")
    head = f"--{stamp}--  {url if '//' in url else f'http://{url}/'}\nConnecting to {host}|{ip}|:{port}... connected.\n"
    sent = f"HTTP request sent, awaiting response... 200 OK\nLength: {size}\nSaving to: ‘{target}’\n\n"
    return f"{head}{sent}{stamp} ({size / 1024:.1f} KB/s) - ‘{target}’ saved [{size}/{size}]\n\n"


def _tool(c: Container, argv: Sequence[str], stdin: str) -> Output:
    image = c.image()
    return run(Inside(c), argv, c.now / 1000, image is None or image.sh == "busybox" or image.tools is None)


TOOLS = {"wget": _tool}

"""`nc`: whether somebody listens on a port, and what they answer to plain text."""

from __future__ import annotations

from collections.abc import Sequence

from aiops_gym.sim.kernel.digits import parse_natural
from aiops_gym.sim.machine.container import Container
from aiops_gym.sim.machine.executables.curl import CONNECT_SECONDS, SYN
from aiops_gym.sim.machine.executables.options import parse_options
from aiops_gym.sim.machine.executables.peer import Inside, Peer, compute_resend_delay, is_address
from aiops_gym.types import Output, Timed

VALUED = "wpsiqXxIOPTMmWV"


def run(peer: Peer, argv: Sequence[str], stdin: str) -> Timed:
    """`nc [-nvzuN] [-w SECONDS] HOST PORT`; a range of ports as `1-9` is tried one after the other."""
    name = argv[0].rpartition("/")[2]
    flags, values, words = parse_options(argv[1:], VALUED)
    if "l" in flags:
        return Timed("", "", 1, CONNECT_SECONDS)
    if len(words) < 2:
        return Timed("", USAGE.replace("nc ", f"{name} "), 1)
    low, _, high = words[1].partition("-")
    first, last = parse_natural(low), parse_natural(high or low)
    if first is None or last is None or not 0 < first < 65_536:
        return Timed("", f"{name}: port number invalid: {words[1]}\n", 1)
    stdout, stderr, code, seconds = "", "", 0, 0.0
    limit = float(parse_natural(values.get("w", "")) or CONNECT_SECONDS)
    for port in range(first, min(last, first + 200) + 1):
        done = _try(peer, name, words[0], port, flags, limit, stdin)
        stdout, stderr, code, seconds = stdout + done.stdout, stderr + done.stderr, done.code, seconds + done.seconds
    return Timed(stdout, stderr, code, seconds)


USAGE = """usage: nc [-46CDdFhklNnrStUuvZz] [-I length] [-i interval] [-M ttl]
\t  [-m minttl] [-O length] [-P proxy_username] [-p source_port]
\t  [-q seconds] [-s sourceaddr] [-T keyword] [-V rtable] [-W recvlimit]
\t  [-w timeout] [-X proxy_protocol] [-x proxy_address[:port]]
\t  [destination] [port]
"""


def _try(peer: Peer, name: str, host: str, port: int, flags: set[str], limit: float, stdin: str) -> Timed:
    link, loud = peer.link(host, port), "v" in flags
    proto = "udp" if "u" in flags else "tcp"
    where = host if not link.address or is_address(host) else f"{host} ({link.address})"
    if link.outcome == "no_host":
        text = f'{name}: getaddrinfo for host "{host}" port {port}: Name or service not known\n'
        return Timed("", text, 1, min(link.seconds, limit))
    took = link.seconds + (1e9 if link.outcome == "timeout" else compute_resend_delay(peer, link.loss, SYN))
    if proto == "udp":
        took = min(took, 2.0)  # nothing comes back, which it takes for an open port
    elif took > limit:
        text = f"{name}: connect to {where} port {port} ({proto}) timed out: Operation now in progress\n"
        if limit == CONNECT_SECONDS:
            text = f"{name}: connect to {where} port {port} ({proto}) failed: Connection timed out\n"
        return Timed("", text if loud else "", 1, limit)
    elif link.outcome == "refused":
        text = f"{name}: connect to {where} port {port} ({proto}) failed: Connection refused\n"
        return Timed("", text if loud else "", 1, took)
    said = f"Connection to {where} {port} port [{proto}/*] succeeded!\n" if loud else ""
    if "z" in flags or not stdin:
        return Timed("", said, 0, took)
    return Timed(peer.talk(host, port, stdin), said, 0, took + link.seconds)


def _tool(c: Container, argv: Sequence[str], stdin: str) -> Output:
    return run(Inside(c), argv, stdin)


TOOLS = {"nc": _tool, "telnet": _tool}

"""`nc -z`: whether somebody listens on a port."""

from __future__ import annotations

from collections.abc import Sequence

from aiops_gym.sim.container import Container
from aiops_gym.types import Output


def nc(c: Container, argv: Sequence[str], stdin: str) -> Output:
    """Connect and hang up; says how it went with `-v`."""
    flags = "".join(a[1:] for a in argv[1:] if a.startswith("-"))
    valued = [i + 1 for i, a in enumerate(argv) if a.startswith("-") and a[-1:] == "w"]
    words = [a for i, a in enumerate(argv[1:], 1) if not a.startswith("-") and i not in valued]
    if len(words) != 2 or not words[1].isdigit():
        return Output("", "usage: nc [-vz] [-w timeout] destination port\n", 1)
    host, port = words[0], int(words[1])
    route = c.dial(host, port)
    if route.outcome == "no_host":
        return Output("", f'nc: getaddrinfo for host "{host}" port {port}: Name or service not known\n', 1)
    where = f"{host} ({route.address}) {port} port [tcp/*]"
    if route.outcome == "ok" and c.between(0, 1, "nc/loss", c.now) >= route.loss:
        return Output("", f"Connection to {where} succeeded!\n" if "v" in flags else "", 0)
    why = "Connection refused" if route.outcome == "refused" else "Connection timed out"
    return Output(
        "", f"nc: connect to {host} ({route.address}) port {port} (tcp) failed: {why}\n" if "v" in flags else "", 1
    )


TOOLS = {"nc": nc}

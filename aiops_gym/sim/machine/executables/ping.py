"""`ping`: echo requests, one a second, with the losses and delays of the way."""

from __future__ import annotations

from collections.abc import Sequence

from aiops_gym.sim.machine.container import Container
from aiops_gym.sim.machine.executables.options import parse_options
from aiops_gym.sim.machine.executables.peer import Inside, Link, Peer, is_address
from aiops_gym.types import Output, Timed

MOST = 100
"""Packets that a ping without a count sends before it is taken to go on for ever."""

WAIT = 10.0
"""Seconds that the last answer is waited for (BusyBox and iputils alike)."""

FOREVER = 1e9
"""Seconds: longer than any command may take."""

VALUED = "cWwistIpQSlMt"


def run(peer: Peer, argv: Sequence[str], small: bool = False) -> Timed:
    """`ping [-q] [-c COUNT] [-i SECONDS] [-W SECONDS] [-w SECONDS] HOST`; `small` is the one of BusyBox."""
    flags, values, hosts = parse_options(argv[1:], VALUED)
    if not hosts:
        return Timed("", "ping: usage error: Destination address required\n", 1)
    host, link = hosts[-1], peer.link(hosts[-1], 0)
    if link.outcome == "no_host":
        text = f"ping: bad address '{host}'\n" if small else f"ping: {host}: Name or service not known\n"
        return Timed("", text, 1 if small else 2, link.seconds)
    gap, size = max(0.002, _number(values.get("i"), 1.0)), int(_number(values.get("s"), 56))
    wait, deadline = _number(values.get("W"), WAIT), _number(values.get("w"), FOREVER)
    count = int(_number(values.get("c"), 0)) or int(min(deadline / gap, FOREVER))
    sent, got, trips = min(count, MOST, max(1, int(deadline / gap))), 0, list[float]()
    title = (
        f"PING {host} ({link.address}): {size} data bytes"
        if small
        else f"PING {host} ({link.address}) {size}({size + 28}) bytes of data."
    )
    lines, steps = [title], [0.0]
    name = link.address if small or is_address(host) else f"{host} ({link.address})"
    for number in range(sent):
        trip = _trip(peer, link)
        if trip is None or trip > min(wait, deadline - number * gap):
            continue
        got, trips = got + 1, [*trips, trip]
        if "q" not in flags:
            lines.append(_line(small, name, link.address, size, number, trip))
            steps.append(number * gap + trip)
    end = (sent - 1) * gap + (trips[-1] if got == sent else min(wait, deadline - (sent - 1) * gap))
    if sent < count and sent == MOST:
        return Timed("\n".join(lines) + "\n", "", 0, FOREVER, steps)
    lines += _statistics(small, host, sent, trips, (sent - 1) * gap)
    return Timed("\n".join(lines) + "\n", "", 0 if got else 1, end, steps)


def _number(text: str | None, default: float) -> float:
    try:
        return abs(float(text)) if text else default
    except ValueError:
        return default


def _trip(peer: Peer, link: Link) -> float | None:
    """Seconds of one echo; None when it or the answer was lost."""
    if link.outcome == "timeout" or (link.loss > 0.0 and peer.draw() < link.loss):
        return None
    return link.seconds * (0.7 + 0.6 * peer.draw()) if link.seconds < 0.001 else link.seconds + 0.0008 * peer.draw()


def _line(small: bool, name: str, address: str, size: int, number: int, trip: float) -> str:
    ttl = 64 if address.startswith("127.") else 62
    if small:
        return f"{size + 8} bytes from {address}: seq={number} ttl={ttl} time={trip * 1000:.3f} ms"
    time = (
        f"{trip * 1000:.3f}"
        if trip < 0.001
        else f"{trip * 1000:.2f}"
        if trip < 0.01
        else f"{trip * 1000:.1f}"
        if trip < 0.1
        else f"{trip * 1000:.0f}"
    )
    return f"{size + 8} bytes from {name}: icmp_seq={number + 1} ttl={ttl} time={time} ms"


def _statistics(small: bool, host: str, sent: int, trips: Sequence[float], sending: float) -> list[str]:
    got = len(trips)
    lost = f"{100 * (sent - got) / sent:.6g}%"
    ms = [trip * 1000 for trip in trips] or [0.0]
    low, mean, high = min(ms), sum(ms) / len(ms), max(ms)
    deviation = (sum((m - mean) ** 2 for m in ms) / len(ms)) ** 0.5
    lines = ["", f"--- {host} ping statistics ---"]
    if small:
        lines.append(
            f"{sent} packets transmitted, {got} packets received, {int(100 * (sent - got) / sent)}% packet loss"
        )
        return lines + ([f"round-trip min/avg/max = {low:.3f}/{mean:.3f}/{high:.3f} ms"] if got else [])
    lines.append(f"{sent} packets transmitted, {got} received, {lost} packet loss, time {sending * 1000:.0f}ms")
    return lines + ([f"rtt min/avg/max/mdev = {low:.3f}/{mean:.3f}/{high:.3f}/{deviation:.3f} ms"] if got else [""])


def _tool(c: Container, argv: Sequence[str], stdin: str) -> Output:
    image = c.image()
    return run(Inside(c), argv, image is not None and image.sh == "busybox")


TOOLS = {"ping": _tool}

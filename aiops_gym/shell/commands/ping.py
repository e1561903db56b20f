"""`ping`: whether an address answers."""

from __future__ import annotations

from aiops_gym.shell.context import Context
from aiops_gym.types import Output

MOST = 100


def run(context: Context, argv: list[str]) -> Output:
    """`ping [-c COUNT] [-W SECONDS] HOST`: one packet a second; service addresses answer none."""
    rest, count, host = argv[1:], MOST, ""
    while rest:
        word = rest.pop(0)
        if word in ("-c", "-W", "-w", "-i", "-s", "-I"):
            value = rest.pop(0) if rest else ""
            count = int(value) if word == "-c" and value.isdigit() else count
        elif word.startswith("-c") and word[2:].isdigit():
            count = int(word[2:])
        elif not word.startswith("-"):
            host = word
    if not host:
        return Output("", "ping: usage error: Destination address required\n", 1)
    addresses = context.network.resolve(host) if context.network is not None else ()
    if not addresses:
        return Output("", f"ping: {host}: Name or service not known\n", 2)
    address = addresses[0]
    answers = context.network is not None and context.network.connect(address, 1) == "refused"
    lines, sent = [f"PING {host} ({address}) 56(84) bytes of data."], 0
    while sent < min(count, MOST):
        sent += 1
        if answers:
            lines.append(f"64 bytes from {address}: icmp_seq={sent} ttl=63 time={0.05 + 0.04 * context.draw():.3f} ms")
        if (sent < count or not answers) and not context.cluster.wait(1.0):
            break
    lost = 0 if answers else 100
    got = sent if answers else 0
    lines += ["", f"--- {host} ping statistics ---"]
    lines.append(f"{sent} packets transmitted, {got} received, {lost}% packet loss, time {(sent - 1) * 1000 + 24}ms")
    return Output("\n".join(lines) + "\n", "", 0 if answers else 1)

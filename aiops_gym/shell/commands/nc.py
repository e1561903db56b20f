"""`nc`: whether a TCP port answers."""

from __future__ import annotations

from aiops_gym.shell.context import Context
from aiops_gym.types import Output

NAMES = ("nc", "ncat", "telnet")
CONNECT_SECONDS = 134.0


def run(context: Context, argv: list[str]) -> Output:
    """`nc [-z] [-v] [-w SECONDS] HOST PORT`; what is sent gets no answer."""
    rest, words, verbose, seconds = argv[1:], list[str](), False, CONNECT_SECONDS
    while rest:
        word = rest.pop(0)
        if word.startswith("-"):
            verbose = verbose or "v" in word
            if word.endswith(("w", "p", "s", "i", "q")) and rest:
                value = rest.pop(0)
                seconds = float(value) if word.endswith("w") and value.isdigit() else seconds
            elif "w" in word and word.partition("w")[2].isdigit():
                seconds = float(word.partition("w")[2])
        else:
            words.append(word)
    if len(words) < 2 or not words[1].isdigit():
        return Output("", f"usage: {argv[0]} [-vz] [-w timeout] host port\n", 1)
    host, port = words[0], int(words[1])
    outcome = context.network.connect(host, port) if context.network is not None else "no_host"
    if outcome == "no_host":
        return Output("", f'{argv[0]}: getaddrinfo for host "{host}" port {port}: Name or service not known\n', 1)
    if outcome == "timeout":
        context.cluster.wait(seconds)
        text = f"{argv[0]}: connect to {host} port {port} (tcp) timed out: Operation now in progress\n"
        return Output("", text if verbose else "", 1)
    if outcome == "refused":
        text = f"{argv[0]}: connect to {host} port {port} (tcp) failed: Connection refused\n"
        return Output("", text if verbose else "", 1)
    return Output("", f"Connection to {host} {port} port [tcp/*] succeeded!\n" if verbose else "", 0)

"""What asks the network from the host, on which names of services do not resolve; see `sim.machine.executables`."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from aiops_gym.clients.context import Context
from aiops_gym.clients.waiting import Host, finish
from aiops_gym.sim.machine.executables import curl, nc, ping, wget
from aiops_gym.sim.machine.executables.names import SILENT
from aiops_gym.types import Output, Timed

NAMES = ("curl", "dig", "getent", "host", "nc", "ncat", "nslookup", "ping", "telnet", "wget")
SERVER = "172.18.0.1"


def run(context: Context, argv: list[str]) -> Output:
    """Whether a port or an address answers, or a file by HTTP."""
    if argv[0] == "curl":
        return finish(context, curl.run(Host(context), argv, context.cluster.now(), partial(_read, context)))
    if argv[0] == "ping":
        return finish(context, ping.run(Host(context), argv))
    if argv[0] == "wget":
        return finish(context, wget.run(Host(context), argv, context.cluster.now(), small=False))
    if argv[0] in ("dig", "getent", "host", "nslookup"):
        return _look_up(context, argv)
    return finish(context, nc.run(Host(context), argv, context.stdin))


def _read(context: Context, path: str) -> str:
    try:
        return context.stdin if path == "-" else context.files.read(path)
    except OSError:
        return ""


def _look_up(context: Context, argv: list[str]) -> Output:
    """One lookup, at the server that is named; options and types other than addresses are taken and ignored."""
    kinds = ("A", "AAAA", "ANY", "MX", "NS", "SRV", "TXT", "IN", "HOSTS", "AHOSTS")
    words = [w for w in argv[1:] if not w.startswith(("-", "+", "@")) and w.upper() not in kinds]
    if not words:
        return Output("", f"{argv[0]}: a name is missing\n", 1)
    name, server = words[0], next((w[1:] for w in argv[1:] if w.startswith("@")), "")
    if argv[0] in ("host", "nslookup") and len(words) > 1:
        server = words[1]
    network = context.network
    if network is None:
        found: Sequence[str] | None = None if server else ()
    else:
        found = network.ask(server, name) if server else network.resolve(name)
    if found is None:
        return finish(context, Timed(SILENT, "", 9 if argv[0] == "dig" else 1, 15.0))
    addresses, server = [*found], server or SERVER
    if argv[0] == "getent":
        return Output("".join(f"{address:<15} {name}\n" for address in addresses), "", 0 if addresses else 2)
    if argv[0] == "host":
        if not addresses:
            return Output(f"Host {name} not found: 3(NXDOMAIN)\n", "", 1)
        return Output("".join(f"{name} has address {address}\n" for address in addresses))
    if argv[0] == "dig":
        return Output(_dig(name, addresses, server, "+short" in argv))
    head = f"Server:\t\t{server}\nAddress:\t{server}#53\n\n"
    if not addresses:
        return Output(f"{head}** server can't find {name}: NXDOMAIN\n\n", "", 1)
    return Output(head + "".join(f"Name:\t{name}\nAddress: {address}\n" for address in addresses) + "\n")


def _dig(name: str, addresses: list[str], server: str, short: bool) -> str:
    if short:
        return "".join(f"{address}\n" for address in addresses)
    status = "NOERROR" if addresses else "NXDOMAIN"
    answer = "".join(f"{name}.\t\t30\tIN\tA\t{address}\n" for address in addresses)
    return (
        f";; ->>HEADER<<- opcode: QUERY, status: {status}, id: 4321\n"
        f";; flags: qr rd ra; QUERY: 1, ANSWER: {len(addresses)}, AUTHORITY: 0, ADDITIONAL: 1\n\n"
        f";; QUESTION SECTION:\n;{name}.\t\t\tIN\tA\n\n"
        + (f";; ANSWER SECTION:\n{answer}\n" if answer else "")
        + f";; SERVER: {server}#53({server}) (UDP)\n"
    )

"""Names and addresses: `hostname`, `getent`, `nslookup`, `dig`, `host`."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from aiops_gym.sim.kernel.objects import namespace_of
from aiops_gym.sim.machine.container import Container
from aiops_gym.sim.machine.executables.peer import DNS_GIVES_UP, is_address
from aiops_gym.sim.network import names, routes
from aiops_gym.sim.network.names import Resolver
from aiops_gym.types import Output, Timed

SILENT = ";; connection timed out; no servers could be reached\n\n"
KINDS = ("A", "AAAA", "ANY", "MX", "NS", "SRV", "TXT", "IN", "PTR", "CNAME", "SOA")


def hostname(c: Container, argv: Sequence[str], stdin: str) -> Output:
    """The container's host name, its address with `-i` or `-I`."""
    return Output(f"{c.process['ip'] if set(argv[1:]) & {'-i', '-I'} else c.hostname}\n")


def getent(c: Container, argv: Sequence[str], stdin: str) -> Output:
    """`getent hosts NAME ...`."""
    if len(argv) < 3 or argv[1] not in ("hosts", "ahosts", "ahostsv4"):
        return Output("", "usage: getent database [key ...]\n", 1)
    lines = []
    for name in argv[2:]:
        own = name.lower() in names.read_aliases(c.world, c.process)
        found = None if own else routes.ask(c.world, c.process, c.namespace, name)
        shown = f"{found.name} {found.through[0]}" if found and found.through else found.name if found else name
        lines += [f"{ip:<15} {shown}" for ip in routes.resolve(c.world, c.key, c.namespace, name)]
    seconds = 0.0 if lines or routes.dns_works(c.world, c.process) else DNS_GIVES_UP
    return Timed("\n".join(lines) + "\n" if lines else "", "", 0 if lines else 2, seconds)


def nslookup(c: Container, argv: Sequence[str], stdin: str) -> Output:
    """Ask a name server: that of the pod, or the one that is named."""
    words = [a for a in argv[1:] if not a.startswith("-")]
    if not words:
        return Output("", "usage: nslookup HOST [SERVER]\n", 1)
    resolver, silent = _asking(c, words[1] if len(words) > 1 else "")
    if silent:
        return Timed(SILENT, "", 1, 15.0)
    head = f"Server:\t\t{resolver.servers[0]}\nAddress:\t{resolver.servers[0]}#53\n\n"
    if is_address(words[0]):
        return Output(*_reverse(c, words[0]))
    record = routes.ask(c.world, c.process, c.namespace, words[0], resolver)
    found = routes.list_ips(c.world, record) if record is not None else []
    if record is None or not found:
        return Output(f"{head}** server can't find {words[0]}: NXDOMAIN\n\n", "", 1)
    chain = [f"{a}\tcanonical name = {b}.\n" for a, b in pairwise((*record.through, record.name))]
    return Output(head + "".join(chain) + "".join(f"Name:\t{record.name}\nAddress: {ip}\n" for ip in found) + "\n")


def _asking(c: Container, server: str = "") -> tuple[Resolver, bool]:
    """The pod's resolver with the server that answers (or the named one), and whether none does."""
    resolver = names.find_resolver(c.world, c.process)
    if server:
        known = [server] if is_address(server) else routes.resolve(c.world, c.key, c.namespace, server)
        resolver = resolver._replace(servers=tuple(known[:1]))
    network = routes.find_network(c.world)
    answering = [one for one in resolver.servers if network.answer(resolver._replace(servers=(one,)))]
    silent = not answering or not network.firewall.resolves(c.process["ip"])
    return resolver._replace(servers=tuple(answering[:1]) or resolver.servers or ("127.0.0.1",)), silent


def _reverse(c: Container, address: str) -> tuple[str, str, int]:
    backwards = ".".join(reversed(address.split("."))) + ".in-addr.arpa"
    for service in c.world.store.all("services"):
        if service["spec"].get("clusterIP") == address:
            full = f"{service['metadata']['name']}.{namespace_of(service)}.svc.{names.ZONE}"
            return f"{backwards}\tname = {full}.\n\n", "", 0
    return f"** server can't find {backwards}: NXDOMAIN\n\n", "", 1


def dig(c: Container, argv: Sequence[str], stdin: str) -> Output:
    """`dig [+short] [@SERVER] NAME [TYPE]`; names are taken as they are unless `+search` asks for more."""
    words = [a for a in argv[1:] if not a.startswith(("-", "+", "@")) and a.upper() not in KINDS]
    if not words:
        return Output("", "", 1)
    named = next((a.removeprefix("@") for a in argv[1:] if a.startswith("@")), "")
    resolver, silent = _asking(c, named)
    if silent:
        return Timed(f"\n; <<>> DiG 9.18.28 <<>> {' '.join(argv[1:])}\n;; no servers could be reached\n", "", 9, 15.0)
    asking = resolver if "+search" in argv else resolver._replace(searches=(), options=())
    record = routes.ask(c.world, c.process, c.namespace, words[0], asking)
    found = routes.list_ips(c.world, record) if record is not None else []
    if record is None:
        found = [words[0]] if is_address(words[0]) else []
    if "+short" in argv:
        return Output("".join(f"{ip}\n" for ip in found))
    chain = (*record.through, record.name) if record is not None else (words[0].rstrip("."),)
    name, number = chain[0], int(c.draw() * 65_535)
    answers = "".join(f"{a}.\t30\tIN\tCNAME\t{b}.\n" for a, b in pairwise(chain))
    answers += "".join(f"{chain[-1]}.\t30\tIN\tA\t{ip}\n" for ip in found)
    count = len(found) + len(chain) - 1
    return Output(
        f"\n; <<>> DiG 9.18.28 <<>> {' '.join(argv[1:])}\n;; global options: +cmd\n;; Got answer:\n"
        f";; ->>HEADER<<- opcode: QUERY, status: {'NOERROR' if found else 'NXDOMAIN'}, id: {number}\n"
        f";; flags: qr aa rd; QUERY: 1, ANSWER: {count}, AUTHORITY: {0 if found else 1}, ADDITIONAL: 1\n\n"
        f";; QUESTION SECTION:\n;{name}.\tIN\tA\n\n"
        + (f";; ANSWER SECTION:\n{answers}\n" if found else "")
        + f";; Query time: 1 msec\n;; SERVER: {resolver.servers[0]}#53({resolver.servers[0]}) (UDP)\n\n"
    )


def host(c: Container, argv: Sequence[str], stdin: str) -> Output:
    """`host NAME [SERVER]`."""
    words = [a for a in argv[1:] if not a.startswith("-")]
    if not words:
        return Output("", "Usage: host [-aCdilrTvVw] [-c class] [-N ndots] [-t type] [-W time]\n", 1)
    resolver, silent = _asking(c, words[1] if len(words) > 1 else "")
    if silent:
        return Timed(SILENT, "", 1, DNS_GIVES_UP)
    record = routes.ask(c.world, c.process, c.namespace, words[0], resolver)
    found = routes.list_ips(c.world, record) if record is not None else []
    if record is None or not found:
        return Output(f"Host {words[0]} not found: 3(NXDOMAIN)\n", "", 1)
    chain = [f"{a} is an alias for {b}.\n" for a, b in pairwise((*record.through, record.name))]
    return Output("".join(chain) + "".join(f"{record.name} has address {ip}\n" for ip in found))


TOOLS = {"dig": dig, "getent": getent, "host": host, "hostname": hostname, "nslookup": nslookup}

"""Names and addresses: `hostname`, `getent`, `nslookup`, `dig`, `host`."""

from __future__ import annotations

from collections.abc import Sequence

from aiops_gym.sim.kernel.objects import namespace_of
from aiops_gym.sim.machine.container import Container
from aiops_gym.sim.machine.executables.peer import DNS_GIVES_UP, is_address
from aiops_gym.sim.network import routes
from aiops_gym.types import Output, Timed

DNS = "10.96.0.10"
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
        own = name.lower() in routes.read_aliases(c.world, c.process)
        shown = name if own else _full(c, name)
        lines += [f"{ip:<15} {shown}" for ip in routes.resolve(c.world, c.key, c.namespace, name)]
    seconds = 0.0 if lines or routes.dns_works(c.world, c.process) else DNS_GIVES_UP
    return Timed("\n".join(lines) + "\n" if lines else "", "", 0 if lines else 2, seconds)


def nslookup(c: Container, argv: Sequence[str], stdin: str) -> Output:
    """Ask the cluster's name server."""
    names = [a for a in argv[1:] if not a.startswith("-")]
    if not names:
        return Output("", "usage: nslookup HOST [SERVER]\n", 1)
    if not routes.dns_works(c.world, c.process):
        return Timed(SILENT, "", 1, 15.0)
    server = names[1] if len(names) > 1 and is_address(names[1]) else DNS
    head = f"Server:\t\t{server}\nAddress:\t{server}#53\n\n"
    found = routes.resolve(c.world, c.key, c.namespace, names[0], served=True)
    if is_address(names[0]):
        return Output(*_reverse(c, names[0]))
    if not found:
        return Output(f"{head}** server can't find {names[0]}: NXDOMAIN\n\n", "", 1)
    return Output(head + "".join(f"Name:\t{_full(c, names[0])}\nAddress: {ip}\n" for ip in found) + "\n")


def _reverse(c: Container, address: str) -> tuple[str, str, int]:
    backwards = ".".join(reversed(address.split("."))) + ".in-addr.arpa"
    for service in c.world.store.all("services"):
        if service["spec"].get("clusterIP") == address:
            full = f"{service['metadata']['name']}.{namespace_of(service)}.svc{routes.DOMAIN}"
            return f"{backwards}\tname = {full}.\n\n", "", 0
    return f"** server can't find {backwards}: NXDOMAIN\n\n", "", 1


def dig(c: Container, argv: Sequence[str], stdin: str) -> Output:
    """`dig [+short] [@SERVER] NAME [TYPE]`; names are taken as they are unless `+search` asks for more."""
    words = [a for a in argv[1:] if not a.startswith(("-", "+", "@")) and a.upper() not in KINDS]
    if not words:
        return Output("", "", 1)
    if not routes.dns_works(c.world, c.process):
        return Timed(f"\n; <<>> DiG 9.18.28 <<>> {' '.join(argv[1:])}\n;; no servers could be reached\n", "", 9, 15.0)
    whole = words[0].count(".") > 1 or "+search" in argv or is_address(words[0])
    found = routes.resolve(c.world, c.key, c.namespace, words[0], served=True) if whole else []
    if "+short" in argv:
        return Output("".join(f"{ip}\n" for ip in found))
    name = _full(c, words[0]) if found else words[0].rstrip(".")
    number = int(c.draw() * 65_535)
    answers = "".join(f"{name}.\t30\tIN\tA\t{ip}\n" for ip in found)
    return Output(
        f"\n; <<>> DiG 9.18.28 <<>> {' '.join(argv[1:])}\n;; global options: +cmd\n;; Got answer:\n"
        f";; ->>HEADER<<- opcode: QUERY, status: {'NOERROR' if found else 'NXDOMAIN'}, id: {number}\n"
        f";; flags: qr aa rd; QUERY: 1, ANSWER: {len(found)}, AUTHORITY: {0 if found else 1}, ADDITIONAL: 1\n\n"
        f";; QUESTION SECTION:\n;{name}.\tIN\tA\n\n"
        + (f";; ANSWER SECTION:\n{answers}\n" if found else "")
        + f";; Query time: 1 msec\n;; SERVER: {DNS}#53({DNS}) (UDP)\n\n"
    )


def host(c: Container, argv: Sequence[str], stdin: str) -> Output:
    """`host NAME`."""
    names = [a for a in argv[1:] if not a.startswith("-")]
    if not names:
        return Output("", "Usage: host [-aCdilrTvVw] [-c class] [-N ndots] [-t type] [-W time]\n", 1)
    if not routes.dns_works(c.world, c.process):
        return Timed(SILENT, "", 1, DNS_GIVES_UP)
    found = routes.resolve(c.world, c.key, c.namespace, names[0], served=True)
    if not found:
        return Output(f"Host {names[0]} not found: 3(NXDOMAIN)\n", "", 1)
    return Output("".join(f"{_full(c, names[0])} has address {ip}\n" for ip in found))


def _full(c: Container, name: str) -> str:
    """The full domain name of a Service, any other name as it is."""
    service = routes.find_service(c.world, c.namespace, name)
    if service is None:
        return name
    return f"{service['metadata']['name']}.{namespace_of(service)}.svc{routes.DOMAIN}"


TOOLS = {"dig": dig, "getent": getent, "host": host, "hostname": hostname, "nslookup": nslookup}

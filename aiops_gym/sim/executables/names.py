"""Names and addresses: `hostname`, `getent hosts`, `nslookup`."""

from __future__ import annotations

from collections.abc import Sequence

from aiops_gym.sim import network
from aiops_gym.sim.container import Container
from aiops_gym.sim.objects import namespace_of
from aiops_gym.types import Output

DNS = "10.96.0.10"


def hostname(c: Container, argv: Sequence[str], stdin: str) -> Output:
    """The container's host name, its address with `-i` or `-I`."""
    return Output(f"{c.process['ip'] if set(argv[1:]) & {'-i', '-I'} else c.hostname}\n")


def getent(c: Container, argv: Sequence[str], stdin: str) -> Output:
    """`getent hosts NAME ...`."""
    if len(argv) < 3 or argv[1] not in ("hosts", "ahosts"):
        return Output("", "usage: getent database [key ...]\n", 1)
    lines = []
    for name in argv[2:]:
        lines += [f"{ip:<15} {_full(c, name)}" for ip in network.resolve(c.world, c.key, c.namespace, name)]
    return Output("\n".join(lines) + "\n", "", 0) if lines else Output("", "", 2)


def nslookup(c: Container, argv: Sequence[str], stdin: str) -> Output:
    """Ask the cluster's name server."""
    names = [a for a in argv[1:] if not a.startswith("-")]
    if not names:
        return Output("", "usage: nslookup HOST [SERVER]\n", 1)
    if not network.dns_works(c.world):
        return Output(";; connection timed out; no servers could be reached\n\n", "", 1)
    head = f"Server:\t\t{DNS}\nAddress:\t{DNS}#53\n\n"
    found = network.resolve(c.world, c.key, c.namespace, names[0])
    if not found:
        return Output(f"{head}** server can't find {names[0]}: NXDOMAIN\n\n", "", 1)
    return Output(head + "".join(f"Name:\t{_full(c, names[0])}\nAddress: {ip}\n" for ip in found) + "\n")


def _full(c: Container, name: str) -> str:
    """The full domain name of a Service, any other name as it is."""
    service = network.find_service(c.world, c.namespace, name)
    if service is None:
        return name
    return f"{service['metadata']['name']}.{namespace_of(service)}.svc{network.DOMAIN}"


TOOLS = {"getent": getent, "hostname": hostname, "nslookup": nslookup}

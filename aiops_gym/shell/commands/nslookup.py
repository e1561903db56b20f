"""`nslookup`, `dig`, `host`: names as the host resolves them: cluster services have none there."""

from __future__ import annotations

from aiops_gym.clients.context import Context
from aiops_gym.types import Output

NAMES = ("nslookup", "dig", "host", "getent")
SERVER = "172.18.0.1"


def run(context: Context, argv: list[str]) -> Output:
    """One lookup; options and record types other than addresses are taken and ignored."""
    kinds = ("A", "AAAA", "ANY", "MX", "NS", "SRV", "TXT", "IN", "HOSTS", "AHOSTS")
    words = [w for w in argv[1:] if not w.startswith(("-", "+", "@")) and w.upper() not in kinds]
    if not words:
        return Output("", f"{argv[0]}: a name is missing\n", 1)
    name = words[0]
    addresses = list(context.network.resolve(name)) if context.network is not None else []
    if argv[0] == "getent":
        return Output("".join(f"{address:<15} {name}\n" for address in addresses), "", 0 if addresses else 2)
    if argv[0] == "host":
        if not addresses:
            return Output(f"Host {name} not found: 3(NXDOMAIN)\n", "", 1)
        return Output("".join(f"{name} has address {address}\n" for address in addresses))
    if argv[0] == "dig":
        return Output(_dig(name, addresses, "+short" in argv))
    head = f"Server:\t\t{SERVER}\nAddress:\t{SERVER}#53\n\n"
    if not addresses:
        return Output(f"{head}** server can't find {name}: NXDOMAIN\n\n", "", 1)
    return Output(head + "".join(f"Name:\t{name}\nAddress: {address}\n" for address in addresses) + "\n")


def _dig(name: str, addresses: list[str], short: bool) -> str:
    if short:
        return "".join(f"{address}\n" for address in addresses)
    status = "NOERROR" if addresses else "NXDOMAIN"
    answer = "".join(f"{name}.\t\t30\tIN\tA\t{address}\n" for address in addresses)
    return (
        f";; ->>HEADER<<- opcode: QUERY, status: {status}, id: 4321\n"
        f";; flags: qr rd ra; QUERY: 1, ANSWER: {len(addresses)}, AUTHORITY: 0, ADDITIONAL: 1\n\n"
        f";; QUESTION SECTION:\n;{name}.\t\t\tIN\tA\n\n"
        + (f";; ANSWER SECTION:\n{answer}\n" if answer else "")
        + f";; SERVER: {SERVER}#53({SERVER}) (UDP)\n"
    )

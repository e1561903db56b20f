"""The canonical form of inputs: without what two worlds only call or list differently, addresses and order.

Each address has a number instead, by where it is first met. Whatever the numbering, equal canonical forms mean that
the worlds differ by their addresses alone, so that the call graph of one is that of the other, address by address. How
much is asked and how many cores there are is left out as well: who would answer whom does not depend on it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from aiops_gym.sim.kernel.world import World
from aiops_gym.sim.network import names, routes
from aiops_gym.sim.traffic import reach, strain
from aiops_gym.sim.traffic.inputs import Inputs, Process

Name = Callable[[str], int | str]
"""An address -> its number; any other host -> itself."""


class Canonical(NamedTuple):
    """What is left of inputs.

    Attributes:
        key: hashable; equal for worlds whose call graphs differ by addresses only.
        numbers: of the addresses.
        processes: keys, in the order of the canonical form.
        cores: of the processes.
        literal: addresses that can be read in texts which worlds of this form have in common; none has a number.
    """

    key: reach.Key
    numbers: Mapping[str, int]
    processes: Sequence[str]
    cores: Sequence[float]
    literal: frozenset[str]


def make_canonical(world: World, found: Inputs) -> Canonical | None:
    """The canonical form of inputs; None where addresses may mean more than whom they lead to."""
    members = found.members
    ips = [process.sources[0]["ip"] for process in members]
    if not all(routes.is_address(ip) and ip not in routes.LOCAL for ip in ips) or names.read_rules(world):
        return None
    numbers: dict[str, int] = {}

    def name(host: str) -> int | str:
        known = numbers.get(host)
        if known is None and routes.is_address(host) and host not in routes.LOCAL:
            known = numbers[host] = len(numbers)
        return host if known is None else known

    services = tuple([(*of_, name(ip), name(out), ports) for *of_, ip, out, ports in found.reached.cluster.services])
    behind = tuple(
        [
            (*of_, tuple([(tuple([name(ip) for ip in addresses]), ports) for addresses, ports in subsets]))
            for *of_, subsets in found.reached.behind
        ]
    )
    for _, i in sorted([(process.plain, i) for i, process in enumerate(members) if ips[i] not in numbers]):
        name(ips[i])
    order = sorted(range(len(members)), key=lambda i: numbers[ips[i]])  # those at one address stay in their order
    rows = _rows(world, found, [members[i] for i in order], name)
    mentioned = found.start.mentions.union(*[process.mentions for process in members])
    if not mentioned.isdisjoint(numbers):
        return None  # a text that has an address in it is not taken apart
    registries = [order.index(i) for i, process in enumerate(members) if process.registry]
    inhabited = [numbers.get(ip, ip) for ip in found.inhabited if ip in numbers or ip in mentioned]
    guards = routes.find_network(world).firewall.make_form([*numbers, *sorted(found.inhabited & mentioned)])
    if guards is None:
        return None
    key = (
        guards,
        found.start.text,
        reach.number_key(services),
        reach.number_key(behind),
        tuple([reach.number_key(row) for row in rows]),
        tuple(registries),
        tuple(sorted(inhabited, key=str)),
        strain.list_caches(world),
    )
    return Canonical(key, numbers, [found.processes[i] for i in order], [members[i].cores for i in order], mentioned)


def make_own(found: Inputs) -> Canonical:
    """A canonical form that no other inputs have."""
    return Canonical((), {}, found.processes, [process.cores for process in found.members], frozenset())


def _rows(world: World, found: Inputs, members: Sequence[Process], name: Name) -> list[reach.Key]:
    """What is left of each process."""
    here, pods, rows = routes.find_network(world), dict[str, int](), []
    for place, process in enumerate(members):
        row = process.sources[0]
        rows.append(
            (
                process.plain,
                name(row["ip"]),
                pods.setdefault(row["uid"], place),
                process.hostname if process.hostname in found.reached.dialled else "",
                tuple([(alias, name(ip)) for alias, ip in process.aliases]),
                _registered(here, process.registered, name),
                tuple([name(ip) for ip in process.peers]),
                here.impairment(row) if here.impaired else None,
            )
        )
    return rows


def _registered(here: routes.Network, entries: Sequence[tuple[str, str, int]], name: Name) -> reach.Key:
    """What the registry has of each service, as far as it counts: who answers, else the last who does not."""
    by_service: dict[str, dict[tuple[str, int], None]] = {}
    for service, ip, port in entries:
        by_service.setdefault(service, {})[ip, port] = None
    found = []
    for service, ends in sorted(by_service.items()):
        counting = list(ends)
        if len(counting) > 1 and all(here.is_pod(ip) for ip, _ in counting):
            counting = [end for end in counting if end in here.reachable] or counting[-1:]
        found.append((service, tuple([(name(ip), port) for ip, port in counting])))
    return tuple(found)

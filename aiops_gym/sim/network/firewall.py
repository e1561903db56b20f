"""NetworkPolicies: which connections between pods the network lets through.

Without a policy that selects a pod for a direction, everything may pass; with one, only what some policy's rules allow.
What comes from a node itself (probes, traffic from outside) is always let in.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set
from hashlib import blake2b
from ipaddress import ip_address, ip_network
from typing import TYPE_CHECKING, Any
from weakref import ref

import orjson

from aiops_gym import caches
from aiops_gym.sim.kernel.labels import matches
from aiops_gym.sim.kernel.objects import Obj, get, labels_of, name_of, namespace_of

_LETS_ALL = caches.slot(f"{__name__}.lets_all", "reading a network policy")
_SHOWN = caches.slot(f"{__name__}.shown", "reading of a pod what policies see")
_DIGEST = caches.slot(
    f"{__name__}.digest",
    "writing and hashing all that network policies depend on",
    key="the world",
    ends="other policies, namespaces or pods, which are held and compared by value",
)

if TYPE_CHECKING:
    from aiops_gym.sim.kernel.world import World

POLICIES = "networkpolicies.networking.k8s.io"

NO_POD: tuple[str, Any, dict[str, str], list[Any]] = ("", "", {}, [])
"""What policies see where there is no pod."""


class Firewall:
    """The policies of this moment. Make a new one when the world changes.

    Args:
        world: whose policies count; it is not held.
    """

    def __init__(self, world: World) -> None:
        self._world = ref(world)
        self.policies = find_closing(world)
        self.pods: dict[str, Obj] | None = None
        self.name_servers: list[tuple[str, int]] | None = None
        self.known: dict[tuple[str | None, str, int, str], bool] = {}

    @property
    def world(self) -> World:
        """Whose policies count."""
        world = self._world()
        assert world is not None, "who asks for the firewall of a world holds the world"
        return world

    def pod_at(self, ip: str) -> Obj | None:
        """The pod with an address."""
        if self.pods is None:
            self.pods = {}
            for pod in self.world.store.all("pods"):
                address = _shown(pod)[1]
                if address and not get(pod, "spec", "hostNetwork", default=False):
                    self.pods.setdefault(address, pod)
            for row in self.world.table("processes").values():  # what has just started is not in its pod's status yet
                young = None if row["ip"] in self.pods else self.world.store.by_key("pods", row["pod"])
                if young is not None and not get(young, "spec", "hostNetwork", default=False):
                    self.pods.setdefault(row["ip"], young)
        return self.pods.get(ip)

    def passes(self, source_ip: str | None, ip: str, port: int, protocol: str = "TCP") -> bool:
        """Whether a connection from an address (None: from a node) to `ip:port` passes."""
        if not self.policies or source_ip == ip:
            return True
        key = (source_ip, ip, port, protocol)
        found = self.known.get(key)
        if found is None:
            found = self.known[key] = self._passes(*key)
        return found

    def _passes(self, source_ip: str | None, ip: str, port: int, protocol: str) -> bool:
        source, target = self.pod_at(source_ip) if source_ip else None, self.pod_at(ip)
        if source is not None and not self.lets(source, "Egress", target, ip, target, port, protocol):
            return False
        if target is None or source_ip is None:
            return True
        return self.lets(target, "Ingress", source, source_ip, target, port, protocol)

    def make_form(self, ips: Iterable[str]) -> bytes | None:
        """All that decides what passes between these addresses, whatever they are: whose each of them is, by its place.

        Empty without policies, None where a policy names addresses itself.
        """
        if not self.policies:
            return b""
        spaces = [(name_of(one), labels_of(one)) for one in self.world.store.all("namespaces")]
        rules = orjson.dumps([(namespace_of(one), one.get("spec")) for one in self.policies])
        if b'"ipBlock"' in rules:
            return None
        pods = [_shown(pod) if (pod := self.pod_at(ip)) else None for ip in ips]
        seen = [[space, labels, ports] for space, _, labels, ports in (each or NO_POD for each in pods)]
        text = orjson.dumps([spaces, seen], option=orjson.OPT_SORT_KEYS)
        return blake2b(rules + text, digest_size=16).digest()

    def resolves(self, source_ip: str | None) -> bool:
        """Whether a pod's questions reach the cluster's name server, if there is one."""
        if not self.policies or source_ip is None:
            return True
        if self.name_servers is None:
            endpoints = self.world.store.get("endpoints", "kube-system", "kube-dns") or Obj()
            self.name_servers = [
                (address["ip"], port["port"])
                for subset in endpoints.get("subsets") or ()
                for address in subset.get("addresses") or ()
                for port in subset.get("ports") or ()
                if port.get("protocol") == "UDP"
            ]
        ends = self.name_servers
        return not ends or any(self.passes(source_ip, ip, port, "UDP") for ip, port in ends)

    def lets(
        self, pod: Obj, direction: str, peer: Obj | None, peer_ip: str, target: Obj | None, port: int, protocol: str
    ) -> bool:
        """Whether the policies that select a pod let it talk in one direction to a peer."""
        closed = False
        for policy in self.policies:
            spec = policy.get("spec") or {}
            if namespace_of(policy) != namespace_of(pod) or direction not in _directions(spec):
                continue
            if not matches(spec.get("podSelector") or {}, labels_of(pod)):
                continue
            closed = True
            for rule in spec.get(direction.lower()) or ():
                ports = rule.get("ports")
                if ports and not any(_port_fits(one, target, port, protocol) for one in ports):
                    continue
                peers = rule.get("from" if direction == "Ingress" else "to")
                if not peers or any(self._is_peer(one, policy, peer, peer_ip) for one in peers):
                    return True
        return not closed

    def _is_peer(self, rule: Mapping[str, Any], policy: Obj, peer: Obj | None, ip: str) -> bool:
        if block := rule.get("ipBlock"):
            return _inside(ip, block["cidr"]) and not any(_inside(ip, hole) for hole in block.get("except") or ())
        if peer is None:
            return False
        spaces, pods = rule.get("namespaceSelector"), rule.get("podSelector")
        if spaces is None:
            near = namespace_of(peer) == namespace_of(policy)
        else:
            namespace = self.world.store.get("namespaces", "", namespace_of(peer))
            near = namespace is not None and matches(spaces, labels_of(namespace))
        return near and (pods is None or matches(pods, labels_of(peer)))


def _directions(spec: Mapping[str, Any]) -> list[str]:
    return list(spec.get("policyTypes") or (["Ingress", "Egress"] if spec.get("egress") else ["Ingress"]))


def _port_fits(rule: Mapping[str, Any], target: Obj | None, port: int, protocol: str) -> bool:
    """Whether a rule's port (a number, a range, or a name of the target's ports) is this one."""
    if rule.get("protocol", "TCP") != protocol:
        return False
    wanted = rule.get("port")
    if isinstance(wanted, str):
        named = [
            int(one["containerPort"])
            for container in get(target or {}, "spec", "containers", default=())
            for one in container.get("ports") or ()
            if one.get("name") == wanted and one.get("protocol", "TCP") == protocol
        ]
        return port in named
    return wanted is None or int(wanted) <= port <= int(rule.get("endPort", wanted))


@caches.function(4096, "whether an address lies in a block")
def _inside(ip: str, block: str) -> bool:
    try:
        return ip_address(ip) in ip_network(block, strict=False)
    except ValueError:
        return False


def find_closing(world: World) -> list[Obj]:
    """The policies of a world, none where all of them let everything through in each direction that they are about."""
    policies = world.store.all(POLICIES)
    return [] if all(_lets_all(policy) for policy in policies) else policies


def _lets_all(policy: Obj) -> bool:
    """Whether a policy has, in each of its directions, a rule for whatever port and whomever; looked up once."""
    found: bool | None = policy.memo.get(_LETS_ALL)
    if found is None:
        spec = policy.get("spec") or {}
        rules = [spec.get(direction.lower()) or () for direction in _directions(spec)]
        found = all(any(not rule for rule in some) for some in rules)
        policy.memo[_LETS_ALL] = found
    return found


def make_key(world: World, ips: Set[str]) -> bytes:
    """All that decides what passes between these addresses, for those who remember outcomes; empty without policies.

    Pods without an address count too: what runs in them may have one before their status says so.
    """
    policies = find_closing(world)
    if not policies:
        return b""
    known = ips | {""}
    pods = [shown for pod in world.store.all("pods") if (shown := _shown(pod))[1] in known]
    spaces = [(name_of(one), dict(labels_of(one))) for one in world.store.all("namespaces")]
    rules = [(namespace_of(one), one.get("spec")) for one in policies]
    last, digest = world.memo.get(_DIGEST, (None, b""))
    if last != (rules, spaces, pods):
        text = orjson.dumps([rules, spaces, pods], option=orjson.OPT_SORT_KEYS)
        digest = blake2b(text, digest_size=16).digest()
        world.memo[_DIGEST] = (rules, spaces, pods), digest
    found: bytes = digest
    return found


def _shown(pod: Obj) -> tuple[str, Any, dict[str, str], list[Any]]:
    """What policies see of a pod: namespace, address, labels, ports; read once."""
    found: tuple[str, Any, dict[str, str], list[Any]] | None = pod.memo.get(_SHOWN)
    if found is None:
        ports = [container.get("ports") for container in _containers(pod)]
        address = get(pod, "status", "podIP", default="")
        found = pod.memo[_SHOWN] = namespace_of(pod), address, dict(labels_of(pod)), ports
    return found


def _containers(pod: Obj) -> list[Mapping[str, Any]]:
    return list(get(pod, "spec", "containers", default=()))

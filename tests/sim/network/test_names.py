"""What a pod's resolver asks, whom, and what follows for its connections."""

from __future__ import annotations

import pytest

from aiops_gym.sim.kernel.objects import Obj
from aiops_gym.sim.kube_api.pods import dns
from aiops_gym.sim.machine.container import Container
from aiops_gym.sim.machine.executables import names as tools
from aiops_gym.sim.network import names, routes

SEARCHES = ["shop.svc.cluster.local", "svc.cluster.local", "cluster.local"]
FULL = "cache.shop.svc.cluster.local"


@pytest.fixture
def town(tiny):
    tiny.put("namespaces", "shop", namespace="")
    tiny.caller = tiny.pod("caller", "busybox", command=["sleep", "infinity"])
    tiny.cache = tiny.pod("cache-0", "memcached")
    tiny.server = tiny.pod("coredns-0", "pause")
    tiny.service("cache", 11211, {"cache-0": 11211}, ip="10.96.0.99")
    meta = {"namespace": "kube-system", "uid": "dns"}
    tiny.world.store.put(
        "services", Obj({"metadata": {"name": "kube-dns", **meta}, "spec": {"clusterIP": "10.96.0.10"}})
    )
    ends = [{"addresses": [{"ip": tiny.address("coredns-0")}], "ports": [{"port": 53, "protocol": "UDP"}]}]
    tiny.world.store.put("endpoints", Obj({"metadata": {"name": "kube-dns", **meta}, "subsets": ends}))
    return tiny


def _told(town, policy="None", servers=("10.96.0.10",), searches=SEARCHES, options=()):
    config = {"nameservers": list(servers), "searches": list(searches), "options": list(options)}
    pod = town.world.store.get("pods", "shop", "caller")
    town.put("pods", "caller", spec={**pod["spec"], "dnsPolicy": policy, "dnsConfig": config}, status=pod["status"])


def _dial(town, host):
    found = routes.dial(town.world, town.caller, "shop", host, 11211)
    assert bool(routes.resolve(town.world, town.caller, "shop", host)) == (found.outcome == "ok")
    return found.outcome


@pytest.mark.parametrize("host", ["cache", "cache.shop", "cache.shop.svc", FULL, f"{FULL}.", "Cache.Shop"])
def test_each_form_of_a_name(town, host):
    assert _dial(town, host) == "ok"


@pytest.mark.parametrize("host", ["cache.", "cache.shop.", "cache.svc", "cache.shop.cluster.local", "cluster.local"])
def test_what_is_no_name_of_it(town, host):
    assert _dial(town, host) == "no_host"


def test_a_configuration_alone_decides_where_the_policy_is_none(town):
    _told(town)
    assert Container(town.world, town.caller).files()["/etc/resolv.conf"] == (
        f"search {' '.join(SEARCHES)}\nnameserver 10.96.0.10\n"
    )
    assert (_dial(town, "cache"), _dial(town, FULL)) == ("ok", "ok")
    _told(town, searches=())
    assert (_dial(town, "cache"), _dial(town, FULL)) == ("no_host", "ok")


def test_more_is_added_to_what_the_policy_gives(town):
    _told(town, "ClusterFirst", ("8.8.8.8",), ["corp.example"], [{"name": "ndots", "value": "2"}, {"name": "rotate"}])
    assert Container(town.world, town.caller).files()["/etc/resolv.conf"] == (
        f"search {' '.join(SEARCHES)} corp.example\nnameserver 10.96.0.10\nnameserver 8.8.8.8\noptions ndots:2 rotate\n"
    )
    assert _dial(town, "cache") == "ok"


@pytest.mark.parametrize(
    ("servers", "outcome"),
    [
        (["10.96.0.10"], "ok"),
        (["10.244.1.3"], "ok"),  # of CoreDNS itself
        (["8.8.8.8", "10.96.0.10"], "no_host"),  # the first one answers that there is none
        (["172.18.0.1"], "no_host"),
        (["10.244.1.1"], "no_answer"),  # a pod that is no name server
        (["10.96.0.99"], "no_answer"),
        (["10.244.1.1", "10.96.0.10"], "ok"),  # the first one does not answer
    ],
)
def test_who_is_asked(town, servers, outcome):
    _told(town, servers=servers)
    assert _dial(town, "cache") == outcome


def test_names_of_few_dots_are_searched_first(town):
    resolver = names.Resolver(("10.96.0.10",), ("a.example", "b.example."), ("ndots:2",))
    assert list(resolver.candidates("x.y")) == ["x.y.a.example", "x.y.b.example", "x.y"]
    assert list(resolver.candidates("x.y.z")) == ["x.y.z", "x.y.z.a.example", "x.y.z.b.example"]
    assert list(resolver.candidates("x.y.")) == ["x.y"]


def test_the_pods_own_file_comes_before_every_server(town):
    _told(town, servers=["8.8.8.8"])
    pod = town.world.store.get("pods", "shop", "caller")
    aliases = [{"ip": town.address("cache-0"), "hostnames": ["cache"]}]
    town.put("pods", "caller", spec={**pod["spec"], "hostAliases": aliases}, status=pod["status"])
    assert (_dial(town, "cache"), _dial(town, FULL)) == ("ok", "no_host")


def test_a_service_that_stands_for_another_name(town):
    town.put("services", "old", spec={"type": "ExternalName", "externalName": FULL})
    town.put("services", "older", spec={"type": "ExternalName", "externalName": "old.shop.svc.cluster.local"})
    town.put("services", "short", spec={"type": "ExternalName", "externalName": "cache"})
    for name, other in (("ping", "pong"), ("pong", "ping")):
        town.put("services", name, spec={"type": "ExternalName", "externalName": f"{other}.shop.svc.cluster.local"})
    assert [_dial(town, name) for name in ("old", "older", "short", "ping")] == ["ok", "ok", "no_host", "no_host"]
    c = Container(town.world, town.caller)
    assert tools.nslookup(c, ["nslookup", "old"], "").stdout == (
        "Server:\t\t10.96.0.10\nAddress:\t10.96.0.10#53\n\n"
        f"old.shop.svc.cluster.local\tcanonical name = {FULL}.\nName:\t{FULL}\nAddress: 10.96.0.99\n\n"
    )
    assert "CNAME\tcache.shop.svc.cluster.local.\n" in tools.dig(c, ["dig", "+search", "old"], "").stdout
    assert tools.host(c, ["host", "cache", "8.8.8.8"], "").stdout == "Host cache not found: 3(NXDOMAIN)\n"


def test_a_pod_of_a_headless_service_and_a_pod_by_its_address(town):
    ip = town.address("cache-0")
    town.put("services", "peers", spec={"clusterIP": "None", "ports": [{"name": "p", "port": 1}]})
    town.put("endpoints", "peers", subsets=[{"addresses": [{"ip": ip, "hostname": "cache-0"}], "ports": []}])
    assert [_dial(town, name) for name in ("peers", "cache-0.peers", "cache-1.peers")] == ["ok", "ok", "no_host"]
    assert _dial(town, f"{ip.replace('.', '-')}.shop.pod.cluster.local") == "ok"


@pytest.mark.parametrize(
    ("policy", "config", "field"),
    [
        ("None", None, "spec.dnsConfig"),
        ("None", {"searches": ["x"]}, "spec.dnsConfig.nameservers"),
        ("None", {"nameservers": ["kube-dns"]}, "spec.dnsConfig.nameservers[0]"),
        ("ClusterFirst", {"nameservers": ["1.1.1.1"] * 4}, "spec.dnsConfig.nameservers"),
        ("ClusterFirst", {"searches": ["a_b"]}, "spec.dnsConfig.searches[0]"),
        ("ClusterFirst", {"searches": ["a."] * 33}, "spec.dnsConfig.searches"),
        ("Default", {"options": [{"value": "1"}]}, "spec.dnsConfig.options[0]"),
        ("Nobody", None, "spec.dnsPolicy"),
        ("None", {"nameservers": ["10.96.0.10"], "options": [{"name": "ndots", "value": "5"}]}, ""),
    ],
)
def test_what_the_server_takes(policy, config, field):
    faults = dns.validate({"dnsPolicy": policy, "dnsConfig": config}, "spec")
    assert [fault.field for fault in faults] == ([field] if field else [])

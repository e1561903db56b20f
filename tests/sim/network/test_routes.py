"""Names, services, endpoints and what happens on the way."""

from __future__ import annotations

from weakref import ref

import pytest

from aiops_gym.sim.machine.container import Container
from aiops_gym.sim.machine.executables import names
from aiops_gym.sim.network import routes


@pytest.fixture
def town(tiny):
    tiny.caller = tiny.pod("caller", "busybox", command=["sleep", "infinity"])
    tiny.cache = tiny.pod("cache-0", "memcached")
    tiny.service("cache", 11211, {"cache-0": 11211}, ip="10.96.0.99")
    return tiny


def _dial(town, host, port=11211):
    return routes.dial(town.world, town.caller, "shop", host, port)


@pytest.mark.parametrize(
    "host", ["cache", "cache.shop", "cache.shop.svc", "cache.shop.svc.cluster.local", "10.96.0.99"]
)
def test_all_names_of_a_service_lead_to_its_pods(town, host):
    route = _dial(town, host)
    assert (route.outcome, [t.process for t in route.targets]) == ("ok", [town.cache])


def test_a_pod_is_reached_by_its_address_and_itself_by_localhost(town):
    assert _dial(town, town.address("cache-0")).outcome == "ok"
    assert routes.dial(town.world, town.cache, "shop", "localhost", 11211).outcome == "ok"
    assert _dial(town, "localhost").outcome == "refused"


@pytest.mark.parametrize(
    ("host", "port", "outcome"),
    [
        ("nobody", 80, "no_host"),
        ("cache.elsewhere", 11211, "no_host"),
        ("a.b.c.d", 80, "no_host"),
        ("cache", 9999, "timeout"),
        ("10.244.9.9", 80, "timeout"),
    ],
)
def test_an_address_that_leads_nowhere(town, host, port, outcome):
    assert _dial(town, host, port).outcome == outcome


def test_a_wrong_target_port_refuses(town):
    town.service("cache", 11211, {"cache-0": 9999})
    assert _dial(town, "cache").outcome == "refused"


def test_a_service_without_endpoints_refuses_and_a_headless_one_has_no_name(town):
    town.service("cache", 11211, {})
    assert _dial(town, "cache").outcome == "refused"
    town.service("cache", 11211, {}, ip="None")
    assert _dial(town, "cache").outcome == "no_host"


def test_backends_that_refuse_are_counted(town):
    town.pod("cache-1", "memcached", args=["-p", "1"])
    town.service("cache", 11211, {"cache-0": 11211, "cache-1": 11211})
    route = _dial(town, "cache")
    assert (route.outcome, len(route.targets), route.dead) == ("ok", 1, 1)


def test_effects_on_either_end_add_up(town):
    town.world.table("effects")["a"] = {"kind": "network_delay", "pod": "uid-cache-0", "params": {"ms": 50}}
    town.world.table("effects")["b"] = {"kind": "network_loss", "pod": "uid-caller", "params": {"percent": 40}}
    route = _dial(town, "cache")
    assert (route.delay_ms, round(route.loss, 9)) == (50.0, 0.4)
    assert routes.dial(town.world, town.cache, "shop", "localhost", 11211).delay_ms == 0.0


def test_without_the_name_server_only_addresses_work(town):
    town.put("services", "kube-dns", "kube-system", spec={"clusterIP": "10.96.0.10", "ports": []})
    assert _dial(town, "cache").outcome == "no_host"
    assert _dial(town, "10.96.0.99").outcome == "ok"
    subsets = [{"addresses": [{"ip": "10.244.0.2"}], "ports": []}]
    town.put("endpoints", "kube-dns", "kube-system", subsets=subsets)
    assert _dial(town, "cache").outcome == "ok"


def test_a_dead_process_neither_listens_nor_answers(town):
    town.world.table("processes")[town.cache] = {**town.row(town.cache), "running": False}
    assert _dial(town, "cache").outcome == "refused"
    assert _dial(town, town.address("cache-0")).outcome == "refused"


@pytest.mark.parametrize(
    ("spec", "asks"),
    [
        ({}, True),
        ({"dnsPolicy": "ClusterFirst"}, True),
        ({"dnsPolicy": "Default"}, False),
        ({"dnsPolicy": "None"}, False),
        ({"dnsPolicy": "ClusterFirst", "hostNetwork": True}, False),
        ({"dnsPolicy": "ClusterFirstWithHostNet", "hostNetwork": True}, True),
    ],
)
def test_whom_a_pod_asks_for_names_is_its_policy(town, spec, asks):
    pod = town.world.store.get("pods", "shop", "caller")
    town.world.store.put("pods", {**pod, "spec": {**pod["spec"], **spec}})
    assert (_dial(town, "cache").outcome == "ok") == asks
    assert bool(routes.resolve(town.world, town.caller, "shop", "cache")) == asks
    assert _dial(town, "10.96.0.99").outcome == "ok"


def _aliased(town, *entries):
    pod = town.world.store.get("pods", "shop", "caller")
    entries = [{"ip": ip, "hostnames": names} for ip, names in entries]
    town.world.store.put("pods", {**pod, "spec": {**pod["spec"], "hostAliases": entries}})


def test_a_pod_believes_its_own_hosts_file_before_the_name_server(town):
    _aliased(town, ("10.43.0.9", ["Cache", "other"]), ("10.96.0.99", ["other"]))
    assert _dial(town, "cache").outcome == "timeout"
    assert _dial(town, "other").address == "10.43.0.9", "the first line that has the name counts"
    assert _dial(town, "cache.shop").outcome == "ok", "the file has the bare name only"
    assert routes.dial(town.world, town.cache, "shop", "cache", 11211).outcome == "ok"
    assert routes.resolve(town.world, town.caller, "shop", "cache") == ["10.43.0.9"]
    assert routes.resolve(town.world, town.caller, "shop", "cache", served=True) == ["10.96.0.99"]


def test_the_hosts_file_is_there_to_be_read_and_tools_that_ask_the_name_server_do_not_read_it(town):
    _aliased(town, ("10.43.0.9", ["cache", "other"]))
    inside = Container(town.world, town.caller)
    assert inside.files()["/etc/hosts"].endswith(
        "\tcaller\n\n# Entries added by HostAliases.\n10.43.0.9\tcache\tother\n"
    )
    assert names.getent(inside, ["getent", "hosts", "cache"], "").stdout == "10.43.0.9       cache\n"
    assert "Address: 10.96.0.99" in names.nslookup(inside, ["nslookup", "cache"], "").stdout


def test_a_hosts_file_works_where_no_name_server_is_asked(town):
    _aliased(town, ("10.96.0.99", ["cache"]))
    pod = town.world.store.get("pods", "shop", "caller")
    town.world.store.put("pods", {**pod, "spec": {**pod["spec"], "dnsPolicy": "Default"}})
    assert _dial(town, "cache").outcome == "ok"


def test_packets_to_an_endpoint_that_no_pod_has_any_more_vanish(town):
    subsets = [{"addresses": [{"ip": "10.244.9.9"}], "ports": [{"name": "p", "port": 11211}]}]
    town.put("endpoints", "cache", subsets=subsets)
    route = _dial(town, "cache")
    assert (route.outcome, route.address) == ("timeout", "10.96.0.99")


def test_a_pod_dials_itself_over_the_loopback_address(town):
    assert routes.dial(town.world, town.cache, "shop", "localhost", 1).address == "127.0.0.1"


def test_the_network_is_kept_while_nothing_changes_that_it_depends_on(town):
    world = town.world
    kept = routes.find_network(world)
    assert _dial(town, "cache").outcome == "ok"
    Container(world, town.caller).log("a line")
    Container(world, town.cache).remember(open=3)
    world.run(60_000)
    assert routes.find_network(world) is kept
    Container(world, town.cache).close(11211)
    assert routes.find_network(world) is not kept
    assert _dial(town, "cache").outcome == "refused"


@pytest.mark.parametrize(
    "change",
    [
        lambda town: town.service("cache", 11211, {"cache-0": 9999}),
        lambda town: _aliased(town, ("10.43.0.9", ["cache"])),
        lambda town: town.pod("other", "memcached"),
        lambda town: town.world.table("effects").update(x={"kind": "network_delay", "pod": "x", "params": {"ms": 9}}),
    ],
)
def test_what_a_route_depends_on_ends_the_network(town, change):
    kept = routes.find_network(town.world)
    _dial(town, "cache")
    change(town)
    assert routes.find_network(town.world) is not kept


def test_a_fork_has_a_network_of_its_own_and_none_holds_its_world(town):
    kept = routes.find_network(town.world)
    twin = town.world.fork()
    own = routes.find_network(twin)
    assert own is not kept
    assert own.world is twin
    assert routes.find_network(town.world) is kept
    gone = ref(twin)
    del twin
    assert gone() is None, "nothing but the cluster itself held it"

"""Equal inputs have equal outcomes: what is remembered is what would be found by looking anew."""

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from toy_shop import KINDS, NAMESPACE, add_process, change, looked_up_anew, make_shop, register, stop

from aiops_gym import caches
from aiops_gym.sim import traffic
from aiops_gym.sim.traffic import graph, solutions, timeline


def put(shop, resource, name, **fields):
    shop.store.put(resource, {**shop.store.get(resource, NAMESPACE, name), **fields})
    shop.touch()


def effect(shop, name, kind, **params):
    shop.table("effects")[kind] = {"kind": kind, "params": params, "pod": f"uid-{name}"}
    shop.touch()


def users(shop, secret):
    row = {"user": "u", "db": "admin", "secret": secret, "roles": [{"role": "read", "db": "stock-db"}]}
    shop.table("volumes")["layer/id-uid-db/data/db:users"] = [row]
    shop.touch()


def aliased(shop, name, host):
    pod = shop.store.get("pods", NAMESPACE, f"{name}-pod")
    entries = [{"ip": "10.244.1.4", "hostnames": [host]}]
    shop.store.put("pods", {**pod, "spec": {**pod["spec"], "hostAliases": entries}})
    shop.touch()


def subset(ip, port):
    return [{"addresses": [{"ip": ip}], "ports": [{"port": port}]}]


def policy(shop, name, *rules):
    spec = {"podSelector": {"matchLabels": {"app": name}}, "policyTypes": ["Ingress"], "ingress": list(rules)}
    about = {"metadata": {"name": f"{name} {len(rules)}", "namespace": NAMESPACE}}
    shop.store.put("networkpolicies.networking.k8s.io", {**about, "spec": spec})
    shop.touch()


NAMES = sorted(KINDS)
CHANGES = {
    "stop": stop,
    "start": lambda shop, name: change(shop, name, running=True, ended=0, ports=[KINDS[name][1]]),
    "other port": lambda shop, name: change(shop, name, ports=[4]),
    "other program": lambda shop, name: change(shop, name, program="idle"),
    "other ip": lambda shop, name: change(shop, name, ip="10.244.1.77"),
    "auth": lambda shop, name: change(shop, "db", state={"auth": True}),
    "users": users,
    "no endpoints": lambda shop, name: put(shop, "endpoints", name, subsets=[]),
    "endpoints": lambda shop, name: put(shop, "endpoints", name, subsets=subset("10.244.1.3", KINDS[name][1])),
    "endpoints of nobody": lambda shop, name: put(
        shop, "endpoints", name, subsets=subset("10.244.9.9", KINDS[name][1])
    ),
    "hosts": lambda shop, name: aliased(shop, "stock", name),
    "service port": lambda shop, name: put(shop, "services", name, spec={"clusterIP": "10.96.0.9", "ports": []}),
    "policy for all": lambda shop, name: policy(shop, name, {}),
    "policy for none": policy,
    "headless": lambda shop, name: put(shop, "services", name, spec={"clusterIP": "None"}),
    "external": lambda shop, name: put(shop, "services", name, spec={"externalName": f"{NAMES[0]}-pod"}),
    "delay": lambda shop, name: effect(shop, name, "network_delay", ms=300),
    "loss": lambda shop, name: effect(shop, name, "network_loss", percent=20),
    "register": lambda shop, name: register(shop, ["10.244.1.3", "10.244.1.99"]),
    "register another": lambda shop, name: register(shop, ["10.244.1.77"]),
    "replace": lambda shop, name: add_process(shop, name, "10.244.1.77", uid=f"new-{name}"),
    "load": lambda shop, name: shop.table("load").update(rate={"value": 700.0}),
    "limit": lambda shop, name: shop.table("quotas").update({f"uid-{name}/main": [0.01, 0.0, 0.0]}),
}


@settings(max_examples=150, deadline=None)
@given(st.lists(st.tuples(st.sampled_from(sorted(CHANGES)), st.sampled_from(NAMES)), min_size=1, max_size=6))
def test_what_is_remembered_is_what_would_be_found(changes):
    shop = make_shop()
    traffic.compute_success(shop)
    for kind, name in changes:
        CHANGES[kind](shop, name)
        shop.touch()
        anew = looked_up_anew(shop)
        shop.settle()  # time stands still, so no request crashes anything between the two looks
        assert timeline.read_newest(shop) == anew


def moved(shop):
    """The same world under other addresses, with its processes listed in another order, but for the registries."""
    twin = make_shop()
    tables = orjson.loads(
        elsewhere({name: shop.table(name) for name in shop.tables if name not in ("meta", "timeline", "outcomes")})
    )
    rows = tables["processes"]
    tables["processes"] = dict(
        sorted(rows.items(), key=lambda item: "" if item[1]["program"] == "consul" else item[1]["ip"], reverse=True)
    )
    changes = {name: {"removed": range(len(twin.table(name))), "changed": table} for name, table in tables.items()}
    twin.become({"seed": shop.seed, "tables": changes, "heap": []})
    twin.touch()
    return twin


def elsewhere(data):
    return orjson.dumps(data).replace(b"10.244.1.", b"10.244.7.").replace(b"10.96.0.", b"10.97.12.")


@settings(max_examples=100, deadline=None)
@given(st.lists(st.tuples(st.sampled_from(sorted(CHANGES)), st.sampled_from(NAMES)), min_size=1, max_size=4))
def test_the_same_world_under_other_addresses_has_its_own_outcome(changes):
    shop = make_shop()
    for kind, name in changes:
        CHANGES[kind](shop, name)
        shop.touch()
    outcome = traffic.timeline.read_current(shop)
    twin = moved(shop)
    anew = looked_up_anew(twin)
    assert orjson.loads(elsewhere(outcome)) == traffic.timeline.read_current(twin) == anew[1]


@pytest.fixture
def looks(monkeypatch):
    """Times that the world was looked into; each time where nothing is remembered."""
    if caches.SETTING == "off":
        pytest.skip("caches are off")
    found = []
    survey = graph.survey
    monkeypatch.setattr(graph, "survey", lambda world: found.append(world) or survey(world))
    monkeypatch.setattr(solutions, "_solutions", solutions.Cache(solutions._solutions.entry))
    monkeypatch.setattr(solutions, "_graphs", solutions.Cache(solutions._graphs.entry))
    return found


def test_nothing_is_looked_at_again_for_what_requests_do_not_meet(looks):
    shop = make_shop()
    shop.run(1)
    add_process(shop, "cache", "10.244.1.50", uid="deaf")
    change(shop, "db", log=[[0, "a line"]])
    shop.table("processes")["deaf/main"] = {**shop.table("processes")["deaf/main"], "ports": [], "program": "idle"}
    shop.touch()
    shop.run(1)
    assert len(looks) == 1


def test_a_crash_loop_and_the_worlds_of_other_seeds_share_what_was_found(looks):
    for seed in (1, 2, 3):
        shop = make_shop(seed)
        for _ in range(4):
            stop(shop, "stock")
            shop.run(10)
            change(shop, "stock", running=True, ended=0, ports=[8080])
            shop.run(10)
        assert len(shop.table("timeline")) == 8
    assert len(looks) == 2


def test_a_replaced_pod_has_the_same_outcome_under_its_own_name(looks):
    shop = make_shop()
    shop.run(1)
    row = shop.table("processes").pop("uid-stock/main")
    shop.table("processes")["new/main"] = {**row, "uid": "new", "id": "id-new"}
    change(shop, "consul", log=[])
    before = {name: shop.table("processes").pop(name) for name in list(shop.table("processes"))}
    order = [f"uid-{name}/main" if name != "stock" else "new/main" for name in KINDS]
    shop.table("processes").update({name: before[name] for name in order})
    shop.run(1)
    outcomes = list(shop.table("outcomes").values())
    assert len(looks) == 1 and len(outcomes) == 2
    assert "new/main" in outcomes[1]["processes"] and "uid-stock/main" in outcomes[0]["processes"]
    assert {**outcomes[1], "processes": []} == {**outcomes[0], "processes": []}


def test_what_a_process_remembers_of_the_registry_counts_while_it_is_away(looks):
    one, other = make_shop(), make_shop()
    one.run(1)
    for shop in (one, other):
        stop(shop, "consul")
    assert traffic.compute_success(one)["buy"] == 1.0
    assert traffic.compute_success(other)["buy"] == 0.0
    assert traffic.compute_success(one)["buy"] == 1.0


def test_a_restored_world_shares_what_was_found(looks):
    base = make_shop()
    shop = base.fork()
    stop(shop, "db")
    shop.run(1)
    twin = base.fork()
    twin.become(orjson.loads(orjson.dumps(shop.difference(base))))
    twin.touch()
    twin.run(1)
    assert len(looks) == 1


def test_a_service_that_nobody_dials_and_its_pods_are_not_looked_at(looks):
    shop = make_shop()
    shop.run(1)
    about = {"metadata": {"name": "lonely", "namespace": NAMESPACE}}
    shop.store.put("services", {**about, "spec": {"clusterIP": "10.96.7.7", "ports": [{"port": 80}]}})
    add_process(shop, "cache", "10.244.1.60", uid="lonely")
    shop.run(1)
    before = len(looks)
    for backends in (subset("10.244.1.60", 80), [], subset("10.244.1.60", 80)):
        shop.store.put("endpoints", {**about, "subsets": backends})
        shop.touch()
        shop.run(1)
    assert len(looks) == before


def test_neither_a_policy_that_lets_all_pass_nor_dead_backends_instead_of_none_are_looked_at(looks):
    shop = make_shop()
    stop(shop, "db")
    shop.run(1)
    before = len(looks)
    policy(shop, "db", {})
    shop.run(1)
    for backends in ([], [{"notReadyAddresses": [{"ip": "10.244.1.3"}], "ports": [{"port": 27017}]}]):
        put(shop, "endpoints", "db", subsets=backends)
        shop.run(1)
    assert len(looks) == before
    policy(shop, "cache")
    shop.run(1)
    assert len(looks) == before + 1


def test_what_differs_by_addresses_and_order_only_is_not_looked_at_again_and_has_its_own_words(looks):
    one, other = make_shop(), make_shop()
    for shop in (one, other):
        stop(shop, "stock")
    register(other, ["10.244.1.3", "10.244.1.3"])
    said = [str(traffic.timeline.read_current(shop)["nodes"]) for shop in (one, moved(other))]
    assert len(looks) == 1
    assert ["10.244.1.3:8080" in said[0], "10.244.7.3:8080" in said[1]] == [True, True]


def test_a_registration_of_nobody_counts_only_where_nobody_else_is_registered(looks):
    for addresses in (["10.244.1.98", "10.244.1.3"], ["10.244.1.3", "10.244.1.99"], ["10.244.1.99"]):
        shop = make_shop()
        register(shop, addresses)
        traffic.compute_success(shop)
    assert len(looks) == 2


@pytest.mark.parametrize("kind", ["limit", "load"])
def test_a_limit_or_another_load_is_reckoned_with_and_nothing_is_looked_at_again(looks, kind):
    usual, other = make_shop(), make_shop()
    CHANGES[kind](other, "stock")
    other.touch()
    assert traffic.compute_latency(usual)["buy"] < traffic.compute_latency(other)["buy"]
    assert len(looks) == 1

"""Texts that look like addresses: what is remembered of one world never shows through in another.

Call graphs are shared by worlds that differ by their addresses: those are cut out of JSON by a regular expression, and
the other world's put in. Here are worlds full of what may be taken for an address: names, parameters, lines of logs,
labels, variables, aliases, registrations and versions, with addresses that are the beginning or the end of others.
"""

import orjson
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from thrift_town import Town
from toy_shop import KINDS, NAMESPACE, PARAMS, change, looked_up_anew, make_shop, stop

from aiops_gym import caches
from aiops_gym.sim.kernel.blueprint import Operation
from aiops_gym.sim.traffic import canonical, inputs, solutions, timeline
from aiops_gym.sim.traffic.inputs import mentions

NAMES = sorted(KINDS)
POOL = [
    *("10.244.1.3", "10.244.1.33", "110.244.1.3", "0.244.1.3", "10.244.1.30", "1.10.244.1", "244.1.3.10"),
    *("1.2.3.4", "1.2.3.45", "11.2.3.4", "10.96.0.3", "10.96.0.30", "2.3.4.5", "10.244.1.1", "10.244.2.1"),
]
"""Many are part of another, or overlap with it."""

addresses = st.lists(st.sampled_from(POOL), min_size=2 * len(KINDS), max_size=2 * len(KINDS), unique=True)
looks_like_one = st.builds(
    lambda before, address, after: f"{before}{address}{after}",
    st.sampled_from(
        ["", "v", "1", "1.", "0.", "\u0663", '"', "\\", "\\u00", "\\u0031", "tcp ", "\n", "{error} ", "x-"]
    ),
    st.sampled_from(POOL),
    st.sampled_from(["", "4", ".5", ".", ":80", "\u0663", '"', "\n", "/24", " 1.2.3.4", "0"]),
)
lines = st.lists(looks_like_one, min_size=1, max_size=2).map(" ".join)


def span(shop, ips, text):
    handlers = PARAMS["stock"]["handlers"]
    changed = {name: {**handler, "span": text} for name, handler in handlers.items()}
    change(shop, "stock", params={**PARAMS["stock"], "handlers": changed})


def call(shop, ips, text, **fields):
    handler = PARAMS["stock"]["handlers"]["/stock.Stock/Take"]
    calls = [{**each, "span": text, "log": [text, f"{text}: {{error}}"], **fields} for each in handler["calls"]]
    changed = {"/stock.Stock/Take": {**handler, "calls": calls}}
    change(shop, "stock", params={**PARAMS["stock"], "handlers": changed})


def labelled(shop, ips, text):
    pod = shop.store.get("pods", NAMESPACE, "stock-pod")
    shop.store.put("pods", {**pod, "metadata": {**pod["metadata"], "labels": {"app": text}}})


def aliased(shop, ips, text):
    pod = shop.store.get("pods", NAMESPACE, "stock-pod")
    entries = [{"ip": ips[4], "hostnames": [text, "db"]}, {"ip": ips[4], "hostnames": ["cache"]}]
    shop.store.put("pods", {**pod, "spec": {**pod["spec"], "hostAliases": entries}})


def registered(shop, ips, text):
    services = {
        name: {"id": name, "name": service, "address": ip, "port": port}
        for name, service, ip, port in (
            ("1", text, ips[1], 8080),
            ("2", "srv-stock", ips[1], 8080),
            ("3", "srv-stock", ips[1], 8080),
            ("4", "srv-stock", ips[3], 1),
        )
    }
    change(shop, "consul", state={"services": services})


def external(shop, ips, text):
    service = shop.store.get("services", NAMESPACE, "db")
    shop.store.put("services", {**service, "spec": {"externalName": text}})


def guarded(shop, ips, text, peer=None):
    """A policy that only lets some come to the database, as their labels or their addresses say."""
    rule = {"from": [peer or {"podSelector": {"matchLabels": {"app": "stock"}}}], "ports": [{"port": 27017}]}
    spec = {"podSelector": {"matchLabels": {"app": "db"}}, "policyTypes": ["Ingress"], "ingress": [rule]}
    meta = {"name": "guard", "namespace": NAMESPACE, "labels": {"note": text}}
    shop.store.put("networkpolicies.networking.k8s.io", {"metadata": meta, "spec": spec})


TEXTS = {
    "policy": guarded,
    "policy of addresses": lambda shop, ips, text: guarded(shop, ips, text, {"ipBlock": {"cidr": f"{ips[1]}/32"}}),
    "name of a program": lambda shop, ips, text: change(shop, "front", params={**PARAMS["front"], "name": text}),
    "name of a span": span,
    "lines of a call": call,
    "host of a call": lambda shop, ips, text: call(shop, ips, text, host=text),
    "setting": lambda shop, ips, text: change(shop, "front", state={"configured": {"name": text, "x": [text]}}),
    "variable": lambda shop, ips, text: change(shop, "front", env={"VERSION": text, "JAEGER_SAMPLE_RATIO": "1"}),
    "line of a log": lambda shop, ips, text: change(shop, "db", log=[[0, text]]),
    "label": labelled,
    "alias": aliased,
    "registration": registered,
    "external name": external,
    "database stopped": lambda shop, ips, text: stop(shop, "db"),
    "stock stopped": lambda shop, ips, text: stop(shop, "stock"),
}
texts = st.lists(st.tuples(st.sampled_from(sorted(TEXTS)), lines), min_size=1, max_size=4)


def shop_at(ips, chosen, name="buy"):
    half = len(ips) // 2
    operations = [
        Operation(name=name, weight=0.8, service="front", port=5000, handler="HTTP GET /buy"),
        Operation(name="look", weight=0.2, service="front", port=5000, handler="HTTP GET /"),
    ]
    shop = make_shop(pods=ips[:half], services=ips[half:], operations=tuple(operations))
    for kind, text in chosen:
        TEXTS[kind](shop, ips, text)
    shop.touch()
    return shop


def bytes_of(found):
    return orjson.dumps(found, option=orjson.OPT_SORT_KEYS)


@settings(max_examples=250, deadline=None)
@given(st.lists(addresses, min_size=2, max_size=3), texts, st.one_of(st.just("buy"), lines))
@example([POOL[:12], POOL[3:15]], [("lines of a call", "1.10.244.1.3"), ("database stopped", "")], "buy")
@example([POOL[:12], POOL[3:15]], [("policy", "")], "buy")
@example([POOL[:12], POOL[12:0:-1]], [("policy of addresses", "")], "buy")
@example([POOL[:12], POOL[3:15]], [("policy", ""), ("label", "x")], "buy")
@example([POOL[:12], POOL[3:15]], [("lines of a call", "\u066310.244.1.3"), ("database stopped", "")], "buy")
def test_worlds_at_other_addresses_have_the_outcome_that_a_look_without_memory_finds(places, chosen, name):
    for ips in places:
        shop = shop_at(ips, chosen, name)
        anew = looked_up_anew(shop)
        timeline.read_current(shop)
        assert bytes_of(timeline.read_newest(shop)) == bytes_of(anew)


@settings(max_examples=100, deadline=None)
@given(addresses, texts)
def test_a_graph_in_pieces_is_the_text_that_was_cut(ips, chosen):
    shop = shop_at(ips, chosen)
    canon = canonical.make_canonical(shop, inputs.gather(shop, 20.0))
    if canon is not None:
        graph, numbers = solutions._survey(shop, canon), list(canon.numbers)
        cut = [numbers[number] for number in graph.placeholders]
        assert not {text for piece in graph.pieces for text in mentions(piece)} & set(numbers) or not graph.general
        assert all(address in canon.numbers for address in cut)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("image 1.2.3.4", {"1.2.3.4"}),
        ("1.2.3.45", {"1.2.3.45", "1.2.3.4"}),
        ("1.2.3.4.5", {"1.2.3.4", "2.3.4.5"}),
        ("21.2.3.4", {"21.2.3.4", "1.2.3.4"}),
        ("1.2.3", set()),
        ("\u06631.2.3.4", {"1.2.3.4"}),
        ("1..2.3.4", set()),
    ],
)
def test_every_address_that_can_be_read_in_a_text_is_found(text, found):
    assert mentions(text.encode()) == found


def town_at(network):
    town = Town()
    for key, row in list(town.world.table("processes").items()):
        town.world.table("processes")[key] = {**row, "ip": row["ip"].replace("10.244.1.", network)}
    for resource in ("pods", "endpoints"):
        for obj in town.world.store.all(resource):
            town.world.store.put(resource, orjson.loads(orjson.dumps(obj).replace(b"10.244.1.", network.encode())))
    town.stop("posts")
    town.world.touch()
    return town.world


@pytest.mark.parametrize("networks", [("10.244.1.", "10.244.2."), ("10.244.2.", "10.244.1.")])
def test_a_log_names_the_gateway_of_its_own_node_whichever_world_was_looked_at_first(networks):
    for network in networks:
        world = town_at(network)
        found = str(timeline.read_current(world)["nodes"])
        assert [f"client: {network}1," in found, found.count("client: ")] == [True, found.count(f"client: {network}1,")]
        assert timeline.read_newest(world) == looked_up_anew(world)


@pytest.mark.skipif(caches.SETTING == "off", reason="caches are off")
def test_a_graph_that_names_the_gateway_is_shared_all_the_same():
    solutions._graphs.clear()
    known = []
    for network in ("10.244.3.", "10.244.4."):
        timeline.read_current(town_at(network))
        known.append(len(solutions._graphs))
    assert known[0] == known[1] > 0


@pytest.mark.skipif(caches.SETTING == "off", reason="caches are off")
@pytest.mark.parametrize(("kind", "shared"), [("policy", True), ("policy of addresses", False)])
def test_a_graph_among_policies_is_shared_unless_they_name_addresses(kind, shared):
    solutions._graphs.clear()
    solutions._solutions.clear()
    known = []
    for ips in (POOL[:12], POOL[3:15]):
        timeline.read_current(shop_at(ips, [(kind, "")]))
        known.append(len(solutions._graphs))
    assert known == ([1, 1] if shared else [0, 0])

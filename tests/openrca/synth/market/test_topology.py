"""Who calls whom, and what a root cause reaches."""

from aiops_gym.openrca.domains.market import NODES, PODS, SERVICES
from aiops_gym.openrca.model import names
from aiops_gym.openrca.synth.calls import Operation
from aiops_gym.openrca.synth.market import container, mesh, node, runtime
from aiops_gym.openrca.synth.market.pages import Marks, operations, walk
from aiops_gym.openrca.synth.market.topology import (
    ALL_PODS,
    CALLS,
    PLACEMENT,
    deployment_of,
    node_of,
    pods_of,
    reach,
    service_of,
)


def edges(operation: Operation):
    for call in walk(operation.call):
        for below in call.calls:
            yield Marks(*call.marks).service, Marks(*below.marks).service, call.at, below.at


def test_pages_make_all_calls_of_the_shop_and_no_others():
    found = {(caller, callee) for each in operations() for caller, callee, _, _ in edges(each)}
    assert found == {(caller, callee) for caller, callees in CALLS.items() for callee in callees}


def test_the_deployments_do_not_meet_but_at_the_first_productcatalogservice():
    crossing = {
        (caller, callee)
        for each in operations()
        for caller, callee, above, below in edges(each)
        if deployment_of(above[0]) != deployment_of(below[0])
    }
    assert crossing == {("recommendationservice", "productcatalogservice")}


def test_pods_are_told_apart_by_service_and_deployment():
    assert {pod for service in SERVICES for pod in pods_of(service)} == set(PODS)
    assert all(pod in pods_of(service_of(pod), deployment_of(pod)) for pod in ALL_PODS)


def test_the_cloudbeds_have_their_pods_elsewhere():
    one, two = ({pod: node_of(bed, pod) for pod in ALL_PODS} for bed in PLACEMENT)
    assert {pod for pod, place in one.items() if place == "node-5"} == {
        "adservice-2", "cartservice2-0", "checkoutservice-2", "frontend-1", "frontend-2", "shippingservice-2",
    }  # fmt: skip
    assert set(one.values()) == {"node-5", "node-6"}
    assert one != two
    assert set(two.values()) < set(NODES)


def test_nodes_reach_nothing_but_themselves():
    scopes = ("row", "upstream", "asks", "asked", "runtime", "clients of cartservice")
    for name in NODES:
        assert reach(name, "self") == (name,)
        assert not any(reach(name, scope) for scope in scopes)


def test_a_service_is_all_its_pods_and_its_callers_wait_up_to_the_front():
    assert reach("paymentservice", "self") == pods_of("paymentservice")
    assert reach("paymentservice", "upstream") == ("checkoutservice-grpc", "frontend-http")
    assert reach("frontend", "upstream") == ()
    assert "recommendationservice2-0" in reach("productcatalogservice", "clients of productcatalogservice")


def test_a_pod_is_called_within_its_deployment():
    clients = pods_of("frontend", "") + pods_of("checkoutservice", "")
    assert reach("cartservice-1", "clients of cartservice") == clients
    assert reach("cartservice-1", "clients of adservice") == ()
    products = "clients of productcatalogservice"
    assert reach("productcatalogservice2-0", products) == ("frontend2-0", "checkoutservice2-0")
    assert "recommendationservice2-0" in reach("productcatalogservice-0", products)


def test_as_many_curves_as_the_original_has():
    for bed in PLACEMENT:
        assert len(container.series(bed)) == 2576
        assert len(node.series(bed)) == 351
        assert sum(each.kpi.step == 300 for each in node.series(bed)) == 12
        assert len({each.kpi.name for each in container.series(bed)}) == 64
        assert len({each.kpi.name for each in node.series(bed)}) == 59
        assert len({each.id for each in mesh.series(bed)}) in range(170, 185)
    assert len(runtime.series()) == 666


def test_curves_are_unique_and_each_pod_and_node_has_some():
    for bed in PLACEMENT:
        for some in (container.series(bed), node.series(bed), mesh.series(bed), runtime.series()):
            assert len({(each.id, each.kpi.name) for each in some}) == len(some)
        ids = {each.id for make in (container.series, node.series, mesh.series) for each in make(bed)}
        assert all(any(names(each, component) for each in ids) for component in (*PODS, *NODES))


def test_the_mesh_tells_of_calls_at_both_ends_and_one_name_has_a_comma():
    ids = {each.id for each in mesh.series("cloudbed-1")}
    assert {"cartservice-1.source.cartservice.redis-cart", "redis-cart-0.destination.cartservice.redis-cart"} < ids
    assert "recommendationservice2-0.source.recommendationservice2.productcatalogservice" in ids
    assert "productcatalogservice-2.destination.recommendationservice2.productcatalogservice" in ids
    assert "istio-egressgateway-7bfdcc9d86-zpjpg" in ids
    assert "istio_tcp_sent_bytes.UF,URX" in {each.kpi.name for each in mesh.series("cloudbed-1")}

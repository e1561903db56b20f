"""A new node reports, and is ready once its network is."""

from small_cluster import SmallCluster

from aiops_gym.sim.kernel.objects import get
from aiops_gym.sim.kube_api import handle
from aiops_gym.types import Request


def _conditions(cluster, name):
    node = cluster.world.store.get("nodes", "", name)
    return {c["type"]: c["status"] for c in get(node, "status", "conditions", default=())}


def test_a_new_node_is_ready_once_its_network_is():
    cluster = SmallCluster()
    node = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "fresh"}, "status": {"capacity": {"cpu": "2"}}}
    space = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "default"}}
    handle(cluster.world, Request("create", "namespaces", body=space))
    assert handle(cluster.world, Request("create", "nodes", body=node)).code == 201
    cluster.world.run(2_000)
    assert _conditions(cluster, "fresh")["Ready"] == "False"
    cluster.world.run(20_000)
    assert _conditions(cluster, "fresh") == {
        "MemoryPressure": "False",
        "DiskPressure": "False",
        "PIDPressure": "False",
        "Ready": "True",
    }
    reasons = [e["reason"] for e in cluster.world.store.all("events") if e["involvedObject"]["name"] == "fresh"]
    assert {"Starting", "NodeReady", "RegisteredNode", "NodeHasSufficientMemory"} <= set(reasons)

"""What programs do when their questions to the name server get lost."""

from thrift_town import NAMESPACE, Town

DNS = {"name": "kube-dns", "namespace": "kube-system", "uid": "uid-kube-dns"}
TO_PODS = {"to": [{"podSelector": {}}]}


def blocked(name, again=True):
    """A town in which `name` (was started `again` and) may from now on talk to pods of its namespace only."""
    town = Town()
    store = town.world.store
    store.put("services", {"metadata": DNS, "spec": {"clusterIP": "10.96.0.10", "ports": []}})
    subsets = [{"addresses": [{"ip": "10.244.0.2"}], "ports": [{"port": 53, "protocol": "UDP"}]}]
    store.put("endpoints", {"metadata": DNS, "subsets": subsets})
    meta = {"name": "shut", "namespace": NAMESPACE, "uid": "uid-shut"}
    spec = {"podSelector": {"matchLabels": {"shut": "in"}}, "policyTypes": ["Egress"], "egress": [TO_PODS]}
    store.put("networkpolicies.networking.k8s.io", {"metadata": meta, "spec": spec})
    if again:
        town.stop(name)
        town.start(name)
    pod = store.get("pods", NAMESPACE, name)
    store.put("pods", {**pod, "metadata": {**pod["metadata"], "labels": {"shut": "in"}}})
    town.world.touch()
    return town


def test_a_service_waits_for_the_resolver_before_it_says_that_it_finds_no_tracer():
    town = blocked("posts")
    town.run(9)
    assert town.row("posts")["log"] == []
    town.run(13)
    told = [line for line in town.log("posts") if "SetUpTracer" in line]
    assert len(told) == 2, "ten seconds for each question, and one of rest"
    assert told[0].endswith("<error>: (tracing.h:87:SetUpTracer) Failed to connect to jaeger, retrying ...")
    assert not town.row("posts")["ports"]


def test_nginx_waits_for_the_resolver_before_it_ends():
    town = blocked("door")
    town.run(9)
    assert town.row("door")["running"]
    town.run(3)
    assert town.exits[-1] == ("door", 1)
    assert 'host not found in resolver "dns.town"' in town.log("door")[-1]


def test_calls_wait_for_the_resolver_and_their_caller_says_so_when_the_user_has_gone():
    town = blocked("posts", again=False)
    town.run(25)
    assert town.success() == 0.0
    names = "getaddrinfo() <Host: names Port: 9090>Temporary failure in name resolution"
    assert any(line.endswith(names) for line in town.log("posts"))
    assert "lua tcp socket read timed out" in town.log("door")[-1]


def test_tools_in_the_pod_get_no_answer_either():
    town = blocked("posts", again=False)
    assert town.exec("posts", "getent", "hosts", "names").code == 2
    assert "no servers could be reached" in town.exec("posts", "nslookup", "names").stdout

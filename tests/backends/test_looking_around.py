"""What an operator sees who looks around in the simulated cluster with the usual tools."""

from __future__ import annotations

import json

import pytest

from aiops_gym.backends.simulated import Simulated
from aiops_gym.catalog import registry

NS = "-n test-hotel-reservation"


@pytest.fixture(scope="module")
def origin() -> Simulated:
    return Simulated(registry.find_problem("noop_detection_hotel_reservation-1"), seed=3, noise=False)


@pytest.fixture
def incident(origin) -> Simulated:
    return origin.fork()


def run(incident: Simulated, script: str, timeout: float = 60.0) -> str:
    return str(incident.shell.run(script, timeout).output)


def address(incident: Simulated, service: str) -> str:
    return run(incident, f"kubectl get svc {NS} {service} -o jsonpath={{.spec.clusterIP}}")


@pytest.mark.parametrize(
    ("path", "answer"),
    [
        ("/hotels", "Please specify inDate/outDate params\n400"),
        ("/hotels?inDate=2015-04-09&outDate=2015-04-10", "Please specify location params\n400"),
        ("/recommendations?lat=38&lon=-122&require=luck", "Please specify require params\n400"),
        ("/user", "Please specify username and password\n400"),
        ("/user?username=Cornell_3&password=3333333333", '{"message":"Login successfully!"}\n200'),
        ("/user?username=Cornell_3&password=3", '{"message":"Failed. Please check your username and password. "}\n200'),
        ("/nope", "404 page not found\n404"),
    ],
)
@pytest.mark.parametrize("method", ["GET", "POST"])
def test_the_frontend_answers_whatever_the_method(incident, path, answer, method):
    where = f"{address(incident, 'frontend')}:5000{path}"
    assert run(incident, f"curl -s -X {method} -w '%{{http_code}}' '{where}'") == answer


def test_hotels_come_from_the_database(incident):
    where = f"{address(incident, 'frontend')}:5000/hotels?inDate=2015-04-09&outDate=2015-04-10&lat=37.78&lon=-122.41"
    found = json.loads(run(incident, f"curl -s '{where}'"))["features"]
    assert len(found) == 5
    first = {"name": "Hotel Zetta", "phone_number": "(415) 543-8555"}
    assert found[0]["properties"] == first
    change = 'db.hotels.updateMany({}, {$set: {name: "Inn"}})'
    run(incident, f"kubectl exec {NS} deploy/mongodb-profile -- mongo profile-db --quiet --eval '{change}'")
    again = json.loads(run(incident, f"curl -s '{where}'"))["features"]
    assert {feature["properties"]["name"] for feature in again} == {"Inn"}


def test_an_operation_that_fails_says_why(incident):
    run(incident, f"kubectl scale {NS} deploy/user --replicas=0; sleep 20")
    where = f"{address(incident, 'frontend')}:5000/user?username=Cornell_3&password=3333333333"
    answer = run(incident, f"curl -s -w '%{{http_code}}' '{where}'")
    assert answer.startswith("rpc error: code = Unavailable desc = ")
    assert answer.endswith("500")


@pytest.mark.parametrize(
    ("image", "command", "printed"),
    [
        ("busybox:1.36", "nslookup kubernetes", "Name:\tkubernetes.default.svc.cluster.local"),
        ("curlimages/curl", "-s http://frontend.test-hotel-reservation:5000/user", "Please specify username"),
        ("nicolaka/netshoot", "ping -c 1 172.18.0.3", "1 packets transmitted, 1 received, 0% packet loss"),
        ("alpine", "cat /etc/os-release", "Alpine Linux"),
    ],
)
def test_one_shot_pods_run_a_tool_and_end(incident, image, command, printed):
    script = f"kubectl run q --rm -i --restart=Never --image={image} -- {command}"
    answer = run(incident, script)
    assert printed in answer
    assert answer.endswith('pod "q" deleted\n')


def test_servers_of_public_images_serve(incident):
    run(incident, "kubectl run web --image=nginx:1.27; kubectl run r --image=redis; sleep 25")
    ip = run(incident, "kubectl get pod web -o jsonpath={.status.podIP}")
    assert "<title>Welcome to nginx!</title>" in run(incident, f"curl -s {ip}")
    assert run(incident, "kubectl get pods --no-headers | awk '{print $1, $3}'") == "r Running\nweb Running\n"
    assert "executable file not found" in run(incident, "kubectl exec web -- jq .")
    assert "not found" in run(incident, "kubectl run n --image=nginx:nope; sleep 5; kubectl describe pod n")


def test_the_time_a_tool_takes_passes(incident):
    before = incident.now()
    run(incident, f"kubectl exec {NS} deploy/frontend -- curl -s -m 5 10.244.9.9")
    assert incident.now() - before == pytest.approx(5.3, abs=0.1)
    before = incident.now()
    answer = run(incident, f"kubectl exec {NS} deploy/mongodb-geo -- sh -c 'sleep 4; date +%S'")
    assert incident.now() - before == pytest.approx(4.3, abs=0.1)
    assert len(answer) == 3


def test_traces_and_metrics_have_their_apis(incident):
    jaeger = address(incident, "jaeger")
    services = json.loads(run(incident, "curl -s 172.18.0.3:31686/api/services"))
    assert services["total"] == len(services["data"]) == 8
    trace = json.loads(run(incident, f"curl -s '{jaeger}:16686/api/traces?service=search&limit=1&lookback=1h'"))[
        "data"
    ][0]
    again = json.loads(
        run(incident, f"kubectl exec {NS} deploy/frontend -- curl -s jaeger:16686/api/traces/{trace['traceID']}")
    )
    assert again["data"] == [trace]
    assert {"parent", "child", "callCount"} == set(
        json.loads(run(incident, f"curl -s {jaeger}:16686/api/dependencies"))["data"][0]
    )
    prometheus = "172.18.0.3:32000/api/v1"
    query = 'container_threads{namespace="test-hotel-reservation",pod=~"geo.*"}'
    found = json.loads(run(incident, f"curl -sG {prometheus}/query --data-urlencode 'query={query}'"))["data"]["result"]
    assert [row["metric"]["container"] for row in found] == ["hotel-reserv-geo"]
    summed = f"sum by (pod) (rate(container_cpu_usage_seconds_total{{{query.partition('{')[2]}[5m]))"
    asked = f"curl -s {prometheus}/query --data-urlencode 'query={summed}'"  # a form, by POST
    assert [list(row["metric"]) for row in json.loads(run(incident, asked))["data"]["result"]] == [["pod"]]
    wrong = json.loads(run(incident, f"curl -s '{prometheus}/query?query=rate(x)'"))
    assert (wrong["status"], wrong["errorType"]) == ("error", "bad_data")
    assert "container_threads" in run(incident, f"curl -s {prometheus}/label/__name__/values")


def test_the_folders_of_containers_are_there(incident):
    listing = run(incident, f"kubectl exec {NS} deploy/mongodb-geo -- ls -la /data/db")
    assert "WiredTiger.wt" in listing
    assert "collection-" in listing
    assert "1970" not in listing
    assert run(incident, f"kubectl exec {NS} deploy/mongodb-geo -- cat /proc/1/cmdline").split("\0")[0] == "mongod"
    assert run(incident, f"kubectl exec {NS} deploy/profile -- ls /go/bin").split()[2] == "profile"
    assert "address already in use" in run(incident, f"kubectl exec {NS} deploy/profile -- /go/bin/profile")
    assert "stat ./profile: no such file" in run(incident, f"kubectl exec {NS} deploy/profile -- ./profile")
    assert "127.0.0.1:8301" in run(incident, f"kubectl exec {NS} deploy/consul -- consul members")


def test_what_is_written_to_a_volume_outlives_the_pod(incident):
    run(incident, f"kubectl exec {NS} deploy/mongodb-user -- sh -c 'echo x > /data/db/note; echo y > /tmp/note'")
    run(incident, f"kubectl delete pod {NS} -l io.kompose.service=mongodb-user; sleep 30")
    assert run(incident, f"kubectl exec {NS} deploy/mongodb-user -- cat /data/db/note") == "x\n"
    assert "No such file" in run(incident, f"kubectl exec {NS} deploy/mongodb-user -- cat /tmp/note")


@pytest.mark.parametrize("script", ["help", "bash --version", "grep --version", "awk --version", "vi", "sudo -l", "fc"])
def test_nothing_names_the_interpreter(incident, script):
    inside = f"kubectl exec {NS} deploy/mongodb-geo -- bash -c '{script}'"
    assert "ashkit" not in run(incident, script) + run(incident, inside)

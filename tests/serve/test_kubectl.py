"""The real kubectl takes the served cluster for a real one."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from knocking import NAMESPACE, Kubectl, write

from aiops_gym.serve import Door

NS = ("-n", NAMESPACE)

LOOKS: list[tuple[str, str]] = [
    ("version", "Server Version: v1.32.1"),
    ("cluster-info", "is running at"),
    ("get pods", "RESTARTS"),
    ("get pods -o wide", "NOMINATED NODE"),
    ("get pods -A", "kube-system"),
    ("get pods -l io.kompose.service=geo", "geo-"),
    ("get pods --show-labels", "io.kompose.service=geo"),
    ("get pods -o name", "pod/geo-"),
    ("get pods -o json", '"apiVersion": "v1"'),
    ("get pods -o jsonpath={.items[*].metadata.name}", "geo-"),
    ("get pods --field-selector status.phase=Running", "frontend-"),
    ("get pods --sort-by=.metadata.name --no-headers", "consul-"),
    ("get svc,deploy", "deployment.apps/geo"),
    ("get all", "service/geo"),
    ("get ns", NAMESPACE),
    ("get nodes -o wide", "CONTAINER-RUNTIME"),
    ("get endpoints", "mongodb-geo"),
    ("get events --sort-by=.lastTimestamp", "BackOff"),
    ("get events --field-selector type=Warning", "BackOff"),
    ("get cm,secret,pvc", "configmap/"),
    ("get pv", "CAPACITY"),
    ("get --raw /healthz", "ok"),
    ("get --raw /readyz?verbose", "readyz check passed"),
    ("events", "BackOff"),
    ("describe pod -l io.kompose.service=geo", "Back-off restarting failed container"),
    ("describe deploy geo", "MinimumReplicasUnavailable"),
    ("describe svc mongodb-geo", "Endpoints:"),
    ("describe node kind-worker", "Allocated resources"),
    ("describe ns kube-system", "Status:"),
    ("logs deploy/geo", "not authorized on geo-db"),
    ("logs deploy/geo --tail=1 --timestamps", "FTL"),
    ("logs deploy/geo --previous", "not authorized"),
    ("logs -l io.kompose.service=geo --prefix", "[pod/geo-"),
    ("exec deploy/frontend -- ls /", "etc"),
    ("exec -i deploy/frontend -- sh -c cat", "typed"),
    ("top pods", "MEMORY(bytes)"),
    ("top pods --containers", "hotel-reserv-geo"),
    ("rollout status deploy/frontend", "successfully rolled out"),
    ("rollout history deploy/frontend", "CHANGE-CAUSE"),
    ("explain deployment.spec.template.spec.containers", "imagePullPolicy"),
    ("explain service --recursive", "clusterIP"),
    ("wait --for=condition=Available deploy/frontend --timeout=300s", "condition met"),
    ("wait --for=jsonpath={.spec.replicas}=1 deploy/frontend --timeout=300s", "condition met"),
    ("auth can-i delete pods", "yes"),
    ("auth whoami", "kubernetes-admin"),
    ("auth can-i --list", "*.*"),
    ("api-resources", "deployments"),
    ("api-resources -o name --namespaced=false", "nodes"),
    ("api-versions", "apps/v1"),
]


def split(line: str) -> tuple[list[str], list[str]]:
    """The words of a line before and after `--`."""
    before, dashes, after = line.partition(" -- ")
    return before.split(), ["--", *after.split()] if dashes else []


@pytest.mark.parametrize(("line", "part"), LOOKS, ids=[line for line, _ in LOOKS])
def test_a_look_shows_the_cluster(still: Door, kubectl: Kubectl, line: str, part: str) -> None:
    words, after = split(line)
    ran = kubectl(still, *words, *(() if "-A" in words else NS), *after, stdin="typed")
    assert (ran.code, part in ran.out) == (0, True), ran
    assert not ran.err or "Defaulted container" in ran.err


REFUSALS: list[tuple[str, str]] = [
    ("get pod nope", 'Error from server (NotFound): pods "nope" not found'),
    ("get nonsense", 'error: the server doesn\'t have a resource type "nonsense"'),
    ("get pods --field-selector no.such=1", "field label not supported: no.such"),
    ("get --raw /apis/apps/v1/nonsense", "the server could not find the requested resource"),
    ("exec deploy/geo -- ls", 'unable to upgrade connection: container not found ("hotel-reserv-geo")'),
    ("exec deploy/frontend -- no-such-program", "executable file not found in $PATH"),
    ("logs nope", 'pods "nope" not found'),
    ("delete deploy nope", 'deployments.apps "nope" not found'),
    ("port-forward nope 8080:5000", 'pods "nope" not found'),
    ("patch deploy frontend -p {bad}", "invalid character 'b' looking for beginning of object key string"),
    ('patch deploy frontend --type=merge -p {"spec":{"replicas":"two"}}', "json: cannot unmarshal string into Go"),
    ("scale deploy/frontend --replicas=2 --resource-version=1", "Expected resource version to be 1, was "),
    ("set image deploy/frontend x=y", 'unable to find container named "x"'),
]


@pytest.mark.parametrize(("line", "part"), REFUSALS, ids=[line for line, _ in REFUSALS])
def test_a_refusal_has_the_words_of_a_real_server(still: Door, kubectl: Kubectl, line: str, part: str) -> None:
    words, after = split(line)
    ran = kubectl(still, *words, *NS, *after)
    assert ran.code != 0
    assert part in ran.err


def test_a_command_in_a_container_keeps_its_streams_and_its_exit_code(still: Door, kubectl: Kubectl) -> None:
    ran = kubectl(still, "exec", "deploy/frontend", *NS, "--", "sh", "-c", "echo out; echo err >&2; exit 3")
    assert ran == (3, "out\n", "err\ncommand terminated with exit code 3\n")


def test_files_are_copied_out_of_and_into_a_container(opened: Door, kubectl: Kubectl, tmp_path: Path) -> None:
    pod = kubectl(opened, "get", "pods", "-l", "io.kompose.service=frontend", *NS, "-o", "name").out.strip()
    name = pod.removeprefix("pod/")
    source = write(tmp_path, "there.txt", "hello\n")
    assert kubectl(opened, "cp", source, f"{NAMESPACE}/{name}:/tmp/there.txt").code == 0
    assert kubectl(opened, "exec", pod, *NS, "--", "cat", "/tmp/there.txt").out == "hello\n"
    back = tmp_path / "back.txt"
    assert kubectl(opened, "cp", f"{NAMESPACE}/{name}:/tmp/there.txt", str(back)).code == 0
    assert back.read_text() == "hello\n"
    assert "Cannot stat" in kubectl(opened, "cp", f"{NAMESPACE}/{name}:/no/such", str(back)).out


DEPLOYMENT = """
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 1
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
      - {name: web, image: "busybox:1.36", command: [sleep, infinity]}
"""


def test_apply_creates_leaves_alone_and_configures(opened: Door, kubectl: Kubectl, tmp_path: Path) -> None:
    path = write(tmp_path, "web.yaml", DEPLOYMENT)
    assert kubectl(opened, "apply", "-f", path).out == "deployment.apps/web created\n"
    assert kubectl(opened, "apply", "-f", path).out == "deployment.apps/web unchanged\n"
    assert kubectl(opened, "diff", "-f", path).code == 0
    changed = write(tmp_path, "web.yaml", DEPLOYMENT.replace("replicas: 1", "replicas: 2"))
    assert kubectl(opened, "diff", "-f", changed).code == 1
    assert kubectl(opened, "apply", "-f", changed).out == "deployment.apps/web configured\n"
    assert kubectl(opened, "apply", "--server-side", "--force-conflicts", "-f", changed).code == 0
    assert kubectl(opened, "replace", "-f", changed).out == "deployment.apps/web replaced\n"


def test_a_wrong_field_is_refused_and_can_be_warned_of(opened: Door, kubectl: Kubectl, tmp_path: Path) -> None:
    path = write(tmp_path, "web.yaml", DEPLOYMENT.replace("replicas: 1", "replicas: 1\n  colour: red"))
    ran = kubectl(opened, "apply", "-f", path)
    assert ran.code == 1
    assert 'strict decoding error: unknown field "spec.colour"' in ran.err
    ran = kubectl(opened, "apply", "--validate=warn", "-f", path)
    assert ran == (0, "deployment.apps/web created\n", 'Warning: unknown field "spec.colour"\n')


def test_a_dry_run_changes_nothing(opened: Door, kubectl: Kubectl, tmp_path: Path) -> None:
    path = write(tmp_path, "web.yaml", DEPLOYMENT)
    assert (
        kubectl(opened, "apply", "--dry-run=server", "-f", path).out == "deployment.apps/web created (server dry run)\n"
    )
    assert kubectl(opened, "get", "deploy", "web").code == 1


def test_a_rollout_is_watched_to_its_end(opened: Door, kubectl: Kubectl) -> None:
    assert kubectl(opened, "rollout", "restart", "deploy/frontend", *NS).code == 0
    ran = kubectl(opened, "rollout", "status", "deploy/frontend", "--timeout=300s", *NS)
    assert ran.out.splitlines()[-1] == 'deployment "frontend" successfully rolled out'
    assert kubectl(opened, "rollout", "undo", "deploy/frontend", *NS).out == "deployment.apps/frontend rolled back\n"


def test_waiting_and_deleting_end_when_the_object_does(opened: Door, kubectl: Kubectl) -> None:
    assert kubectl(opened, "create", "deployment", "web", "--image=busybox:1.36", "--", "sleep", "infinity").code == 0
    assert kubectl(opened, "wait", "--for=condition=Available", "deploy/web", "--timeout=300s").code == 0
    ran = kubectl(opened, "delete", "pod", "-l", "app=web", "--timeout=300s")
    assert (ran.code, "deleted" in ran.out) == (0, True)
    assert kubectl(opened, "delete", "deploy", "web").out == 'deployment.apps "web" deleted\n'


def test_a_pod_is_run_and_removed(opened: Door, kubectl: Kubectl) -> None:
    assert kubectl(opened, "run", "tmp", "--image=busybox:1.36", "--restart=Never", "--", "sleep", "2").code == 0
    ran = kubectl(opened, "wait", "--for=jsonpath={.status.phase}=Succeeded", "pod/tmp", "--timeout=300s")
    assert ran.code == 0
    assert kubectl(opened, "delete", "pod", "tmp", "--force", "--grace-period=0").code == 0


def test_a_followed_log_ends_with_its_container(opened: Door, kubectl: Kubectl) -> None:
    script = "for i in 1 2 3; do echo line $i; sleep 1; done"
    assert kubectl(opened, "run", "tmp", "--image=busybox:1.36", "--restart=Never", "--", "sh", "-c", script).code == 0
    # Without a node the log is empty, as at a real API server; "Ready" might be over before anybody looks.
    assert kubectl(opened, "wait", "--for=condition=PodScheduled", "pod/tmp", "--timeout=300s").code == 0
    while (ran := kubectl(opened, "logs", "-f", "tmp")).code:
        assert "waiting to start" in ran.err or "is not available" in ran.err, ran
    assert (ran.code, ran.out) == (0, "line 1\nline 2\nline 3\n")


def test_nodes_are_cordoned_and_drained(opened: Door, kubectl: Kubectl) -> None:
    assert kubectl(opened, "taint", "node", "kind-worker", "a=b:NoSchedule").code == 0
    assert kubectl(opened, "cordon", "kind-worker").out == "node/kind-worker cordoned\n"
    ran = kubectl(opened, "drain", "kind-worker", "--ignore-daemonsets", "--force", "--delete-emptydir-data",
                  "--pod-selector=io.kompose.service=frontend", "--timeout=300s")  # fmt: skip
    assert (ran.code, "evicted" in ran.out) == (0, True), ran
    assert kubectl(opened, "uncordon", "kind-worker").code == 0


def test_labels_annotations_scale_and_autoscaling(opened: Door, kubectl: Kubectl) -> None:
    assert kubectl(opened, "label", "deploy/frontend", "a=b", *NS).out == "deployment.apps/frontend labeled\n"
    assert kubectl(opened, "annotate", "deploy/frontend", "c=d", *NS).code == 0
    assert kubectl(opened, "scale", "deploy/frontend", "--replicas=0", *NS).code == 0
    assert kubectl(opened, "autoscale", "deploy/frontend", "--max=3", "--cpu-percent=80", *NS).code == 0
    found = json.loads(kubectl(opened, "get", "hpa", "frontend", "-o", "json", *NS).out)
    assert found["spec"]["metrics"][0]["resource"]["target"] == {"averageUtilization": 80, "type": "Utilization"}
    old = kubectl(
        opened, "get", "--raw", f"/apis/autoscaling/v1/namespaces/{NAMESPACE}/horizontalpodautoscalers/frontend"
    )
    assert json.loads(old.out)["spec"]["targetCPUUtilizationPercentage"] == 80
    found = json.loads(kubectl(opened, "get", "deploy", "frontend", "-o", "json", *NS).out)
    assert (found["spec"]["replicas"], found["metadata"]["labels"]["a"]) == (0, "b")


def test_a_watch_prints_what_happens(opened: Door, kubectl: Kubectl) -> None:
    wanted = [["NAME", "READY", "STATUS"], ["tmp", "1/1", "Running"], ["tmp", "0/1", "Completed"]]
    lines: list[list[str]] = []
    for slower in (1, 4, 16, 64):  # a machine that is busy may miss what is over in a blink
        made = ("run", "tmp", "--image=busybox:1.36", "--restart=Never", "--", "sleep", str(3 * slower))
        assert kubectl(opened, *made).code == 0
        ran = kubectl(opened, "get", "pod", "tmp", "-w", f"--request-timeout={3 * slower}s")
        lines = [line.split()[:3] for line in ran.out.splitlines()]
        assert kubectl(opened, "delete", "pod", "tmp", "--now").code == 0
        if all(each in lines for each in wanted):
            break
    assert [lines[0], lines[-1]] == [wanted[0], wanted[-1]]
    assert wanted[1] in lines

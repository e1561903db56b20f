"""Somebody reads a topic under the name of a component's group: messages go to him, and not to the component."""

from aiops_gym.catalog.model import Cause, Create, Fault
from aiops_gym.catalog.scripts import CONTAINER, PODS, make_patch
from aiops_gym.catalog.system import System

NAME, BIN = "topic-viewer", "/opt/kafka/bin"
HOST = 7
"""Column of `kafka-consumer-groups.sh --describe`."""
READ = [f"{BIN}/kafka-console-consumer.sh", "--bootstrap-server", "{bootstrap}", "--topic", "{topic}", "--group"]
RUN = {"run": NAME}
SPEC = {"containers": [{"name": "viewer", "image": "{tool_image}", "command": [*READ, "{group}"]}]}
VIEWER = {
    "apiVersion": "apps/v1",
    "kind": "Deployment",
    "metadata": {"name": NAME},
    "spec": {"selector": {"matchLabels": RUN}, "template": {"metadata": {"labels": RUN}, "spec": SPEC}},
}


def handed(before: System, now: System, cause: Cause) -> str:
    """The component has the topic in the group, both the cause's `detail`: so the broker, `service`, says."""
    group, topic = cause.detail.split()
    ask = (f"{BIN}/kafka-consumer-groups.sh", "--bootstrap-server", "localhost:9092", "--describe", "--group", group)
    mine = {f"/{pod['status'].get('podIP')}" for pod in now.pods(cause.component)}
    for broker in now.pods(cause.service):
        rows = [line.split() for line in (now.output(broker, ask) or "").splitlines()]
        hosts = {row[HOST] for row in rows if row[:2] == [group, topic]}
        if hosts and hosts <= mine:
            return ""
    return f"others than {cause.component} read in its name"


fault = Fault(
    id="borrowed_group",
    layer="Application",
    kind="Operation Error",
    also_accept=(("Application", "Misconfiguration"), ("Virtualization", "Operation Error")),
    changes=(Create(manifest=VIEWER),),
    wait=150.0,
    cause=Cause(check=handed, service="{broker}", detail="{group} {topic}"),
    looks=(
        PODS,
        "kubectl logs -n {namespace} deploy/{target} --tail=5 --timestamps",
        f"kubectl exec -n {{namespace}} deploy/{{broker}} -- {BIN}/kafka-consumer-groups.sh "
        "--bootstrap-server localhost:9092 --describe --all-groups",
        "kubectl get pods -n {namespace} -o wide",
    ),
    fixes=(
        f"kubectl delete deployment {NAME} -n {{namespace}}",
        f"kubectl scale deployment {NAME} -n {{namespace}} --replicas=0",
        make_patch(
            "deployment", {"op": "replace", "path": f"{CONTAINER}/command/{len(READ)}", "value": NAME}, name=NAME
        ),
    ),
    targets=("reads",),
    features=("quiet",),
)

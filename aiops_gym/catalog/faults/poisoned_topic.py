"""A job that tries the broker each minute writes into a topic of the application: who reads it dies of each message."""

from aiops_gym.catalog.model import Cause, Create, Fault
from aiops_gym.catalog.scripts import PODS, RENEW, make_patch
from aiops_gym.catalog.system import System

NAME, POD = "broker-check", "/spec/jobTemplate/spec/template/spec"
SEND = ["/opt/kafka/bin/kafka-verifiable-producer.sh", "--bootstrap-server", "{bootstrap}", "--max-messages", "1"]
SUSPENDED = '{"spec": {"suspend": true}}'
CHECKER = {"name": "check", "image": "{tool_image}", "command": [*SEND, "--topic", "{topic}"]}
JOB = {"spec": {"template": {"spec": {"restartPolicy": "Never", "containers": [CHECKER]}}}}
CHECK = {
    "apiVersion": "batch/v1",
    "kind": "CronJob",
    "metadata": {"name": NAME},
    "spec": {"schedule": "* * * * *", "concurrencyPolicy": "Forbid", "jobTemplate": JOB},
}


def unspoilt(before: System, now: System, cause: Cause) -> str:
    """No job that recurs names the topic, the cause's `detail`."""
    for job in now.objects("cronjobs.batch"):
        spec = job["spec"]["jobTemplate"]["spec"]["template"]["spec"]
        words = [word for each in spec["containers"] for word in (*each.get("command", ()), *each.get("args", ()))]
        if cause.detail in words and not job["spec"].get("suspend"):
            return f"{job['metadata']['name']} writes into {cause.detail} again and again"
    return ""


fault = Fault(
    id="poisoned_topic",
    layer="Application",
    kind="Operation Error",
    also_accept=(("Application", "Misconfiguration"), ("Virtualization", "Operation Error")),
    changes=(Create(manifest=CHECK),),
    wait=270.0,
    cause=Cause(check=unspoilt, detail="{topic}"),
    looks=(
        PODS,
        "kubectl logs -n {namespace} deploy/{target} --previous --tail=8",
        "kubectl get cronjobs -n {namespace} -o wide",
    ),
    fixes=(
        f"kubectl delete cronjob {NAME} -n {{namespace}}\n{RENEW}",
        f"kubectl patch cronjob {NAME} -n {{namespace}} -p '{SUSPENDED}'\n{RENEW}",
        make_patch(
            "cronjob",
            {"op": "replace", "path": f"{POD}/containers/0/command/{len(SEND) + 1}", "value": NAME},
            name=NAME,
        )
        + f"\n{RENEW}",
    ),
    targets=("brittle",),
)

"""Good repairs of where a program runs, with how much of what, and how it is watched."""

from __future__ import annotations

from aiops_gym.testing.adversary.recipe import NOT_HERE
from aiops_gym.testing.adversary.repairs.words import (
    CLIENT,
    CONTAINER,
    NS,
    PUT,
    ROLL_CLIENT,
    TEMPLATE,
    edit,
    list_rows,
    merge,
    operate,
)

PLACE = list_rows(
    "assign_to_non_existent_node",
    ROLL_CLIENT,
    {
        "a label made for the selector": (
            "kubectl label node {node} disk=fast\n"
            + operate({"op": "replace", "path": f"{TEMPLATE}/nodeSelector", "value": {"disk": "fast"}})
        ),
        "the name of a node": merge(
            '{"spec": {"template": {"spec": {"nodeSelector": {"kubernetes.io/hostname": "{node}"}}}}}'
        ),
        "the system of a node": operate(
            {"op": "replace", "path": f"{TEMPLATE}/nodeSelector", "value": {"kubernetes.io/os": "linux"}}
        ),
        "null": merge('{"spec": {"template": {"spec": {"nodeSelector": null}}}}'),
        "sed": f"kubectl get deployment {{target}} {NS} -o yaml | sed '/nodeSelector:/,/extra-node/d' | {PUT}",
        "empty": operate({"op": "replace", "path": f"{TEMPLATE}/nodeSelector", "value": {}}),
    },
)

RESOURCES = (
    *list_rows(
        "oversized_request",
        ROLL_CLIENT,
        {
            f"a request of {amount}": f"kubectl set resources deployment/{{target}} {NS} --requests=memory={amount}"
            for amount in ("64Mi", "128M", "512Mi", "0")
        }
        | {
            "none": operate({"op": "replace", "path": f"{CONTAINER}/resources", "value": {}}),
            "null": merge(
                '{"spec": {"template": {"spec": {"containers": [{"name": "{container}", "resources": '
                '{"requests": null}}]}}}}',
                how="strategic",
            ),
            "512Mi as was meant": f"kubectl get deployment {{target}} {NS} -o yaml | sed 's/512Gi/512Mi/' | {PUT}",
        },
    ),
    *list_rows(
        "small_cpu_limit",
        "",
        {
            "a limit of 0": f"kubectl set resources deployment/{{target}} {NS} --limits=cpu=0 --requests=cpu=0",
            "a limit of 2": f"kubectl set resources deployment/{{target}} {NS} --limits=cpu=2",
            "no limit": operate({"op": "remove", "path": f"{CONTAINER}/resources/limits"}),
            "a limit of 1000m": operate(
                {"op": "replace", "path": f"{CONTAINER}/resources/limits/cpu", "value": "1000m"}
            ),
            "a share by request": operate(
                {"op": "replace", "path": f"{CONTAINER}/resources", "value": {"requests": {"cpu": "250m"}}}
            ),
        },
    ),
    *list_rows(
        "small_memory_limit",
        "",
        {
            "a limit of 0": f"kubectl set resources deployment/{{target}} {NS} --limits=memory=0 --requests=memory=0",
            "a limit of 1Gi": f"kubectl set resources deployment/{{target}} {NS} --limits=memory=1Gi "
            f"--requests=memory=64Mi",
            "no limit": operate({"op": "remove", "path": f"{CONTAINER}/resources/limits"}),
            "ample": f"kubectl set resources deployment/{{target}} {NS} --limits=memory={{ample}}",
            "a request alone": operate(
                {"op": "replace", "path": f"{CONTAINER}/resources", "value": {"requests": {"memory": "{ample}"}}}
            ),
        },
    ),
)

PROBES = (
    *list_rows(
        "failing_readiness_probe",
        CLIENT,
        {
            "the right port": operate(
                {"op": "replace", "path": f"{CONTAINER}/readinessProbe/tcpSocket/port", "value": "#"}
            ).replace('"#"', "{target_port}"),
            "a name for the port": edit(
                '.spec.template.spec.containers[0] |= (.ports[0].name = "main" | .ports[0].containerPort = '
                "{target_port} "
                '| .readinessProbe.tcpSocket.port = "main")'
            ),
            "null": merge(
                '{"spec": {"template": {"spec": {"containers": [{"name": "{container}", "readinessProbe": null}]}}}}',
                how="strategic",
            ),
        },
    ),
    *list_rows(
        "failing_liveness_probe",
        "",
        {
            "the right port": operate(
                {"op": "replace", "path": f"{CONTAINER}/livenessProbe/tcpSocket/port", "value": "#"}
            ).replace('"#"', "{target_port}"),
            "the right port, with more patience": edit(
                ".spec.template.spec.containers[0].livenessProbe |= (.tcpSocket.port = {target_port} "
                "| .failureThreshold = 6 | .periodSeconds = 10)"
            ),
            "null": merge(
                '{"spec": {"template": {"spec": {"containers": [{"name": "{container}", "livenessProbe": null}]}}}}',
                how="strategic",
            ),
        },
    ),
)

SCALE = list_rows(
    "scale_pods_to_zero",
    ROLL_CLIENT,
    {
        "scaled": f"kubectl scale deployment {{target}} {NS} --replicas=1",
        "scaled from nothing": f"kubectl scale deployment/{{target}} {NS} --current-replicas=0 --replicas=1",
        "scaled by label": f"kubectl get deployment {NS} -l {{selector}}={{target}} -o name | grep . || exit "
        f"{NOT_HERE}\n"
        f"kubectl scale deployment {NS} -l {{selector}}={{target}} --replicas=1",
        "one more": f"kubectl scale deployment {{target}} {NS} --replicas=2",
        "one more, and one fewer": f"kubectl scale deployment {{target}} {NS} --replicas=2\nsleep 60\n"
        f"kubectl scale deployment {{target}} {NS} --replicas=1",
        "through the door for scaling": f"kubectl patch deployment {{target}} {NS} --subresource=scale --type=merge "
        '-p \'{"spec": {"replicas": 1}}\'',
        "no number": merge('{"spec": {"replicas": null}}'),
        "all that are at nothing": (
            f"for d in $(kubectl get deploy {NS} -o json | jq -r '.items[] | select(.spec.replicas == 0) | "
            f".metadata.name'); do\n"
            f"kubectl scale deployment $d {NS} --replicas=1\ndone"
        ),
    },
)

RECIPES = (*PLACE, *RESOURCES, *PROBES, *SCALE)

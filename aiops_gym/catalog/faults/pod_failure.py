"""A pod's containers cannot run: their image has been exchanged for one without the program."""

from aiops_gym.catalog.model import Effect, Fault

fault = Fault(
    id="pod_failure",
    layer="Virtualization",
    kind="Operation Error",
    changes=(
        Effect(kind="pod_failure", component="{target}", params={"image": "gcr.io/google-containers/pause:latest"}),
    ),
    wait=90.0,
    looks=("kubectl get pods -n {namespace}", "kubectl describe pod -n {namespace} -l {selector}={target}"),
    targets=("asked",),
    tasks=("detection", "localization"),
)

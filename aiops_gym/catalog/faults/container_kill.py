"""A container is killed from outside, again every minute."""

from aiops_gym.catalog.model import Effect, Fault

fault = Fault(
    id="container_kill",
    layer="Operating System",
    kind="Operation Error",
    changes=(Effect(kind="container_kill", component="{target}", params={"every": 60}),),
    wait=90.0,
    looks=("kubectl get pods -n {namespace}", "kubectl describe pod -n {namespace} -l {selector}={target}"),
    targets=("asked",),
    tasks=("detection", "localization", "analysis"),
)

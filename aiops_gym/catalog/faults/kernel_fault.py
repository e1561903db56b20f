"""The kernel cannot allocate memory when a pod's containers mount their file systems.

AIOpsLab has it as a comment, "untested": a KernelChaos on `__x64_sys_mount`. What runs goes on; what starts does not,
so that nothing shows until the service is started anew, as it is here.
"""

from aiops_gym.catalog.model import Effect, Fault

fault = Fault(
    id="kernel_fault",
    layer="Operating System",
    kind="Code Defect",
    changes=(
        Effect(kind="system_call", component="{target}", params={"call": "mount", "errno": 12}),
        Effect(kind="container_kill", component="{target}", params={"every": 3_600, "seconds": 5}),
    ),
    wait=90.0,
    looks=("kubectl get pods -n {namespace}", "kubectl describe pod -n {namespace} -l {selector}={target}"),
    tasks=("detection", "localization"),
)

"""The disk under the databases is worn out: every write fails.

AIOpsLab has it as a comment, with a placeholder for the answer: the system call fails for every `mongod` of the host.
"""

from aiops_gym.catalog.faults.redeploy_without_pv import STORES
from aiops_gym.catalog.model import Effect, Fault

fault = Fault(
    id="disk_woreout",
    layer="Hardware",
    kind="Network/Storage Issue",
    changes=tuple(
        Effect(kind="system_call", component=name, params={"call": "write", "errno": 5, "path": "/data/db"})
        for name in STORES
    ),
    wait=120.0,
    looks=("kubectl get pods -n {namespace}", "kubectl logs -n {namespace} deploy/mongodb-geo --tail=20"),
    tasks=("detection", "localization"),
    places=STORES,
)

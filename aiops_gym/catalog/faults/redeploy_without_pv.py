"""The application's namespace was deleted and deployed anew; its volumes still belong to the claims that are gone.

It befalls a whole application and no component, and only one whose data outlive its namespace.
"""

from aiops_gym.catalog.model import Cause, Fault, Redeploy
from aiops_gym.catalog.system import System

VOLUMES = "geo profile rate recommendation reservation user"
STORES = tuple(f"mongodb-{name}" for name in VOLUMES.split())


def bound(before: System, now: System, cause: Cause) -> str:
    """All claims have a volume."""
    claims = now.objects("persistentvolumeclaims")
    loose = [c["metadata"]["name"] for c in claims if (c.get("status") or {}).get("phase") != "Bound"]
    return f"claims without a volume: {', '.join(loose)}" if loose else ""


fault = Fault(
    id="redeploy_without_pv",
    layer="Virtualization",
    kind="Operation Error",
    changes=(Redeploy(),),
    wait=60.0,
    cause=Cause(check=bound, component=""),
    places=STORES,
    looks=(
        "kubectl get pods -n {namespace}",
        "kubectl get pvc,pv -n {namespace}",
        "kubectl describe pvc geo-pvc -n {namespace}",
    ),
    fixes=(
        f"for name in {VOLUMES}; do\n"
        'kubectl patch pv $name-pv --type=json -p \'[{"op": "remove", "path": "/spec/claimRef"}]\'\ndone',
        f"for name in {VOLUMES}; do\nkubectl delete pv $name-pv --wait=false\nkubectl apply -f - <<EOF\n"
        "apiVersion: v1\nkind: PersistentVolume\nmetadata:\n  name: $name-pv\nspec:\n"
        "  storageClassName: $name-storage\n  accessModes: [ReadWriteOnce]\n  capacity: {storage: 1Gi}\n"
        "  volumeMode: Filesystem\n  hostPath: {path: /data/volumes/$name-pv, type: DirectoryOrCreate}\nEOF\ndone",
    ),
)

"""A service runs a build of its image in which the database's port is wrong.

Such a build has been published of one service only. The same mistake in a mounted file is `wrong_upstream_port`.
"""

from aiops_gym.catalog.checks import template
from aiops_gym.catalog.model import Cause, Fault, Patch

IMAGE = "/spec/template/spec/containers/0/image"
GOOD, BAD = "yinfangchen/hotelreservation:latest", "yinfangchen/geo:app3"

fault = Fault(
    id="misconfig_app",
    layer="Application",
    kind="Misconfiguration",
    changes=(
        Patch(resource="deployments.apps", name="{target}", ops=({"op": "replace", "path": IMAGE, "value": BAD},)),
    ),
    wait=150.0,
    cause=Cause(check=template),
    looks=(
        "kubectl get pods -n {namespace}",
        "kubectl logs -n {namespace} deploy/{target} --tail=20",
        "kubectl get deploy -n {namespace} -o wide",
    ),
    fixes=(
        f"kubectl set image deployment/{{target}} -n {{namespace}} {{container}}={GOOD}",
        "kubectl rollout undo deployment/{target} -n {namespace}",
        "kubectl patch deployment {target} -n {namespace} --type=json "
        f'-p \'[{{"op": "replace", "path": "{IMAGE}", "value": "{GOOD}"}}]\'',
    ),
)

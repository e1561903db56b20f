"""A store has been told to ask for a password, and nobody has told the services that use it.

It is told by its configuration file where it has one, and by its arguments where it has none.
"""

from aiops_gym.catalog.model import Cause, Fault, Patch, Restart
from aiops_gym.catalog.scripts import CONTAINER, PODS, RENEW, RESTART_CLIENT, make_edit, make_patch
from aiops_gym.catalog.system import System

ARGUMENTS = f"{CONTAINER}/args"
OLD_FILE = (
    "kubectl get configmap {target} -n {namespace} -o yaml | sed '/{guard}/d;/^ *security:$/d' | kubectl replace -f -"
)
NEW_FILE = make_edit("configmap", '.data["{file}"] |= sub("{guard}"; "{unguarded}")')
RUN = make_patch("deployment", "#{undo_args}")
RUN_EMPTY = make_patch("deployment", {"op": "replace", "path": ARGUMENTS, "value": []})


def _either(file: str, run: str) -> str:
    """A repair of the file, or of the arguments."""
    return f'if [ -n "{{guarded_map}}" ]; then\n{file}\n{RENEW}\nelse\n{run}\nfi\nsleep 20\n{RESTART_CLIENT}'


def opened(before: System, now: System, cause: Cause) -> str:
    """The store answers clients that name no user, as its own do not."""
    programs = now.programs(cause.component)
    closed = not programs or any(now.asks_password(each) for each in programs)
    return f"{cause.component} asks for a password" if closed else ""


fault = Fault(
    id="unexpected_password",
    layer="Application",
    kind="Authentication Issue",
    changes=(
        Patch(
            resource="configmaps",
            name="{guarded_map}",
            ops=({"op": "replace", "path": "/data/{file}", "value": "{guarded}"},),
        ),
        Patch(
            resource="deployments.apps",
            name="{guarded_run}",
            ops=({"op": "add", "path": ARGUMENTS, "value": ["--auth"]},),
            recreate=True,
        ),
        Restart(components=("{guarded_map}",)),
        Restart(components=("{service}",)),
    ),
    wait=90.0,
    cause=Cause(check=opened, service="{service}"),
    looks=(
        PODS,
        "kubectl logs -n {namespace} deploy/{target} --tail=20",
        "kubectl get configmaps -n {namespace}",
        "kubectl get deploy {target} -n {namespace} -o jsonpath='{.spec.template.spec.containers[*]}'",
    ),
    fixes=(_either(OLD_FILE, RUN), _either(NEW_FILE, RUN_EMPTY)),
    targets=("needed", "guarded"),
)

"""An index in a database has the name of another one that its client needs: the client ends at each start."""

from aiops_gym.catalog.checks import answered
from aiops_gym.catalog.model import Cause, Exec, Fault, Restart
from aiops_gym.catalog.scripts import PODS, RESTART_CLIENT
from aiops_gym.catalog.system import System

MONGO = "kubectl exec -n {namespace} deploy/{target} -- mongo {database} --quiet --eval "
TURNED = "db.{collection}.dropIndexes(); db.{collection}.createIndex({{indexed}: -1}, {name: '{indexed}_1'})"
DROP = "db.{collection}.dropIndex('{indexed}_1')"
RIGHT = "db.{collection}.createIndex({{indexed}: 1}, {name: '{indexed}_1', background: true})"
ANEW = f"\n{RESTART_CLIENT}"


def fitting(before: System, now: System, cause: Cause) -> str:
    """No index has the name of the one that the client asks for, and another key."""
    database, collection, key = cause.detail.split("/")
    script = f"print(tojson(db.{collection}.getIndexes()).replace(/[ \\n\\t]/g, ''))"
    argv = ("mongo", database, "--quiet", "--eval", script)
    for pod in now.pods(cause.component):
        if f'"{key}":-1' in (now.output(pod, argv) or f'"{key}":-1'):
            return f"an index of {collection} stands in the way of {cause.service}"
    usual = ("mongo", database, "--quiet", "--eval", "print('there')")
    return answered(now, cause.component, usual, "there", f"{cause.component} does not answer")


fault = Fault(
    id="conflicting_index",
    layer="Application",
    kind="Operation Error",
    also_accept=(("Application", "Misconfiguration"), ("Application", "Dependency Problem")),
    changes=(
        Exec(component="{target}", command=("mongo", "{database}", "--quiet", "--eval", TURNED)),
        Restart(components=("{service}",)),
    ),
    wait=120.0,
    cause=Cause(check=fitting, service="{service}", detail="{database}/{collection}/{indexed}"),
    looks=(PODS, "kubectl logs -n {namespace} deploy/{service} --tail=10", f'{MONGO}"db.{{collection}}.getIndexes()"'),
    fixes=(
        f'{MONGO}"{DROP}"{ANEW}',
        f'{MONGO}"db.{{collection}}.dropIndexes()"{ANEW}',
        f'{MONGO}"{DROP}; {RIGHT}"{ANEW}',
    ),
    targets=("needed", "indexed", "claim", "!login"),
    features=("blocked",),
)

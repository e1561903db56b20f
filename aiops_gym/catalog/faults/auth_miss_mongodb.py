"""A database takes encrypted connections only, and the service that needs it does not encrypt.

One database alone has a certificate mounted and settings for it in its chart. A store that its clients cannot log in to
is `unexpected_password`, wherever there is one.
"""

from aiops_gym.catalog.checks import answered
from aiops_gym.catalog.model import Cause, Fault, Restart, Rollout, Upgrade
from aiops_gym.catalog.system import System

RELEASE, CHART = "social-network", "/root/socialnetwork"
OFF = "--set {target}.tls.mode=disabled --set {target}.tls.certificateKeyFile= --set {target}.tls.CAFile="
AGAIN = "kubectl rollout restart deployment/{target} -n {namespace}\nsleep 15\n"
ANEW = "kubectl rollout restart deployment/{service} -n {namespace}"
BOTH = r"net:\n  tls:\n    mode: allowTLS\n    certificateKeyFile: /etc/tls/tls.pem\n"
CLIENT = "kubectl delete pod -n {namespace} -l {selector}={service}"


def unencrypted(before: System, now: System, cause: Cause) -> str:
    """The database answers clients that do not encrypt, as its service's does not."""
    argv = ("mongo", "--quiet", "--eval", "print('answered ' + db.adminCommand({ping: 1}).ok)")
    return answered(now, cause.component, argv, "answered 1", f"{cause.component} does not answer its service")


fault = Fault(
    id="auth_miss_mongodb",
    layer="Application",
    kind="Misconfiguration",
    also_accept=(("Application", "Authentication Issue"),),
    changes=(
        Upgrade(
            release=RELEASE,
            settings=(
                "{target}.tls.mode=requireTLS",
                "{target}.tls.certificateKeyFile=/etc/tls/tls.pem",
                "{target}.tls.CAFile=/etc/tls/ca.crt",
            ),
        ),
        Restart(components=("{service}",)),
        Rollout(components=("{target}",)),
    ),
    cause=Cause(check=unencrypted, service="{service}"),
    looks=(
        "kubectl get pods -n {namespace}",
        "kubectl logs -n {namespace} deploy/{service} --tail=20",
        "kubectl logs -n {namespace} deploy/{target} --tail=20",
        f"helm history {RELEASE} -n {{namespace}}",
        f"helm get values {RELEASE} -n {{namespace}}",
    ),
    fixes=(
        f"helm upgrade {RELEASE} {CHART} -n {{namespace}} --reuse-values {OFF}\n{AGAIN}{CLIENT}",
        f"helm rollback {RELEASE} 1 -n {{namespace}}\n{AGAIN}{ANEW}",
        "kubectl get configmap {target} -n {namespace} -o json "
        f'| jq \'.data["mongod.conf"] = "{BOTH}"\' | kubectl apply -f -\n{AGAIN}{CLIENT}',
    ),
)

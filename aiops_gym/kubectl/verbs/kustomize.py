"""`kubectl kustomize`."""

from __future__ import annotations

from aiops_gym.clients.flags import Flag
from aiops_gym.kubectl import kustomization
from aiops_gym.kubectl.errors import Failure
from aiops_gym.kubectl.verb import Invocation, Verb

RESTRICTORS = ("LoadRestrictionsRootOnly", "LoadRestrictionsNone")
"""Nothing is the first of them."""


def run(call: Invocation) -> None:
    """Print the objects of a folder with a kustomization."""
    if len(call.args) > 1:
        raise Failure("specify one path to kustomization.yaml")
    restrictor = call.flags.text("load-restrictor")
    if restrictor and restrictor not in RESTRICTORS:
        legal = " ".join(RESTRICTORS)
        raise Failure(f"illegal flag value --load-restrictor {restrictor}; legal values: [{legal}]")
    text = kustomization.build(call.context, call.args[0] if call.args else ".")
    path = call.flags.text("output")
    if path:
        call.context.files.write(path, text)
    else:
        call.write(text)


verb = Verb(
    "kustomize",
    run,
    flags=(
        Flag("as-current-user", "bool", help="Use the uid and gid of the command executor."),
        Flag("enable-alpha-plugins", "bool", help="Enable kustomize plugins"),
        Flag("enable-helm", "bool", help="Enable use of the Helm chart inflator generator."),
        Flag("env", "array", short="e", help="A list of environment variables to be used by functions"),
        Flag("helm-api-versions", "array", help="Kubernetes api versions used by Helm for Capabilities.APIVersions"),
        Flag("helm-command", default="helm", help="Helm command (path to executable)"),
        Flag("helm-debug", "bool", help="Enable debug output from the Helm chart inflator generator."),
        Flag("helm-kube-version", help="Kubernetes version used by Helm for Capabilities.KubeVersion"),
        Flag("load-restrictor", default="LoadRestrictionsRootOnly", help="Where files may be loaded from."),
        Flag("mount", "array", help="A list of storage options read from the filesystem"),
        Flag("network", "bool", help="Enable network access for functions that declare it"),
        Flag("network-name", default="bridge", help="The docker network to run the container in"),
        Flag("output", short="o", help="If specified, write output to this path."),
    ),
    usage="kustomize DIR",
    short="Build a kustomization target from a directory or URL",
)

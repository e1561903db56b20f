"""What kubectl says about itself: the list of its commands, usage and flags."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from aiops_gym.clients.flags import GLOBAL, Flag

if TYPE_CHECKING:
    from aiops_gym.kubectl.verb import Verb

GROUPS: Final[Mapping[str, Mapping[str, str]]] = {
    "Basic Commands (Beginner)": {
        "create": "Create a resource from a file or from stdin",
        "expose": "Take a replication controller, service, deployment or pod and expose it as a new Kubernetes service",
        "run": "Run a particular image on the cluster",
        "set": "Set specific features on objects",
    },
    "Basic Commands (Intermediate)": {
        "explain": "Get documentation for a resource",
        "get": "Display one or many resources",
        "edit": "Edit a resource on the server",
        "delete": "Delete resources by file names, stdin, resources and names, or by resources and label selector",
    },
    "Deploy Commands": {
        "rollout": "Manage the rollout of a resource",
        "scale": "Set a new size for a deployment, replica set, or replication controller",
        "autoscale": "Auto-scale a deployment, replica set, stateful set, or replication controller",
    },
    "Cluster Management Commands": {
        "certificate": "Modify certificate resources",
        "cluster-info": "Display cluster information",
        "top": "Display resource (CPU/memory) usage",
        "cordon": "Mark node as unschedulable",
        "uncordon": "Mark node as schedulable",
        "drain": "Drain node in preparation for maintenance",
        "taint": "Update the taints on one or more nodes",
    },
    "Troubleshooting and Debugging Commands": {
        "describe": "Show details of a specific resource or group of resources",
        "logs": "Print the logs for a container in a pod",
        "attach": "Attach to a running container",
        "exec": "Execute a command in a container",
        "port-forward": "Forward one or more local ports to a pod",
        "proxy": "Run a proxy to the Kubernetes API server",
        "cp": "Copy files and directories to and from containers",
        "auth": "Inspect authorization",
        "debug": "Create debugging sessions for troubleshooting workloads and nodes",
        "events": "List events",
    },
    "Advanced Commands": {
        "diff": "Diff the live version against a would-be applied version",
        "apply": "Apply a configuration to a resource by file name or stdin",
        "patch": "Update fields of a resource",
        "replace": "Replace a resource by file name or stdin",
        "wait": "Experimental: Wait for a specific condition on one or many resources",
        "kustomize": "Build a kustomization target from a directory or URL",
    },
    "Settings Commands": {
        "label": "Update the labels on a resource",
        "annotate": "Update the annotations on a resource",
        "completion": "Output shell completion code for the specified shell (bash, zsh, fish, or powershell)",
    },
    "Other Commands": {
        "api-resources": "Print the supported API resources on the server",
        "api-versions": 'Print the supported API versions on the server, in the form of "group/version"',
        "config": "Modify kubeconfig files",
        "plugin": "Provides utilities for interacting with plugins",
        "version": "Print the client and server version information",
    },
}

_SHOWN: Final = [name for group in GROUPS.values() for name in group]
_LAST: Final = ("config", "plugin", "version", "api-versions", "api-resources", "options")
COMMANDS: Final = (*(name for name in _SHOWN if name not in _LAST), *_LAST)
"""All commands in the order in which kubectl builds them, which is the order of its suggestions."""

FOOT: Final = (
    'Use "{path} <command> --help" for more information about a given command.\n'
    'Use "kubectl options" for a list of global command-line options (applies to all commands).\n'
)


def of_kubectl() -> str:
    """`kubectl` alone, or `kubectl --help`."""
    lines = ["kubectl controls the Kubernetes cluster manager.", ""]
    lines += [" Find more information at: https://kubernetes.io/docs/reference/kubectl/", ""]
    for title, commands in GROUPS.items():
        if title == "Other Commands":
            lines += ["Subcommands provided by plugins:", ""]
        lines += [f"{title}:", *(f"  {name:<15} {text}" for name, text in commands.items()), ""]
    lines += ["Usage:", "  kubectl [flags] [options]", ""]
    return "\n".join(lines) + "\n" + FOOT.format(path="kubectl")


def of_verb(verb: Verb, path: str) -> str:
    """`kubectl VERB --help`: what it does, its subcommands or flags, and its usage."""
    parts = [f"{verb.long or f'{verb.short or path}.'}\n"]
    if verb.verbs:
        width = max(11, *(len(child.name) for child in verb.verbs)) + 3
        children = sorted(verb.verbs, key=lambda child: child.name)
        rows = "".join(f"  {child.name:<{width}}{child.short}\n" for child in children)
        parts.append(f"Available Commands:\n{rows}")
    if verb.flags:
        parts.append("Options:\n" + "\n".join(_option(flag) for flag in sorted(verb.flags, key=lambda f: f.name)))
    usage = verb.usage or f"{path.removeprefix('kubectl ')} [flags]"
    parts.append(f"Usage:\n  kubectl {usage} [options]\n")
    parts.append(FOOT.format(path=path) if verb.verbs else FOOT.splitlines(keepends=True)[1])
    return "\n".join(parts)


def format_options() -> str:
    """`kubectl options`."""
    return "The following options can be passed to any command:\n\n" + "\n".join(
        _option(flag) for flag in GLOBAL if flag.name != "help"
    )


def _option(flag: Flag) -> str:
    start = f"-{flag.short}, " if flag.short else ""
    return f"    {start}--{flag.name}={_shown(flag.start())}:\n\t{flag.help}\n"


def _shown(value: Any) -> str:
    """A default as it stands in the help."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return f"'{value}'"
    if isinstance(value, float):
        return f"{value:g}s"
    return "[" + ",".join(value) + "]" if isinstance(value, tuple) else str(value)

"""Kubernetes, "Images", "Configure a Pod to Use a ConfigMap" and "Define a Command": containers that cannot start."""

from __future__ import annotations

import re
from collections.abc import Iterator

from aiops_gym.agents.oncall.findings import MISCONFIGURED, PLATFORM, Finding
from aiops_gym.agents.oncall.objects import Cluster, Object, alike, containers, place
from aiops_gym.agents.oncall.repairs import ABSENT, change, earlier, get, patch, restore

_KINDS = {"configmap": "ConfigMap", "secret": "Secret"}


def find(cluster: Cluster) -> Iterator[Finding]:
    """https://kubernetes.io/docs/tasks/debug/debug-application/debug-pods/#my-pod-stays-waiting."""
    for pod, workload in cluster.staying():
        for state in pod["states"]:
            at = place(workload, state)
            reason = get(state, ("state", "waiting", "reason"))
            if reason in ("ErrImagePull", "ImagePullBackOff", "InvalidImageName", "ErrImageNeverPull"):
                yield _image(cluster, workload, at)
            elif not state["ready"]:
                yield from _command(cluster, workload, pod, at)
        if not all(each["ready"] for each in pod["states"]) or not pod["states"]:
            yield from _references(cluster, workload, pod)


def _image(cluster: Cluster, workload: Object, at: int) -> Finding:
    """Images: the name or the tag is not in the registry; others run what is there."""
    image = containers(workload)[at]["image"]
    mine = image.rpartition("/")[2].partition(":")[0].partition("@")[0]
    running = [
        each["image"]
        for other in cluster.workloads()
        if other is not workload
        for each in containers(other)
        if each["image"].rpartition("/")[2].partition(":")[0] == mine
    ]
    usual = max(running, key=running.count, default=image.rpartition(":")[0] + ":latest")
    repair = restore(cluster, workload, ("spec", "containers", at, "image"), usual)
    return Finding(workload["name"], PLATFORM, MISCONFIGURED, f"{image} cannot be pulled", repairs=(repair,), depth=1)


def _command(cluster: Cluster, workload: Object, pod: Object, at: int) -> Iterator[Finding]:
    """Define a Command and Arguments: a command that is not in the image."""
    states = [get(each, (when, "terminated", "message")) for each in pod["states"] for when in ("state", "last")]
    said = [each["message"] for each in cluster.complaints(pod)] + [each for each in states if isinstance(each, str)]
    for message in said:
        if "executable file not found" not in message and "no such file or directory: unknown" not in message:
            continue
        path = ("spec", "containers", at, "command")
        if get(workload["template"], path) is not ABSENT and _named(message, get(workload["template"], path)):
            yield Finding(
                workload["name"],
                PLATFORM,
                MISCONFIGURED,
                message,
                repairs=(restore(cluster, workload, path, as_peers(cluster, workload, at)),),
                depth=2,
            )
            return


def _named(message: str, command: object) -> bool:
    return isinstance(command, list) and bool(command) and f'"{command[0]}"' in message


def as_peers(cluster: Cluster, workload: Object, at: int) -> object:
    """The command that peers of the same image suggest: each runs the program of its own name, as they write it."""
    image = containers(workload)[at]["image"].partition(":")[0]
    for other in cluster.workloads():
        for each in containers(other):
            command = each.get("command")
            if other is workload or each["image"].partition(":")[0] != image or not command:
                continue
            if command[0] == other["name"]:
                return [workload["name"]]
            if command[0] == _camel(other["name"]):
                return [_camel(workload["name"])]
    return ABSENT


def _camel(name: str) -> str:
    return "".join(each.capitalize() for each in name.split("-"))


def _references(cluster: Cluster, workload: Object, pod: Object) -> Iterator[Finding]:
    """Configure a Pod to Use a ConfigMap: what it refers to is not there."""
    waits = [get(each, ("state", "waiting", "message")) for each in (*pod["states"], *pod["init"])]
    said = [each["message"] for each in cluster.complaints(pod)] + [each for each in waits if isinstance(each, str)]
    for message in said:
        found = re.search(r"(configmap|secret) \"([^\"]+)\" not found", message)
        missing = re.search(r"couldn't find key (\S+) in (ConfigMap|Secret) [^/]+/(\S+)", message)
        if found or missing:
            name = found[2] if found else missing[3]  # type: ignore[index]
            kind = _KINDS[found[1]] if found else missing[2]  # type: ignore[index]
            if any(name == each[0] for each in _refers(workload["template"]["spec"])):
                repairs = tuple(_resolved(cluster, workload, kind, name))
                yield Finding(workload["name"], PLATFORM, MISCONFIGURED, message, repairs=repairs, depth=2)
                return


def _refers(tree: object, path: tuple[str | int, ...] = ()) -> Iterator[tuple[str, tuple[str | int, ...]]]:
    """Names of ConfigMaps and Secrets in a template, each with where it stands."""
    if isinstance(tree, dict):
        for key, value in tree.items():
            if key in ("configMap", "configMapRef", "configMapKeyRef", "secretRef", "secretKeyRef") and "name" in value:
                yield value["name"], (*path, key, "name")
            elif key == "secret" and "secretName" in value:
                yield value["secretName"], (*path, key, "secretName")
            else:
                yield from _refers(value, (*path, key))
    elif isinstance(tree, list):
        for at, value in enumerate(tree):
            yield from _refers(value, (*path, at))


def _resolved(cluster: Cluster, workload: Object, kind: str, name: str) -> Iterator[str]:
    """As it was before; or the one that is there under nearly this name; or no reference at all."""
    path = ("spec", *next(each for known, each in _refers(workload["template"]["spec"]) if known == name))
    if earlier(cluster, workload, path) not in (name, ABSENT):
        yield restore(cluster, workload, path, name)
        return
    there = [each["name"] for each in cluster.of(kind)]
    near = max(there, key=lambda each: alike(each, name), default="")
    if alike(near, name) > len(name) * 0.6:
        yield patch(cluster, workload["kind"], workload["name"], [change(("spec", "template", *path), near)])
    if any(each in ("envFrom", "env") for each in path):
        at = next(place for place, each in enumerate(path) if each in ("envFrom", "env"))
        parent, entries = path[: at + 1], get(workload["template"], path[: at + 1])
        kept = [each for place, each in enumerate(entries) if place != path[at + 1]]
        yield patch(
            cluster, workload["kind"], workload["name"], [change(("spec", "template", *parent), kept or ABSENT)]
        )
    else:
        yield f"kubectl create {kind.lower()} {'generic ' if kind == 'Secret' else ''}{name} -n {cluster.namespace}"

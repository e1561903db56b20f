"""Containers, with their state where there is one, and pod templates."""

from __future__ import annotations

import json
from collections.abc import Sequence
from urllib.parse import quote

from aiops_gym.kubectl.describe import meta
from aiops_gym.kubectl.describe.meta import Object, format_time
from aiops_gym.kubectl.describe.page import Page
from aiops_gym.kubectl.describe.volumes import write_volumes
from aiops_gym.sim.kernel.objects import get


def write_template(page: Page, found: Object) -> None:
    """A pod template, as its controller shows it."""
    page.line("Pod Template:")
    metadata, spec = found.get("metadata") or {}, found.get("spec") or {}
    meta.write_labels(page, "  Labels", metadata.get("labels"))
    if metadata.get("annotations"):
        meta.write_annotations(page, "  Annotations", metadata["annotations"])
    if spec.get("serviceAccountName"):
        page.line(f"Service Account:\t{spec['serviceAccountName']}", 1)
    if spec.get("initContainers"):
        write_containers(page, "Init Containers", spec["initContainers"], indent="  ")
    write_containers(page, "Containers", spec.get("containers") or (), indent="  ")
    write_volumes(page, spec.get("volumes") or (), "  ")
    write_spread_constraints(page, spec.get("topologySpreadConstraints") or (), "  ")
    if spec.get("priorityClassName"):
        page.line(f"Priority Class Name:\t{spec['priorityClassName']}", 1)
    meta.write_labels(page, "  Node-Selectors", spec.get("nodeSelector"))
    write_tolerations(page, "  Tolerations", spec.get("tolerations") or ())


def write_containers(
    page: Page,
    heading: str,
    found: Sequence[Object],
    statuses: Sequence[Object] | None = None,
    pod: Object | None = None,
    indent: str = "",
) -> None:
    """Containers of a pod (with statuses) or of a template (without)."""
    page.line(f"{indent}{heading}:" + ("" if found else " <none>"))
    states = {status["name"]: status for status in statuses or ()}
    for container in found:
        state = states.get(container["name"])
        page.line(f"{' ' if indent else ''}{container['name']}:", 1)
        _image(page, container, state)
        _argv(page, container)
        if state is not None:
            _status(page, state)
        resources(page, container.get("resources") or {})
        for name in ("liveness", "readiness", "startup"):
            if (check := container.get(f"{name}Probe")) is not None:
                page.line(f"{name.capitalize()}:\t{probe(check)}", 2)
        if container.get("envFrom"):
            _env_from(page, container["envFrom"])
        _env(page, container, pod)
        _mounts(page, container)


def _image(page: Page, container: Object, state: Object | None) -> None:
    if state is not None:
        page.line(f"Container ID:\t{state.get('containerID', '')}", 2)
    page.line(f"Image:\t{container.get('image', '')}", 2)
    if state is not None:
        page.line(f"Image ID:\t{state.get('imageID', '')}", 2)
    for heading, field in (("Port", "containerPort"), ("Host Port", "hostPort")):
        ports = [f"{p.get(field, 0)}/{p.get('protocol', '')}" for p in container.get("ports") or ()]
        page.line(f"{heading}{'s' if len(ports) > 1 else ''}:\t{', '.join(ports) or '<none>'}", 2)
    if kind := get(container, "securityContext", "seccompProfile", "type"):
        page.line(f"SeccompProfile:\t{kind}", 2)


def _argv(page: Page, container: Object) -> None:
    for heading, field in (("Command", "command"), ("Args", "args")):
        if container.get(field):
            page.line(f"{heading}:", 2)
            for word in container[field]:
                for line in str(word).split("\n"):
                    page.line(line, 3)


def _status(page: Page, status: Object) -> None:
    _state(page, "State", status.get("state") or {})
    if "terminated" in (last := status.get("lastState") or {}):
        _state(page, "Last State", last)
    page.line(f"Ready:\t{bool(status.get('ready'))}", 2)
    page.line(f"Restart Count:\t{status.get('restartCount', 0)}", 2)


def _state(page: Page, heading: str, state: Object) -> None:
    if (running := state.get("running")) is not None:
        page.line(f"{heading}:\tRunning", 2)
        page.line(f"Started:\t{format_time(running.get('startedAt'))}", 3)
    elif (ended := state.get("terminated")) is not None:
        page.line(f"{heading}:\tTerminated", 2)
        for field in ("reason", "message"):
            if ended.get(field):
                page.line(f"{field.capitalize()}:\t{ended[field]}", 3)
        page.line(f"Exit Code:\t{ended.get('exitCode', 0)}", 3)
        if ended.get("signal", 0) > 0:
            page.line(f"Signal:\t{ended['signal']}", 3)
        page.line(f"Started:\t{format_time(ended.get('startedAt'))}", 3)
        page.line(f"Finished:\t{format_time(ended.get('finishedAt'))}", 3)
    else:
        page.line(f"{heading}:\tWaiting", 2)
        if reason := get(state, "waiting", "reason"):
            page.line(f"Reason:\t{reason}", 3)


def resources(page: Page, found: Object, level: int = 2) -> None:
    """Limits and requests."""
    for heading, field in (("Limits", "limits"), ("Requests", "requests")):
        if found.get(field):
            page.line(f"{heading}:", level)
            for name, quantity in sorted(found[field].items()):
                page.line(f"{name}:\t{quantity}", level + 1)


def probe(check: Object) -> str:
    """One probe in one line."""
    attributes = (
        f"delay={check.get('initialDelaySeconds', 0)}s timeout={check.get('timeoutSeconds', 0)}s "
        f"period={check.get('periodSeconds', 0)}s #success={check.get('successThreshold', 0)} "
        f"#failure={check.get('failureThreshold', 0)}"
    )
    if (action := check.get("exec")) is not None:
        return f"exec [{' '.join(action.get('command') or ())}] {attributes}"
    if (action := check.get("httpGet")) is not None:
        path = quote(action.get("path", ""), safe="/:@!$&'()*+,;=~-._")
        url = f"{str(action.get('scheme', '')).lower()}://{action.get('host', '')}:{action.get('port', '')}{path}"
        return f"http-get {url} {attributes}"
    if (action := check.get("tcpSocket")) is not None:
        return f"tcp-socket {action.get('host', '')}:{action.get('port', '')} {attributes}"
    if (action := check.get("grpc")) is not None:
        return f"grpc <pod>:{action.get('port', 0)} {action.get('service') or ''} {attributes}"
    return f"unknown {attributes}"


def _env_from(page: Page, sources: Sequence[Object]) -> None:
    page.line("Environment Variables from:", 2)
    for item in sources:
        kind, field = ("Secret", "secretRef") if item.get("secretRef") else ("ConfigMap", "configMapRef")
        reference = item.get(field) or {}
        prefix = f" with prefix '{item['prefix']}'" if item.get("prefix") else ""
        optional = str(bool(reference.get("optional"))).lower()
        page.line(f"{reference.get('name', '')}\t{kind}{prefix}\tOptional: {optional}", 3)


def _env(page: Page, container: Object, pod: Object | None) -> None:
    variables = container.get("env") or ()
    page.line("Environment:" + ("" if variables else "\t<none>"), 2)
    for variable in variables:
        name, origin = variable["name"], variable.get("valueFrom")
        if origin is None:
            first, *rest = str(variable.get("value", "")).split("\n")
            page.line(f"{name}:\t{first}", 3)
            for line in rest:
                page.line(f"\t{line}", 3)
        elif (field := origin.get("fieldRef")) is not None:
            value = _known_value(pod, field.get("fieldPath", "")) if pod is not None else ""
            page.line(f"{name}:\t{value} ({field.get('apiVersion', '')}:{field.get('fieldPath', '')})", 3)
        elif (field := origin.get("resourceFieldRef")) is not None:
            page.line(f"{name}:\t{_amount(container, field)} ({field.get('resource', '')})", 3)
        elif (key := origin.get("secretKeyRef")) is not None:
            words = f"<set to the key '{key.get('key', '')}' in secret '{key.get('name', '')}'>"
            page.line(f"{name}:\t{words}\tOptional: {str(bool(key.get('optional'))).lower()}", 3)
        elif (key := origin.get("configMapKeyRef")) is not None:
            words = f"<set to the key '{key.get('key', '')}' of config map '{key.get('name', '')}'>"
            page.line(f"{name}:\t{words}\tOptional: {str(bool(key.get('optional'))).lower()}", 3)


def _known_value(pod: Object, path: str) -> str:
    """A field of a pod, of those that kubectl itself can name."""
    return str(get(pod, *path.split("."), default="")) if path in ("metadata.name", "metadata.namespace") else ""


def _amount(container: Object, field: Object) -> str:
    """A resource of the container; without a limit it is what the node has."""
    kind, _, name = str(field.get("resource", "")).partition(".")
    value = get(container, "resources", kind, name)
    if value is None:
        return "node allocatable" if kind == "limits" else "0"
    return str(value)


def _mounts(page: Page, container: Object) -> None:
    mounts = sorted(container.get("volumeMounts") or (), key=lambda m: str(m.get("mountPath", "")))
    page.line("Mounts:" + ("" if mounts else "\t<none>"), 2)
    for mount in mounts:
        flags = "ro" if mount.get("readOnly") else "rw"
        if mount.get("subPath"):
            flags += f",path={json.dumps(mount['subPath'])}"
        page.line(f"{mount.get('mountPath', '')} from {mount.get('name', '')} ({flags})", 3)


def write_tolerations(page: Page, heading: str, found: Sequence[Object]) -> None:
    """Tolerations, sorted by key."""
    lines = []
    for toleration in sorted(found, key=lambda t: str(t.get("key", ""))):
        text = str(toleration.get("key", ""))
        if toleration.get("value"):
            text += f"={toleration['value']}"
        if toleration.get("effect"):
            text += f":{toleration['effect']}"
        if toleration.get("operator") == "Exists" and not toleration.get("value"):
            text += " op=Exists" if text else "op=Exists"
        if toleration.get("tolerationSeconds") is not None:
            text += f" for {toleration['tolerationSeconds']}s"
        lines.append(text)
    meta.write_several(page, heading, lines)


def write_spread_constraints(page: Page, found: Sequence[Object], indent: str = "") -> None:
    """Topology spread constraints, where there are any."""
    lines = []
    for rule in sorted(found, key=lambda r: str(r.get("topologyKey", ""))):
        text = (
            f"{rule.get('topologyKey')}:{rule.get('whenUnsatisfiable')} when max skew {rule.get('maxSkew')} is exceeded"
        )
        if rule.get("labelSelector") is not None:
            text += f" for selector {meta.format_selector(rule['labelSelector'])}"
        lines.append(text)
    if lines:
        meta.write_several(page, f"{indent}Topology Spread Constraints", lines, indent)

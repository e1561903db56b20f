"""What the server fills into pods and pod templates."""

from __future__ import annotations

from aiops_gym.sim.kube_api.kind import Draft

PROBES = ("livenessProbe", "readinessProbe", "startupProbe")
HANDLERS = ("postStart", "preStop")


def pull_policy(image: str) -> str:
    """The default `imagePullPolicy`: images without a fixed version are pulled each time.

    >>> [pull_policy(i) for i in ("mongo", "mongo:latest", "mongo:4.4", "host:5000/app", "app@sha256:00")]
    ['Always', 'Always', 'IfNotPresent', 'Always', 'IfNotPresent']
    """
    if "@" in image:
        return "IfNotPresent"
    _, _, last = image.rpartition("/")
    _, _, tag = last.partition(":")
    return "Always" if tag in ("", "latest") else "IfNotPresent"


def set_template_defaults(draft: Draft) -> None:
    """Defaults of a pod template, in place."""
    if not isinstance(draft.get("template"), dict):
        draft["template"] = {}
    inside = draft["template"]
    inside["metadata"] = {"creationTimestamp": None, **(inside.get("metadata") or {})}
    spec(inside.setdefault("spec", {}))


def spec(draft: Draft) -> None:
    """Defaults of a pod's spec that templates have too, in place."""
    for name, value in (
        ("restartPolicy", "Always"),
        ("dnsPolicy", "ClusterFirst"),
        ("schedulerName", "default-scheduler"),
        ("terminationGracePeriodSeconds", 30),
    ):
        draft.setdefault(name, value)
    if not isinstance(draft.get("securityContext"), dict):
        draft["securityContext"] = {}
    account = draft.get("serviceAccountName") or draft.get("serviceAccount")
    if account:
        draft["serviceAccountName"] = draft["serviceAccount"] = account
    for kind in ("initContainers", "containers", "ephemeralContainers"):
        for one in draft.get(kind) or ():
            container(one, bool(draft.get("hostNetwork")))
    for volume in draft.get("volumes") or ():
        _volume(volume)


def container(draft: Draft, host_network: bool = False) -> None:
    """Defaults of a container, in place."""
    if draft.get("image"):
        draft.setdefault("imagePullPolicy", pull_policy(draft["image"]))
    draft.setdefault("terminationMessagePath", "/dev/termination-log")
    draft.setdefault("terminationMessagePolicy", "File")
    draft.setdefault("resources", {})
    for port in draft.get("ports") or ():
        port.setdefault("protocol", "TCP")
        if host_network:
            port.setdefault("hostPort", port.get("containerPort"))
    for variable in draft.get("env") or ():
        reference = (variable.get("valueFrom") or {}).get("fieldRef")
        if reference is not None:
            reference.setdefault("apiVersion", "v1")
        resource = (variable.get("valueFrom") or {}).get("resourceFieldRef")
        if resource is not None:
            resource.setdefault("divisor", "0")
    for name in PROBES:
        if name in draft:
            _probe(draft[name])
    for name in HANDLERS:
        _http((draft.get("lifecycle") or {}).get(name) or {})


def _probe(draft: Draft) -> None:
    for name, value in (("timeoutSeconds", 1), ("periodSeconds", 10), ("successThreshold", 1), ("failureThreshold", 3)):
        draft.setdefault(name, value)
    _http(draft)
    if "grpc" in draft:
        draft["grpc"].setdefault("service", "")


def _http(draft: Draft) -> None:
    if "httpGet" in draft:
        draft["httpGet"].setdefault("path", "/")
        draft["httpGet"].setdefault("scheme", "HTTP")


def _volume(draft: Draft) -> None:
    for kind in ("configMap", "secret", "downwardAPI", "projected"):
        if kind in draft:
            draft[kind].setdefault("defaultMode", 420)
    for source in (draft.get("downwardAPI") or {}).get("items") or ():
        _field_reference(source)
    for source in (draft.get("projected") or {}).get("sources") or ():
        if "serviceAccountToken" in source:
            source["serviceAccountToken"].setdefault("expirationSeconds", 3600)
        for item in (source.get("downwardAPI") or {}).get("items") or ():
            _field_reference(item)
    if "hostPath" in draft:
        draft["hostPath"].setdefault("type", "")
    if not set(draft) - {"name"}:
        draft["emptyDir"] = {}


def _field_reference(item: Draft) -> None:
    if "fieldRef" in item:
        item["fieldRef"].setdefault("apiVersion", "v1")


def set_pod_defaults(draft: Draft) -> None:
    """Defaults of a pod that a template does not have, in place."""
    inside = draft.setdefault("spec", {})
    spec(inside)
    inside.setdefault("enableServiceLinks", True)
    for kind in ("initContainers", "containers"):
        for one in inside.get(kind) or ():
            limits = one["resources"].get("limits")
            if limits:
                one["resources"]["requests"] = {**limits, **(one["resources"].get("requests") or {})}

"""Volumes, as pods and persistent volumes show where their data comes from."""

from __future__ import annotations

from collections.abc import Sequence

from aiops_gym.kubectl.describe.meta import Object
from aiops_gym.kubectl.describe.page import Page
from aiops_gym.types import Json

PLAIN = (
    ("nfs", "NFS (an NFS mount that lasts the lifetime of a pod)", ("server", "path", "readOnly")),
    ("local", "LocalVolume (a persistent volume backed by local storage on a node)", ("path",)),
    ("secret", "Secret (a volume populated by a Secret)", ("secretName", "optional")),
    ("configMap", "ConfigMap (a volume populated by a ConfigMap)", ("name", "optional")),
    (
        "persistentVolumeClaim",
        "PersistentVolumeClaim (a reference to a PersistentVolumeClaim in the same namespace)",
        ("claimName", "readOnly"),
    ),
)
"""Sources of which some fields are shown as they are: name, what they are, and the fields."""

SWITCHES = ("readOnly", "optional")


def write_volumes(page: Page, found: Sequence[Object], indent: str = "") -> None:
    """All volumes of a pod or of a pod template."""
    page.line(f"{indent}Volumes:" + ("" if found else "\t<none>"))
    for volume in found:
        page.line(f"{' ' if indent else ''}{volume['name']}:", 1)
        write_source(page, volume)


def write_source(page: Page, volume: Object) -> None:
    """Where the data of one volume comes from."""
    for key, write in SOURCES.items():
        if volume.get(key) is not None:
            page.extend(f"    {line}" for line in write(volume[key]))
            return
    for key, kind, fields in PLAIN:
        if (source := volume.get(key)) is not None:
            page.line(f"Type:\t{kind}", 2)
            for field in fields:
                value = source.get(field) or (False if field in SWITCHES else "")
                page.line(f"{field[0].upper()}{field[1:]}:\t{_text(value)}", 2)
            return
    page.line("<unknown>", 1)


def _text(value: Json) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _host_path(host: Object) -> list[str]:
    kind = host.get("type")
    return [
        "Type:\tHostPath (bare host directory volume)",
        f"Path:\t{host.get('path', '')}",
        f"HostPathType:\t{'<none>' if kind is None else kind}",
    ]


def _empty_dir(empty: Object) -> list[str]:
    return [
        "Type:\tEmptyDir (a temporary directory that shares a pod's lifetime)",
        f"Medium:\t{empty.get('medium', '')}",
        f"SizeLimit:\t{empty.get('sizeLimit') or '<unset>'}",
    ]


def _projected(projected: Object) -> list[str]:
    lines = ["Type:\tProjected (a volume that contains injected data from multiple sources)"]
    for part in projected.get("sources") or ():
        if (secret := part.get("secret")) is not None:
            lines += [f"SecretName:\t{secret.get('name', '')}", f"SecretOptionalName:\t{_optional(secret)}"]
        elif part.get("downwardAPI") is not None:
            lines.append("DownwardAPI:\ttrue")
        elif (config := part.get("configMap")) is not None:
            lines += [f"ConfigMapName:\t{config.get('name', '')}", f"ConfigMapOptional:\t{_optional(config)}"]
        elif (token := part.get("serviceAccountToken")) is not None:
            lines.append(f"TokenExpirationSeconds:\t{token.get('expirationSeconds', 3600)}")
    return lines


def _optional(part: Object) -> str:
    """kubectl 1.32 prints the pointer: `<nil>`, or the address where it is set, for which the value stands here."""
    return "<nil>" if part.get("optional") is None else _text(part["optional"])


def _downward(downward: Object) -> list[str]:
    lines = ["Type:\tDownwardAPI (a volume populated by information about the pod)", "Items:"]
    for item in downward.get("items") or ():
        if field := item.get("fieldRef"):
            lines.append(f"  {field.get('fieldPath', '')} -> {item.get('path', '')}")
        if resource := item.get("resourceFieldRef"):
            lines.append(f"  {resource.get('resource', '')} -> {item.get('path', '')}")
    return lines


def _csi(csi: Object) -> list[str]:
    lines = ["Type:\tCSI (a Container Storage Interface (CSI) volume source)", f"Driver:\t{csi.get('driver', '')}"]
    lines.append(f"FSType:\t{csi.get('fsType', '')}")
    if "volumeHandle" in csi:
        lines.append(f"VolumeHandle:\t{csi['volumeHandle']}")
    lines.append(f"ReadOnly:\t{_text(bool(csi.get('readOnly')))}")
    pairs = [f"{k}={v}" for k, v in sorted((csi.get("volumeAttributes") or {}).items())]
    lines.append(f"VolumeAttributes:\t{pairs[0] if pairs else '<none>'}")
    return lines + [f"    \t{pair}" for pair in pairs[1:]]


def _ephemeral(_: Object) -> list[str]:
    return ["Type:\tEphemeralVolume (an inline specification for a volume that gets created and deleted with the pod)"]


SOURCES = {
    "hostPath": _host_path,
    "emptyDir": _empty_dir,
    "ephemeral": _ephemeral,
    "downwardAPI": _downward,
    "projected": _projected,
    "csi": _csi,
}

"""Kustomizations: a folder whose `kustomization.yaml` says which objects there are and how they are changed.

What people write is there: resources, names, namespaces, labels, annotations, images, replicas, patches, and generated
config maps and secrets. Bases of the network, components, Helm charts and plugins are not.
"""

from __future__ import annotations

import base64
import posixpath
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Final

import yaml

from aiops_gym.clients import as_yaml, goyaml
from aiops_gym.clients.context import Context
from aiops_gym.kubectl.errors import Failure
from aiops_gym.kubectl.sources import hash_data
from aiops_gym.sim.golang.literals import go_quote
from aiops_gym.sim.kube_api.patch import apply_json_patch, apply_strategic_merge
from aiops_gym.sim.kube_api.schema import type_of
from aiops_gym.types import Json

FILES: Final = ("kustomization.yaml", "kustomization.yml", "Kustomization")
FIRST: Final = [
    *("Namespace", "ResourceQuota", "StorageClass", "CustomResourceDefinition", "ServiceAccount"),
    *("PodSecurityPolicy", "Role", "ClusterRole", "RoleBinding", "ClusterRoleBinding", "ConfigMap", "Secret"),
    *("Endpoints", "Service", "LimitRange", "PriorityClass", "PersistentVolume", "PersistentVolumeClaim"),
    *("Deployment", "StatefulSet", "CronJob", "PodDisruptionBudget"),
]
LAST: Final = ("MutatingWebhookConfiguration", "ValidatingWebhookConfiguration")
WORKLOADS: Final = ("Deployment", "ReplicaSet", "StatefulSet", "DaemonSet", "Job", "ReplicationController")
SCALED: Final = ("Deployment", "ReplicaSet", "StatefulSet", "ReplicationController")
GLOBAL: Final = ("Namespace", "ClusterRole", "ClusterRoleBinding", "PersistentVolume", "StorageClass", "Node")
SELECTING: Final = ("Deployment", "ReplicaSet", "StatefulSet", "DaemonSet")
FIELDS: Final = frozenset(
    [
        *("apiVersion", "kind", "metadata", "resources", "bases", "namePrefix", "nameSuffix", "namespace"),
        *("commonLabels", "labels", "commonAnnotations", "images", "replicas", "patches"),
        *("patchesStrategicMerge", "patchesJson6902", "configMapGenerator", "secretGenerator"),
        *("generatorOptions", "sortOptions", "buildMetadata"),
    ]
)
REFERENCES: Final = {
    **dict.fromkeys(("configMapRef", "configMapKeyRef", "configMap"), "ConfigMap"),
    **dict.fromkeys(("secretRef", "secretKeyRef", "secret"), "Secret"),
    "scaleTargetRef": "",
    "roleRef": "",
    "service": "Service",
}
"""Fields that name another object: kind of what they name, "" where the field tells it itself."""

PLAIN: Final = {"serviceAccountName": "ServiceAccount", "serviceName": "Service", "claimName": "PersistentVolumeClaim"}


def build(context: Context, folder: str) -> str:
    """The objects of a kustomization as YAML, in the order in which they are best created. Raises Failure."""
    objects = _build(context, folder, folder)
    objects.sort(key=lambda obj: (_rank(obj["kind"]), obj.get("apiVersion", ""), obj["kind"]))
    return "---\n".join(as_yaml.text(_sorted(obj)) for obj in objects)


def _sorted(value: Json) -> Json:
    if isinstance(value, Mapping):
        return {key: _sorted(value[key]) for key in sorted(value, key=str)}
    return [_sorted(item) for item in value] if isinstance(value, list) else value


def _rank(kind: str) -> int:
    if kind in LAST:
        return len(FIRST) + 1
    return FIRST.index(kind) if kind in FIRST else len(FIRST)


def _build(context: Context, folder: str, shown: str) -> list[Json]:
    where = posixpath.normpath(posixpath.join(context.cwd, folder))
    rules = _rules(context, folder, shown, where)
    objects: list[Json] = []
    for name in [*(rules.get("resources") or ()), *(rules.get("bases") or ())]:
        for obj in _resource(context, where, str(name)):
            if any(_id(obj) == _id(other) for other in objects):
                what = f"may not add resource with an already registered id: {_id(obj)}"
                raise _unaccumulated(str(name), what, posixpath.normpath(posixpath.join(where, str(name))))
            objects.append(obj)
    for kind, field in (("ConfigMap", "configMapGenerator"), ("Secret", "secretGenerator")):
        objects += [_generated(context, where, kind, entry, rules) for entry in rules.get(field) or ()]
    for patch in _patches(context, where, rules):
        objects = [patch(obj) for obj in objects]
    return _transformed(objects, rules)


def _rules(context: Context, folder: str, shown: str, where: str) -> Mapping[str, Json]:
    if where != posixpath.normpath(context.cwd) and not context.files.exists(folder):
        gone = where
        while posixpath.dirname(gone) not in ("/", posixpath.normpath(context.cwd)) and not context.files.exists(
            posixpath.dirname(gone)
        ):
            gone = posixpath.dirname(gone)
        why = f"evalsymlink failure on '{shown}' : lstat {gone}: no such file or directory"
        raise Failure(f"must build at directory: not a valid directory: {why}")
    for name in FILES:
        try:
            text = context.files.read(f"{folder.rstrip('/')}/{name}")
        except OSError:
            continue
        return _read_rules(text)
    raise Failure(
        f"unable to find one of 'kustomization.yaml', 'kustomization.yml' or 'Kustomization' in directory '{where}'"
    )


def _read_rules(text: str) -> Mapping[str, Json]:
    try:
        rules = goyaml.load(text)
    except yaml.YAMLError as error:
        raise Failure(f"invalid Kustomization: {goyaml.explain_error(error)}") from None
    if not rules:
        raise Failure("kustomization.yaml is empty")
    if not isinstance(rules, dict):
        raise Failure("invalid Kustomization: json: cannot unmarshal string into Go value of type types.Kustomization")
    for name in rules:
        if name not in FIELDS:
            raise Failure(f"invalid Kustomization: json: unknown field {go_quote(str(name))}")
    return rules


def _resource(context: Context, where: str, name: str) -> list[Json]:
    path = posixpath.normpath(posixpath.join(where, name))
    if not context.files.exists(path):
        lost = f"evalsymlink failure on '{path}' : lstat {path}: no such file or directory"
        inner = f"accumulating resources from '{name}': {lost}"
        where = f"must build at directory: not a valid directory: {lost}"
        raise Failure(f"accumulating resources: accumulation err='{inner}': {where}")
    try:
        text = context.files.read(path)
    except IsADirectoryError:
        return _build(context, path, name)
    try:
        found = [obj for obj in yaml.load_all(text, Loader=goyaml.Loader) if obj]
    except yaml.YAMLError as error:
        why = f"MalformedYAMLError: {goyaml.explain_error(error)} in File: {name}"
        raise Failure(f"accumulating resources: accumulating resources from '{name}': {why}") from None
    objects = [item for obj in found for item in (obj["items"] if obj.get("kind") == "List" else [obj])]
    for obj in objects:
        if lost := _lacking(obj):
            raise _unaccumulated(name, lost, path)
    return objects


def _unaccumulated(name: str, why: str, path: str) -> Failure:
    inner = f"accumulating resources from '{name}': {why}"
    where = f"must build at directory: '{path}': file is not directory"
    return Failure(f"accumulating resources: accumulation err='{inner}': {where}")


def _id(obj: Json) -> str:
    """What an object is known by, as kustomize writes it."""
    group, _, version = str(obj.get("apiVersion") or "").rpartition("/")
    meta = obj.get("metadata") or {}
    kind = f"{obj.get('kind')}.{version or '[noVer]'}.{group or '[noGrp]'}"
    return f"{kind}/{meta.get('name')}.{meta.get('namespace') or '[noNs]'}"


def _lacking(obj: Json) -> str:
    """What an object needs and has not, "" if it has all."""
    meta, kind = obj.get("metadata") or {}, str(obj.get("kind") or "")
    if kind and meta.get("name"):
        return ""
    maps = [" ".join(f"{k}:{v}" for k, v in sorted((meta.get(f) or {}).items())) for f in ("labels", "annotations")]
    shown = f"{{{meta.get('name', '')} {meta.get('namespace', '')}}} map[{maps[0]}] map[{maps[1]}]"
    what = "metadata.name" if kind else "kind"
    return f"missing {what} in object {{{{{obj.get('apiVersion', '')} {kind}}} {{{shown}}}}}"


def _generated(context: Context, where: str, kind: str, entry: Mapping[str, Json], rules: Mapping[str, Json]) -> Json:
    data: dict[str, str] = {}
    for literal in entry.get("literals") or ():
        key, _, value = str(literal).partition("=")
        data[key] = value
    for source in entry.get("files") or ():
        key, equals, path = str(source).partition("=")
        data[key if equals else posixpath.basename(key)] = _read(context, where, path if equals else key)
    for path in entry.get("envs") or ():
        rows = [line.partition("=") for line in _read(context, where, str(path)).splitlines() if line.strip()]
        data |= {key: value for key, _, value in rows if not key.startswith("#")}
    if kind == "Secret":
        data = {key: base64.b64encode(value.encode()).decode() for key, value in data.items()}
    obj: Json = {"apiVersion": "v1", "kind": kind, "metadata": {"name": entry["name"]}}
    obj |= {"data": dict(sorted(data.items()))} if data else {}
    obj |= {"type": entry.get("type", "Opaque")} if kind == "Secret" else {}
    options = {**(rules.get("generatorOptions") or {}), **(entry.get("options") or {})}
    for field in ("labels", "annotations"):
        if options.get(field):
            obj["metadata"][field] = dict(options[field])
    if not options.get("disableNameSuffixHash"):
        typed = {"type": obj["type"]} if kind == "Secret" else {}
        obj["hash"] = hash_data({"kind": kind, **typed, "name": "", "data": dict(sorted(data.items()))})
    return obj


def _read(context: Context, where: str, path: str) -> str:
    try:
        return context.files.read(posixpath.join(where, path))
    except OSError:
        raise Failure(f"loading KV pairs: file sources: [{path}]: evalsymlink failure on '{path}'") from None


def _patches(context: Context, where: str, rules: Mapping[str, Json]) -> Iterator[Callable[[Json], Json]]:
    entries = [*(rules.get("patches") or ()), *(rules.get("patchesJson6902") or ())]
    entries += [{"path": e} if "\n" not in str(e) else {"patch": e} for e in rules.get("patchesStrategicMerge") or ()]
    for entry in entries:
        body = goyaml.load(str(entry.get("patch") or _read(context, where, str(entry.get("path")))))
        target = entry.get("target") or {"kind": body.get("kind"), "name": (body.get("metadata") or {}).get("name")}

        def patched(obj: Json, body: Json = body, target: Mapping[str, Json] = target) -> Json:
            if not _is_target(obj, target):
                return obj
            if isinstance(body, list):
                return apply_json_patch(obj, body)
            return apply_strategic_merge(obj, body, type_of(obj["apiVersion"], obj["kind"]))

        yield patched


def _is_target(obj: Json, target: Mapping[str, Json]) -> bool:
    if target.get("kind") not in (None, obj["kind"]):
        return False
    return target.get("name") is None or re.fullmatch(str(target["name"]), str(obj["metadata"]["name"])) is not None


def _transformed(objects: list[Json], rules: Mapping[str, Json]) -> list[Json]:
    """Everything that is done to all of them alike."""
    before, after = str(rules.get("namePrefix") or ""), str(rules.get("nameSuffix") or "")
    names: dict[tuple[str, str], str] = {}
    for obj in objects:
        meta, kind = dict(obj["metadata"]), obj["kind"]
        obj["metadata"] = meta
        new = str(meta["name"]) if kind == "Namespace" else f"{before}{meta['name']}{after}"
        new += str(obj.pop("hash", ""))
        names[kind, str(meta["name"])] = new
        meta["name"] = new
        if rules.get("namespace"):
            meta |= {"name": rules["namespace"]} if kind == "Namespace" else {}
            meta |= {"namespace": rules["namespace"]} if kind not in GLOBAL else {}
        _mark(obj, rules)
        _set_images(obj, rules)
    return [_renamed(obj, names) for obj in objects]


def _mark(obj: Json, rules: Mapping[str, Json]) -> None:
    meta, spec = obj["metadata"], obj.get("spec") or {}
    inner = (spec.get("template") or {}).setdefault("metadata", {}) if obj["kind"] in WORKLOADS and spec else None
    common = [(rules.get("commonLabels") or {}, True, True)]
    rows = [
        (r.get("pairs") or {}, r.get("includeSelectors"), r.get("includeTemplates")) for r in rules.get("labels") or ()
    ]
    for pairs, selectors, templates in [*common, *rows]:
        if not pairs:
            continue
        meta["labels"] = {**(meta.get("labels") or {}), **pairs}
        if inner is not None and (selectors or templates):
            inner["labels"] = {**(inner.get("labels") or {}), **pairs}
        if selectors and obj["kind"] == "Service" and spec.get("selector"):
            spec["selector"] = {**spec["selector"], **pairs}
        elif selectors and obj["kind"] in SELECTING:
            chosen = spec.setdefault("selector", {})
            chosen["matchLabels"] = {**(chosen.get("matchLabels") or {}), **pairs}
    if notes := rules.get("commonAnnotations"):
        meta["annotations"] = {**(meta.get("annotations") or {}), **notes}
        if inner is not None:
            inner["annotations"] = {**(inner.get("annotations") or {}), **notes}


def _set_images(obj: Json, rules: Mapping[str, Json]) -> None:
    spec = obj.get("spec") or {}
    for rule in rules.get("replicas") or ():
        if obj["kind"] in SCALED and str(obj["metadata"]["name"]).find(str(rule["name"])) >= 0:
            spec["replicas"] = rule["count"]
    inner = (spec.get("template") or {}).get("spec") or (spec if obj["kind"] == "Pod" else {})
    for container in [*(inner.get("initContainers") or ()), *(inner.get("containers") or ())]:
        for rule in rules.get("images") or ():
            name, _, tag = str(container.get("image", "")).partition(":")
            if name == rule.get("name"):
                end = f"@{rule['digest']}" if rule.get("digest") else f":{rule.get('newTag', tag)}".removesuffix(":")
                container["image"] = f"{rule.get('newName', name)}{end}"


def _renamed(value: Json, names: Mapping[tuple[str, str], str], field: str = "") -> Json:
    """With the new names wherever an object is named."""
    if isinstance(value, list):
        return [_renamed(item, names, field) for item in value]
    if not isinstance(value, Mapping):
        return names.get((PLAIN[field], value), value) if field in PLAIN and isinstance(value, str) else value
    found = {key: _renamed(inner, names, key) for key, inner in value.items()}
    if field in REFERENCES:
        key = "secretName" if field == "secret" else "name"
        kind = REFERENCES[field] or str(value.get("kind"))
        if isinstance(value.get(key), str):
            found[key] = names.get((kind, value[key]), value[key])
    return found

"""Writes `aiops_gym/sim/kube_api/schema.json` from the JSON schemas of a Kubernetes release.

    python make_schema.py <_definitions.json of kubernetes-validate, v1.32.0-local>  > schema.json

A field is one string: its type (`str`, `int32`, `bool`, `quantity`, a type's name, `[T]`, `{T}`), then what the server
needs to know to merge it: `key=` (merge key), `merge`, `retain`, `map=` (keys of a list of maps), `set`, `required`.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from pathlib import Path

SKIPPED_GROUPS = {"internal.apiserver.k8s.io", "resource.k8s.io", "storagemigration.k8s.io"}
SPECIAL = {
    "io.k8s.apimachinery.pkg.api.resource.Quantity": "quantity",
    "io.k8s.apimachinery.pkg.util.intstr.IntOrString": "intstr",
    "io.k8s.apimachinery.pkg.apis.meta.v1.Time": "time",
    "io.k8s.apimachinery.pkg.apis.meta.v1.MicroTime": "time",
    "io.k8s.apimachinery.pkg.runtime.RawExtension": "any",
    "io.k8s.apimachinery.pkg.apis.meta.v1.FieldsV1": "any",
}


def main(path: str) -> None:
    definitions = json.loads(Path(path).read_text())["$defs"]
    kinds = {}
    for name, definition in sorted(definitions.items()):
        for gvk in definition.get("x-kubernetes-group-version-kind", []):
            if gvk["kind"].endswith("List") or gvk["group"] in SKIPPED_GROUPS or "alpha" in gvk["version"]:
                continue
            if "metadata" in definition.get("properties", {}):
                kinds["/".join(filter(None, [gvk["group"], gvk["version"], gvk["kind"]]))] = name
    seen: dict[str, None] = {}
    for name in kinds.values():
        visit(definitions, name, seen)
    shorts = Counter(name.rsplit(".", 1)[1] for name in seen)

    def short(name: str) -> str:
        parts = name.split(".")
        return parts[-1] if shorts[parts[-1]] == 1 else ".".join(parts[-3:])

    types = {short(name): fields(definitions[name], short) for name in seen}
    print("{")
    print('"kinds": ' + json.dumps({k: short(v) for k, v in sorted(kinds.items())}) + ",")
    print('"types": {')
    lines = [f"{json.dumps(name)}: {json.dumps(types[name])}" for name in sorted(types)]
    print(",\n".join(lines) + "\n}}")


def visit(definitions: dict, name: str, seen: dict[str, None]) -> None:
    if name in seen or name in SPECIAL:
        return
    seen[name] = None
    for reference in references(definitions[name].get("properties", {})):
        visit(definitions, reference, seen)


def references(value):
    if isinstance(value, dict):
        for key, inner in value.items():
            if key == "$ref" and isinstance(inner, str):
                yield inner.removeprefix("#/$defs/")
            else:
                yield from references(inner)


def fields(definition: dict, short) -> dict[str, str]:
    required = set(definition.get("required", []))
    return {
        name: " ".join([kind(field, short), *options(field), *(["required"] if name in required else [])])
        for name, field in sorted(definition.get("properties", {}).items())
    }


def options(field: dict) -> list[str]:
    found = []
    strategy = field.get("x-kubernetes-patch-strategy", "").split(",")
    if "x-kubernetes-patch-merge-key" in field:
        found.append("key=" + field["x-kubernetes-patch-merge-key"])
    elif "merge" in strategy:
        found.append("merge")
    if "retainKeys" in strategy:
        found.append("retain")
    if field.get("x-kubernetes-list-type") == "map":
        found.append("map=" + ",".join(field["x-kubernetes-list-map-keys"]))
    if field.get("x-kubernetes-list-type") == "set":
        found.append("set")
    return found


def kind(field: dict, short) -> str:
    if "$ref" in field:
        name = field["$ref"].removeprefix("#/$defs/")
        return SPECIAL.get(name) or short(name)
    types = field.get("type", "object")
    base = types[0] if isinstance(types, list) else types
    if base == "array":
        return f"[{kind(field['items'], short)}]"
    if base == "object":
        return "{" + kind(field["additionalProperties"], short) + "}" if "additionalProperties" in field else "any"
    if base == "string":
        return "bytes" if field.get("format") == "byte" else "str"
    return {"integer": field.get("format", "int64"), "boolean": "bool", "number": "num"}[base]


if __name__ == "__main__":
    main(sys.argv[1])

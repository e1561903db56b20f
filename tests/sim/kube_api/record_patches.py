"""Records what the real kubectl makes of patches, as `recordings/patches.json`; `--local` needs no server.

python record_patches.py [number of cases]
"""

from __future__ import annotations

import json
import random
import subprocess
import sys
import tempfile
from pathlib import Path

OUT = Path(__file__).parent / "recordings" / "patches.json"

DEPLOYMENT = {
    "apiVersion": "apps/v1",
    "kind": "Deployment",
    "metadata": {"name": "a", "labels": {"x": "1", "y": "2"}, "finalizers": ["a/b", "c/d"]},
    "spec": {
        "replicas": 2,
        "selector": {"matchLabels": {"a": "b"}},
        "strategy": {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 1}},
        "template": {
            "metadata": {"labels": {"a": "b"}},
            "spec": {
                "containers": [
                    {
                        "name": "c",
                        "image": "x",
                        "args": ["1", "2"],
                        "env": [{"name": "A", "value": "1"}, {"name": "B", "value": "2"}, {"name": "C", "value": "3"}],
                        "ports": [{"containerPort": 80, "name": "http"}, {"containerPort": 81}],
                        "volumeMounts": [{"name": "v", "mountPath": "/v"}],
                    },
                    {"name": "d", "image": "y"},
                    {"name": "e", "image": "z"},
                ],
                "volumes": [{"name": "v", "emptyDir": {}}, {"name": "w", "configMap": {"name": "cm"}}],
                "tolerations": [{"key": "k", "operator": "Exists"}],
                "nodeSelector": {"n": "1"},
            },
        },
    },
}
SERVICE = {
    "apiVersion": "v1",
    "kind": "Service",
    "metadata": {"name": "s"},
    "spec": {
        "selector": {"a": "b"},
        "ports": [{"port": 80, "targetPort": 1}, {"port": 81, "targetPort": "x"}],
        "externalIPs": ["1.2.3.4", "5.6.7.8"],
    },
}


def pick(chance: random.Random, *options):
    return chance.choice(options)


def keyed(chance: random.Random, key: str, names: list, make) -> list:
    items = []
    for name in chance.sample(names, chance.randint(1, min(3, len(names)))):
        kind = chance.random()
        if kind < 0.2:
            items.append({"$patch": "delete", key: name})
        elif kind < 0.24:
            items.append({"$patch": "replace"})
        elif kind < 0.28:
            items.append(make(chance))
        else:
            items.append({key: name, **make(chance)})
    return items


def container(chance: random.Random) -> dict:
    patch: dict = {}
    if chance.random() < 0.5:
        patch["image"] = pick(chance, "new", None)
    if chance.random() < 0.4:
        patch["env"] = keyed(chance, "name", ["A", "B", "C", "N"], lambda c: {"value": pick(c, "9", None, "8")})
    if chance.random() < 0.2 and "env" in patch:
        patch["$setElementOrder/env"] = [{"name": n} for n in chance.sample(["A", "B", "C", "N"], 3)]
    if chance.random() < 0.3:
        patch["args"] = pick(chance, ["3"], None, [])
    if chance.random() < 0.3:
        patch["ports"] = keyed(chance, "containerPort", [80, 81, 82], lambda c: {"name": pick(c, "n", None)})
    if chance.random() < 0.2:
        patch["volumeMounts"] = keyed(chance, "mountPath", ["/v", "/w"], lambda c: {"name": "w"})
    return patch


def strategic(chance: random.Random) -> tuple[dict, dict]:
    if chance.random() < 0.25:
        spec: dict = {"ports": keyed(chance, "port", [80, 81, 82], lambda c: {"targetPort": pick(c, 5, "y", None)})}
        if chance.random() < 0.4:
            spec["selector"] = pick(chance, {"c": "d"}, {"a": None}, None, {"$patch": "replace", "z": "1"})
        return SERVICE, {"spec": spec}
    inner: dict = {}
    if chance.random() < 0.7:
        inner["containers"] = keyed(chance, "name", ["c", "d", "e", "n", "m"], container)
    if chance.random() < 0.2:
        inner["$setElementOrder/containers"] = [{"name": n} for n in chance.sample(["c", "d", "e", "n"], 3)]
    if chance.random() < 0.3:
        sources = (
            {"emptyDir": {}},
            {"$retainKeys": ["name", "secret"], "secret": {"secretName": "s"}},
            {"configMap": None},
        )
        inner["volumes"] = keyed(chance, "name", ["v", "w", "u"], lambda c: dict(c.choice(sources)))
    if chance.random() < 0.2:
        inner["tolerations"] = pick(chance, [{"key": "q"}], None, [])
    if chance.random() < 0.2:
        inner["nodeSelector"] = pick(
            chance, {"m": "2"}, {"n": None}, {"$patch": "replace", "o": "3"}, {"$patch": "delete"}
        )
    patch: dict = {"spec": {"template": {"spec": inner}}} if inner else {"spec": {"replicas": 5}}
    if chance.random() < 0.3:
        patch["metadata"] = pick(
            chance,
            {"labels": {"x": None, "z": "3"}},
            {"finalizers": ["e/f", "a/b"]},
            {"$deleteFromPrimitiveList/finalizers": ["a/b"]},
            {"$setElementOrder/finalizers": ["c/d", "g/h", "a/b"], "finalizers": ["g/h"]},
        )
    if chance.random() < 0.2:
        patch["spec"]["strategy"] = pick(
            chance,
            {"$retainKeys": ["type"], "type": "Recreate"},
            {"rollingUpdate": None},
            {"$patch": "replace", "type": "R"},
        )
    return DEPLOYMENT, patch


PATHS = [
    "/metadata/labels/x",
    "/metadata/labels/q",
    "/metadata/annotations",
    "/metadata/annotations/a~1b",
    "/spec/replicas",
    "/spec/template/spec/containers/0",
    "/spec/template/spec/containers/0/image",
    "/spec/template/spec/containers/-",
    "/spec/template/spec/containers/-1",
    "/spec/template/spec/containers/3",
    "/spec/template/spec/containers/9",
    "/spec/template/spec/containers/x",
    "/spec/template/spec/containers/0/env/1",
    "/spec/template/spec/containers/7/env",
    "/spec/nope/deep",
    "spec",
    "/spec/template/spec/nodeSelector",
]


def operations(chance: random.Random) -> tuple[dict, list]:
    found = []
    for _ in range(chance.randint(1, 3)):
        op = pick(chance, "add", "add", "remove", "replace", "replace", "move", "copy", "test")
        one = {"op": op, "path": chance.choice(PATHS)}
        if op in ("add", "replace", "test"):
            one["value"] = pick(chance, 1, "s", {"name": "new", "image": "i"}, ["l"], None, "1")
        if op in ("move", "copy"):
            one["from"] = chance.choice(PATHS)
        found.append(one)
    return DEPLOYMENT, found


def merge(chance: random.Random) -> tuple[dict, dict]:
    obj, patch = strategic(chance)
    return obj, json.loads(json.dumps(patch).replace("$", "x"))


def run(kind: str, obj: dict, patch) -> dict:
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump(obj, file)
        file.flush()
        argv = ["kubectl", "patch", "-f", file.name, "--local", f"--type={kind}", "-p", json.dumps(patch), "-o", "json"]
        done = subprocess.run(argv, capture_output=True, text=True, check=False)
    if done.returncode:
        return {"error": done.stderr.removeprefix("error: ").rstrip("\n")}
    return {"result": json.loads(done.stdout)}


def main(count: int) -> None:
    chance = random.Random(1)
    cases = []
    for number in range(count):
        kind, make = [("strategic", strategic), ("strategic", strategic), ("json", operations), ("merge", merge)][
            number % 4
        ]
        obj, patch = make(chance)
        cases.append({"type": kind, "kind": obj["kind"], "patch": patch, **run(kind, obj, patch)})
    OUT.write_text("[\n" + ",\n".join(json.dumps(c, sort_keys=True) for c in cases) + "\n]\n")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 400)

"""The part of the grammar that changes objects: patches, labels, images, rollouts, files and what is made of flags."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from files import FILES
from hypothesis import strategies as st

Json = Any
Words = list[str]
Objects = Callable[..., st.SearchStrategy[Words]]

DRY = ([], [], [], ["--dry-run=client"], ["--dry-run=server"], ["--dry-run"], ["--dry-run=x"])
LABELS = ["-o", "jsonpath={.metadata.labels}"]
OUTPUT = ([], [], [], ["-o", "yaml"], ["-o", "json"], ["-o", "name"], LABELS, ["-o", "x"])
WORKLOADS = ("deployments", "deployments", "deployments", "statefulsets", "daemonsets", "replicasets", "jobs", "pods")
PAIRS = ("x=y", "x=", "x-", "app=other", "tier-", "example.com/a=b", "bad key=1", "x=b@d", "=v", "x", "app=web")
NAMES = ("fresh", "web", "Bad_Name", "a.b", "settings", "x" * 64, "-x")
IMAGES = ("app=app:2", "*=busybox:1.36", "app=", "nope=x", "app", "first=busybox:1.37", "app=app:1")
TEXTS = sorted(name for name in FILES if "/" not in name and name != "app.conf")
SCHEDULES = ("* * * * *", "x", "@daily")
HARD = ("pods=1", "pods", "cpu=x", "cpu=1,memory=1Gi")
RULED = ("pods", "pods/log", "nope", "deploy")
ROUTES = ("a.b/=web:80", "a.b/*=web:80", "x", "a.b/=web:http,tls")
TAINTS = ("a=b:NoSchedule", "a:NoExecute", "a-", "a:NoSchedule-", "a=b", "a=b:Nope", "a=c:NoSchedule")
COUNTS = ("0", "1", "5", "-1", "x", "1.5")
AMOUNTS = ("cpu=100m", "cpu=200m,memory=64Mi", "memory=1024Mi", "cpu=x", "cpu", "cpu=0", "nvidia.com/gpu=1", "cpu=9")
PATCHES: tuple[tuple[str, Json], ...] = (
    ("strategic", {"metadata": {"labels": {"x": "y"}}}),
    ("strategic", {"metadata": {"labels": {"app": None}}}),
    ("strategic", {"spec": {"replicas": 2}}),
    ("strategic", {"spec": {"template": {"spec": {"containers": [{"name": "app", "image": "app:2"}]}}}}),
    ("strategic", {"spec": {"template": {"spec": {"containers": [{"name": "new"}]}}}}),
    ("strategic", {"spec": {"template": {"spec": {"containers": [{"image": "x"}]}}}}),
    ("strategic", {"spec": {"selector": {"matchLabels": {"a": "b"}}}}),
    ("strategic", {"spec": {"ports": [{"port": 80, "targetPort": 1}]}}),
    ("strategic", {"spec": {"ports": [{"port": 0}]}}),
    ("strategic", {"spec": {"type": "Nope"}}),
    ("strategic", {"spec": {"template": {"spec": {"$patch": "replace", "containers": []}}}}),
    ("strategic", {"metadata": {"name": "renamed"}}),
    ("strategic", {"metadata": {"finalizers": ["example.com/x", "bad"]}}),
    ("strategic", {"metadata": {"annotations": {"note": 5}}}),
    ("strategic", {"data": {"mode": "slow", "more": "1"}}),
    ("strategic", []),
    ("merge", {"metadata": {"labels": None}}),
    ("merge", {"spec": None}),
    ("merge", {"spec": {"replicas": "two"}}),
    ("merge", {"spec": {"nope": 1}}),
    ("merge", {"spec": {"template": {"spec": {"containers": [{"name": "app", "image": "x"}]}}}}),
    ("merge", {"metadata": {"resourceVersion": "1"}}),
    ("merge", {"metadata": {"uid": "x"}}),
    ("merge", {"status": {"replicas": 7}}),
    ("json", [{"op": "replace", "path": "/spec/replicas", "value": 1}]),
    ("json", [{"op": "add", "path": "/metadata/labels/new", "value": "1"}]),
    ("json", [{"op": "remove", "path": "/metadata/labels/app"}]),
    ("json", [{"op": "remove", "path": "/metadata/nope"}]),
    ("json", [{"op": "test", "path": "/kind", "value": "Pod"}]),
    ("json", [{"op": "add", "path": "/spec/template/spec/containers/-", "value": {"name": "b", "image": "b"}}]),
    ("json", {"op": "add"}),
    ("nope", {}),
)


def _of(*options: Words) -> st.SearchStrategy[Words]:
    return st.sampled_from(options)


def _word(*words: str) -> st.SearchStrategy[str]:
    return st.sampled_from(words)


@st.composite
def changes(draw: st.DrawFn, objects: Objects) -> tuple[Words, Mapping[str, str]]:
    """A command line that changes something, or would, and the files it names."""
    make = draw(st.sampled_from((_patching, _marking, _setting, _rolling, _files, _making, _removing, _nodes)))
    words = draw(make(objects))
    tail = [*draw(st.sampled_from(DRY)), *draw(st.sampled_from(OUTPUT))]
    if make in (_rolling, _removing, _nodes) or "config" in words:
        tail = tail[:1] if tail and tail[0].startswith("--dry-run=") else []
    return [*words, *tail], {name: text for name, text in FILES.items() if name in words}


@st.composite
def _patching(draw: st.DrawFn, objects: Objects) -> Words:
    kind, patch = draw(st.sampled_from(PATCHES))
    of = draw(objects(*WORKLOADS, "services", "configmaps", "namespaces", "nodes"))
    words = ["patch", *of[:2], f"--type={kind}", "-p", json.dumps(patch)]
    return words + draw(_of([], [], [], [], ["--subresource=status"], ["--subresource=scale"]))


@st.composite
def _marking(draw: st.DrawFn, objects: Objects) -> Words:
    verb = draw(_word("label", "annotate"))
    pairs = draw(st.lists(st.sampled_from(PAIRS), min_size=1, max_size=2))
    options = _of([], ["--overwrite"], ["--overwrite"], ["--resource-version=1"], ["--list"], ["--all"])
    return [verb, *draw(objects()), *pairs, *draw(options)]


@st.composite
def _setting(draw: st.DrawFn, objects: Objects) -> Words:
    of = draw(objects(*WORKLOADS))
    images = draw(st.lists(st.sampled_from(IMAGES), min_size=1, max_size=2))
    variable = draw(_word("K=V", "PLAIN-", "PLAIN=b", "bad name=1", "K", "MODE=x", "A-", "K="))
    amounts = draw(_word(*AMOUNTS))
    container = draw(_of([], [], ["-c", "app"], ["-c", "nope"], ["-c", "a*"]))
    return draw(
        _of(
            ["set", "image", *of, *images],
            ["set", "env", *of, variable, *container],
            ["set", "env", *of, "--list"],
            ["set", "resources", *of, f"--limits={amounts}", *container],
            ["set", "resources", *of, f"--requests={amounts}", *container],
            ["set", "serviceaccount", *of, "reader"],
        )
    )


@st.composite
def _rolling(draw: st.DrawFn, objects: Objects) -> Words:
    of = draw(objects("deployments", "deployments", "statefulsets", "daemonsets", "replicasets", "jobs", "pods"))
    count = draw(_word(*COUNTS))
    scaling = _of([], ["--current-replicas=3"], ["--current-replicas=2"], ["--resource-version=3"], ["--timeout=1s"])
    return draw(
        _of(
            ["rollout", "restart", *of],
            ["rollout", "undo", *of, *draw(_of([], ["--to-revision=1"], ["--to-revision=7"]))],
            ["rollout", draw(_word("pause", "resume")), *of],
            ["scale", *of, f"--replicas={count}", *draw(scaling)],
            ["autoscale", *of[:2], f"--max={count}", *draw(_of([], ["--min=2"], ["--cpu-percent=50"], ["--name=n"]))],
        )
    )


@st.composite
def _files(draw: st.DrawFn, objects: Objects) -> Words:
    name = draw(st.sampled_from((*TEXTS, "no.yaml")))
    applying = (["apply"], ["apply"], ["apply", "--server-side"])
    verb = draw(_of(*applying, ["create"], ["replace"], ["delete", "--wait=false"]))
    asked = {"apply": (["--validate=false"], ["--force-conflicts"], ["-l", "app=web"], ["--field-manager=me"])}
    more = {"create": (["--save-config"], ["--validate=warn"]), "replace": (["--save-config"], ["--validate=false"])}
    return [*verb, "-f", name, *draw(_of([], [], *asked.get(verb[0], ()), *more.get(verb[0], ())))]


@st.composite
def _making(draw: st.DrawFn, objects: Objects) -> Words:
    name, count = draw(_word(*NAMES)), draw(_word(*COUNTS))
    literal = draw(_word("a=b", "a=", "a", "bad key=1", "=b", "a.b-c=d"))
    port = draw(_word("80", "80:8080", "x", "0", "99999", "80:http"))
    kind = draw(_word("clusterip", "nodeport", "loadbalancer"))
    of = draw(objects("deployments", "pods", "services", "replicasets", "configmaps"))
    return draw(
        _of(
            ["create", "configmap", name, f"--from-literal={literal}"],
            ["create", "secret", "generic", name, f"--from-literal={literal}"],
            ["create", "deployment", name, "--image=app:1", f"--replicas={count}"],
            ["create", "deployment", name, "--image=app:1", f"--port={port}"],
            ["create", "service", kind, name, f"--tcp={port}"],
            ["create", "namespace", name],
            ["create", "serviceaccount", name],
            ["create", "job", name, "--image=busybox:1.36", "--", "echo", "x"],
            ["create", "job", name, "--from=cronjob/nightly"],
            ["create", "cronjob", name, "--image=busybox:1.36", f"--schedule={draw(_word(*SCHEDULES))}"],
            ["create", "quota", name, f"--hard={draw(_word(*HARD))}"],
            ["create", "role", name, "--verb=get,list", f"--resource={draw(_word(*RULED))}"],
            ["create", "rolebinding", name, "--role=look", f"--user={name}"],
            ["create", "ingress", name, f"--rule={draw(_word(*ROUTES))}"],
            ["create", "priorityclass", name, f"--value={count}"],
            ["create", "poddisruptionbudget", name, "--selector=app=web", f"--min-available={count}"],
            ["run", name, "--image=busybox:1.36", *draw(_of([], ["--port=80"], ["--env=A=b"], ["-l", "a=b"]))],
            ["expose", *of[:2], f"--port={port}", *draw(_of([], ["--name=other"], ["--type=NodePort"]))],
        )
    )


@st.composite
def _removing(draw: st.DrawFn, objects: Objects) -> Words:
    of = draw(objects())
    forced = (["--force"], ["--force", "--grace-period=0"])
    options = _of([], *forced, ["--now"], ["--grace-period=1"], ["--cascade=orphan"])
    ignoring = _of([], ["--ignore-not-found"], ["--cascade=x"])
    return ["delete", *of, "--wait=false", *draw(options), *draw(ignoring)]


@st.composite
def _nodes(draw: st.DrawFn, objects: Objects) -> Words:
    node = draw(_word("kind-worker", "kind-control-plane", "absent"))
    wanted = draw(st.lists(st.sampled_from(TAINTS), min_size=1, max_size=2))
    overwriting = draw(_of([], ["--overwrite"]))
    return draw(_of([draw(_word("cordon", "uncordon")), node], ["taint", "nodes", node, *wanted, *overwriting]))

"""Writes `cases.json`: the invocation families in their states, and combinations of flags drawn with a fixed seed.

`commands/` has the families, a command line each after `kubectl`; `{pod:x}` is the first pod whose name begins with
`x`. The tests read `cases.json` alone; run this after a change of the lists, and record the answers anew.
"""

from __future__ import annotations

import json
import random
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from files import FILES, STDIN

Json = Any
HERE = Path(__file__).parent
PATH = HERE / "cases.json"
NAMESPACES = {"hotel": "test-hotel-reservation"}
COMBINATIONS = 420
PODS = {
    "broken": (
        *("crash", "pull", "hungry", "nowhere", "unmounted", "unset", "initfail", "unready", "sick", "halfway"),
        *("noexec", "waits", "evicted-1", "fails", "web-5"),
    ),
    "moving": ("web", "starting", "held", "deaf", "long", "api", "agent"),
}
PARTLY_READABLE = ("initfail", "starting")
"""Pods of which some containers have no log yet."""


def lines(name: str) -> list[str]:
    """The command lines of a family."""
    return (HERE / "commands" / f"{name}.txt").read_text(encoding="utf-8").splitlines()


def cases() -> Iterator[Json]:
    """All cases, each with an id that says what it is."""
    for line in lines("everywhere"):
        for state in ("healthy", "broken", "moving", "hotel"):
            if state == "broken" and line.startswith("logs "):
                continue  # one stream is refused, and which ones were read before that is chance
            if state == "hotel" and any(word in line for word in ("app=web", "app in")):
                continue
            yield _case(state, line, NAMESPACES.get(state, "shop"))
    for line in lines("healthy"):
        yield _case("healthy", line)
    for state, prefixes in PODS.items():
        for prefix in prefixes:
            for line in lines("broken-pod"):
                if prefix in PARTLY_READABLE and "--all-containers" in line:
                    continue
                yield _case(state, line.replace("{}", f"{{pod:{prefix}}}"))
    for state in ("broken", "moving", "hotel"):
        for line in lines(state):
            yield _case(state, line)
    for state in ("healthy", "broken", "moving"):
        for line in lines(f"changes-{state}"):
            yield _case(state, line, "shop", writes=True)
    yield from _combinations()


def _case(state: str, line: str, namespace: str = "", writes: bool = False) -> Json:
    words = shlex.split(line.replace("\\t", "\x00t").replace("\\n", "\x00n").replace("\\\\", "\\"))
    words = [word.replace("\x00", "\\") for word in words]
    if namespace and "-A" not in words and "--all-namespaces" not in words:
        words = _placed(words, namespace)
    found: Json = {"state": state, "words": words}
    files = {name: text for name, text in FILES.items() if _named(name, words)}
    if files:
        found["files"] = files
    if "-f -" in line or words[:2] == ["exec", "-i"]:
        found["stdin"] = STDIN
    if writes:
        found["writes"] = True
    return {"id": f"{state}: {' '.join(words)}", **found}


def _named(name: str, words: list[str]) -> bool:
    return any(part in (name, name.partition("/")[0]) for word in words for part in (word, word.rpartition("=")[2]))


def _placed(words: list[str], namespace: str) -> list[str]:
    """The namespace, before `--`."""
    at = words.index("--") if "--" in words else len(words)
    return [*words[:at], "-n", namespace, *words[at:]]


KINDS = (
    *("pods", "deployments", "replicasets", "statefulsets", "daemonsets", "jobs", "cronjobs", "services", "endpoints"),
    *("endpointslices", "ingresses", "networkpolicies", "configmaps", "secrets", "serviceaccounts"),
    *("persistentvolumeclaims", "horizontalpodautoscalers", "poddisruptionbudgets", "resourcequotas", "limitranges"),
    *("roles", "rolebindings", "events", "leases", "controllerrevisions", "nodes", "namespaces", "persistentvolumes"),
    *("storageclasses", "priorityclasses", "ingressclasses", "clusterroles", "clusterrolebindings"),
)
SEVERAL = ("pods", "svc", "deploy", "cm", "pvc", "job", "rs", "nodes")
OUTPUTS = (
    "-o wide",
    "-o name",
    "-o json",
    "-o yaml",
    "-o jsonpath={.items[*].metadata.name}",
    "-o jsonpath={range .items[*]}{.metadata.name}{' '}{.metadata.labels}{'\\n'}{end}",
    "-o custom-columns=NAME:.metadata.name,SPACE:.metadata.namespace,MADE:.metadata.creationTimestamp",
    "-o go-template={{range .items}}{{.kind}}/{{.metadata.name}} {{end}}",
)
OPTIONS = (
    "--no-headers",
    "--show-labels",
    "--show-kind",
    "-L app",
    "-L app,tier",
    "--sort-by=.metadata.name",
    "--sort-by=.metadata.creationTimestamp",
    "--sort-by={.kind}",
    "-l app",
    "-l app=web",
    "-l app!=web",
    "-l tier in (front)",
    "-l !app",
    "--field-selector metadata.name=web",
    "--field-selector metadata.namespace=shop",
    "--ignore-not-found",
    "--chunk-size=3",
    "--output-watch-events=false",
)


def _combinations() -> Iterator[Json]:
    """`get` and `describe` with everything."""
    chance = random.Random(20260302)
    seen: set[str] = set()
    while len(seen) < COMBINATIONS:
        state = chance.choice(("healthy", "broken", "moving"))
        kind = chance.choice(KINDS)
        if chance.random() < 0.12:
            kind = ",".join(chance.sample(SEVERAL, 2))
        verb = "describe" if chance.random() < 0.15 else "get"
        words = [verb, kind]
        if verb == "get":
            for option in chance.sample(OPTIONS, chance.choice((0, 1, 1, 2, 3))):
                words += option.split(" ", 1)
            if chance.random() < 0.45:
                words += chance.choice(OUTPUTS).split(" ", 1)
        elif chance.random() < 0.4:
            words += ["-l", chance.choice(("app=web", "app", "app notin (web)"))]
        words += chance.choice((["-n", "shop"], ["-n", "shop"], ["-n", "shop"], ["-A"], ["-n", "empty"]))
        name = f"{state}: {' '.join(words)}"
        if name not in seen:
            seen.add(name)
            yield {"id": name, "state": state, "words": words}


def main() -> None:
    found = {case["id"]: case for case in cases()}
    text = ",\n".join(json.dumps(case, sort_keys=True) for case in found.values())
    PATH.write_text(f"[\n{text}\n]\n", encoding="utf-8")
    print(f"{len(found)} cases")


if __name__ == "__main__":
    main()

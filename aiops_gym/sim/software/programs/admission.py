"""A server of admission webhooks: fills in what new pods leave open, and refuses those that break its rules.

It listens on `--port=NUMBER`. Its rules are a JSON file, `--rules=FILE`, read anew for each review: where that is
mounted, it watches the object in the API, as Istio's injector does, and need not wait for its kubelet. They are
`resources` (for containers that ask for nothing of that kind), `merge` (a merge patch of the pod), `registries`
(beginnings of image names, of which one must fit) and `labels` that a pod must have. Params: `file` where no flag names
it, `think` in ms. `/mutate` answers with a patch, `/validate` with yes or no.

What it comes to keep while it lives is state: `open`, its file descriptors, beyond `FILES` of which it accepts nobody;
`held`, bytes of memory, for which its runtime does little but collect; `until`, the end of the certificate that it
makes for itself when it starts. A new process begins without any of it.
"""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from aiops_gym.sim.kernel.digits import is_natural
from aiops_gym.sim.kernel.objects import get
from aiops_gym.sim.kernel.tables import Instance, Process
from aiops_gym.sim.kernel.times import iso
from aiops_gym.sim.kube_api.patch import apply_merge_patch
from aiops_gym.sim.machine.container import Container
from aiops_gym.sim.machine.images import canonical
from aiops_gym.sim.machine.program import HttpAnswer, Program, list_ticks

if TYPE_CHECKING:
    from aiops_gym.sim.kernel.world import World

FLAG = "--rules="
PORT = 8443

FILES = 1024
"""Descriptors that a process may have."""

NEVER, COLLECTING = 3_600.0, 45.0
"""Seconds that an answer takes from who accepts no connection, and from who collects most of the time: more than an API
server may be told to wait."""

BUSY = 0.93
"""Cores that this costs."""

RETRY = 1_000
"""Ms after which Go's server tries to accept again."""


class Admission(Program):
    """Answers reviews over HTTPS."""

    def start(self, c: Container) -> None:
        """Read the rules and listen; end where they are none."""
        if _read_rules(c) is None:
            c.log(f"{iso(c.now)} fatal: cannot read rules from {_find_file(c)}")
            c.exit_in(3, 1)
            return
        told = [word.removeprefix("--port=") for word in c.argv if word.startswith("--port=")]
        port = int(told[-1]) if told and is_natural(told[-1]) else PORT
        c.log(f"{iso(c.now)} rules read from {_find_file(c)}", f"{iso(c.now)} serving webhooks on :{port}")
        c.listen(port)

    def http(self, world: World, process: Process, path: str) -> tuple[int, str]:
        """Its health; reviews are posted."""
        return (200, "ok") if path in ("/healthz", "/readyz") else (405, "Method Not Allowed\n")

    def answer(self, world: World, process: Process, method: str, path: str) -> HttpAnswer | None:
        """The same, over TLS."""
        return HttpAnswer(*self.http(world, process, path), seconds=_linger(process), tls=True, until=_end(process))

    def background(self, process: Process, start: int, end: int, seed: int) -> list[tuple[int, str]]:
        """Complaints of a server that may open nothing more."""
        if not _is_full(process):
            return []
        port = next(iter(process["ports"]), PORT)
        text = f"http: Accept error: accept tcp [::]:{port}: accept4: too many open files; retrying in 1s"
        return [(at, f"{iso(at)} {text}") for _, at in list_ticks(process["state"]["since"], start, end, RETRY)]

    def usage(self, process: Instance, rps: float, cpu_seconds_per_s: float) -> dict[str, float]:
        """What it holds, and what it costs to look for what is no longer needed."""
        used = super().usage(process, rps, cpu_seconds_per_s)
        held = float((process.get("state") or {}).get("held", 0.0))
        return {**used, "memory": max(used["memory"], held), "cpu": used["cpu"] + (BUSY if held else 0.0)}

    def post(self, world: World, process: Process, path: str, body: str) -> HttpAnswer | None:
        """Answer a review."""
        c = Container(world, f"{process['uid']}/{process['container']}")
        if (until := _end(process)) and until <= world.now:
            source = f"{get(c.pod or {}, 'status', 'hostIP', default='')}:{30_000 + world.now // 1000 % 30_000}"
            c.log(f"{iso(c.now)} http: TLS handshake error from {source}: remote error: tls: bad certificate")
            return HttpAnswer(0, tls=True, until=until)
        think = _linger(process) or float(c.params.get("think", 3)) / 1000
        if _is_full(process):
            return HttpAnswer(0, seconds=think, tls=True)
        try:
            request = json.loads(body)["request"]
            pod, rules = request["object"] or {}, _read_rules(c) or {}
            judged = VERDICTS[path.partition("?")[0]](pod, rules)
        except KeyError:
            return HttpAnswer(404, "404 page not found\n", seconds=think, tls=True)
        except (ValueError, TypeError, AttributeError) as error:
            return HttpAnswer(500, f"{error}\n", seconds=think, tls=True)
        if process["state"].get("held"):
            c.log(f"{iso(c.now)} review of a pod in {request['namespace']} took {think:.1f}s: client has gone")
        elif not judged["allowed"]:
            c.log(f"{iso(c.now)} denied {request['namespace']}/{request['name']}: {judged['status']['message']}")
        found = {"kind": "AdmissionReview", "apiVersion": "admission.k8s.io/v1"}
        return HttpAnswer(200, json.dumps({**found, "response": {"uid": request["uid"], **judged}}), {}, think, True)


def _is_full(process: Instance) -> bool:
    return int(process["state"].get("open", 0)) >= FILES


def _end(process: Instance) -> int:
    """Until when its certificate is valid (ms); 0 for long."""
    return int(process["state"].get("until", 0))


def _linger(process: Instance) -> float:
    """Seconds that it needs for any answer beyond its usual work."""
    return NEVER if _is_full(process) else COLLECTING if process["state"].get("held") else 0.0


def _find_file(c: Container) -> str:
    named = [word.removeprefix(FLAG) for word in c.argv if word.startswith(FLAG)]
    return str(named[-1] if named else c.params.get("file", "/etc/admission/rules.json"))


def _read_rules(c: Container) -> Mapping[str, Any] | None:
    """The rules; None where the file is missing or says something else."""
    try:
        file = _find_file(c)
        found = json.loads(c.read_object(file) or c.files().get(file) or "")
    except ValueError:
        return None
    return found if isinstance(found, dict) else None


def _mutate(pod: Mapping[str, Any], rules: Mapping[str, Any]) -> dict[str, Any]:
    """A patch that fills in resources and merges what is asked for."""
    merged: dict[str, Any] = apply_merge_patch(pod, rules.get("merge") or {})
    ops: list[dict[str, Any]] = []
    for index, container in enumerate(merged["spec"].get("containers") or ()):
        given = container.get("resources") or {}
        filled = {
            kind: {**amounts, **(given.get(kind) or {})} for kind, amounts in (rules.get("resources") or {}).items()
        }
        if {**given, **filled} != given:
            path = f"/spec/containers/{index}/resources"
            ops.append({"op": "add", "path": path, "value": {**given, **filled}})
    ops = [
        *({"op": "add", "path": f"/{key}", "value": merged[key]} for key in merged if merged[key] != pod.get(key)),
        *ops,
    ]
    if not ops:
        return {"allowed": True}
    return {"allowed": True, "patchType": "JSONPatch", "patch": b64encode(json.dumps(ops).encode()).decode()}


def _validate(pod: Mapping[str, Any], rules: Mapping[str, Any]) -> dict[str, Any]:
    """Whether images come from where they may, and the labels are there."""
    registries, spec = tuple(rules.get("registries") or ()), pod.get("spec") or {}
    images = [str(each["image"]) for each in (*(spec.get("initContainers") or ()), *(spec.get("containers") or ()))]
    wrong = [f"image {image} is from no known registry" for image in images
             if registries and not canonical(image).startswith(registries)]  # fmt: skip
    labels = (pod.get("metadata") or {}).get("labels") or {}
    wrong += [f"label {name} is missing" for name in rules.get("labels") or () if name not in labels]
    if not wrong:
        return {"allowed": True}
    return {"allowed": False, "status": {"code": 403, "reason": "Forbidden", "message": "; ".join(wrong)}}


VERDICTS = {"/mutate": _mutate, "/validate": _validate}

program = Admission()

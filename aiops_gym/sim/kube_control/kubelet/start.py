"""Starting one container: back-off, image, configuration, creation. Each way to fail has its reason and events."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from aiops_gym.sim.kernel import draws
from aiops_gym.sim.kernel.objects import Obj, assoc, name_of, namespace_of, uid_of
from aiops_gym.sim.kernel.tables import ContainerRecord
from aiops_gym.sim.kernel.world import World
from aiops_gym.sim.kube_control import events
from aiops_gym.sim.kube_control.kubelet import backoff, images, status, volumes
from aiops_gym.sim.kube_control.kubelet import record as records
from aiops_gym.sim.machine import runtime
from aiops_gym.sim.machine.container import find_container_spec
from aiops_gym.sim.machine.images import find_image


def say(world: World, pod: Obj, name: str, type_: str, reason: str, message: str) -> None:
    """Record an event about a container."""
    others = ("initContainers", "ephemeralContainers")
    kind = next((k for k in others if any(c["name"] == name for c in pod["spec"].get(k) or ())), "containers")
    events.record(world, pod, type_, reason, message, "kubelet", pod["spec"]["nodeName"], f"spec.{kind}{{{name}}}")


def prepare(world: World, uid: str, pod: Obj, name: str) -> tuple[int, str]:
    """Up to the image: (ms to wait, step to go on with), or (0, "") if the container cannot be started now."""
    if _held_back(world, uid, pod, name):
        return 0, ""
    image = find_container_spec(pod, name)["image"]
    wrong = images.check_name(image)
    if wrong:
        text = f'Failed to apply default image tag "{image}": couldn\'t parse image name "{image}": {wrong}'
        say(world, pod, name, "Warning", "InspectFailed", text)
        return _fail(world, uid, pod, name, "InvalidImageName", text, "InvalidImageName")
    node, policy = pod["spec"]["nodeName"], pull_policy(find_container_spec(pod, name))
    here = images.is_present(world, node, image)
    if here and policy != "Always":
        say(world, pod, name, "Normal", "Pulled", f'Container image "{image}" already present on machine')
        return records.draw_duration(world, 60, 140, "create", uid), "create"
    if policy == "Never":
        text = f'Container image "{image}" is not present with pull policy of Never'
        say(world, pod, name, "Warning", "ErrImageNeverPull", text)
        return _fail(world, uid, pod, name, "ErrImageNeverPull", text, "ErrImageNeverPull")
    if backoff.remaining_since_update(world, uid, f"image {image}"):
        text = f'Back-off pulling image "{image}"'
        say(world, pod, name, "Normal", "BackOff", text)
        error = images.find_failure(world, image)
        return _fail(world, uid, pod, name, "ImagePullBackOff", f"{text}: ErrImagePull: {error}", "ImagePullBackOff")
    say(world, pod, name, "Normal", "Pulling", f'Pulling image "{image}"')
    took, waited, _ = images.pull(world, node, image, uid)
    records.change_container(world, uid, name, pull=[took, waited])
    return took, "pulled"


def pull_policy(spec: Mapping[str, Any]) -> str:
    """The container's pull policy; the server has written its default already."""
    default = "Always" if images.canonical(spec["image"]).endswith(":latest") else "IfNotPresent"
    return str(spec.get("imagePullPolicy") or default)


def finish_pull(world: World, uid: str, pod: Obj, name: str) -> bool:
    """A pull has ended. True when the image is here."""
    spec = find_container_spec(pod, name)
    image, error = spec["image"], images.find_failure(world, spec["image"])
    if error:
        say(world, pod, name, "Warning", "Failed", f'Failed to pull image "{image}": {error}')
        backoff.advance(world, uid, f"image {image}", world.now)
        _fail(world, uid, pod, name, "ErrImagePull", error, "ErrImagePull")
        return False
    images.note_pulled(world, pod["spec"]["nodeName"], image)
    record = records.find(world, uid)
    took, waited = records.find_container(record, name)["pull"] if record else (0, 0)
    found = find_image(world, image)
    text = (
        f'Successfully pulled image "{image}" in {backoff.go_duration(took - waited)} '
        f"({backoff.go_duration(took)} including waiting). Image size: {found.size if found else 0} bytes."
    )
    say(world, pod, name, "Normal", "Pulled", text)
    return True


def create(world: World, uid: str, pod: Obj, name: str) -> ContainerRecord:
    """Make the container and start its process; what became of it."""
    record = records.find(world, uid)
    assert record is not None
    spec, known = find_container_spec(pod, name), records.find_container(record, name)
    problem = volumes.find_unset(world, pod, spec) or _as_root(pod, spec)
    if problem:
        _fail(world, uid, pod, name, "CreateContainerConfigError", problem, problem)
        return records.find_container(record, name)
    attempt = known["restarts"] + 1 if known["state"] else 0
    outcome = runtime.start(world, assoc(pod, ("status", "podIP"), record["ip"]), spec, attempt)
    if not isinstance(outcome, str) and outcome.reason == "CreateContainerError":
        _fail(world, uid, pod, name, outcome.reason, outcome.message, outcome.message)
        return records.find_container(record, name)
    say(world, pod, name, "Normal", "Created", f"Created container: {name}")
    fresh = {
        "image": spec["image"],
        "restarts": attempt,
        "last": status.make_terminated_state(known) if known["state"] == "exited" else known["last"],
        "last_ended": known["ended"],
        "doom": "",
        "hook": 0,
        "probes": {},
        "message": "",
        "ended": 0,
    }
    if isinstance(outcome, str):
        say(world, pod, name, "Normal", "Started", f"Started container {name}")
        id_ = world.table("processes")[f"{uid}/{name}"]["id"]
        fresh |= {"state": "running", "id": id_, "started": world.now, "why": None, "code": 0, "reason": ""}
        fresh |= {"up": "startupProbe" not in spec, "ready": "readinessProbe" not in spec}
        world.touch()
        return records.change_container(world, uid, name, **fresh)
    id_ = draws.hexes(64, world.seed, "container", f"{uid}/{name}/{attempt}", world.now)
    fresh |= {"state": "exited", "id": id_, "started": 0, "ended": world.now, "code": outcome.code}
    fresh |= {"reason": outcome.reason, "message": outcome.message, "ready": False, "up": False}
    records.change_container(world, uid, name, **fresh)
    _fail(world, uid, pod, name, "RunContainerError", outcome.message, outcome.message)
    return records.find_container(records.find(world, uid) or record, name)


def _as_root(pod: Obj, spec: Mapping[str, Any]) -> str:
    """Why a container that must not run as root would, "" if it does not; images name no user of their own."""
    of_pod, own = pod["spec"].get("securityContext") or {}, spec.get("securityContext") or {}
    merged = {**of_pod, **{k: v for k, v in own.items() if v is not None}}
    if not merged.get("runAsNonRoot") or merged.get("runAsUser"):
        return ""
    what = "container's runAsUser breaks non-root policy"
    if merged.get("runAsUser") is None:
        what = "container has runAsNonRoot and image will run as root"
    return f'{what} (pod: "{name_of(pod)}_{namespace_of(pod)}({uid_of(pod)})", container: {spec["name"]})'


def _held_back(world: World, uid: str, pod: Obj, name: str) -> bool:
    """Whether the container must wait after its last exit; the first restart comes at once."""
    record = records.find(world, uid)
    assert record is not None
    known = records.find_container(record, name)
    ended = _last_end(known)
    records.change_container(world, uid, name, killed=False)
    if ended is None:
        return False
    key = f"container {name} {find_container_spec(pod, name)['image']}"
    delay = backoff.remaining_delay(world, uid, key, ended)
    if not delay:
        backoff.advance(world, uid, key, ended)
        return False
    full = f"{name_of(pod)}_{namespace_of(pod)}({uid})"
    text = f"Back-off restarting failed container {name} in pod {full}"
    say(world, pod, name, "Warning", "BackOff", text)
    text = f"back-off {backoff.go_duration(delay)} restarting failed container={name} pod={full}"
    records.change(world, uid, failed=True)
    records.change_container(world, uid, name, why=["CrashLoopBackOff", text])
    return True


def _last_end(known: ContainerRecord) -> int | None:
    """When the newest dead instance ended, as the worker saw it when the sync began.

    One that this very sync has killed is not among the dead yet: so a container killed by its probe starts again at
    once, and back-off counts from the instance before.
    """
    ended = known["last_ended"] if known["killed"] else known["ended"]
    return int(ended) if known["state"] == "exited" and ended else None


def _fail(world: World, uid: str, pod: Obj, name: str, reason: str, message: str, event: str) -> tuple[int, str]:
    """Note why a container does not start; the event says `Error: ...`."""
    say(world, pod, name, "Warning", "Failed", f"Error: {event}")
    records.change(world, uid, failed=True)
    records.change_container(world, uid, name, why=[reason, message])
    return 0, ""

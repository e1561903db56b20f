"""What the app's deployments run and keep, in one form for every spelling of it, so that two worlds can be compared."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence, Set

from aiops_gym.backends import untouched
from aiops_gym.backends.settings import read_settings
from aiops_gym.catalog.model import App
from aiops_gym.catalog.system import Workload
from aiops_gym.sim.kernel.objects import Obj, controller_of, get, key_of, name_of, namespace_of, uid_of
from aiops_gym.sim.kernel.world import World
from aiops_gym.sim.machine import images, runtime
from aiops_gym.sim.machine.container import Container
from aiops_gym.sim.machine.scripts import trial
from aiops_gym.sim.software.mongo.data import Data
from aiops_gym.types import Json

OWN_FILES = "/var/run/secrets/kubernetes.io/serviceaccount"
DEFAULTS = {"defaultMode", "type", "readOnly"}
CONTENTS = {"configMap": ("configmaps", "name"), "secret": ("secrets", "secretName")}
AMID = re.compile(r"(?<![&>])&(?![&>])|\b(kill|timeout)\b")
"""In a script: something runs beside it, or is ended by it."""

HOST = ("hostNetwork", "hostPID", "hostIPC")

KEPT = ("admin", "config", "local")
"""Databases in which a server keeps its own books."""

FLEETING = ("/tmp", "/var/tmp", "/run", "/var/run", "/var/cache", "/dev/shm")
"""Places of which nobody expects that they last: one may be a folder of the pod's own."""


def describe_workload(world: World, app: App, name: str) -> Workload | None:
    """What a deployment's pods run and where they keep their data; None if there is no such deployment."""
    written = _read_template(world, app, name)
    return Workload(*written, _effects(world, app, name)) if written is not None else None


def is_same_workload(before: World, world: World, app: App, name: str, *, settled: bool = False) -> bool:
    """Whether a deployment's pods run the same as before, and keep their data in the same place.

    What came of it is only looked at where something else was written: that is most of the work.

    Args:
        before: the world just before the incident.
        world: the world now.
        app: the application.
        name: of the deployment.
        settled: whether it is known that `untouched.has_same_settings`, which spares to read most of them.
    """
    if settled and untouched.is_untouched(before, world, app, name):
        return True
    now, was = _read_template(world, app, name), _read_template(before, app, name)
    if now is None or was is None or now == was:
        return now == was
    return Workload(*now, _effects(world, app, name)).is_same(Workload(*was, _effects(before, app, name)))


def _read_template(world: World, app: App, name: str) -> tuple[Json, Json] | None:
    """What a deployment's template keeps and tells, see `Workload`."""
    deployment = world.store.get("deployments.apps", app.namespace, name)
    if deployment is None:
        return None
    template = deployment["spec"]["template"]
    spec, pod = template["spec"], trial.make_pod(app.namespace, template)
    volumes = {v["name"]: _unfold(v) for v in spec.get("volumes") or ()}
    kept: dict[str, Json] = {"host": [key for key in HOST if spec.get(key)]}
    told: dict[str, Json] = {}
    for kind, container in untouched.list_lasting_containers(spec):
        kept.setdefault(kind, []).append(_container(world, app, container, volumes, name))
        mounts = _mounts(world, app, container, volumes, name, CONTENTS.keys())
        told.setdefault(kind, []).append([_argv(world, pod, container), mounts])
    return kept, told


def _effects(world: World, app: App, name: str) -> Json:
    """What each of a deployment's programs has made of all that it was told, by container.

    The Service behind a full name, a short one and its address is the same.
    """
    pods, found = {uid_of(pod) for pod in find_owned_pods(world, app, name)}, set()
    named = {get(each, "spec", "clusterIP"): name_of(each) for each in world.store.all("services", app.namespace)}
    for row in world.table("processes").values():
        if row["uid"] in pods and row["running"]:
            state = {key: row["state"][key] for key in ("auth", "path", "configured", "set") if key in row["state"]}
            text = json.dumps([row["container"], row["program"], row["params"], row["ports"], state], sort_keys=True)
            text = re.sub(rf"[.]{re.escape(app.namespace)}([.]svc([.]cluster[.]local[.]?)?)?(?![\w-])", "", text)
            found.add(re.sub(r"\b[0-9]+([.][0-9]+){3}\b", lambda ip: named.get(ip[0], ip[0]), text))
    return sorted(found)


def _container(world: World, app: App, container: Mapping[str, Json], volumes: Mapping[str, Json], name: str) -> Json:
    kinds = {kind for volume in volumes.values() for kind in volume} - {"name", *CONTENTS}
    image = images.identify(world, container.get("image", ""))
    mounts, programs = _mounts(world, app, container, volumes, name, kinds), _named_programs(world, container)
    return [image, mounts, container.get("lifecycle") or {}, programs]


def _mounts(
    world: World,
    app: App,
    container: Mapping[str, Json],
    volumes: Mapping[str, Json],
    name: str,
    kinds: Set[str],
) -> Json:
    """What is seen where, of volumes of some kinds; those of settings are a way to tell a program something."""
    sources = {key: _source(world, app, name, volume) for key, volume in volumes.items() if kinds & volume.keys()}
    return {
        mount["mountPath"].rstrip("/"): [sources[mount["name"]], mount.get("subPath", "")]
        for mount in container.get("volumeMounts") or ()
        if mount["name"] in sources
        and mount["mountPath"] != OWN_FILES
        and not _built_in(world, app, container, mount, volumes)
        and not ("emptyDir" in volumes[mount["name"]] and mount["mountPath"].rstrip("/") in FLEETING)
    }


def _unfold(volume: Mapping[str, Json]) -> Mapping[str, Json]:
    """A projection of one ConfigMap or Secret alone is the same as a volume of it."""
    sources = get(volume, "projected", "sources", default=())
    if len(sources) != 1 or not CONTENTS.keys() & sources[0].keys():
        return volume
    ((kind, source),) = sources[0].items()
    named = {CONTENTS[kind][1] if key == "name" else key: value for key, value in source.items()}
    return {"name": volume["name"], kind: named}


def _built_in(
    world: World, app: App, container: Mapping[str, Json], mount: Mapping[str, Json], volumes: Mapping[str, Json]
) -> bool:
    """Whether a mounted file says what the one says that the image has in its place."""
    image = images.find_image(world, container.get("image", ""))
    name = get(volumes.get(mount["name"], {}), "configMap", "name", default="")
    found = world.store.get("configmaps", app.namespace, name) if name else None
    text = get(found or {}, "data", default={}).get(mount.get("subPath", ""))
    usual = image.files.get(mount["mountPath"]) if image is not None else None
    return text is not None and usual is not None and read_settings(usual) == read_settings(text)


def list_executed(world: World, app: App, name: str) -> list[list[Sequence[str]]]:
    """The words that a deployment's containers execute in the end, and what may run beside; empty if there is none."""
    deployment = world.store.get("deployments.apps", app.namespace, name)
    if deployment is None:
        return []
    template = deployment["spec"]["template"]
    pod = trial.make_pod(app.namespace, template)
    inside = [c for kind in ("initContainers", "containers") for c in template["spec"].get(kind) or ()]
    return [[_executed(world, pod, each)[0], _named_programs(world, each)] for each in inside]


def _argv(world: World, pod: Obj, container: Mapping[str, Json]) -> Sequence[str]:
    """What is executed in the end, without arguments that say what is compiled in anyway."""
    words, usual = _executed(world, pod, container)
    return [*words[:1], *(word for word in words[1:] if word not in usual)]


def _executed(world: World, pod: Obj, container: Mapping[str, Json]) -> tuple[Sequence[str], Set[str]]:
    """What is executed in the end, and which arguments say what is compiled in.

    `/go/bin/geo`, `geo`, `sh -c "exec geo"` and `env geo` are the same.
    """
    image = images.find_image(world, container.get("image", ""))
    env = untouched.read_plain_env(container)
    found: runtime.Command | trial.Final | runtime.StartError | None
    found = runtime.resolve(image, container, env) if image is not None else None
    if isinstance(found, runtime.Command) and found.binary.program == runtime.SHELL:
        found = trial.find_final(world, pod, container)
    if isinstance(found, runtime.StartError) or found is None:
        return [*(container.get("command") or ()), "|", *(container.get("args") or ())], frozenset()
    usual = {f"{flag}={value}" for flag, value in (found.binary.params.get("flags") or {}).items()}
    return [found.argv[0].rpartition("/")[2], *found.argv[1:]], usual


def _named_programs(world: World, container: Mapping[str, Json]) -> Sequence[str]:
    """The programs of the image that a script names, where it names several: one may run beside the other.

    A script that puts one into the background or ends it later is what it says, whatever runs at the moment.
    """
    image = images.find_image(world, container.get("image", ""))
    text = " ".join(map(str, (*(container.get("command") or ()), *(container.get("args") or ()))))
    if AMID.search(text):
        return [text]
    binaries = [name for name, each in (image.binaries if image else {}).items() if each.program != runtime.SHELL]
    found = [name for name in sorted(binaries) if re.search(rf"(^|[ ;&|(/]){re.escape(name)}\b", text)]
    return found if len(found) > 1 else []


def _source(world: World, app: App, name: str, volume: Mapping[str, Json]) -> Json:
    """Where a volume comes from, without its name and without what the server fills in."""
    return {
        kind: _same_content(world, app, name, kind, {k: v for k, v in (source or {}).items() if k not in DEFAULTS})
        for kind, source in volume.items()
        if kind != "name"
    }


def _same_content(world: World, app: App, name: str, kind: str, source: Mapping[str, Json]) -> Json:
    """A ConfigMap or Secret that the app does not bring, under the name of one that holds the same."""
    resource, key = CONTENTS.get(kind, ("", ""))
    if source.get(key, "") in {manifest["metadata"]["name"] for manifest in app.manifests}:
        return source
    named = world.store.get(resource, app.namespace, source.get(key, "")) if resource else None
    if named is None:
        return source
    same = [o["metadata"]["name"] for o in world.store.all(resource, app.namespace) if _data(o) == _data(named)]
    return {**source, key: min(same, key=lambda each: (each not in _given(app, name, kind, key), each))}


def _data(obj: Obj) -> Json:
    return {key: read_settings(str(text)) for key, text in (obj.get("data") or {}).items()}


def _given(app: App, name: str, kind: str, key: str) -> set[str]:
    """What a deployment mounts of a kind as the app brings it."""
    found = (m for m in app.manifests if m["kind"] == "Deployment" and m["metadata"]["name"] == name)
    return {v[kind][key] for m in found for v in m["spec"]["template"]["spec"].get("volumes") or () if kind in v}


def find_owned_pods(world: World, app: App, name: str) -> list[Obj]:
    """Pods that belong to a deployment, by ownership and not by label; those being deleted are left out."""
    deployment = world.store.get("deployments.apps", app.namespace, name)
    if deployment is None:
        return []
    sets = [uid_of(rs) for rs in world.store.owned("replicasets.apps", uid_of(deployment))]
    pods = [pod for uid in sets for pod in list_controlled(world, "pods", app.namespace, uid)]
    return sorted((pod for pod in pods if "deletionTimestamp" not in pod["metadata"]), key=key_of)


def list_controlled(world: World, resource: str, namespace: str, uid: str) -> list[Obj]:
    """Objects of a namespace of which one object is the controller."""
    owned = world.store.owned(resource, uid)
    return [each for each in owned if namespace_of(each) == namespace and (controller_of(each) or {}).get("uid") == uid]


def read_databases(world: World, app: App) -> dict[str, Json]:
    """What each database server of the app serves now: collections by database and name, and users."""
    found = {}
    for name in app.components:
        if app.parameters.get(name, {}).get("database"):
            found[name] = [_contents(world, pod) for pod in find_owned_pods(world, app, name)]
    return found


def _contents(world: World, pod: Obj) -> Json:
    key = f"{uid_of(pod)}/{pod['spec']['containers'][0]['name']}"
    if key not in world.table("processes"):
        return {"collections": {}, "users": {}, "roles": [], "databases": []}
    data = Data(Container(world, key).disk("/data/db"))
    databases = data.databases()
    collections = {
        (database, name): {
            "documents": data.documents(database, name),
            "indexes": data.indexes(database, name),
        }
        for database in databases
        if database not in KEPT
        for name in data.collections(database)
    }
    users = {f"{user['db']}.{user['user']}": user for user in data.users()}
    return {"collections": collections, "users": users, "roles": data.roles(), "databases": databases}

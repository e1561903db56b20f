"""What a fault's `{names}` stand for where they can differ from an app's manifests: read of its objects as they are.

People change what they run: another tag, a port with a name, a probe. A fault befalls what is there, and its repair
puts back what was there: for each field that faults write there is `undo_FIELD`, the operation of a JSON patch that
restores it, and `jq_FIELD`, the same for jq. Names of objects that a fault makes or misses come from the pools of
`NEW`, from which people who decide something innocent take theirs, too.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from math import ceil

from aiops_gym.catalog.cluster import WORKER
from aiops_gym.catalog.model import App, Manifest
from aiops_gym.catalog.splits import hash_to_fraction
from aiops_gym.types import Json

POD = "/spec/template/spec"
FIELDS: Mapping[str, str] = {
    "strategy": "/spec/strategy",
    **{
        field: f"{POD}/{field}"
        for field in ("nodeSelector", "initContainers", "hostAliases", "dnsPolicy", "serviceAccountName", "volumes")
    },
    **{
        field: f"{POD}/containers/0/{field}"
        for field in ("command", "args", "envFrom", "resources", "livenessProbe", "readinessProbe", "volumeMounts")
    },
}
"""Where the fields of a deployment lie that faults write."""

VOLUMES = (
    ("configMap", "name", "configmap"),
    ("secret", "secretName", "secret"),
    ("persistentVolumeClaim", "claimName", "claim"),
)
NEW: Mapping[str, tuple[str, str, tuple[str, ...]]] = {
    "policy": ("NetworkPolicy", "{target}-", ("access", "traffic", "clients", "network", "rules", "peers", "reach")),
    "quota": ("ResourceQuota", "", ("team-budget", "namespace-limits", "compute", "object-counts", "share")),
    "range": ("LimitRange", "", ("container-sizes", "defaults", "mem-cpu", "bounds", "sizes")),
    "account_name": ("ServiceAccount", "{target}-", ("runner", "account", "identity", "user", "sa")),
    "secret_name": ("Secret", "{target}-", ("credentials", "token", "env", "keys", "login")),
    "map_name": ("ConfigMap", "{target}-", ("settings", "extra", "env", "tuning", "files")),
}
"""How new objects are called: kind, what comes before the word, and the words."""

FLAGS_SERVER = "flagd"
"""The component that tells others which features are on."""

TEXTS = ("moved", "misled", "starved", "guarded")
"""Parameters that are a whole file with a mistake in it."""


def read_names(app: App, target: str, objects: Sequence[Manifest]) -> dict[str, str]:
    """The names of a component that follow from objects of the app as they are.

    Args:
        app: the app.
        target: the component.
        objects: deployments, Services, ConfigMaps of the app and nodes; what is missing is as in the manifests.
    """
    found = _read_deployment(find_deployment(app, target, objects))
    service = _find(objects, "Service", target) or _manifest(app, "Service", target)
    if service:
        found |= _read_service(service)
    taints = (_find(objects, "Node", WORKER).get("spec") or {}).get("taints")
    found |= _undo("taints", "/spec/taints", taints)
    return found | _read_settings(app, target, objects)


def find_deployment(app: App, target: str, objects: Sequence[Manifest]) -> Manifest:
    """A component's deployment as it is, or as the manifests have it."""
    return _find(objects, "Deployment", target) or _manifest(app, "Deployment", target)


USERS = "users"
"""Name of the object that says what users ask, of kind `Load`: `rate` is requests per second."""

LEAST = 20
"""Thousandths of a processor below which even a single request takes long."""

TIGHT = 8.0
"""Times as much of a processor as its requests take that is ample for a component, until they come several times."""


def size_limits(work: float, pods: int, usual: float, objects: Sequence[Manifest]) -> dict[str, str]:
    """A limit of a processor that is ample until requests come several times over.

    Args:
        work: ms of a processor that the component needs for each request of users.
        pods: that share it.
        usual: requests per second, where `objects` do not say how many there are.
        objects: see `read_names`.

    >>> size_limits(0.36, 1, 10.0, ())
    {'tight': '29m'}
    """
    rate = float(_find(objects, "Load", USERS).get("rate", usual))
    return {"tight": f"{max(LEAST, ceil(TIGHT * work * rate / max(1, pods)))}m"}


def name_new(target: str, objects: Sequence[Manifest], seed: int | None) -> dict[str, str]:
    """Names for objects that are not there yet: drawn by a seed, the first ones without one.

    >>> name_new("geo", (), None)["quota"]
    'team-budget'
    """
    taken = {(each["kind"], each["metadata"]["name"]) for each in objects}
    found = {}
    for word, (kind, head, words) in NEW.items():
        start = 0 if seed is None else int(hash_to_fraction("new", seed, word) * len(words))
        order = [*words[start:], *words[:start]]
        order += [f"{each}-{number}" for number in range(2, 6) for each in order]
        full = head.replace("{target}", target)
        found[word] = next((each for each in order if (kind, f"{full}{each}") not in taken), order[0])
    return found


def read_flags(app: App, objects: Sequence[Manifest]) -> dict[str, str]:
    """The ConfigMap that the server of feature flags reads; nothing where an app has none.

    It is in the volume of the app's own manifest: people mount further ones beside it.
    """
    own = _mounted_maps(_manifest(app, "Deployment", FLAGS_SERVER))
    now = _mounted_maps(_find(objects, "Deployment", FLAGS_SERVER))
    volume = next(iter(own), "")
    return {"flags_map": now.get(volume, own[volume])} if volume else {}


def _mounted_maps(deployment: Manifest | None) -> dict[str, str]:
    """The ConfigMaps that a deployment's pods may mount, by the name of the volume."""
    volumes = deployment["spec"]["template"]["spec"].get("volumes") or () if deployment else ()
    return {each["name"]: each["configMap"]["name"] for each in volumes if "configMap" in each}


def _read_deployment(deployment: Manifest) -> dict[str, str]:
    spec = deployment["spec"]["template"]["spec"]
    container = spec["containers"][0]
    image = container["image"]
    repository, colon, tag = image.rpartition(":")
    found = {
        "image": image,
        "repository": repository if colon and "/" not in tag else image,
        "command": json.dumps(container.get("command")),
        "replicas": str(deployment["spec"].get("replicas", 1)),
        "more_replicas": str(deployment["spec"].get("replicas", 1) + 1),
        "account": spec.get("serviceAccountName") or "default",
    }
    for index, volume in enumerate(spec.get("volumes") or ()):
        for kind, key, word in VOLUMES:
            if key in volume.get(kind, {}) and word not in found:
                found |= {word: volume[kind][key], f"{word}_index": str(index)}
    for field, path in FIELDS.items():
        found |= _undo(field, path, _at(deployment, path))
    return found


def _undo(field: str, path: str, value: Json) -> dict[str, str]:
    """How a field is put back; what was empty goes, and so a fault may have written it anew."""
    op = {"op": "replace", "path": path, "value": value} if value else {"op": "remove", "path": path}
    jq = "." + re.sub(r"/(\d+)", r"[\1]", path)[1:].replace("/", ".")
    edit = f"{jq} = {json.dumps(value)}" if value else f"del({jq})"
    return {f"undo_{field}": json.dumps(op), f"jq_{field}": edit}


def _at(value: Json, path: str) -> Json:
    for step in path.split("/")[1:]:
        value = value[int(step)] if isinstance(value, list | tuple) else value.get(step)
        if value is None:
            return None
    return value


def _read_service(service: Manifest) -> dict[str, str]:
    """The first port as JSON, which may be a name, and what is selected."""
    port, selector = service["spec"]["ports"][0], dict(service["spec"].get("selector") or {})
    target = json.dumps(port.get("targetPort", port["port"]))
    found = {"service_port": str(port["port"]), "target_port": target, "port": target}
    if selector:
        key, value = next(iter(selector.items()))
        step = key.replace("~", "~0").replace("/", "~1")
        found |= {"selector_key": key, "selector_step": step, "selector_value": value}
    return {
        **found,
        "selector_pairs": ",".join(f"{key}={value}" for key, value in selector.items()),
        "was_selector": json.dumps(selector),
        "stray_labels": json.dumps({**selector, "run": "toolbox"}),
    }


def _read_settings(app: App, target: str, objects: Sequence[Manifest]) -> dict[str, str]:
    """The app's texts with a mistake, with what people have written since in them, too."""
    parameters = app.parameters.get(target, {})
    file = parameters.get("file", "")
    usual, now = (
        (_find(where, "ConfigMap", target).get("data") or {}).get(file, "") for where in (app.manifests, objects)
    )
    if usual == now or not now:
        return {}
    return {key: _merge(usual, parameters[key], now) for key in TEXTS if key in parameters}


def _merge(base: str, mistaken: str, now: str) -> str:
    """The lines of a text with two sets of changes, which do not meet."""
    lines = [text.splitlines(keepends=True) for text in (base, mistaken, now)]
    changes = sorted([*_changes(lines[0], lines[1]), *_changes(lines[0], lines[2])])
    found, at = [], 0
    for start, end, new in changes:
        found += [*lines[0][at:start], *new]
        at = max(at, end)
    return "".join([*found, *lines[0][at:]])


def _changes(base: Sequence[str], other: Sequence[str]) -> Iterator[tuple[int, int, list[str]]]:
    for tag, start, end, low, high in SequenceMatcher(None, base, other, autojunk=False).get_opcodes():
        if tag != "equal":
            yield start, end, list(other[low:high])


def _find(objects: Sequence[Manifest], kind: str, name: str) -> Manifest:
    return next((each for each in objects if each["kind"] == kind and each["metadata"]["name"] == name), {})


def _manifest(app: App, kind: str, name: str) -> Manifest:
    return _find(app.manifests, kind, name)

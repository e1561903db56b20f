"""What changed in a cluster, when and by whom, as far as the cluster itself remembers.

It remembers revisions (ReplicaSets, Helm's Secrets), who wrote which fields of an object last (`managedFields`), when
an object was made, and for an hour its events. What was deleted, and what was written over, it has forgotten.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from json import dumps
from typing import Any, NamedTuple

from aiops_gym.helm import storage
from aiops_gym.sim.kernel.objects import controller_of, get
from aiops_gym.sim.kernel.times import SECOND, iso, millis
from aiops_gym.types import Cluster, Json, Request

Object = Mapping[str, Any]

WRITTEN = (
    *("deployments.apps", "statefulsets.apps", "daemonsets.apps", "services", "configmaps", "secrets"),
    *("serviceaccounts", "persistentvolumeclaims", "resourcequotas", "limitranges", "cronjobs.batch", "jobs.batch"),
    *("networkpolicies.networking.k8s.io", "ingresses.networking.k8s.io", "poddisruptionbudgets.policy"),
    *("horizontalpodautoscalers.autoscaling", "roles.rbac.authorization.k8s.io"),
    "rolebindings.rbac.authorization.k8s.io",
)
"""Resources of a namespace that people and their programs write."""

WIDE = (
    *("namespaces", "nodes", "persistentvolumes", "priorityclasses.scheduling.k8s.io"),
    *("clusterroles.rbac.authorization.k8s.io", "clusterrolebindings.rbac.authorization.k8s.io"),
    "mutatingwebhookconfigurations.admissionregistration.k8s.io",
    "validatingwebhookconfigurations.admissionregistration.k8s.io",
)
"""Those that lie in none."""

CONTROLLERS = ("kube-controller-manager", "kube-scheduler", "kubelet", "kube-apiserver")
"""Managers that follow from what others wrote."""

CAUSE = "kubernetes.io/change-cause"
REVISION = "deployment.kubernetes.io/revision"
TOLD = ("ScalingReplicaSet", "SuccessfulRescale", "SuccessfulCreate")
"""Reasons of events that tell of a change; the last one only of a CronJob."""

SECRET_OF_HELM = "helm.sh/release.v1"
ROOT = "kube-root-ca.crt"
"""A ConfigMap that is in each namespace, by itself."""

SHOWN = 4
"""Fields that are named; of more it is said how many."""

NOBODY = "-"


class Change(NamedTuple):
    """One change.

    Attributes:
        at: when (ms).
        who: the program that wrote, as it calls itself.
        where: namespace, "-" where it lies in none.
        what: kind and name.
        how: what was done, with the reason that somebody gave.
    """

    at: int
    who: str
    where: str
    what: str
    how: str

    @property
    def row(self) -> list[str]:
        """Its cells."""
        return [iso(self.at), self.who, self.where, self.what, self.how]


def list_changes(cluster: Cluster, namespace: str, since: float) -> list[Change]:
    """All that is remembered of what changed after a moment (Unix seconds), the newest first.

    Args:
        cluster: whose API is asked; what it refuses is left out.
        namespace: "" for all of them and what lies in none.
        since: the moment.
    """
    found: list[Change] = []
    for resource in (*WRITTEN, *(() if namespace else WIDE)):
        for obj in _list(cluster, resource, namespace):
            found += _read_object(obj)
    found += _read_revisions(_list(cluster, "replicasets.apps", namespace))
    found += [each for event in _list(cluster, "events", namespace) for each in _read_event(event)]
    return sorted({each for each in found if each.at >= since * SECOND}, key=lambda each: (-each.at, each))


def _list(cluster: Cluster, resource: str, namespace: str) -> Sequence[Object]:
    answer = cluster.handle(Request("list", resource, namespace))
    items: Sequence[Object] = answer.body.get("items") or () if answer.code == 200 else ()
    kind = str(answer.body.get("kind", "")).removesuffix("List") if items else ""
    return [each if "kind" in each else {**each, "kind": kind} for each in items]  # a real server leaves it out


def _name(obj: Object) -> str:
    return f"{obj['kind'].lower()}/{obj['metadata']['name']}"


def _where(obj: Object) -> str:
    return str(obj["metadata"].get("namespace") or NOBODY)


def _read_object(obj: Object) -> Iterator[Change]:
    """That it was made, and the last write of each who wrote it; of a release what Helm noted."""
    meta = obj["metadata"]
    if obj.get("type") == SECRET_OF_HELM:
        yield from _read_release(obj)
        return
    if controller_of(obj) is not None or meta["name"] == ROOT:
        return
    made = millis(meta["creationTimestamp"])
    rows = [row for row in meta.get("managedFields") or () if _is_told(row)]
    first = next((row["manager"] for row in rows if millis(row["time"]) == made), NOBODY)
    yield Change(made, first, _where(obj), _name(obj), "created")
    for row in rows:
        if millis(row["time"]) > made:
            how = f"wrote {_name_fields(row)}{_tell_cause(obj, row)}"
            yield Change(millis(row["time"]), row["manager"], _where(obj), _name(obj), how)


def _is_told(row: Object) -> bool:
    return bool(row.get("time")) and row.get("manager") not in CONTROLLERS and row.get("subresource") != "status"


def _tell_cause(obj: Object, row: Object) -> str:
    """The reason that was noted by this very write."""
    noted = get(row, "fieldsV1", "f:metadata", "f:annotations", default={})
    cause = get(obj, "metadata", "annotations", CAUSE, default="")
    return f" ({cause})" if cause and f"f:{CAUSE}" in noted else ""


def _name_fields(row: Object) -> str:
    """The fields of a manager, those that say least left out."""
    paths = [path for path in _walk(row.get("fieldsV1") or {}, "") if not path.endswith((CAUSE, ".annotations"))]
    return _shorten(paths) or "annotations"


def _walk(fields: Mapping[str, Json], above: str) -> Iterator[str]:
    for step, inner in fields.items():
        if step == ".":
            continue
        path = f"{above}.{step[2:]}" if step[:2] == "f:" else f"{above}[{_short_key(step[2:])}]"
        if inner and set(inner) != {"."}:
            yield from _walk(inner, path)
        else:
            yield path


def _short_key(text: str) -> str:
    return text.strip("{}").replace('"', "").replace("name:", "")


def _shorten(paths: Sequence[str]) -> str:
    rest = f" and {len(paths) - SHOWN} more" if len(paths) > SHOWN else ""
    return f"{' '.join(paths[:SHOWN])}{rest}"


def _read_release(secret: Object) -> Iterator[Change]:
    release = storage.unpack_release(secret)
    if release is None:
        return
    info, chart = release["info"], get(release, "chart", "metadata", default={})
    how = f"revision {release['version']}, {chart.get('name')}-{chart.get('version')}: {info.get('description', '')}"
    at = millis(secret["metadata"]["creationTimestamp"])
    yield Change(at, "helm", _where(secret), f"release/{release['name']}", f"{how} ({info['status']})")


def _read_revisions(sets: Sequence[Object]) -> Iterator[Change]:
    """Each revision of each deployment, and in what it differs from the one before."""
    owned: dict[str, list[tuple[int, Object]]] = {}
    for each in sets:
        owner, told = controller_of(each), str(get(each, "metadata", "annotations", REVISION, default=""))
        if owner is not None and told.isdecimal():
            owned.setdefault(owner["uid"], []).append((int(told), each))
    for several in owned.values():
        last: Object | None = None
        for number, each in sorted(several, key=lambda pair: pair[0]):
            changed = _differ(last["spec"]["template"], each["spec"]["template"]) if last else []
            yield _tell_revision(number, each, changed)
            last = each


def _tell_revision(number: int, owned: Object, changed: Sequence[str]) -> Change:
    cause = get(owned, "metadata", "annotations", CAUSE, default="")
    how = f"revision {number}{': ' if changed else ''}{_shorten(changed)}{f' ({cause})' if cause else ''}"
    what = f"deployment/{(controller_of(owned) or {}).get('name')}"
    return Change(millis(owned["metadata"]["creationTimestamp"]), NOBODY, _where(owned), what, how)


SILENT = ("pod-template-hash",)
"""Labels that follow from all else."""


def _differ(old: Json, new: Json, path: str = "") -> list[str]:
    """Where two templates differ, `image: a -> b` where a value is short."""
    if isinstance(old, Mapping) and isinstance(new, Mapping):
        keys = [key for key in dict.fromkeys((*old, *new)) if key not in SILENT]
        return [each for key in keys for each in _differ(old.get(key), new.get(key), f"{path}.{key}" if path else key)]
    if isinstance(old, Sequence) and isinstance(new, Sequence) and not isinstance(old, str) and len(old) == len(new):
        rows = enumerate(zip(old, new, strict=True))
        return [each for at, (one, other) in rows for each in _differ(one, other, f"{path}[{_item(other, at)}]")]
    if old == new:
        return []
    return [f"{path}{_tell(old, new)}"]


LONGEST = 48
"""Characters of a value that is shown."""


def _tell(old: Json, new: Json) -> str:
    """`: a -> b`, what both begin with left out of long values; "" where they are too long for that."""
    one, other = ("none" if each is None else each if isinstance(each, str) else dumps(each) for each in (old, new))
    if max(len(one), len(other)) > LONGEST:
        until = next((at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), 0)
        same = max(one.rfind(mark, 0, until) for mark in ":/=, ")
        one, other = (f"...{each[same:]}" if same > 0 else each for each in (one, other))
    return f": {one} -> {other}" if max(len(one), len(other)) <= LONGEST else ""


def _item(value: Json, at: int) -> str:
    return str(value["name"]) if isinstance(value, Mapping) and "name" in value else str(at)


def _read_event(event: Object) -> Iterator[Change]:
    """What a controller says that it did."""
    about = event.get("involvedObject") or {}
    reason = event.get("reason")
    if reason not in TOLD or (reason == "SuccessfulCreate" and about.get("kind") != "CronJob"):
        return
    at = event.get("lastTimestamp") or event.get("eventTime") or event["metadata"]["creationTimestamp"]
    who = get(event, "source", "component", default="") or event.get("reportingComponent") or NOBODY
    times = f" (x{event['count']})" if (event.get("count") or 1) > 1 else ""
    what = f"{str(about.get('kind', '')).lower()}/{about.get('name')}"
    yield Change(millis(at), who, _where(event), what, f"{event.get('message', '')}{times}")

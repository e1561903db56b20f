"""What people do to a platform and an application from day to day, and it does no harm.

Each edit is local: it changes one value of an object as it is and keeps what others have done to it, so that it may
come before a fault of the same object or after it, and two of them in any order. In an object that looks otherwise
than it should (a schedule of every minute) it finds nothing to change.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from aiops_gym.catalog.model import App, Manifest
from aiops_gym.catalog.patches import PORT, SCRAPED, Ops
from aiops_gym.catalog.platform import CENTERS, CONTACTS, DEFAULTS, IMAGES_RULE, OTHERS, SPACE, Taste
from aiops_gym.types import Json

Edit = Callable[[Manifest, Taste], Ops]

AUTHORS = ("amara", "bo", "chen", "dilara", "emeka", "farah", "goran", "hana")
"""Who does it; in half of the cases they note it."""

REASONS = ("as agreed", "quarterly review", "cost report", "follow-up of the audit", "tidy up", "capacity plan")

CAUSE = "kubernetes.io/change-cause"


def _replace(path: str, value: Json) -> Ops:
    return ({"op": "replace", "path": path, "value": value},)


def _other(taste: Taste, word: str, choices: Sequence[Any], now: Any) -> Any:
    """One of some choices that is not the one of now."""
    return taste.pick(word, [each for each in choices if each != now])


def _corefile(obj: Manifest, taste: Taste) -> Ops:
    """For how long answers are kept."""
    text = str(obj["data"].get("Corefile", ""))
    found = re.search(r"^( +cache )(\d+)$", text, re.MULTILINE)
    if found is None:
        return ()
    seconds = _other(taste, "cache", (10, 20, 30, 60, 120), int(found[2]))
    return _replace("/data/Corefile", f"{text[: found.start()]}{found[1]}{seconds}{text[found.end() :]}")


def _rules(obj: Manifest, change: Callable[[Json], None]) -> Ops:
    try:
        rules = json.loads(obj["data"]["rules.json"])
        change(rules)
    except (KeyError, TypeError, ValueError, AttributeError):
        return ()
    return _replace("/data/rules.json", json.dumps(rules, indent=2) + "\n")


def _center(obj: Manifest, taste: Taste) -> Ops:
    """What new pods are charged to."""

    def change(rules: Json) -> None:
        notes = rules["merge"]["metadata"]["annotations"]
        notes["cost-center"] = _other(taste, "center", CENTERS, notes["cost-center"])

    return _rules(obj, change)


def _registry(obj: Manifest, taste: Taste) -> Ops:
    """A registry from which nothing here comes is let in, or no longer."""
    one = taste.pick("registry", OTHERS)

    def change(rules: Json) -> None:
        known = rules["registries"]
        rules["registries"] = [each for each in known if each != one] if one in known else [*known, one]

    return _rules(obj, change)


def _info(obj: Manifest, taste: Taste) -> Ops:
    """A remark of who looked it through last: what is applied from it, again and again, stays the same."""
    text = str(obj["data"].get("platform-info.yaml", ""))
    if not text:
        return ()
    found = re.match(r"# reviewed: (\S+)\n", text)
    reader = _other(taste, "reviewed", CONTACTS, found[1] if found else "")
    return _replace("/data/platform-info.yaml", f"# reviewed: {reader}\n{text[found.end() :] if found else text}")


def _minute(obj: Manifest, taste: Taste) -> Ops:
    """The minute at which a job begins."""
    minute, _, rest = str(obj["spec"]["schedule"]).partition(" ")
    if not minute.isdecimal():
        return ()
    return _replace("/spec/schedule", f"{_other(taste, 'minute', range(60), int(minute))} {rest}")


def _port_name(obj: Manifest, taste: Taste) -> Ops:
    """What a port is called."""
    ports: Sequence[Json] = obj["spec"].get("ports") or ()
    if len(ports) != 1:
        return ()
    return _replace(
        "/spec/ports/0/name", _other(taste, "port name", ("https", "webhook", "admission"), ports[0]["name"])
    )


def _audit(obj: Manifest, taste: Taste) -> Ops:
    """What of new pods is written into the log of audits."""
    key = "pod-security.kubernetes.io/audit"
    now = (obj["metadata"].get("labels") or {}).get(key)
    level = _other(taste, "audit", ("privileged", "baseline", "restricted"), now)
    return ({"op": "add", "path": f"/metadata/labels/{key.replace('/', '~1')}", "value": level},)


def _patience(obj: Manifest, taste: Taste) -> Ops:
    """How long the server is waited for."""
    hooks: Sequence[Json] = obj.get("webhooks") or ()
    if len(hooks) != 1:
        return ()
    seconds = _other(taste, "patience", (5, 8, 10), hooks[0].get("timeoutSeconds"))
    return ({"op": "add", "path": "/webhooks/0/timeoutSeconds", "value": seconds},)


def _order(obj: Manifest, taste: Taste) -> Ops:
    """The same verbs in another order."""
    rules: Sequence[Json] = obj.get("rules") or ()
    if not rules or len(rules[0].get("verbs") or ()) < 2:
        return ()
    first, *rest = rules[0]["verbs"]
    return _replace("/rules/0/verbs", [*rest, first])


def _description(obj: Manifest, taste: Taste) -> Ops:
    """What it is for, in other words."""
    words = ("work that can wait", "jobs that nobody waits for", "repairs by hand", "for emergencies")
    return ({"op": "add", "path": "/description", "value": _other(taste, "words", words, obj.get("description"))},)


WEBHOOKS = "{}webhookconfigurations.admissionregistration.k8s.io"
ROLES = "roles.rbac.authorization.k8s.io"

EDITS: Mapping[tuple[str, str, str], Edit] = {
    ("configmaps", "kube-system", "coredns"): _corefile,
    ("configmaps", SPACE, DEFAULTS): _center,
    ("configmaps", SPACE, IMAGES_RULE): _registry,
    ("configmaps", "", "config-sync"): _info,
    ("services", SPACE, IMAGES_RULE): _port_name,
    ("services", SPACE, DEFAULTS): _port_name,
    ("cronjobs.batch", "", "business-hours"): _minute,
    ("cronjobs.batch", "", "stale-pods"): _minute,
    ("cronjobs.batch", "", "usage-report"): _minute,
    ("namespaces", "{cluster}", "{namespace}"): _audit,
    (WEBHOOKS.format("mutating"), "{cluster}", DEFAULTS): _patience,
    (WEBHOOKS.format("validating"), "{cluster}", IMAGES_RULE): _patience,
    ("priorityclasses.scheduling.k8s.io", "{cluster}", "batch"): _description,
    ("priorityclasses.scheduling.k8s.io", "{cluster}", "urgent"): _description,
    (ROLES, "", "business-hours"): _order,
    (ROLES, "", "stale-pods"): _order,
    (ROLES, "", "config-sync"): _order,
}
"""By resource, namespace ("" for the application's) and name."""

Place = tuple[str, str, str]


def list_places(app: App) -> Mapping[Place, Edit]:
    """The objects that people edit, with their namespaces as they are: "" for what lies in none."""
    spaces = {"": app.namespace, "{cluster}": ""}
    return {
        (resource, spaces.get(space, space), name.replace("{namespace}", app.namespace)): edit
        for (resource, space, name), edit in EDITS.items()
    }


def edit(app: App, place: Place, obj: Manifest, seed: int) -> Ops:
    """The operations of a JSON patch that change an object a little; none where it is not one that people edit."""
    found = list_places(app).get(place)
    return found(obj, Taste(seed)) if found else ()


def tell_reason(seed: int) -> str:
    """Who did something and why, as noted with it."""
    taste = Taste(seed)
    return f"{taste.pick('author', AUTHORS)}: {taste.pick('reason', REASONS)}"


SPEAKING = ("go_service",)
"""Programs that speak gRPC and can count their calls."""


def list_counted(app: App) -> Mapping[str, Json]:
    """By component a strategic merge that has each program that speaks gRPC count its calls for Prometheus."""
    found: dict[str, Json] = {}
    for manifest in app.manifests:
        if manifest["kind"] == "Deployment" and manifest["metadata"]["name"] in app.components:
            container = manifest["spec"]["template"]["spec"]["containers"][0]
            binaries = app.images.get(container["image"], {}).get("binaries") or {}
            if any(binary["program"] in SPEAKING for binary in binaries.values()):
                env = [{"name": "OTEL_EXPORTER_PROMETHEUS_PORT", "value": PORT}]
                spec = {"containers": [{"name": container["name"], "env": env}]}
                template = {"metadata": {"annotations": SCRAPED}, "spec": spec}
                found[manifest["metadata"]["name"]] = {"spec": {"template": template}}
    return found

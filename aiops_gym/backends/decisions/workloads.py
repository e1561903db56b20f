"""How many pods a component has, what they may use, and what is noted on them."""

from __future__ import annotations

from aiops_gym.backends.decisions.site import Decision, Site, anybody
from aiops_gym.catalog.names import NEW

USED = ("50m", "100m", "150m", "200m")
ROOM = ("1500m", "2", "3", "4")
MEMORY = (("64Mi", "1Gi"), ("96Mi", "1536Mi"), ("128Mi", "2Gi"), ("256Mi", "3Gi"))
"""Requests and limits that no program here comes near."""


def _scale(site: Site) -> None:
    site.patch("deployments.apps", site.name, {"spec": {"replicas": site.pick((2, 2, 3))}})


def _limit(site: Site) -> None:
    least, most = site.pick(MEMORY, "memory")
    requests, limits = {"cpu": site.pick(USED, "used"), "memory": least}, {"cpu": site.pick(ROOM), "memory": most}
    site.patch_container({"resources": {"requests": requests, "limits": limits}})


def _request(site: Site) -> None:
    site.patch_container({"resources": {"requests": {"memory": site.pick(MEMORY)[0]}}})


def _limit_processor(site: Site) -> None:
    site.patch_container(
        {"resources": {"requests": {"cpu": site.pick(USED)}, "limits": {"cpu": site.pick(ROOM, "room")}}}
    )


def _may_grow(site: Site) -> bool:
    """Whether no limit of memory bounds what it may request."""
    return "memory" not in ((site.container.get("resources") or {}).get("limits") or {})


def _has_amounts(site: Site) -> bool:
    """Whether its manifest says requests and limits; limits alone would be refused beside higher requests."""
    amounts = site.container.get("resources") or {}
    return bool(amounts.get("requests") and amounts.get("limits"))


def _replace(site: Site) -> None:
    """Old pods go before new ones come, or the other way round."""
    rolls = site.deployment["spec"]["strategy"]["type"] == "RollingUpdate"
    strategy = {"type": "Recreate", "rollingUpdate": None} if rolls else {"type": "RollingUpdate"}
    site.patch("deployments.apps", site.name, {"spec": {"strategy": strategy}})


def _surge(site: Site) -> None:
    rolling = site.pick(({"maxSurge": 1, "maxUnavailable": 0}, {"maxSurge": 0, "maxUnavailable": 1}))
    site.patch(
        "deployments.apps", site.name, {"spec": {"strategy": {"type": "RollingUpdate", "rollingUpdate": rolling}}}
    )


def _rolls(site: Site) -> bool:
    return bool(site.deployment["spec"]["strategy"]["type"] == "RollingUpdate")


def _label(site: Site) -> None:
    key = site.pick(("tier", "team", "cost-center", "app.kubernetes.io/part-of"))
    site.patch_pod({}, {key: site.pick(("backend", "core", "blue", "green"), "value")})


def _annotate(site: Site) -> None:
    key = site.pick(("contact", "runbook", "example.com/reviewed", "prometheus.io/scrape"))
    value = site.pick(("team-blue", "team-green", "true", "2026-01"), "value")
    site.patch("deployments.apps", site.name, {"metadata": {"annotations": {key: value}}})


def _grace(site: Site) -> None:
    site.patch_pod({"terminationGracePeriodSeconds": site.pick((10, 20, 45))})


def _history(site: Site) -> None:
    fields = {
        "revisionHistoryLimit": site.pick((3, 5, 8)),
        "progressDeadlineSeconds": site.pick((300, 900), "deadline"),
    }
    site.patch("deployments.apps", site.name, {"spec": fields})


def _account(site: Site) -> None:
    name = f"{site.name}-{site.pick(NEW['account_name'][2])}"
    site.create("ServiceAccount", name)
    site.patch_pod({"serviceAccountName": name})


def _pause(site: Site) -> None:
    """Somebody paused a rollout, changed two things, and let it go on."""
    site.patch("deployments.apps", site.name, {"spec": {"paused": True}})
    site.patch_pod({}, {"release": site.pick(("stable", "2026-02", "steady"))})
    site.world.run(20_000)
    site.patch("deployments.apps", site.name, {"spec": {"paused": None}})


def _budget(site: Site) -> None:
    selector = {"matchLabels": site.deployment["spec"]["selector"]["matchLabels"]}
    spec = {"maxUnavailable": 1, "selector": selector}
    name = f"{site.name}{site.pick(('', '-pdb', '-budget'))}"
    site.create("PodDisruptionBudget", name, "policy/v1", spec=spec)


decisions = (
    Decision("replicas", _scale, lambda site: site.is_stateless, 2.0, replaces=anybody),
    Decision("requests and limits", _limit, weight=2.0, replaces=_has_amounts),
    Decision("request of memory", _request, _may_grow),
    Decision("limit of a processor", _limit_processor, replaces=_has_amounts),
    Decision("way of rolling out", _surge, _rolls),
    Decision("order of rolling out", _replace),
    Decision("label of pods", _label),
    Decision("annotation", _annotate),
    Decision("time to end", _grace),
    Decision("kept revisions", _history),
    Decision("service account", _account),
    Decision("paused and resumed", _pause, weight=0.5),
    Decision("disruption budget", _budget),
)

"""`--wait`: until what a release installed is ready."""

from __future__ import annotations

from typing import Any

from aiops_gym.helm.errors import HelmError
from aiops_gym.helm.objects import Objects, of_manifest
from aiops_gym.helm.storage import Release
from aiops_gym.sim.kernel.objects import get
from aiops_gym.types import Cluster

STEP = 2.0
"""Seconds between two looks."""


def wait_for(cluster: Cluster, release: Release, seconds: float) -> None:
    """Wait until the deployments of a release are ready. Raises HelmError after `seconds`."""
    objects = Objects(cluster, release["name"], release["namespace"])
    wanted = [obj for obj in of_manifest(release["manifest"]) if obj["kind"] == "Deployment"]
    end = cluster.now() + seconds
    while not all(_ready(objects.live(obj)) for obj in wanted):
        if cluster.now() >= end or not cluster.wait(STEP):
            raise HelmError("context deadline exceeded")


def _ready(deployment: Any) -> bool:
    if deployment is None:
        return False
    status, number = deployment.get("status") or {}, get(deployment, "spec", "replicas", default=1)
    seen = status.get("observedGeneration", 0) >= deployment["metadata"].get("generation", 1)
    return seen and all(status.get(f"{word}Replicas", 0) >= number for word in ("updated", "ready"))

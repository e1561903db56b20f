"""An image cannot be pulled."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from aiops_gym.agents.runbook.facts import Facts
from aiops_gym.agents.runbook.findings import CERTAIN, MISCONFIGURATION, VIRTUALIZATION, Finding, patch, undo

REASONS = ("ImagePullBackOff", "ErrImagePull", "InvalidImageName")


def find(facts: Facts) -> Iterator[Finding]:
    """Go back, or take the tag that other deployments run of the same image."""
    for pod in facts.pods:
        component = facts.component(pod.name)
        if component and any(reason in pod.waiting for reason in REASONS):
            repairs = (*undo(facts, component), *_usual_image(facts, component))
            yield Finding(component, CERTAIN, VIRTUALIZATION, MISCONFIGURATION, repairs)


def _usual_image(facts: Facts, component: str) -> Iterator[str]:
    for at, container in enumerate(facts.deployments[component].containers):
        image = str(container.get("image"))
        others = Counter(
            str(other.get("image"))
            for deployment in facts.deployments.values()
            for other in deployment.containers
            if deployment.name != component and _repository(str(other.get("image"))) == _repository(image)
        )
        usual = others.most_common(1)[0][0] if others else f"{_repository(image)}:latest"
        path = f"/spec/template/spec/containers/{at}/image"
        yield patch(facts, "deployment", component, {"op": "replace", "path": path, "value": usual})


def _repository(image: str) -> str:
    """An image's name without its tag.

    >>> _repository("localhost:5000/shop/cart:v1"), _repository("mongo")
    ('localhost:5000/shop/cart', 'mongo')
    """
    name, colon, tag = image.rpartition(":")
    return name if colon and "/" not in tag else image

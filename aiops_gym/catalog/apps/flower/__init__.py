"""Flower 1.15.2 under Docker Compose, as AIOpsLab deploys it: two clients train a network for CIFAR-10 together."""

from __future__ import annotations

from aiops_gym.catalog.apps.flower import compose, images
from aiops_gym.catalog.model import App

app = App(
    id="flower",
    title="Flower",
    namespace="docker",
    description=(
        "A federated learning system that runs in Docker containers, beside the cluster and not in it: `docker` shows "
        "them. A SuperLink hands out work, two SuperNodes fetch it for the ClientApp of each, which trains and tests a "
        "small network on its part of CIFAR-10, and a ServerApp runs the rounds and averages the weights. Now and then "
        "somebody on the host starts a run with `flwr run train local-deployment`."
    ),
    supported=("Train a network in rounds on clients that keep their data", "Test the averaged network on all clients"),
    selector="com.docker.compose.service",
    components=(),
    manifests=(),
    images=images.IMAGES,
    operations=(),
    rate=1.0,
    parameters={},
    project=compose.PROJECT,
    files=compose.FILES,
)

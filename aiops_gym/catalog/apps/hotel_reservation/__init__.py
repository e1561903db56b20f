"""Hotel Reservation of DeathStarBench, as AIOpsLab deploys it: 19 deployments, Go services over gRPC and MongoDB."""

from __future__ import annotations

from aiops_gym.catalog.apps.hotel_reservation import images, manifests, settings, traffic
from aiops_gym.catalog.model import App

app = App(
    id="hotel_reservation",
    title="Hotel Reservation",
    namespace=manifests.NAMESPACE,
    description=(
        "A hotel reservation website built from Go microservices that talk gRPC, find one another through Consul and "
        "keep their data in MongoDB, with memcached in front of it. Guests search for hotels near a place, get "
        "recommendations, log in and book rooms."
    ),
    supported=(
        "Get the profiles and rates of hotels near a place that are available in given time periods",
        "Recommend hotels by distance, rate or price",
        "Make reservations",
    ),
    selector=manifests.SELECTOR,
    components=manifests.COMPONENTS,
    manifests=manifests.MANIFESTS,
    images=images.IMAGES,
    operations=traffic.OPERATIONS,
    requests=traffic.REQUESTS,
    rate=10.0,
    parameters={name: {**row, **settings.PARAMETERS.get(name, {})} for name, row in manifests.PARAMETERS.items()},
)

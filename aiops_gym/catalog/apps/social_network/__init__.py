"""Social Network of DeathStarBench, as AIOpsLab installs it with Helm: 27 deployments, C++ services over Thrift."""

from __future__ import annotations

from aiops_gym.catalog.apps.social_network import chart, images, manifests, traffic
from aiops_gym.catalog.apps.social_network.values import COMPONENTS
from aiops_gym.catalog.model import App, Release

app = App(
    id="social_network",
    title="Social Network",
    namespace=manifests.NAMESPACE,
    description=(
        "A social network of microservices written in C++ that talk Thrift, behind an nginx that runs Lua scripts. "
        "People write posts with links, mentions and pictures and read one another's time lines; posts, users and the "
        "graph of followers are kept in MongoDB, with Redis and memcached in front of it. It is installed with Helm as "
        "the release social-network, whose chart lies in the folder socialnetwork."
    ),
    supported=(
        "Write a post of text, perhaps with pictures, links and mentions of other users",
        "Read a post",
        "Read all posts of one user in order of time",
        "Get suggestions whom to follow",
        "Search for users and for posts",
        "Register as a new user and log in",
        "Follow another user, or stop following",
    ),
    selector=manifests.SELECTOR,
    components=COMPONENTS,
    manifests=manifests.MANIFESTS,
    images=images.IMAGES,
    operations=traffic.OPERATIONS,
    requests=traffic.REQUESTS,
    rate=10.0,
    parameters=manifests.PARAMETERS,
    releases=(Release(name=chart.NAME, folder=chart.FOLDER, files=chart.FILES),),
)

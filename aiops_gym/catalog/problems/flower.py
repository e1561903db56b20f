"""The incidents of Flower that AIOpsLab poses, both as Detection alone, and a healthy episode beside them."""

from functools import partial

from aiops_gym.catalog.model import Incident

flower = partial(Incident, app="flower", tasks=("detection",))

incidents = (
    flower(name="flower_node_stop-{task}", fault="container_stop", target="supernode-1"),
    flower(name="flower_model_misconfig-{task}", fault="model_misconfig", target="clientapp-1"),
    flower(name="noop_{task}_flower-1", fault="", target="", tasks=()),
)

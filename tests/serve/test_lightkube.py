"""The smallest client of the Kubernetes API in Python; the larger ones are in `test_clients.py`."""

from __future__ import annotations

import gc
import warnings
from collections.abc import Iterator

import pytest
from knocking import NAMESPACE

from aiops_gym.serve import Door

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    import lightkube
    from lightkube.core.exceptions import ApiError
    from lightkube.models.meta_v1 import ObjectMeta
    from lightkube.resources.apps_v1 import Deployment
    from lightkube.resources.core_v1 import ConfigMap, Pod

pytestmark = [
    pytest.mark.filterwarnings("ignore::ResourceWarning"),  # it does not close all that it opened
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]


@pytest.fixture(autouse=True)
def swept() -> Iterator[None]:
    """Sockets that the client forgot are collected here, not in somebody else's test."""
    yield
    gc.collect()


def test_lightkube_lists_patches_applies_and_watches(opened: Door) -> None:
    config = lightkube.KubeConfig.from_file(str(opened))
    client = lightkube.Client(config=config, field_manager="test")
    assert len(list(client.list(Pod, namespace=NAMESPACE))) > 10
    client.patch(Deployment, "geo", {"spec": {"replicas": 0}}, namespace=NAMESPACE)
    assert client.get(Deployment, "geo", namespace=NAMESPACE).spec.replicas == 0
    made = ConfigMap(metadata=ObjectMeta(name="a", namespace="default"), data={"x": "1"})
    assert client.apply(made).data == {"x": "1"}
    kind, found = next(iter(client.watch(ConfigMap, namespace="default", fields={"metadata.name": "a"})))
    assert (kind, found.data) == ("ADDED", {"x": "1"})
    with pytest.raises(ApiError) as caught:
        client.get(ConfigMap, "nope", namespace="default")
    assert caught.value.status.message == 'configmaps "nope" not found'

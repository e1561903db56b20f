"""An image by its digest is the image by its tag; one that no registry has cannot be pulled."""

from __future__ import annotations

import pytest

from aiops_gym.sim.kube_control.kubelet import images
from aiops_gym.sim.machine.images import identify
from tests.small_cluster import SmallCluster

NOBODYS = "0" * 64


def _pod(cluster, name, image, **fields):
    spec = {"containers": [{"name": "main", "image": image}], **fields}
    cluster.apply({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name}, "spec": spec})


def _status(cluster, name):
    return cluster.pod(name)["status"]["containerStatuses"][0]


@pytest.mark.parametrize("spell", ["{}", "big@{digest}", "big:1@{digest}", "docker.io/library/big:7@{digest}"])
def test_the_printed_image_id_starts_the_same_image(spell):
    cluster = SmallCluster()
    _pod(cluster, "first", "big:1")
    cluster.at(40)
    printed = _status(cluster, "first")["imageID"]
    image = spell.format(printed, digest=printed.partition("@")[2])
    _pod(cluster, "second", image)
    cluster.at(60)
    status = _status(cluster, "second")
    assert (status["ready"], status["imageID"], status["image"]) == (True, printed, "docker.io/library/big:1")
    assert f'Pulled Container image "{image}" already present on machine' in cluster.events("second")
    assert identify(cluster.world, image) == identify(cluster.world, "library/big:1") == printed


def test_a_node_that_has_no_tag_of_it_shows_the_configuration():
    cluster = SmallCluster()
    image = identify(cluster.world, "big:1")
    _pod(cluster, "only", image)
    cluster.at(40)
    status = _status(cluster, "only")
    assert status["ready"] and status["image"].startswith("sha256:") and status["imageID"] == image
    assert any(text.startswith(f'Pulled Successfully pulled image "{image}" in ') for text in cluster.events("only"))


def test_a_digest_that_the_registry_does_not_have():
    cluster = SmallCluster()
    image, full = f"big:1@sha256:{NOBODYS}", f"docker.io/library/big@sha256:{NOBODYS}"
    _pod(cluster, "lost", image)
    cluster.at(10)
    head = f'failed to pull and unpack image "{full}": failed to resolve reference "{full}"'
    why = f"rpc error: code = NotFound desc = {head}: {full}: not found"
    assert f'Failed Failed to pull image "{image}": {why}' in cluster.events("lost")
    assert images.find_failure(cluster.world, f"nowhere.example/x@sha256:{NOBODYS}").count(
        f"manifests/sha256:{NOBODYS}"
    )


@pytest.mark.parametrize(
    ("digest", "wrong"),
    [
        ("sha256:abc", "invalid reference format"),
        (f"sha256:{'a' * 40}", "invalid checksum digest length"),
        (f"sha256:{'A' * 64}", "invalid checksum digest format"),
        (f"sha1:{'a' * 40}", "unsupported digest algorithm"),
        (f"sha256:{'a' * 64}", ""),
    ],
)
def test_the_form_of_a_digest(digest, wrong):
    assert images.check_name(f"big@{digest}") == wrong

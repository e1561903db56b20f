"""What is written about types and fields is about types and fields that there are, and reaches the documents."""

from __future__ import annotations

from pathlib import Path

import orjson
import pytest

from aiops_gym.sim.kube_api import schema
from aiops_gym.sim.kube_api.descriptions import describe, texts
from aiops_gym.sim.kube_api.openapi import SHARED, make_document

TYPES = [name for name in texts() if name and name not in SHARED]


def test_what_is_described_exists():
    assert [name for name in TYPES if not schema.fields(name)] == []
    assert [
        (name, field) for name in TYPES for field in texts()[name] if field and field not in schema.fields(name)
    ] == []
    assert [name for name in texts() if name in SHARED and set(texts()[name]) != {""}] == []


def test_kinds_and_nearly_all_fields_are_described():
    names = list(orjson.loads(Path(schema.__file__).with_name("schema.json").read_bytes())["types"])
    known = [bool(describe(name, field)) for name in names for field in schema.fields(name)]
    assert sum(known) >= 0.95 * len(known)
    assert [name for name in names if "metadata" in schema.fields(name) and not describe(name)] == []


@pytest.mark.parametrize("name", ["PodSpec", "Container", "DeploymentSpec", "ServiceSpec", "JobSpec", "NodeStatus"])
def test_what_people_ask_for_is_described_in_full(name):
    assert [field for field in schema.fields(name) if not describe(name, field)] == []


def test_a_text_can_be_broken_as_go_breaks_it():
    """Sentences in plain letters, single blanks between words that fit on a line at any depth."""
    for text in (text for line in texts().values() for text in line.values()):
        assert text.isascii() and text.split(" ") == text.split() and text.endswith(".")
        assert max(map(len, text.split())) < 48, text


def test_the_documents_tell_what_the_server_knows():
    schemas = orjson.loads(make_document("api/v1") or b"")["components"]["schemas"]
    pod, port = schemas["io.k8s.PodSpec"], schemas["io.k8s.ServicePort"]["properties"]["targetPort"]
    assert pod["description"] == describe("PodSpec")
    assert pod["properties"]["securityContext"]["description"] == describe("PodSpec", "securityContext")
    assert port["description"] == describe("ServicePort", "targetPort") and "$ref" in port["allOf"][0]
    assert "description" not in schemas["io.k8s.RBDVolumeSource"]["properties"]["keyring"]

"""Protobuf bodies mean what the same object means in JSON."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from knocking import Kubectl
from samples import some

from aiops_gym.serve import Door, protobuf

CREATED = [
    "deployment web --image=nginx --replicas=0 --port=80",
    "deployment web --image=nginx -- sh -c true",
    "configmap a --from-literal=x=1 --from-literal=y=",
    "secret generic a --from-literal=x=1",
    "secret docker-registry a --docker-server=s --docker-username=u --docker-password=p",
    "serviceaccount a",
    "namespace a",
    "job a --image=busybox -- sleep 1",
    "cronjob a --image=busybox --schedule=*/5\\_*\\_*\\_*\\_*",
    "role a --verb=get,list --resource=pods,deployments.apps",
    "rolebinding a --role=a --user=me --group=us --serviceaccount=default:a",
    "clusterrole a --verb=get --non-resource-url=/logs/*",
    "clusterrolebinding a --clusterrole=a --group=us",
    "service clusterip a --tcp=80:8080",
    "service nodeport a --tcp=80 --node-port=30123",
    "service externalname a --external-name=b.example",
    "service loadbalancer a --tcp=443:web",
    "ingress a --rule=a.example/x*=web:80,tls=t --class=nginx --annotation=k=v",
    "poddisruptionbudget a --selector=app=web --min-available=50%",
    "poddisruptionbudget a --selector=app=web --max-unavailable=1",
    "priorityclass a --value=0 --description=none --preemption-policy=Never",
    "priorityclass b --value=-7 --global-default=true",
    "quota a --hard=pods=3,requests.cpu=500m --scopes=BestEffort",
]


@pytest.mark.parametrize("line", some(CREATED, 4))
def test_what_kubectl_creates_is_what_it_shows(opened: Door, kubectl: Kubectl, line: str) -> None:
    opened.clock.speed = 0
    words = [word.replace("\\_", " ") for word in line.split(" ")]
    at = words.index("--") if "--" in words else len(words)
    before, after = words[:at], words[at:]
    shown = kubectl(opened, "create", *before, "--dry-run=client", "-o", "json", *after)
    assert shown.code == 0, shown
    ours = kubectl(opened, "create", *before, "--dry-run=server", "-o", "json", *after)  # protobuf
    theirs = kubectl(opened, "create", "-f", "-", "--dry-run=server", "-o", "json", stdin=shown.out)  # JSON
    assert (ours.code, theirs.code) == (0, 0), (ours, theirs)
    assert plain(ours.out) == plain(theirs.out)


def plain(text: str) -> Any:
    """An object without what is made anew each time."""
    found = json.loads(text)
    found["metadata"] = {k: v for k, v in found["metadata"].items() if k not in ("uid", "creationTimestamp")}
    spec = found.get("spec", {})
    labels = spec.get("template", {}).get("metadata", {}).get("labels", {})
    for place in (spec, labels, found["metadata"].get("labels", {})):
        for name in [n for n in place if "controller-uid" in n or n in ("selector", "clusterIP", "clusterIPs")]:
            place.pop(name)
    for port in spec.get("ports", []):
        port.pop("nodePort", None)
    return found


def message(*parts: tuple[int, bytes | int]) -> bytes:
    """A message of short fields."""
    found = b""
    for number, value in parts:
        if isinstance(value, int):
            found += bytes([number << 3, value])
        else:
            found += bytes([number << 3 | 2, len(value)]) + value
    return found


def envelope(version: bytes, kind: bytes, raw: bytes) -> bytes:
    return b"k8s\0" + message((1, message((1, version), (2, kind)))) + b"\x12" + varint(len(raw)) + raw


def varint(number: int) -> bytes:
    found = b""
    while number > 127:
        found, number = found + bytes([number & 127 | 128]), number >> 7
    return found + bytes([number])


def test_an_envelope_holds_an_object() -> None:
    entry = message((1, b"x"), (2, b"1"))
    body = envelope(b"v1", b"ConfigMap", message((1, message((1, b"a"))), (2, entry)))
    assert protobuf.decode(body) == {
        "apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}, "data": {"x": "1"}
    }  # fmt: skip


def test_zero_survives_only_where_it_means_something() -> None:
    body = envelope(b"apps/v1", b"Deployment", message((2, message((1, 0), (5, 0)))))  # replicas, minReadySeconds
    assert protobuf.decode(body)["spec"] == {"replicas": 0}


def test_messages_within_messages_end_somewhere() -> None:
    raw = b""
    for _ in range(20_000):
        raw = b"\x0a" + varint(len(raw)) + raw
    with pytest.raises(protobuf.ProtobufError):
        protobuf.decode(b"k8s\0" + raw)


@settings(max_examples=300, deadline=None)
@given(st.binary(max_size=200))
def test_any_bytes_give_an_object_or_a_refusal(raw: bytes) -> None:
    for version, kind in ((b"v1", b"Pod"), (b"apps/v1", b"Deployment"), (b"v1", b"Event")):
        try:
            assert isinstance(protobuf.decode(envelope(version, kind, raw)), dict)
        except protobuf.ProtobufError:
            continue


@settings(max_examples=200, deadline=None)
@given(st.binary(max_size=80))
def test_any_envelope_gives_an_object_or_a_refusal(raw: bytes) -> None:
    with suppress(protobuf.ProtobufError):
        protobuf.decode(b"k8s\0" + raw)

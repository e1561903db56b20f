"""What differs from run to run is replaced by the part that it plays, and nothing else is."""

from __future__ import annotations

from typing import Any

import pytest

from aiops_gym.testing.calibration.masks import Parts
from aiops_gym.testing.calibration.tolerance import is_within

KINDS = {"web": "Deployment", "web-two": "Deployment", "db": "StatefulSet", "tick": "CronJob", "once": "Job"}
MANIFEST: dict[str, Any] = {"objects": [{"kind": kind, "metadata": {"name": name}} for name, kind in KINDS.items()]}


@pytest.mark.parametrize(
    ("name", "part"),
    [
        ("Pod/web-5d5bf6cbcd-6fchn", "Pod/web#1*"),
        ("ReplicaSet/web-5d5bf6cbcd", "ReplicaSet/web#1"),
        ("ReplicaSet/web-75797f889b", "ReplicaSet/web#2"),
        ("Pod/web-two-75797f889b-8ljb6", "Pod/web-two#1*"),
        ("Pod/db-0", "Pod/db-0"),
        ("Job/tick-29377123", "Job/tick#1"),
        ("Pod/tick-29377123-8ljb6", "Pod/tick#1*"),
        ("Pod/once-8ljb6", "Pod/once*"),
        ("Deployment/web", "Deployment/web"),
    ],
)
def test_an_object_has_a_part(name: str, part: str) -> None:
    parts = Parts(MANIFEST, "ns", ["ReplicaSet/web-5d5bf6cbcd", "ReplicaSet/web-75797f889b", name])
    assert parts.of(name) == part


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        ("Created pod: web-5d5bf6cbcd-6fchn", "Created pod: web#1*"),
        ('pods "web-5d5bf6cbcd-zzzzz" is forbidden: exceeded quota', 'pods "web#1*" is forbidden: exceeded quota'),
        ("Scaled up replica set web-5d5bf6cbcd from 0 to 1", "Scaled up replica set web#1 from 0 to 1"),
        ("dial tcp 10.1.2.3:9: connect: connection refused", "dial tcp <ip>:9: connect: connection refused"),
        ("0/1 nodes are available: 1 Insufficient cpu.", "0/1 nodes are available: 1 Insufficient cpu."),
        ("pod=web-5d5bf6cbcd-6fchn_ns(147a8957-243a-4752-a6db-ab75f0403d85)", "pod=web#1*_<ns>(<uid>)"),
        ("read udp 10.9.0.1:53437->1.2.3.4:53: i/o timeout", "read udp <ip>:<port>-><ip>:53: i/o timeout"),
    ],
)
def test_a_message_keeps_what_matters(text: str, masked: str) -> None:
    assert Parts(MANIFEST, "ns", ["Pod/web-5d5bf6cbcd-6fchn"]).mask(text) == masked


def test_times_are_the_same_within_a_tenth_or_two_seconds() -> None:
    assert is_within(11.9, 10, 10) and not is_within(12.1, 10, 10)
    assert is_within(109, 100, 100) and not is_within(111, 100, 100)
    assert is_within(7, 9, 30)

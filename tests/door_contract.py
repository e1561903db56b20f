"""What every door keeps: a group of identical starts, each played on as the registered environment plays it alone."""

from __future__ import annotations

import json
import re
from functools import cache

from test_doors import CASES, SHELL, play_registered

__all__ = ["CASES", "MEMBERS", "PROBLEM", "SEED", "check_group", "check_surface", "group_calls", "play_registered"]

PROBLEM, SEED, MEMBERS = "misconfig_app_hotel_res-localization-1", 12345678901, 8

TRAINERS = re.compile(
    r"\b(reset|score|seed|episode_seed|solution|reference_actions|reward|info|problem|snapshot|restore|fork)s?\b"
)
"""Words for what only a trainer has."""


def group_calls(member):
    """The same look at first, then a change of their own, and an answer that is right for some."""
    change = f"echo {member} > /tmp/mine; kubectl scale deployment rate -n test-hotel-reservation --replicas={member}"
    look = "cat /tmp/mine; kubectl get deployments -n test-hotel-reservation"
    return [
        SHELL,
        ("exec_shell", {"command": change}),
        ("exec_shell", {"command": look}),
        ("submit", {"faulty_components": ["geo"] if member % 2 else ["rate"]}),
    ]


@cache
def _group():
    return [play_registered(PROBLEM, SEED, group_calls(member)) for member in range(MEMBERS)]


def check_group(played, untold=0):
    """What members read and got is what each would have alone; they began as one, and then no two were the same.

    A door may keep to itself so many texts after the end, which nobody answers.
    """
    expected = _group()
    assert list(played) == [(texts[: len(texts) - untold], reward) for texts, reward in expected]
    assert len({tuple(texts[:2]) for texts, _ in expected}) == 1
    assert len({texts[3] for texts, _ in expected}) == MEMBERS
    assert [reward for _, reward in expected] == [0.0, 1.0] * (MEMBERS // 2)


def check_surface(surface):
    """Nothing that an agent sees of a door, JSON data, has a trainer's word, the problem's id or the seed."""
    told = json.dumps(surface)
    assert "exec_shell" in told
    assert not TRAINERS.findall(told)
    assert PROBLEM not in told
    assert str(SEED) not in told

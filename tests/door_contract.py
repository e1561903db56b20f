"""What every door keeps: it plays as the registered environment does, and so does each of a group of equal starts."""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path

import gymnasium as gym

from aiops_gym.envs.naming import find_env
from aiops_gym.tools import write_call

WATCHED = "get_logs", {"namespace": "test-hotel-reservation", "service": "geo"}
MISTAKES = [("get_logs", {"namespace": "test-hotel-reservation"}), ("get_log", {}), ("exec_shell", {"command": 5})]
SHELL = "exec_shell", {"command": "kubectl get pods -A -o wide; echo `date` $RANDOM 'ä\"\\'", "timeout": 60}

CASES = {
    "detection": (
        ("revoke_auth_mongodb-detection-1", 3),
        [WATCHED, SHELL, *MISTAKES, ("submit", {"has_anomaly": "Yes"})],
    ),
    "mitigation": (("scale_pod_zero_social_net-mitigation-1", 8), [SHELL, ("submit", {})]),
    "never submitted": (("misconfig_app_hotel_res-localization-1", 1), 30 * [SHELL]),
    "recorded": (
        ("Bank-task_5-0", 2),
        [
            ("get_logs", {"start_time": "2021-03-04 14:30", "end_time": "2021-03-04 14:31"}),
            ("submit", {"component": {"1": {"root cause component": "Mysql02"}}}),
        ],
    ),
}
"""Problem and seed, and what is called in it."""


def play_registered(problem, seed, calls):
    """`gymnasium.make`, with action texts; what all others are compared with."""
    with gym.make(find_env(problem), problem=problem) as env:
        texts, total = [env.reset(seed=seed)[0]], 0.0
        for tool, arguments in calls:
            observation, reward, terminated, truncated, _ = env.step(write_call(tool, arguments))
            texts.append(observation)
            total += reward
            if terminated or truncated:
                break
    return texts, total


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


def run_page(heading, changes):
    """Run the lines that the page shows under a heading, with texts of it replaced by others; the names they leave."""
    page = (Path(__file__).parents[1] / "docs" / "howto" / "frameworks.md").read_text(encoding="utf-8")
    shown = page.partition(f"\n## {heading}\n")[2].partition("\n## ")[0]
    program = shown.partition("```py\n")[2].partition("```")[0]
    assert program
    for text, other in changes.items():
        assert text in program
        program = program.replace(text, other)
    names = {}
    exec(compile(program, f"{heading} in frameworks.md", "exec"), names)
    return names


def run_whole_page(name):
    """Run the one program of a page of docs/howto; the names it leaves."""
    page = Path(__file__).parents[1].joinpath("docs", "howto", f"{name}.md").read_text(encoding="utf-8")
    (program,) = re.findall(r"```py\n(.*?)```", page, re.DOTALL)
    names = {}
    exec(compile(program, f"{name}.md", "exec"), names)
    return names


def check_surface(surface):
    """Nothing that an agent sees of a door, JSON data, has a trainer's word, the problem's id or the seed."""
    told = json.dumps(surface)
    assert "exec_shell" in told
    assert not TRAINERS.findall(told)
    assert PROBLEM not in told
    assert str(SEED) not in told

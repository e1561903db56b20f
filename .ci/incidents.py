"""Writes the tables of docs/environments/incident.md: what no work earns there, and what the bundled agents do.

python .ci/incidents.py   # a quarter of an hour on two cores
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Sequence
from multiprocessing import get_context
from pathlib import Path
from statistics import mean
from typing import Any

import gymnasium as gym

from aiops_gym import files
from aiops_gym.agents.base import make, read_needs
from aiops_gym.catalog import registry

HOUSE = Path(__file__).resolve().parent.parent
PAGE = HOUSE / "docs" / "environments" / "incident.md"
sys.path += [str(HOUSE / "tests"), str(HOUSE / "tests" / "envs")]

DRAWN, HEALTHY = 40, 30
"""Episodes of each kind; their seeds count from 0."""

AGENTS = ("noop", "random", "restart", "runbook", "oncall", "reference")
STAGES = ("detection", "path", "repair", "harm", "time")
TIERS = ("", "hard")
"""Without a name all but the hard ones."""

IDLE = {
    "silent": "waits until the end",
    "deny": "`no_incident()` at once",
    "alarm": "acknowledges and reports",
    "resolve": "acknowledges, resolves, reports",
    "guess": "names the component that comes first, resolves, reports",
    "everything": "names all components, reports",
    "all tricks": "names all, restarts everything, resolves, reports",
}
"""Scripts of tests/envs/test_incident.py."""


def draw(tier: str, **more: Any) -> gym.Env[str, str]:
    """The environment whose episodes are played."""
    drawn = {"split": "test", **({"tier": tier} if tier else {})}
    return gym.make("aiops_gym/Incident-v0", disable_env_checker=True, **drawn, **more)


def play(name: str, tier: str, seeds: Sequence[int], healthy: bool) -> list[dict[str, Any]]:
    """What each episode was worth: its reward, its stages, and whether something was wrong in it."""
    env = draw(tier, **read_needs(name))
    problems = registry.problems("incident", split="test", tier=tier or None)
    calm = [each.id for each in problems if each.id.startswith("noop_")]
    worth = []
    for seed in seeds:
        chosen = {"options": {"problem": calm[seed % len(calm)], "episode_seed": seed}} if healthy else {"seed": seed}
        observation, _ = env.reset(**chosen)
        agent = make(name, env, seed)
        agent.reset(observation)
        over = False
        while not over:
            observation, reward, terminated, truncated, info = env.step(agent.act(observation))
            over = terminated or truncated
        worth.append(
            {**info["reward_components"], "reward": reward, "sick": not env.unwrapped.episode[0].startswith("noop_")}
        )
    return worth


def play_idle(seeds: Sequence[int]) -> dict[str, tuple[list[float], list[float]]]:
    """Rewards of those who do no work, where something is wrong and where nothing is."""
    from test_incident import play as play_calls  # noqa: PLC0415  # The tests' own folder.
    from test_incident import script  # noqa: PLC0415

    env, found = draw(""), {name: ([], []) for name in IDLE}
    for seed in seeds:
        env.reset(seed=seed)
        for name, calls in script(env.unwrapped.app).items():
            twin = env.unwrapped.fork()[0]
            found[name]["noop_" in twin.episode[0]].append(play_calls(twin, calls)[1])
    return found


def list_idle(played: Sequence[dict[str, tuple[list[float], list[float]]]]) -> Iterator[str]:
    yield "| agent | mean reward | where something is wrong | where nothing is |\n|---|---|---|---|"
    for name, words in IDLE.items():
        sick, well = ([each for part in played for each in part[name][at]] for at in (0, 1))
        yield f"| {words} | {mean(sick + well):.2f} | {mean(sick):.2f} | {mean(well):.2f} |"


def row(name: str, drawn: Sequence[dict[str, Any]], healthy: Sequence[dict[str, Any]]) -> str:
    sick, well = ([each for each in drawn if each["sick"] is wrong] for wrong in (True, False))
    cells = [mean(each["reward"] for each in drawn)]
    cells += [mean(each[stage] for each in sick) for stage in STAGES]
    cells += [mean(each["reward"] for each in well)]
    alarms = sum(bool(each["false_alarm"]) for each in healthy)
    return f"| `{name}` | {' | '.join(f'{each:.2f}' for each in cells)} | {alarms} of {len(healthy)} |"


def write(name: str, lines: Sequence[str]) -> None:
    """Put lines between the marks of that name."""
    begin, end = f"<!-- {name} -->", f"<!-- end of {name} -->"
    text = PAGE.read_text(encoding="utf-8")
    put = re.sub(f"{re.escape(begin)}.*?{re.escape(end)}", lambda _: "\n".join([begin, *lines, end]), text, flags=re.S)
    files.write(PAGE, put)


def main() -> None:
    """Play all of it in two processes."""
    halves = (range(0, DRAWN, 2), range(1, DRAWN, 2))
    with get_context("spawn").Pool(2) as pool:
        idle = pool.map_async(play_idle, halves)
        asked = [
            (name, tier, seeds, healthy)
            for tier in TIERS
            for name in AGENTS
            for healthy, count in ((False, DRAWN), (True, HEALTHY))
            for seeds in (range(0, count, 2), range(1, count, 2))
        ]
        played = pool.starmap(play, asked, chunksize=1)
        write("idle", [*list_idle(idle.get())])
    for tier in TIERS:
        head = f"| agent | mean reward | {' | '.join(STAGES)} | where nothing is | false alarms |"
        rows = [head, "|---" * (len(STAGES) + 4) + "|"]
        for name in AGENTS:
            drawn, healthy = (
                [each for (who, where, _, calm), part in zip(asked, played, strict=True) for each in part
                 if (who, where, calm) == (name, tier, wanted)]
                for wanted in (False, True)
            )  # fmt: skip
            rows.append(row(name, drawn, healthy))
        write(f"agents {tier}".strip(), rows)


if __name__ == "__main__":
    main()

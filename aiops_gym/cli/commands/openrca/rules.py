"""What rules are worth that look once, beside those that look further."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

from aiops_gym.agents import base
from aiops_gym.agents.one_call import RULES
from aiops_gym.cli.common import show_json
from aiops_gym.envs.recorded import RecordedEnv
from aiops_gym.openrca.profiles import HARD
from aiops_gym.runs.intervals import compute_wilson

PLAYERS: dict[str, tuple[str, dict[str, Any]]] = {
    **{f"one call: {name}": ("one_call", {"rule": name}) for name in RULES}
}
PLAYERS |= {name: (name, {}) for name in ("rules", "tracer", "reference")}


def command(
    domain: Annotated[str, typer.Argument(help="bank, market or telecom.")],
    root: Annotated[Path | None, typer.Option(help="Folder of the data; without it the synthetic default.")] = None,
    profile: Annotated[str, typer.Option(help="Of the synthetic default: hard or easy.")] = HARD,
    questions: Annotated[int, typer.Option(min=1, help="How many, from the first on.")] = 100,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Play the first questions of a domain by every rule; print who answers how many of them, with 95 % intervals."""
    env = RecordedEnv(domain, root=root, tools="all", profile=profile)
    ids = list(itertools.islice(env.problems, questions))
    found = list(_measured(env, ids))
    if as_json:
        show_json({"domain": domain, "questions": len(ids), "rules": found})
        return
    table = Table(f"{len(ids)} questions", box=None, header_style="bold", pad_edge=False)
    for name in ("right", "interval", "mean score"):
        table.add_column(name, justify="right")
    for each in found:
        low, high = each["interval"]
        table.add_row(each["rule"], f"{each['right']:.2f}", f"{low:.2f}-{high:.2f}", f"{each['mean']:.2f}")
    Console().print(table)


def _measured(env: RecordedEnv, ids: list[str]) -> Iterator[dict[str, Any]]:
    for name, (agent, options) in PLAYERS.items():
        rewards = [_play(env, base.adapt(base.make(agent, env, **options)), id_) for id_ in ids]
        right = sum(each == 1.0 for each in rewards) / len(ids)
        yield {
            "rule": name,
            "right": right,
            "interval": compute_wilson(right, len(ids)),
            "mean": sum(rewards) / len(ids),
        }


def _play(env: RecordedEnv, agent: Any, problem: str) -> float:
    """The reward of one question."""
    observation, _ = env.reset(seed=0, options={"problem": problem})
    agent.begin(env, observation)
    for _ in range(40):
        observation, reward, done, *_ = env.step(agent.act(observation))
        if done:
            return float(reward)
    return 0.0

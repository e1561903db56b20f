"""Let an agent play one episode, or a few at once."""

from __future__ import annotations

import sys
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from aiops_gym.agents.base import AnyAgent, Env, make
from aiops_gym.agents.waiting import INTERRUPTED
from aiops_gym.cli import agent_options
from aiops_gym.cli.common import APP, SPLIT, TIER, make_env, parse_env_arguments, show, show_json
from aiops_gym.errors import AiopsGymError
from aiops_gym.runs import Episode
from aiops_gym.runs.together import KEEP, RAISE, run_episodes
from aiops_gym.runs.usage import sum_usage

UNBEGUN = "unbegun"
"""In place of its problem, where the environment could not begin an episode."""


def command(
    problem: Annotated[str | None, typer.Option(help="Id of the problem; without it one is drawn.")] = None,
    task: Annotated[str | None, typer.Option(help="Task to draw a problem of; detection if nothing is named.")] = None,
    split: Annotated[str | None, typer.Option(help=SPLIT)] = None,
    app: Annotated[str | None, typer.Option(help=APP)] = None,
    tier: Annotated[str | None, typer.Option(help=TIER)] = None,
    agent: Annotated[
        str, typer.Option(help="reference, runbook, oncall, rules, chat ..., or module:name.")
    ] = "reference",
    model: Annotated[str, typer.Option(help="Model of the agent chat.")] = "",
    base_url: Annotated[str, typer.Option(help="Its API, such as http://127.0.0.1:8000/v1.")] = "",
    agent_option: Annotated[
        list[str] | None, typer.Option(help="Another option of the agent, name=value with JSON or text; repeatable.")
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the environment and of the agent.")] = 0,
    episodes: Annotated[int, typer.Option(min=1, help="So many episodes, with the seeds from --seed on.")] = 1,
    at_once: Annotated[int, typer.Option(min=1, help="Episodes played at the same time.")] = 8,
    evaluation: Annotated[str, typer.Option(help="strict or aiopslab.")] = "strict",
    env_kwargs: Annotated[str, typer.Option(help="Other arguments of the environment, JSON.")] = "{}",
    save: Annotated[
        Path | None, typer.Option(help="Write the episode to this file, or several to this folder.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print all of the episode as JSON.")] = False,
) -> None:
    """Run an episode and say what came of it; where an agent gave up, what there is of it is saved too."""
    agent_options.find_yours()
    options = agent_options.read(agent_option or (), model, base_url)

    given = parse_env_arguments(env_kwargs)
    if "problem" in given:
        raise typer.BadParameter("--env-kwargs does not say which problem is played: --problem does")

    def new_env() -> Env:
        return make_env(problem, task, split, app, agent, tier, **{"evaluation": evaluation, **given})

    def new_agent(env: Env, seed: int) -> AnyAgent:
        made: AnyAgent = make(agent, env, seed, **options)
        return made

    reports, errors = [], []
    try:
        seeds, on_error = range(seed, seed + episodes), RAISE if episodes == 1 else KEEP
        more = save is not None
        for episode in run_episodes(new_env, new_agent, seeds, at_once=at_once, on_error=on_error, signals=more):
            if save is not None:
                episode.save(save if episodes == 1 else save / f"{episode.problem_id or UNBEGUN}.{episode.seed}.json")
            if as_json:
                show_json(asdict(episode))
            else:
                show(_summary(episode))
            if episode.agent_traceback:
                sys.stderr.write(episode.agent_traceback)
            reports.append(episode.agent_report)
            if error := _error(episode):
                errors.append(f"seed {episode.seed}: {error}" if episodes > 1 else error)
    finally:
        if len(reports) > 1 and not as_json and (sums := sum_usage(agent, reports)):
            show(f"{len(reports)} episodes  {sums}")
    if errors:
        raise AiopsGymError("; ".join(errors))


def _error(episode: Episode) -> str:
    """Why it has no verdict; "" where it has one, or ran out of steps."""
    if episode.infra_error:
        return episode.steps[-1]["observation"] if episode.steps else episode.prompt
    return episode.agent_error


def _summary(episode: Episode) -> str:
    how = "solved" if episode.success else "not solved" if episode.terminated else "out of steps"
    how = "the environment broke" if episode.infra_error else how
    if episode.agent_error:
        how = INTERRUPTED if episode.agent_error == INTERRUPTED else "gave up"
    steps, seconds = len(episode.steps), episode.end_time - episode.start_time
    sums = sum_usage(episode.agent, [episode.agent_report])
    return (
        f"{episode.problem_id or UNBEGUN}  {episode.agent}  {how}  "
        f"reward {episode.reward:.2f}  {steps} steps  {seconds:.0f} virtual seconds{f'  {sums}' if sums else ''}"
    )

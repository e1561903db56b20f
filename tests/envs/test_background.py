"""What a prompt about recorded telemetry tells beside the question."""

from __future__ import annotations

import gymnasium as gym
import pytest

from aiops_gym.envs.background import PROMPTS, ROOM
from aiops_gym.openrca import domains

ENVS = {"bank": "aiops_gym/OpenRCABank-v0"}


def read(prompt: str, problem: str | None = None) -> dict[str, str]:
    """The prompt of an episode, by its headings."""
    env = gym.make(ENVS["bank"], prompt=prompt, disable_env_checker=True)
    text, _ = env.reset(seed=3, options={"problem": problem} if problem else None)
    return {part.partition(":\n\n")[0]: part.partition(":\n\n")[2] for part in text.split("## ")[1:]}


@pytest.fixture(scope="module")
def prompts():
    return {each: read(each) for each in PROMPTS}


def test_a_plain_prompt_is_part_of_each_other(prompts):
    for name, sections in prompts.items():
        more = {"schema": {"TELEMETRY"}, "plain": set()}.get(name, {"TELEMETRY", "SAMPLED MEASUREMENTS"})
        assert set(sections) - set(prompts["plain"]) == more
        assert {each: sections[each] for each in prompts["plain"]} == prompts["plain"]


def test_the_schema_tells_of_each_file_and_column(prompts):
    domain = domains.find("bank")[0]
    for table in domain.tables:
        assert table.path in prompts["schema"]["TELEMETRY"]
        assert all(f"{column.name} (" in prompts["schema"]["TELEMETRY"] for column in table.columns)


def test_samples_are_of_decisive_measurements_or_spread_over_all(prompts):
    domain = domains.find("bank")[0]
    tables = {name: prompts[name]["SAMPLED MEASUREMENTS"].splitlines() for name in ("oracle", "balanced")}
    kpis = {name: {line.split(",")[1].strip('"') for line in lines[2:] if line} for name, lines in tables.items()}
    plain = {column.name for column in domain.table("get_metric_app").columns}
    assert all(any(part in kpi for part in domain.decisive) or kpi in plain for kpi in kpis["oracle"])
    assert sum(not any(part in kpi for part in domain.decisive) for kpi in kpis["balanced"]) > 10
    for name in tables:
        assert tables[name][1].startswith("component,kpi,")
        assert len(prompts[name]["SAMPLED MEASUREMENTS"]) <= ROOM + 200


def test_a_prompt_there_is_not_is_refused():
    with pytest.raises(ValueError, match="prompt"):
        gym.make(ENVS["bank"], prompt="long")

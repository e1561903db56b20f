"""What is kept of an episode, as a file that AIOpsLab's tools can read too."""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any, Self

from aiops_gym.errors import AiopsGymError
from aiops_gym.files import write


@dataclass(kw_only=True)
class Episode:
    """One episode from the prompt to the verdict.

    The first seven are those of AIOpsLab's session files; the rest is what is missing there.

    Attributes:
        agent: name.
        session_id: a UUID that follows from the episode and the agent.
        start_time: Unix seconds of the world's clock; so is `end_time`.
        trace: `{"role": "assistant" or "env", "content": text}` in order, without the prompt.
        results: of the verdict; without one the time, steps and tokens, and that nothing was submitted.
        data: `original` or `synthetic` telemetry; "" for live incidents.
        env: id; `gymnasium.make(env, **env_kwargs)` makes the same environment.
        seed: given to `reset`, None for none.
        episode_seed: repeats the episode: `reset(options={"episode_seed": ..., "problem": ...})`.
        steps: a turn each: action, observation, reward, time, tool, error, and `health` after it where that changed.
        reward: of all turns together.
        success: whether the evaluator was content.
        submitted: the answer as JSON text, "" where none was given.
        calls: who calls whom in the application, "" for users; empty where that is not known.
        health: of the application at the start, see `envs.live.LiveEnv.health`; empty where it is not known.
        signals: what telemetry said of the episode, see `envs.live.LiveEnv.signals`; empty where nobody asked for it.
        harm: what was done to users and to the system, see `envs.live.LiveEnv.harm`; empty where it is not known.
        agent_report: what the agent says of itself, such as its model and the tokens used; empty where it says nothing.
        agent_error: why the agent gave up before the end, or what it raised and where; "" when it did neither.
        agent_traceback: the agent's own frames, where it raised something; else "".
        wall_clock: real `seconds` from the reset to the verdict, and those of them that the agent took,
            `agent_seconds`; empty where nobody measured. All other times are the world's. It alone differs where the
            same is played twice, and episodes are equal whatever it says.
    """

    agent: str
    session_id: str
    problem_id: str
    start_time: float
    end_time: float
    trace: list[dict[str, str]] = field(default_factory=list)
    results: dict[str, Any] = field(default_factory=dict)
    version: str = ""
    env: str = ""
    env_kwargs: dict[str, Any] = field(default_factory=dict)
    task: str = ""
    data: str = ""
    seed: int | None = None
    episode_seed: int = 0
    prompt: str = ""
    steps: list[dict[str, Any]] = field(default_factory=list)
    reward: float = 0.0
    reward_components: dict[str, float] = field(default_factory=dict)
    success: bool = False
    submitted: str = ""
    terminated: bool = False
    truncated: bool = False
    infra_error: bool = False
    calls: list[list[str]] = field(default_factory=list)
    health: dict[str, Any] = field(default_factory=dict)
    signals: dict[str, Any] = field(default_factory=dict)
    harm: dict[str, float] = field(default_factory=dict)
    agent_report: dict[str, Any] = field(default_factory=dict)
    agent_error: str = ""
    agent_traceback: str = ""
    wall_clock: dict[str, float] = field(default_factory=dict, compare=False)

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write a JSON file, all of it or nothing; folders above it are made."""
        target = Path(path)
        write(target, json.dumps(asdict(self), indent=2, ensure_ascii=False, allow_nan=False) + "\n")
        return target

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Read a file that `save` wrote; what this version does not know is left out.

        Raises:
            AiopsGymError: it is no such file.
        """
        try:
            data = json.loads(Path(path).read_text(encoding="utf-8"))
            known = {each.name for each in fields(cls)}
            return cls(**{key: value for key, value in data.items() if key in known})
        except (ValueError, TypeError, AttributeError) as error:
            raise AiopsGymError(f"{os.fspath(path)} is no saved episode: {error}") from None

"""What is kept of a served incident: an episode whose turns are requests to the API, and submissions."""

from __future__ import annotations

from pathlib import Path

from aiops_gym.envs.state import State
from aiops_gym.runs.episode import Episode
from aiops_gym.runs.recording import UNLIMITED
from aiops_gym.serve.incident import Incident
from aiops_gym.sim.kernel.draws import uuid
from aiops_gym.tools.clip import clip, utf8
from aiops_gym.types import Json, Verdict
from aiops_gym.version import __version__

AGENT = "client"
"""Whoever was at the door: a person with kubectl, k9s, a program."""

LONGEST = 16_000
"""Characters that are kept of a request, and of its answer."""

MOST = 5_000
"""Turns that are kept: a program that asks all day must not fill the memory."""


class Transcript:
    """A record of an incident in the format of saved episodes.

    Attributes:
        episode: so far; it ends with the verdict.
        left_out: requests after the first `MOST`.
    """

    def __init__(self, incident: Incident, seed: int) -> None:
        self.incident, self.left_out = incident, 0
        problem, backend = incident.problem, incident.backend
        self._state = State(problem.id, incident.episode_seed)
        self._health = backend.health()
        self.episode = Episode(
            agent=AGENT,
            session_id=uuid(incident.episode_seed, "session", f"{problem.id} {AGENT}"),
            problem_id=problem.id,
            start_time=backend.began,
            end_time=backend.began,
            version=__version__,
            env=f"aiops_gym/{problem.task.capitalize()}-v0",
            env_kwargs={"max_episode_steps": UNLIMITED},
            task=problem.task,
            seed=seed,
            episode_seed=incident.episode_seed,
            prompt=incident.brief,
            calls=backend.calls(),
            health=self._health,
        )

    def note(self, action: str, observation: str, now: int, tool: str, error: str = "") -> dict[str, Json] | None:
        """Add a turn; it is given back, for what is known of it later. None where it is not kept.

        Args:
            action: a request, or a submission as a call.
            observation: what was answered.
            now: the world's clock in milliseconds, after it.
            tool: what asked.
            error: why it was refused, "" where it was not.
        """
        if self.episode.terminated:
            return None
        if len(self.episode.steps) >= MOST and tool != "submit":
            self.left_out += 1
            return None
        action, observation = clip(utf8(action), LONGEST), clip(utf8(observation), LONGEST)
        self._state.note(action, observation)
        seconds = round(now / 1000 - self.episode.start_time, 3)
        turn = {"action": action, "observation": observation, "reward": 0.0}
        turn |= {"time": seconds, "tool": tool, "error": error}
        self.episode.trace += [{"role": "assistant", "content": action}, {"role": "env", "content": observation}]
        self.episode.steps.append(turn)
        self.episode.end_time = now / 1000
        return turn

    def healthy(self, turn: dict[str, Json], health: dict[str, Json]) -> None:
        """Add to a turn how the system did after it, where that is another state than before."""
        if health != self._health:
            turn["health"] = self._health = health

    def judged(self, turn: dict[str, Json], verdict: Verdict) -> None:
        """The last turn was an answer, and this is what it is worth."""
        episode = self.episode
        episode.terminated, episode.success = True, verdict.success
        episode.signals = self.incident.signals
        turn["reward"] = episode.reward = verdict.reward
        episode.reward_components = dict(verdict.components)
        episode.results = self.results(verdict)
        episode.submitted = str(episode.results["submitted"])

    def results(self, verdict: Verdict | None) -> dict[str, Json]:
        """As those of an environment: the time, steps and tokens, and the verdict's own keys."""
        self._state.step = len(self.episode.steps) + self.left_out
        seconds = round(self.episode.end_time - self.episode.start_time, 3)
        own = {"success": False, "submitted": ""} if verdict is None else verdict.results
        return {self.incident.task.clock: seconds, **self._state.numbers(), **own}

    def save(self, path: Path) -> Path:
        """Write it, as it is now; see `Episode.save`."""
        if self.incident.verdict is None:
            self.episode.results = self.results(None)
        if self.left_out:
            self.episode.agent_report = {"requests_left_out": self.left_out}
        return self.episode.save(path)

"""Root cause analysis over recorded telemetry: one question of OpenRCA an episode."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from datetime import date
from functools import cached_property
from typing import Any

from aiops_gym.backends.recorded import Recorded
from aiops_gym.envs.background import PLAIN, PROMPTS, describe
from aiops_gym.envs.choice import list_ids
from aiops_gym.envs.episode import EpisodeEnv, one_of
from aiops_gym.envs.parts import PromptParts
from aiops_gym.envs.question import make_parts, make_prompt
from aiops_gym.envs.state import State
from aiops_gym.errors import ArgumentError, CatalogError
from aiops_gym.openrca import clock, domains, layout
from aiops_gym.openrca.problems import Problem, Questions
from aiops_gym.openrca.profiles import HARD, PROFILES
from aiops_gym.sim.kernel.draws import pick
from aiops_gym.tasks import root_cause
from aiops_gym.tasks.form import Form
from aiops_gym.tools import Tool, toolbox
from aiops_gym.tools.registry import SETS
from aiops_gym.types import Call, Verdict

SPLITS = (None, "train", "test")


class RecordedEnv(EpisodeEnv[Recorded]):
    """Something failed in a company's systems a while ago. What, why, and when?

    ## Action Space
    Text with exactly one fenced block that holds exactly one API call, such as
    `get_traces("2021-03-04 14:30", "2021-03-04 15:00")`. A text that is none is answered with the reason.

    ## Observation Space
    Text: the whole prompt after `reset`, then what the call printed.

    ## Rewards
    0 until `submit`, then the share of the criteria that the answer meets, from 0 to 1.

    ## Starting State
    A question: a window of half an hour, how many failures it holds, and which elements of them are asked for.

    ## Episode End
    Terminated by a valid submission, truncated by Gymnasium's TimeLimit alone.

    ## Arguments
    `domain` is "bank", "market" or "telecom". `root` is the folder of the data, by default the environment variable
    AIOPS_GYM_OPENRCA or else a small synthetic data set. `problem` is an id, a list of ids or None for all, `split` is
    None, "train" or "test", by date; questions about days without telemetry are not drawn. Market takes ids of both
    cloudbeds, and draws from the one that `cloudbed` names, "cloudbed-1" or "cloudbed-2"; None draws from both. `tools`
    is "basic", the getters of the OpenRCA plan and `submit`, or "all": also those of the other files, lists, and
    summaries. `observation_limit` is the number of characters of a tool's output that are shown. `log_dedup` is taken
    as everywhere in the suite, and changes nothing: recorded logs are tables, shown row by row. `action_format` is
    "tolerant" or "strict", which refuses text around the block. `budget` is None or the tokens of a model's context
    that a whole episode fits into, as 8192. `profile` is that of the synthetic data which are used where there are no
    others: "hard", on which no single look finds the answer, or "easy". `prompt` is "plain"; "schema", which also tells
    of the files and their columns; or "oracle" or "balanced", which beside them has samples of the measurements in the
    window, of those that OpenRCA's authors take for decisive or of as many that are spread evenly over all.

    `info["data"]` is "original" or "synthetic": whether the telemetry was recorded in a company or made up.

    ## Version History
    v0: first version.
    """

    task = root_cause.task.name
    clock = root_cause.task.clock

    def __init__(
        self,
        domain: str = "bank",
        root: str | os.PathLike[str] | None = None,
        problem: str | Sequence[str] | None = None,
        split: str | None = None,
        cloudbed: str | None = None,
        tools: str = "basic",
        observation_limit: int = 16_000,
        log_dedup: int = 5,
        action_format: str = "tolerant",
        render_mode: str | None = None,
        budget: int | None = None,
        profile: str = HARD,
        prompt: str = PLAIN,
    ) -> None:
        one_of("prompt", prompt, PROMPTS)
        one_of("split", split, SPLITS)
        one_of("profile", profile, PROFILES)
        one_of("tools", tools, SETS)
        self.domain, _ = domains.find(domain)
        beds = tuple(filter(None, self.domain.folders))
        if cloudbed is not None and cloudbed not in beds:
            known = ", ".join(beds) or "none"
            raise ValueError(f"no cloudbed {cloudbed!r} of {self.domain.title}; there are: {known}")
        if problem is not None and not problem:
            raise ArgumentError("the list of problems is empty")
        where = None if root is None else os.fspath(root)
        world = {"domain": self.domain.name, "root": where, "tools": tools}
        super().__init__(world, observation_limit, log_dedup, action_format, render_mode, budget)
        self.questions = Questions(self.domain, where, profile)
        self.cloudbed, self.split, self.told = cloudbed, split, prompt
        self.ids = list_ids(problem)
        for each in self.ids:
            self._known(each)

    @cached_property
    def problems(self) -> dict[str, Problem]:
        """All questions that it may draw, of both splits, by id, in the order of query.csv."""
        return self.questions.of(self.cloudbed)

    @property
    def example(self) -> str:  # type: ignore[override]  # each domain has other days
        """A right action."""
        return f"```\nget_traces({self.domain.days[0]!r}, '{self.domain.days[0]} 00:30')\n```"

    @property
    def window(self) -> tuple[str, str]:
        """First and last moment that the current question names."""
        problem = self._running()[1].problem
        return clock.show(problem.start), clock.show(problem.end)

    @property
    def tools(self) -> Mapping[str, Tool]:
        """What may be called, `submit` included."""
        return toolbox(f"openrca_{self.domain.name}", self.world["tools"])

    def reference_actions(self) -> list[str]:
        """A look at the window, and the right answer."""
        problem = self._running()[1].problem
        return [str(Call("get_traces", self.window)), str(Call("submit", (root_cause.task.solution(problem),)))]

    def explanation(self) -> dict[str, str]:
        """For whoever has finished the episode: the `fault`, the right `answer` and a `repair`, "" for none."""
        expected = root_cause.task.solution(self.problems[self._running()[0].problem])
        failures = ["; ".join(map(": ".join, found.items())) for found in expected.values()]
        return {"fault": "\n".join(failures), "answer": Call("submit", (expected,)).line, "repair": ""}

    def form(self) -> Form:
        """What a person is asked for who submits an answer to the current episode."""
        return root_cause.task.form(self.problems[self._running()[0].problem], self.prompt_parts.candidates or {})

    def _known(self, problem: str) -> str:
        return self.questions.find(problem).id

    def _draw(self, seed: int) -> str:
        pool = self.ids or self._pool
        if not pool:
            split = f" of split {self.split!r}" if self.split else ""
            where = " and ".join(str(self.questions.folder(each)) for each in self._days)
            raise CatalogError(f"no problem{split} in {where} is about a day that has telemetry")
        return pool[pick(len(pool), seed, "problem") if len(pool) > 1 else 0]

    @cached_property
    def _pool(self) -> tuple[str, ...]:
        """Ids of what can be drawn: of the split, and about a day that is there."""
        wanted = (each for each in self.problems.values() if self.split in (None, each.split))
        return tuple(each.id for each in wanted if clock.parse_day(each.start) in self._days[each.cloudbed])

    @cached_property
    def _days(self) -> dict[str, tuple[date, ...]]:
        """Days that have telemetry, of each cloudbed that is drawn from."""
        chosen = self.questions.cloudbeds if self.cloudbed is None else (self.cloudbed,)
        return {each: layout.list_days(self.questions.folder(each)) for each in chosen}

    def _open(self, problem: str, seed: int) -> Recorded:
        opened = Recorded(self.questions.find(problem), self.questions)
        day, there = clock.parse_day(opened.problem.start), opened.recording.days
        if day not in there:
            folder, known = opened.recording.folder, ", ".join(map(str, there)) or "none"
            raise CatalogError(f"{problem} is about {day}, of which {folder} has no telemetry; there are: {known}")
        return opened

    def _restored(self, data: bytes) -> Recorded:
        return Recorded.restored(data, self.questions)

    def _prompt(self, problem: str, backend: Recorded) -> str:
        return make_prompt(self._parts(problem, backend))

    def _parts(self, problem: str, backend: Recorded) -> PromptParts:
        days = [day.isoformat() for day in backend.recording.days]
        more = describe(self.domain, backend.recording, backend.problem, self.told)
        return make_parts(self.domain, backend.problem, days, self.tools, self.example, backend.data, more)

    def _info(self, *given: Any, **named: Any) -> dict[str, Any]:
        """What every info has, and whether the telemetry was recorded or made up."""
        return {**super()._info(*given, **named), "data": self._running()[1].data}

    def _accept(self, answer: Any) -> Any:
        return root_cause.task.accept(answer)

    def _judge(self, answer: Any, state: State, backend: Recorded) -> Verdict:
        return root_cause.task.judge(answer, backend.problem, backend.questions.graph(backend.problem))

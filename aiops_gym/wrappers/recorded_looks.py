"""Discrete actions for recorded incidents: looks, close looks at suspects, and answers, with a row of numbers each."""

from __future__ import annotations

import operator
from collections.abc import Mapping
from typing import Any

import gymnasium as gym
import numpy as np
from gymnasium.utils import RecordConstructorArgs
from numpy.typing import NDArray

from aiops_gym.envs.branching import Remembering
from aiops_gym.ids import STEPS
from aiops_gym.sim.kernel.draws import draw
from aiops_gym.wrappers.macro_actions import UNFILLED
from aiops_gym.wrappers.reading.suspects import REASONS, Case
from aiops_gym.wrappers.reading.turns import Env, Turn, make_box, needs_text

LOOKS, SUSPECTS = 14, 24
"""Looks that any domain has at most, and suspects that have slots."""

WHOLE = ("failures", "component", "reason", "time", "picked", "suspects", "budget")
"""Numbers about the whole episode: how much is asked for and done."""

SUSPECT = (
    *("there", "score", "share", "borne", "own", "look", "call", "operation", "looked", "several", "moment"),
    *("together", "picked", *(f"reason {number}" for number in range(REASONS))),
)
"""Numbers about a suspect."""


class RecordedLooks(Remembering, RecordConstructorArgs):
    """Acts by number on a recorded incident, and shows what was read as numbers.

    The actions are the same in every episode and domain: so many `look`s, which are the questions that an on-call
    engineer asks of a window (each summary, and each kind of measurement of the system); a close look at the calls of
    each suspect; and each suspect as the `answer`. A suspect is a component, a reason and a time that what was printed
    speaks for; slot 0 has the one that measurements and calls bear out best. Where a window holds several failures the
    first answers only look closely and are kept, and the last one submits all. `give up` submits without a suspect.

    What it knows of systems is which measurements tell which reason, which is what the agent `rules` has; nothing
    comes from labels. The infos have the mask under `action_mask` (int8).

    Args:
        env: a recorded incident with `tools="all"`, wrapped or not, that shows and takes text.
        looks_first: whether answers wait until all looks were taken; or in what share of the episodes they do, drawn by
            the episode's seed. `look_first` changes it later.

    Raises:
        TypeError: the environment takes no text.

    >>> import aiops_gym
    >>> env = RecordedLooks(gym.make("aiops_gym/OpenRCABank-v0", tools="all"))
    >>> _, info = env.reset(seed=1)
    >>> env.macro_names[0], env.meaning(0).splitlines()[1].split("(")[0]
    ('look 0', 'largest_deviations')
    >>> answer = env.macro_names.index("answer 0")
    >>> bool(env.action_masks()[answer]), env.step(0)[4]["valid_action"], bool(env.action_masks()[answer])
    (False, True, True)
    """

    MEMORY = ("_turns", "_waits")

    def __init__(self, env: Env, looks_first: bool | float = False) -> None:
        RecordConstructorArgs.__init__(self, looks_first=looks_first)
        Remembering.__init__(self, env)
        needs_text(env, type(self).__name__)
        if not isinstance(env.action_space, gym.spaces.Text):
            raise TypeError(f"RecordedLooks acts by text, and {env.action_space} is none: put it further inside")
        self.macro_names = (
            *(f"look {number}" for number in range(LOOKS)),
            *(f"close {number}" for number in range(SUSPECTS)),
            *(f"answer {number}" for number in range(SUSPECTS)),
            "give up",
        )
        self.action_space = gym.spaces.Discrete(len(self.macro_names))
        sizes = {"whole": len(WHOLE), "used": len(self.macro_names), "suspects": SUSPECTS * len(SUSPECT)}
        self.observation_space = gym.spaces.Dict({name: make_box(0.0, 10.0, size) for name, size in sizes.items()})
        self.look_first(looks_first)
        self._turns: list[tuple[int, str]] = []
        self._waits = False
        self._case: Case | None = None
        self._limit = (env.spec.max_episode_steps if env.spec else None) or STEPS

    @property
    def case(self) -> Case:
        """What was read in this episode."""
        if self._case is None:
            self._case = Case(self._turns[0][1] if self._turns else "")
            for action, text in self._turns[1:]:
                self._read(self._case, action, text)
        return self._case

    def look_first(self, share: float) -> None:
        """Let answers wait for the looks in another share of the episodes, from the next one on. Raises ValueError."""
        if not 0 <= share <= 1:
            raise ValueError(f"looks_first must be from 0 to 1, not {share!r}")
        self.looks_first = float(share)

    def meaning(self, action: int) -> str | None:
        """The text that an action stands for now; None where there is no such look or suspect. Raises ValueError."""
        kind, number = self._parted(action)
        named = self.case.named()
        if kind == "look":
            return self.case.looks[number].text if number < len(self.case.looks) else None
        if kind == "give up":
            return self.case.submission([])
        if number >= len(named):
            return None
        last = len(self.case.picked) + 1 >= self.case.failures
        return self.case.submission([named[number]]) if kind == "answer" and last else self.case.close(named[number])

    def action_masks(self) -> NDArray[np.bool_]:
        """Which actions can be taken: each look once, each suspect once; answers wait where they have to."""
        if not self._turns:
            return np.ones(len(self.macro_names), np.bool_)
        case, mask = self.case, np.zeros(len(self.macro_names), np.bool_)
        looks = len(case.looks)
        mask[:looks] = [number not in case.taken for number in range(looks)]
        for number, each in enumerate(case.named()[:SUSPECTS]):
            mask[LOOKS + number] = each.key not in case.closely
            mask[LOOKS + SUSPECTS + number] = each.key not in case.picked
        if self._waits and mask[:looks].any():
            mask[LOOKS + SUSPECTS :] = False
        else:
            mask[-1] = not mask[LOOKS + SUSPECTS :].any()
        return mask

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Begin an episode. Raises CatalogError where the prompt is of no recorded incident."""
        observation, info = super().reset(seed=seed, options=options)
        self._waits = draw(int(info["episode_seed"]), "looks first") < self.looks_first
        self._turns, self._case = [(-1, str(observation))], None
        return self._shown(), {**info, "action_mask": self.action_masks().astype(np.int8)}

    def step(self, action: Any) -> Turn:
        """Carry out what the action stands for."""
        number = operator.index(action)
        text = self.meaning(number) or UNFILLED
        observation, reward, terminated, truncated, info = self.env.step(text)
        self._turns.append((number if text != UNFILLED else -1, str(observation)))
        self._read(self.case, *self._turns[-1])
        told = {**info, "action_mask": self.action_masks().astype(np.int8)}
        return self._shown(), float(reward), terminated, truncated, told

    def remember(self, memory: dict[str, Any]) -> None:
        """Read the turns again: what is shown is a function of them."""
        super().remember({**memory, "_turns": [tuple(turn) for turn in memory["_turns"]]})
        self._case = None

    def _read(self, case: Case, action: int, text: str) -> None:
        kind, number = self._parted(action) if action >= 0 else ("", 0)
        if kind == "look":
            case.read_look(number, text)
        elif kind in ("close", "answer") and number < len(case.named()):
            case.read_close(case.named()[number], text, picked=kind == "answer")

    def _parted(self, action: int) -> tuple[str, int]:
        """Kind and slot of an action. Raises ValueError for what is none: Python would count from the end."""
        if not 0 <= action < len(self.macro_names):
            raise ValueError(f"an action is a whole number from 0 to {len(self.macro_names) - 1}, not {action!r}")
        name, _, number = self.macro_names[action].partition(" ")
        return ("give up", 0) if name == "give" else (name, int(number))

    def _shown(self) -> dict[str, NDArray[np.float32]]:
        case, used = self.case, np.zeros(len(self.macro_names), np.float32)
        used[[*case.taken]] = 1.0
        named = case.named()
        rows = np.zeros((SUSPECTS, len(SUSPECT)), np.float32)
        for at, each in enumerate(named[:SUSPECTS]):
            numbers: Mapping[str, float] = case.describe(each, named)
            rows[at] = [numbers.get(name, 0.0) for name in SUSPECT]
        whole = (
            case.failures / 3,
            *(float(each in case.asked) for each in ("component", "reason", "time")),
            len(case.picked) / 3,
            min(1.0, len(named) / SUSPECTS),
            max(0.0, 1 - len(self._turns) / self._limit),
        )
        shown = {"whole": np.array(whole, np.float32), "used": used, "suspects": rows.ravel()}
        return {name: np.clip(values, 0.0, 10.0) for name, values in shown.items()}

"""Keeping an episode within a model's context: a short prompt, and output as long as what is left of it allows.

Tokens are counted without a tokenizer, and rather too high: each digit counts, every two signs, and every five letters
of a word. What tools print is cut a little finer by a vocabulary of a hundred thousand tokens at worst, and prompts far
more coarsely. So a budget is kept with any such model.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass

from aiops_gym.envs.parts import PromptParts
from aiops_gym.errors import ArgumentError
from aiops_gym.tools import Tool
from aiops_gym.tools.clip import clip
from aiops_gym.tools.dedup import deduplicate
from aiops_gym.tools.schemas import list_schemas, shorten_manual

TURN = 24
"""What chat templates put around an action and an observation."""

ANSWER = 16
"""One part in so many is kept for the answer: no output is shown at its cost."""

SHARE = 4
"""Of what is left, an observation takes one part in so many at most, so that there is always something left."""

SHORTEST = 32
"""Tokens below which an observation is not worth showing."""

BLOCK = 5
"""Lines that count as a repetition where a text does not fit, as AIOpsLab's de-duplication has it."""

NOW = "Your context has no room for more output. Submit your answer now: any other action ends the episode."
SPENT = "Your context is used up. The episode is over."

_PIECE = re.compile(rb"[A-Za-z]{1,5}|[0-9]|\s{2,}|\n|[^\sA-Za-z0-9]{1,2}")


def count_high(text: str) -> int:
    """How many tokens a text has at most, as far as that can be said without a tokenizer.

    >>> count_high("geo-58d9b68c5b-swdrn   1/1"), count_high("kubectl get pods")
    (18, 4)
    """
    return len(_PIECE.findall(text.encode("utf-8", "replace")))


def write_short(told: PromptParts) -> str:
    """A prompt of the same parts, with one line for each API."""
    usage = "\n".join(map(_line, told.apis.values()))
    return f"{told.task}\n\nYou can call these APIs:\n{usage}\n\n{told.instructions}"


def _line(manual: str) -> str:
    usage, _, rest = manual.partition("\n")
    return f"- {usage}: {shorten_manual(rest)}"


@dataclass(frozen=True, slots=True)
class Budget:
    """Tokens of a whole episode: its prompt, the schemas of its tools, all actions and all observations."""

    total: int

    def begin(self, prompt: str, tools: Mapping[str, Tool]) -> int:
        """What is spent before the first action. The schemas count, whether they are shown or not.

        Raises:
            ArgumentError: more than three quarters of it.
        """
        spent = count_high(prompt) + count_high(json.dumps(list_schemas(tools, short=True))) + TURN
        if 4 * spent > 3 * self.total:
            raise ArgumentError(f"a budget of {self.total:,} tokens is too small where the task alone takes {spent:,}")
        return spent

    def fit(self, text: str, action: str, spent: int) -> tuple[str, int]:
        """An observation as it is shown, and what is spent then.

        What is too long is first rid of its repetitions, whatever printed it, and then of its middle.
        """
        spent += count_high(action) + TURN
        left = self._left(spent) // SHARE
        if left < SHORTEST:
            return NOW, self.total
        shown = _shorten(text, left)
        return shown, spent + count_high(shown)

    def characters(self, spent: int) -> int:
        """How long a table may be of which the agent can ask for the next page."""
        return max(1, self._left(spent) // SHARE)

    def is_spent(self, spent: int) -> bool:
        """Whether the agent was told to answer."""
        return spent >= self.total

    def _left(self, spent: int) -> int:
        return self.total - self.total // ANSWER - spent


def _shorten(text: str, tokens: int) -> str:
    """A text of so many tokens at most."""
    if count_high(text) <= tokens:
        return text
    text = deduplicate(text, BLOCK)
    limit = len(text)
    while (cost := count_high(shown := clip(text, limit))) > tokens:
        limit = min(limit - 1, max(1, limit * tokens // cost))
    return shown

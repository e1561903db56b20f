"""What an environment remembers of its episode beside the backend: small, plain data."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, replace
from typing import Any, Self

from aiops_gym.envs.tokens import METHOD, count
from aiops_gym.errors import SnapshotError

PENDING = 64
"""Texts whose tokens are not yet counted, at most: counting waits until a number is asked for."""


@dataclass(slots=True)
class State:
    """One episode so far.

    Attributes:
        problem: id.
        time: seconds since the start, at the last action.
        last: the last turn: action (None for the prompt), observation, reward.
        heard: observations whose tokens are not counted yet; the prompt is not one of them.
        said: actions whose tokens are not counted yet.
        spent: of a budget of tokens, where there is one.
        handled: what was said of an incident so far, JSON data; replaced and never changed.
    """

    problem: str
    episode_seed: int
    step: int = 0
    time: float = 0.0
    over: bool = False
    in_tokens: int = 0
    out_tokens: int = 0
    last: tuple[str | None, str, float] = (None, "", 0.0)
    info: dict[str, Any] = field(default_factory=dict)
    heard: list[str] = field(default_factory=list)
    said: list[str] = field(default_factory=list)
    spent: int = 0
    handled: dict[str, Any] = field(default_factory=dict)

    def count(self) -> None:
        """Count the tokens of all texts that wait for it."""
        self.in_tokens += sum(map(count, self.heard))
        self.out_tokens += sum(map(count, self.said))
        self.heard, self.said = [], []

    def note(self, action: str, observation: str) -> None:
        """Remember the texts of one turn."""
        self.said.append(action)
        self.heard.append(observation)
        if len(self.said) >= PENDING:
            self.count()

    def numbers(self) -> dict[str, Any]:
        """Steps and tokens, for the results."""
        self.count()
        tokens = {"in_tokens": self.in_tokens, "out_tokens": self.out_tokens}
        return {"steps": self.step, **tokens, "token_method": METHOD}

    def copy(self) -> Self:
        """An independent copy."""
        return replace(self, heard=list(self.heard), said=list(self.said))

    def to_json(self) -> dict[str, Any]:
        """As JSON data."""
        self.count()
        return asdict(self)

    @classmethod
    def from_json(cls, data: Any) -> Self:
        """Back from JSON data. Raises SnapshotError."""
        try:
            action, observation, reward = data["last"]
            return cls(**{**data, "last": (action, observation, float(reward))})
        except (TypeError, KeyError, ValueError):
            raise SnapshotError("the snapshot is damaged: it holds no episode") from None

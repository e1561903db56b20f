"""Counting an episode's tokens with the tokenizer of a model, in place of the estimate that needs none."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Sized
from typing import Any, cast

from aiops_gym.errors import ArgumentError
from aiops_gym.runs.episode import Episode

Tokenizer = Callable[[str], int | Sized]
"""Text -> its tokens, or how many there are."""


def find(name: str) -> Tokenizer:
    """The tokenizer that `module:function` names.

    Raises:
        ArgumentError: there is none.
    """
    where, _, function = name.partition(":")
    try:
        found = getattr(importlib.import_module(where), function, None) if where and function else None
    except ImportError as error:
        raise ArgumentError(f"there is no tokenizer {name!r}: {error}") from None
    if not callable(found):
        raise ArgumentError(f"there is no tokenizer {name!r}: it is module:function, a callable text -> tokens")
    return cast("Tokenizer", found)


def count_tokens(episode: Episode, tokenizer: Tokenizer) -> dict[str, Any]:
    """The results `in_tokens`, `out_tokens` and `token_method` of an episode.

    What is read are the observations, without the prompt and without what follows on a submission.

    >>> turns = [{"action": "a b", "observation": "c d e"}, {"action": "f", "observation": "over"}]
    >>> episode = Episode(agent="", session_id="", problem_id="", start_time=0, end_time=0, steps=turns, submitted="1")
    >>> count_tokens(episode, str.split)
    {'in_tokens': 3, 'out_tokens': 3, 'token_method': 'str.split'}
    """
    heard = episode.steps[:-1] if episode.submitted else episode.steps
    return {
        "in_tokens": sum(_length(tokenizer(turn["observation"])) for turn in heard),
        "out_tokens": sum(_length(tokenizer(turn["action"])) for turn in episode.steps),
        "token_method": _name(tokenizer),
    }


def _length(tokens: Any) -> int:
    """Raises TypeError for what is neither tokens nor their number."""
    if isinstance(tokens, int) and not isinstance(tokens, bool) and tokens >= 0:
        return tokens
    if isinstance(tokens, Sized) and not isinstance(tokens, str):
        return len(tokens)
    raise TypeError(f"a tokenizer gives a list of tokens or their number, not {tokens!r:.80}")


def _name(tokenizer: Tokenizer) -> str:
    """`module:function`, or the class of an object that is called."""
    named: Any = tokenizer if hasattr(tokenizer, "__qualname__") else type(tokenizer)
    module = getattr(named, "__module__", None)
    return f"{module}:{named.__qualname__}" if module else str(named.__qualname__)

"""A language model as a judge of the reasoning: how well an agent thought, whatever it achieved. Off by default.

Any server that speaks the chat completions of OpenAI will do. A judge that fails is a result like any other, and never
changes a reward.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from aiops_gym.errors import AiopsGymError

NO_SCORE = -1.0
"""What stands in the results where the judge named no number, or did not answer."""

KEYS = ("AIOPS_GYM_JUDGE_KEY", "OPENAI_API_KEY")
"""Environment variables that may hold the key, in this order."""

INSTRUCTION = """\
You grade the work of an on-call engineer who investigated an incident with a few tools. You see the whole dialogue:
what the engineer did, and what the system printed. Grade the reasoning and not the luck: was evidence gathered before a
conclusion was drawn, were hypotheses tested, was anything needless or harmful done, and does the answer follow from
what was seen? Be impartial, and do not let length impress you. Explain your grade in a few sentences, and end with a
number from 1 (worthless) to 10 (excellent) in double brackets, for example [[4]]."""

_DOUBLE = re.compile(r"\[\[(\d+\.?\d*)\]\]")
_SINGLE = re.compile(r"\[(\d+\.?\d*)\]")


@dataclass(frozen=True, kw_only=True)
class Judge:
    """A model behind an address.

    Attributes:
        model: name that the server knows.
        url: of the API, up to and with its version: `https://api.openai.com/v1`.
        timeout: seconds that one judgement may take.
    """

    model: str
    url: str = "https://api.openai.com/v1"
    timeout: float = 60.0

    def __post_init__(self) -> None:
        """Raises AiopsGymError for what would fail after the first episode: no HTTP client, a key that is none."""
        try:
            import httpx  # noqa: F401, PLC0415  # An extra, and only for those who want a judge.
        except ImportError as error:
            raise AiopsGymError(f"a judge needs httpx: pip install 'aiops_gym[llm]' ({error})") from None
        if not all("!" <= sign <= "~" for sign in _key()):  # A client would refuse it later, and print it.
            raise AiopsGymError("the key for the judge holds blanks, line ends or other signs that no key has")

    def results(self, trace: Sequence[Mapping[str, str]]) -> dict[str, Any]:
        """`reasoning_score` and `reasoning_judgement`; the score is -1 where there is none."""
        import httpx  # noqa: PLC0415  # As above.

        try:
            response = httpx.post(
                f"{self.url.rstrip('/')}/chat/completions",
                json=self.request(trace),
                headers={"Authorization": f"Bearer {_key()}"} if _key() else {},
                timeout=self.timeout,
            )
            response.raise_for_status()
            text = str(response.json()["choices"][0]["message"]["content"])
        except (httpx.HTTPError, httpx.InvalidURL, ValueError, KeyError, IndexError, TypeError) as error:
            return {
                "reasoning_score": NO_SCORE,
                "reasoning_judgement": f"No judgement: {type(error).__name__}: {error}",
            }
        return {"reasoning_score": score(text), "reasoning_judgement": text}

    def request(self, trace: Sequence[Mapping[str, str]]) -> dict[str, Any]:
        """What is sent: the instruction and the dialogue, without the prompt and without the truth."""
        dialogue = "\n\n".join(f"### {turn['role']}:\n{turn['content']}" for turn in trace)
        messages = [
            {"role": "system", "content": INSTRUCTION},
            {"role": "user", "content": f"[Beginning of the dialogue]\n\n{dialogue}\n\n[End of the dialogue]"},
        ]
        return {"model": self.model, "messages": messages, "temperature": 0, "top_p": 0.95, "max_tokens": 1024}


def _key() -> str:
    """The key to send, "" for none; line ends around it come from the file that it was read from."""
    return next((os.environ[name] for name in KEYS if os.environ.get(name)), "").strip()


def score(text: str) -> float:
    """The number in the first double brackets, else in the first single ones; -1 for none, or none from 1 to 10.

    >>> score("Steps [1] and [2] were good: [[7.5]]"), score("[3]"), score("none"), score("[[100]]")
    (7.5, 3.0, -1.0, -1.0)
    """
    found = _DOUBLE.search(text) or _SINGLE.search(text)
    number = float(found[1]) if found else NO_SCORE
    return number if 1.0 <= number <= 10.0 else NO_SCORE

"""What can be set about a model and its server."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from typing import Any, Self, get_args, get_type_hints
from urllib.parse import urlsplit

from aiops_gym.agents.base import hide_secrets
from aiops_gym.errors import CatalogError, make_hint

KEYS = ("AIOPS_GYM_LLM_KEY", "OPENAI_API_KEY")
"""Environment variables that may hold the key, in this order."""

OPENAI = "https://api.openai.com/v1"

ENDPOINT = "/chat/completions"

TOOLS = ("auto", "always", "never")

POSITIVE = ("max_tokens", "context_tokens", "timeout", "max_wait", "max_invalid")
NOT_NEGATIVE = ("max_retries", "wait", "max_retry_after", "budget_seconds", "budget_tokens", "budget_cost")
MOST = 1e9
"""Of any of them; clocks know no longer times."""


@dataclass(frozen=True, kw_only=True)
class Options:
    """A model, how it is asked, and what that may cost.

    Attributes:
        model: name that the server knows.
        base_url: of the API, up to and with its version: `http://127.0.0.1:8000/v1`.
        api_key: sent as a bearer token; without it that of `AIOPS_GYM_LLM_KEY` or `OPENAI_API_KEY`, if set.
        temperature: of sampling; None leaves it to the server, as some models demand.
        send_seed: send the agent's seed too, so that servers which can will repeat themselves.
        max_tokens: of one answer; None leaves it to the server.
        stop: texts at which an answer ends.
        extra: more members of each request, `{"top_p": 0.9}`.
        stream: read answers as they are written; a stream that breaks off is a fault like any other.
        tools: "auto" has the model call tools by the server's own format where the server takes them, and write calls
            as text where not; "always" and "never" leave no choice.
        system: a system message of your own in place of ours.
        context_tokens: of the model's window; the conversation is shortened to fit, the prompt never.
        max_invalid: answers in a row without a readable call, after which the agent gives up.
        timeout: seconds for one request.
        max_retries: of one request.
        wait: seconds before the first retry; each one doubles it, less up to a half by chance.
        max_wait: seconds between retries at most, unless the server asks for more.
        max_retry_after: seconds that a server may ask to wait; one that asks for more ends the episode.
        budget_seconds: of real time for an episode; so are `budget_tokens`, read and written, and `budget_cost`.
        prices: by model, per million tokens, `[read, written]`, in any currency.
    """

    model: str
    base_url: str = OPENAI
    api_key: str = field(default="", repr=False)
    temperature: float | None = 0.0
    send_seed: bool = True
    max_tokens: int | None = 1024
    stop: Sequence[str] = ()
    extra: Mapping[str, Any] = field(default_factory=dict)
    stream: bool = False
    tools: str = "auto"
    system: str = ""
    context_tokens: int = 32_000
    max_invalid: int = 8
    timeout: float = 120.0
    max_retries: int = 6
    wait: float = 1.0
    max_wait: float = 60.0
    max_retry_after: float = 600.0
    budget_seconds: float | None = None
    budget_tokens: int | None = None
    budget_cost: float | None = None
    prices: Mapping[str, Sequence[float]] = field(default_factory=dict)

    @classmethod
    def of(cls, given: Mapping[str, Any]) -> Self:
        """Options from JSON data.

        Raises:
            CatalogError: one that there is not, or a value that makes no sense.
        """
        types = get_type_hints(cls)
        for name, value in given.items():
            if name not in types:
                known = make_hint(name, (each.name for each in fields(cls)))
                raise CatalogError(f"the agent 'chat' has no option {name!r}: {known}")
            if not _fits(value, types[name]):
                says = f": {value!r}" if name in hide_secrets({name: value}) else ""
                raise CatalogError(f"the option {name!r} is no {_name(types[name])}{says}")
        if not given.get("model"):
            raise CatalogError("the agent 'chat' needs the name of a model: --model")
        return cls(**given)

    def __post_init__(self) -> None:
        """Refuses what cannot be. Raises CatalogError."""
        for name in (*POSITIVE, *NOT_NEGATIVE):
            value = getattr(self, name)
            if value is not None and (not 0 <= value <= MOST or (name in POSITIVE and value == 0)):
                least = "positive" if name in POSITIVE else "0 or more"
                raise CatalogError(f"the option {name!r} must be {least}, and at most {MOST:g}")
        if self.tools not in TOOLS:
            raise CatalogError(f"the option 'tools' is one of {', '.join(TOOLS)}, not {self.tools!r}")
        for price in self.prices.values():
            if not (isinstance(price, Sequence) and len(price) == 2 and all(_is_price(each) for each in price)):
                raise CatalogError("each of the option 'prices' is two numbers, per million tokens read and written")
        try:
            json.dumps([self.temperature, dict(self.extra)], allow_nan=False)
        except (TypeError, ValueError):
            raise CatalogError("the options 'temperature' and 'extra' must be JSON data") from None
        if self.budget_cost is not None and self.model not in self.prices:
            raise CatalogError(f"a budget of costs needs the price of {self.model} in the option 'prices'")
        if not _is_address(self.base_url.strip()):
            raise CatalogError("the option 'base_url' is an address such as http://127.0.0.1:8000/v1, without a key")
        self._check_key()

    def _check_key(self) -> None:
        """Better now than by a refusal that would print it. Raises CatalogError."""
        if not all("!" <= sign <= "~" for sign in self.key):
            raise CatalogError("the key for the server holds blanks, line ends or other signs that no key has")

    @property
    def key(self) -> str:
        """The key to send, "" for none; line ends around it come from the file that it was read from."""
        return (self.api_key or next((os.environ[name] for name in KEYS if os.environ.get(name)), "")).strip()

    @property
    def url(self) -> str:
        """Where completions are asked for.

        >>> Options(model="m", base_url="http://h/v1/").url, Options(model="m", base_url="http://h/chat/completions").url
        ('http://h/v1/chat/completions', 'http://h/chat/completions')
        """
        return self.base_url.strip().rstrip("/").removesuffix(ENDPOINT) + ENDPOINT

    @property
    def room(self) -> int:
        """Tokens that a conversation may have, so that the answer fits behind it."""
        return max(1, self.context_tokens - (self.max_tokens or 0))

    def to_json(self) -> dict[str, Any]:
        """What differs from the defaults, as JSON data, without secrets."""
        usual = asdict(Options(model=""))
        given = {name: value for name, value in asdict(self).items() if value != usual[name]}
        return hide_secrets({**given, "stop": list(self.stop)} if self.stop else given)


def _fits(value: Any, wanted: Any) -> bool:
    """Whether a value of JSON is of a type; whole numbers are numbers, and truths are none."""
    choices = get_args(wanted) if type(None) in get_args(wanted) else (wanted,)
    if value is None or isinstance(value, bool):
        return type(value) in choices
    if float in choices and isinstance(value, int):
        return True
    if any(str(each).startswith("collections.abc.Sequence") for each in choices):
        return isinstance(value, list | tuple) and all(isinstance(each, str) for each in value)
    if any(str(each).startswith("collections.abc.Mapping") for each in choices):
        return isinstance(value, Mapping)
    return type(value) in choices


def _is_price(value: Any) -> bool:
    return _fits(value, float) and math.isfinite(value) and value >= 0


def _is_address(text: str) -> bool:
    try:
        address = urlsplit(text)
        port = address.port
    except ValueError:
        return False
    plain = all("!" <= sign <= "~" for sign in text) and "@" not in address.netloc
    return plain and port != 0 and address.scheme in ("http", "https") and bool(address.hostname) and not address.query


def _name(wanted: Any) -> str:
    choices = [each for each in get_args(wanted) if each is not type(None)] or [wanted]
    words = {str: "text", int: "whole number", float: "number", bool: "true or false"}
    if type(None) in get_args(wanted) or wanted in words:
        return words[choices[0]]
    return "list of texts" if "Sequence" in str(wanted) else "JSON object"

"""Reading what a server answered, whole or in a stream of events."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

DONE = "[DONE]"

_THOUGHT = re.compile(r"\A\s*<think>.*?</think>\s*", re.DOTALL)


class Malformed(Exception):
    """The server's fault: what it sent is no chat completion, or stops before its end."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What the model said.

    Attributes:
        text: may be empty. What a reasoning model thinks before it, between `<think>` tags, is left out.
        prompt_tokens: as the server counts, None if it does not; so is `completion_tokens`.
    """

    text: str
    prompt_tokens: int | None = None
    completion_tokens: int | None = None


def read_whole(body: bytes) -> Answer:
    r"""An answer in one piece. Raises Malformed.

    >>> read_whole(b'{"choices": [{"message": {"content": "<think>hm</think>\\nyes"}}], "usage": {"prompt_tokens": 7}}')
    Answer(text='yes', prompt_tokens=7, completion_tokens=None)
    """
    data = _json(body)
    choice = _choice(data)
    if choice is None or not isinstance(choice.get("message"), dict):
        raise Malformed("an answer without a message")
    return _answer(_text(choice["message"].get("content")), data.get("usage"))


def read_stream(lines: Iterable[str]) -> Answer:
    """An answer in server-sent events; it must say that it ends. Raises Malformed.

    >>> read_stream(['data: {"choices": [{"delta": {"content": "yes"}, "finish_reason": "stop"}]}', "", "data: [DONE]"])
    Answer(text='yes', prompt_tokens=None, completion_tokens=None)
    """
    pieces: list[str] = []
    usage: Any = None
    ended = False
    for line in lines:
        if not line.startswith("data:"):
            continue  # blank lines, comments that keep the connection alive, names of events
        event = line[5:].strip()
        if event == DONE:
            ended = True
            break
        data = _json(event.encode())
        usage = data.get("usage") or usage
        choice = _choice(data)
        if choice is not None:
            delta = choice.get("delta")
            pieces.append(_text(delta.get("content")) if isinstance(delta, dict) else "")
            ended = ended or bool(choice.get("finish_reason"))
    if not ended:
        raise Malformed("a stream that breaks off")
    return _answer("".join(pieces), usage)


def reason(body: bytes) -> str:
    """What an error answer says for itself, in one short line; "" for nothing.

    >>> reason(b'{"error": {"message": "no such model"}}'), reason(b"Bad  Gateway"), reason(b"<html>")
    ('no such model', 'Bad Gateway', '')
    """
    text = body.decode("utf-8", "replace")
    try:
        data = json.loads(text)
        error = data.get("error", data) if isinstance(data, dict) else data
        message = error.get("message", error.get("detail")) if isinstance(error, dict) else error
        text = message if isinstance(message, str) else json.dumps(error)
    except (ValueError, RecursionError):
        text = "" if text.lstrip().startswith("<") else text
    return " ".join(text.split())[:300]


def _json(body: bytes) -> dict[str, Any]:
    try:
        data = json.loads(body)
    except (ValueError, RecursionError):
        raise Malformed("an answer that is no JSON") from None
    if not isinstance(data, dict):
        raise Malformed("an answer that is no JSON object")
    if data.get("error"):
        raise Malformed(reason(body) or "an error without a reason")
    return data


def _choice(data: dict[str, Any]) -> dict[str, Any] | None:
    """The first choice; None where there is none, as in the last event of a stream, with its usage."""
    choices = data.get("choices")
    if not isinstance(choices, list):
        raise Malformed("an answer without choices")
    return choices[0] if choices and isinstance(choices[0], dict) else None


def _text(content: Any) -> str:
    """The text of a message, which may come in parts."""
    if isinstance(content, list):
        return "".join(_text(part.get("text")) for part in content if isinstance(part, dict))
    return content if isinstance(content, str) else ""


def _answer(text: str, usage: Any) -> Answer:
    counts = usage if isinstance(usage, dict) else {}
    tokens = (counts.get(name) for name in ("prompt_tokens", "completion_tokens"))
    read, written = (each if type(each) is int and each >= 0 else None for each in tokens)
    return Answer(_THOUGHT.sub("", text), read, written)

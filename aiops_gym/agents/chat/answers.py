"""Reading what a server answered, whole or in a stream of events."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from aiops_gym.agents.chat.history import Called

DONE = "[DONE]"

OPEN, CLOSE = "<think>", "</think>"

ENDS = {"length": "was cut off: it needs more max_tokens", "content_filter": "was held back by the server's filter"}
"""What to say of an answer that ended for another reason than its own."""


NAMELESS = "calls a tool without its name"


class Malformed(Exception):
    """The server's fault: what it sent is no chat completion, or stops before its end."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What the model said.

    Attributes:
        text: may be empty. What a reasoning model thinks before it, between `<think>` tags, is left out.
        prompt_tokens: as the server counts, None if it does not; so is `completion_tokens`.
        remark: what is odd about it, "" for nothing; it completes "the last one".
        called: the tool that it calls by the server's own format; of several, the first.
    """

    text: str
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    remark: str = ""
    called: Called | None = None


def read_whole(body: bytes) -> Answer:
    r"""An answer in one piece. Raises Malformed.

    >>> read_whole(b'{"choices": [{"message": {"content": "<think>hm</think>\\nyes"}}], "usage": {"prompt_tokens": 7}}')
    Answer(text='yes', prompt_tokens=7, completion_tokens=None, remark='', called=None)
    """
    data = _json(body)
    choice = _choice(data)
    if choice is None or not isinstance(choice.get("message"), dict):
        raise Malformed("an answer without a message")
    message = choice["message"]
    return _answer(_text(message.get("content")), data.get("usage"), _remark(choice), [message])


def read_stream(lines: Iterable[str]) -> Answer:
    """An answer in server-sent events; it must say that it ends. Raises Malformed.

    >>> read_stream(['data: {"choices": [{"delta": {"content": "yes"}, "finish_reason": "stop"}]}', "", "data: [DONE]"])
    Answer(text='yes', prompt_tokens=None, completion_tokens=None, remark='', called=None)
    """
    pieces: list[str] = []
    deltas: list[dict[str, Any]] = []
    usage: Any = None
    ended, remark = False, ""
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
            delta = choice["delta"] if isinstance(choice.get("delta"), dict) else {}
            pieces.append(_text(delta.get("content")))
            deltas.append(delta)
            remark = _remark(choice) or remark
            ended = ended or bool(choice.get("finish_reason"))
    if not ended:
        raise Malformed("a stream that breaks off")
    return _answer("".join(pieces), usage, remark, deltas)


def read_reason(body: bytes) -> str:
    """What an error answer says for itself, in one line that any file and terminal takes; "" for nothing.

    >>> read_reason(b'{"error": {"message": "no such model"}}'), read_reason(b"Bad  Gateway"), read_reason(b"<html>")
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
    return " ".join("".join(sign if sign.isprintable() else " " for sign in text).split())


def _json(body: bytes) -> dict[str, Any]:
    try:
        data = json.loads(body)
    except (ValueError, RecursionError):
        page = body.lstrip().startswith(b"<")
        raise Malformed(f"an answer that is no JSON{' but a page: is base_url right?' if page else ''}") from None
    if not isinstance(data, dict):
        raise Malformed("an answer that is no JSON object")
    if data.get("error"):
        raise Malformed(read_reason(body) or "an error without a reason")
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


def _remark(choice: dict[str, Any]) -> str:
    """What is odd about an answer, or a piece of one."""
    return ENDS.get(str(choice.get("finish_reason")), "")


def _called(messages: Iterable[dict[str, Any]]) -> Called | None:
    """The first tool that a message calls, or the pieces of one; what is of another form is left out."""
    name = arguments = id_ = ""
    for message in messages:
        calls = message.get("tool_calls")
        first = calls[0] if isinstance(calls, list) and calls else None
        function = first.get("function") if isinstance(first, dict) and first.get("index", 0) == 0 else None
        if isinstance(function, dict):
            given = function.get("arguments")
            name += _text(function.get("name"))
            arguments += json.dumps(given) if isinstance(given, dict) else _text(given)
            id_ = id_ or _text(first.get("id") if isinstance(first, dict) else None)
    return Called(name, arguments, id_ or "call") if name else None


def _spoken(text: str) -> str:
    """A text without the thoughts at its beginning.

    Some servers leave out the first tag, and thoughts that are cut off have no second one.
    """
    before, closed, after = text.partition(CLOSE)
    if closed and OPEN not in before:
        return after.lstrip()
    while text.lstrip().startswith(OPEN):
        text = text.partition(CLOSE)[2].lstrip()
    return text


def _answer(text: str, usage: Any, remark: str, messages: Sequence[dict[str, Any]]) -> Answer:
    counts = usage if isinstance(usage, dict) else {}
    tokens = (counts.get(name) for name in ("prompt_tokens", "completion_tokens"))
    read, written = (each if type(each) is int and each >= 0 else None for each in tokens)
    spoken = _spoken(text)
    called = _called(messages)
    if called is None and not remark:
        nameless = any(message.get("tool_calls") for message in messages)
        remark = NAMELESS if nameless else "" if spoken.strip() else "is empty"
    return Answer(spoken, read, written, remark, called)

"""Answers of a person as JSON: how one is written for a task, and what is said of a text that is none.

Not here: which answers a task takes (`tasks`) and what they are worth.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from shlex import quote

import orjson

from aiops_gym.errors import ToolError
from aiops_gym.tasks.base import IncidentTask
from aiops_gym.tools.parser import parse
from aiops_gym.types import Call, Json

KEY = "answer"


def list_examples(task: IncidentTask) -> Iterator[tuple[str, str]]:
    """Bodies that submit, quoted for a shell, with what each says.

    >>> from aiops_gym.tasks.base import find
    >>> list(list_examples(find("detection")))[0]
    ('\\'{"answer": "Yes"}\\'', 'there is an anomaly')
    """
    for call, meaning in task.answers:
        given = parse(f"```\n{call}\n```").args
        yield quote(json.dumps({KEY: given[0] if given else None})), meaning


def read(task: IncidentTask, raw: bytes) -> Json:
    """The answer in a request's body. Raises ToolError with what would be right."""
    try:
        found = orjson.loads(raw or b"{}")
    except orjson.JSONDecodeError as error:
        raise _refused(task, f"this is not JSON ({error})") from None
    if not isinstance(found, Mapping):
        raise _refused(task, f"an object with {KEY!r} is expected, not {type(found).__name__}")
    if others := sorted(found.keys() - {KEY}):
        raise _refused(task, f"{others[0]!r} is not known")
    if KEY not in found and not task.repairs:  # where silence is an answer, it must be meant
        raise _refused(task, f"it has no {KEY!r}")
    answer = found.get(KEY)
    if left := [word for word in task.placeholders if word in _strings(answer)]:
        raise _refused(task, f"{left[0]!r} stands for a name: put one in its place")
    try:
        return task.accept(answer)
    except ToolError as error:
        why = str(error).removeprefix("Invalid submission: ").removesuffix(" The episode goes on.")
        raise _refused(task, why) from None


def format_answer(answer: Json) -> str:
    """An accepted answer as the call that submits it, for a transcript."""
    return str(Call("submit", () if answer is None else (answer,)))


def _refused(task: IncidentTask, why: str) -> ToolError:
    right = " or ".join(f"-d {body}" for body, _ in list_examples(task))
    return ToolError(f"Invalid submission: {why.rstrip('.')}. Right is {right}. The incident goes on.", "submission")


def _strings(value: Json) -> set[str]:
    """All texts in an answer, however deep they lie."""
    found, waiting = set[str](), [value]
    while waiting:
        item = waiting.pop()
        if isinstance(item, str):
            found.add(item)
        elif isinstance(item, list):
            waiting.extend(item)
        elif isinstance(item, Mapping):
            waiting.extend(item.values())
    return found

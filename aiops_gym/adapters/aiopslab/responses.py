"""Reading a response of an agent, and how submissions and mistakes are told."""

from __future__ import annotations

from enum import Enum
from typing import Any

from aiops_gym.errors import ToolError
from aiops_gym.tools.parser import parse, split_block


class SubmissionStatus(Enum):
    """What became of a submission."""

    VALID_SUBMISSION = 1
    INVALID_SUBMISSION = 2


class _Mistake(ToolError):
    """Made from its own part of the message, so that it survives process borders."""

    text, kind = "{}", "arguments"

    def __init__(self, part: str) -> None:
        super().__init__(self.text.format(part), self.kind)
        self.part = part

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.part,)


class InvalidActionError(_Mistake):
    """There is no action of this name."""

    text, kind = "Invalid action: {}", "unknown_api"


class ResponseParsingError(_Mistake):
    """A response is no action, for this reason."""

    text, kind = "Error parsing response: {}", "parse"


class ResponseParser:
    """Reads what an agent wrote, by the rules of the environments: what they take, this takes."""

    def parse(self, response: str) -> dict[str, Any]:
        r"""The call in a response, and what was said around it.

        Returns:
            `api_name`, `args` (a list), `kwargs` (a dict) and `context`: the texts before and after the block.

        Raises:
            ResponseParsingError: there is no call, or there are several.

        >>> ResponseParser().parse('Pods first.\n```\nexec_shell("kubectl get pods")\n```')
        {'api_name': 'exec_shell', 'args': ['kubectl get pods'], 'kwargs': {}, 'context': ['Pods first.']}
        """
        try:
            call = parse(response)
            before, _, after = split_block(response)
        except ToolError as error:
            raise ResponseParsingError(str(error).removeprefix(ResponseParsingError.text.format(""))) from None
        context = [text.strip() for text in (before, after) if text.strip()]
        return {"api_name": call.name, "args": list(call.args), "kwargs": dict(call.kwargs), "context": context}

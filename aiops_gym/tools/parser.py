"""From the text that an agent wrote to the one call that it means.

A fence is a run of three or more backticks; the opening one may follow other text and carry a language tag, the closing
one stands first on its line. Nothing is evaluated, and nothing but a `ToolError` is ever raised.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from aiops_gym.errors import ToolError
from aiops_gym.tools.literals import NAME, LiteralError, read_call
from aiops_gym.types import Call

LIMIT = 65_536
"""Characters of an action at most."""

EXAMPLE = '```\nexec_shell("kubectl get pods -A")\n```'

_OPEN = re.compile(r"`{3,}[ \t]*[\w+.#-]*[ \t]*\r?\n")
_CLOSE = re.compile(r"\n[ \t]*`{3,}")


def parse(text: Any, strict: bool = False, example: str = EXAMPLE) -> Call:
    r"""The one call in the one fenced block of a text.

    Text around the block is the agent's thought and is left out; `strict` refuses it. `example` is the right action
    that a refusal shows.

    Raises:
        ToolError: with the reason and a right example, for everything else.

    >>> parse('The pods first.\n```\nexec_shell("kubectl get pods")\n```')
    Call(name='exec_shell', args=('kubectl get pods',), kwargs={})
    """
    return split_action(text, strict, example)[1]


def split_action(text: Any, strict: bool = False, example: str = EXAMPLE) -> tuple[str, Call]:
    """The thought of an action, "" for none, and its call; the arguments, and what is raised, are those of `parse`."""
    try:
        code, thought = _block(_checked(text))
        if strict and thought:
            raise LiteralError("only the fenced block is allowed, without any text around it")
        return thought, read_call(code)
    except LiteralError as error:
        raise _refusal(str(error), example) from None


def write_call(name: str, arguments: Mapping[str, Any]) -> str:
    r"""The text of an action for a call with arguments by name, JSON data: `parse` gives back the very same call.

    What no text can say (a name that is none, a number that is not finite) becomes a text that `parse` refuses, and so
    reaches the agent as the same words.

    >>> write_call("exec_shell", {"command": "echo 'a'\n", "timeout": 5})
    '```\nexec_shell(command="echo \'a\'\\n", timeout=5)\n```'
    >>> write_call("submit()#", {})
    "```\n'submit()#'()\n```"
    """
    try:
        return str(Call(_word(name), (), {_word(key): value for key, value in arguments.items()}))
    except (ValueError, RecursionError):  # a number of too many digits, or values nested too deep, to be written
        return f"```\n{_word(name)}(...)\n```"


def _word(name: str) -> str:
    """A name as it is; in quotes, which is no name to the parser, where it could be taken for more than that."""
    return name if NAME.fullmatch(name) else repr(name).replace("`", "\\x60")


def _checked(text: Any) -> str:
    if not isinstance(text, str):
        raise LiteralError(f"an action is text, not {type(text).__name__}")
    if len(text) > LIMIT:
        raise LiteralError(f"an action has at most {LIMIT:,} characters, this one has {len(text):,}")
    try:
        text.encode()
    except UnicodeEncodeError:
        raise LiteralError("an action must encode to UTF-8: this one holds a lone surrogate") from None
    return text


def _block(text: str) -> tuple[str, str]:
    """The content of the only block, and the text around it."""
    opening = _OPEN.search(text)
    if opening is None:
        raise LiteralError("no fenced block found: three backticks on a line before the call, three on a line after it")
    # From one character back, so that an empty block closes with the newline that opened it.
    closing = _CLOSE.search(text, opening.end() - 1)
    if closing is None:
        raise LiteralError("the fenced block is not closed: put three backticks on a line of their own after the call")
    before, after = text[: opening.start()], text[closing.end() :]
    if "```" in before or "```" in after:
        raise LiteralError("there must be exactly one fenced block; write a backtick inside a string as \\x60")
    return text[opening.end() : closing.start()], f"{before.strip()}\n{after.strip()}".strip()


def _refusal(reason: str, example: str) -> ToolError:
    return ToolError(
        f"Error parsing response: {reason}.\n"
        f"Answer with exactly one API call in one fenced block, for example:\n{example}",
        "parse",
    )

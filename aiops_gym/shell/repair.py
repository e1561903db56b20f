"""The interpreter's own wording turned into that of GNU bash."""

from __future__ import annotations

import re

_NOT_FOUND = re.compile(r"(: command not found)\. [^\n]*")
_PARSE = re.compile(r"^parse error at line (\d+), column \d+: (.*)$", re.S)
_LIMIT = re.compile(r"^(?:bash: line \d+: )?resource limit exceeded: [^\n]*\n", re.M)

_TIMEOUT = re.compile(
    r"^(?:\w+: execution timed out|TimeoutError: time limit exceeded|(?:\S+: line \d+: )?(?:resource limit exceeded: )?"
    r"execution timeout)[^\n]*\n?",
    re.M,
)

_NEAR = "syntax error near"


def repair(stderr: str) -> str:
    """Error text of commands as bash and the GNU tools word it.

    >>> repair("bash: line 1: tuch: command not found. Did you mean: touch?\\n")
    'bash: line 1: tuch: command not found\\n'
    """
    if "not found" in stderr:
        stderr = _NOT_FOUND.sub(r"\1", stderr)
    if "resource limit" in stderr:
        stderr = _LIMIT.sub("", stderr)
    return stderr


def without_timeouts(text: str) -> str:
    """Text without what commands say of their own limits, which are those of the whole script.

    >>> without_timeouts("a\\njq: execution timed out\\nTimeoutError: time limit exceeded: 4.9s > 4.9s\\n")
    'a\\n'
    """
    return _TIMEOUT.sub("", text)


def stops_bash(stderr: str) -> bool:
    """Whether `bash -c` would have ended here with 127: an unset variable under `set -u`, or `${X:?}`.

    >>> stops_bash("bash: line 1: X: unbound variable\\n")
    True
    """
    last = stderr.rstrip("\n").rpartition("\n")[2]
    return last.startswith("bash: ") and last.endswith((": unbound variable", ": parameter null or not set"))


def format_syntax_error(message: str, script: str) -> str:
    """What `bash -c` prints for a script that does not parse.

    >>> format_syntax_error("parse error at line 1, column 4: syntax error near unexpected token `then'", "if then")
    "bash: -c: line 1: syntax error near unexpected token `then'\\nbash: -c: line 1: `if then'\\n"
    """
    found = _PARSE.match(message)
    if found is None:
        return f"bash: -c: {message.strip()}\n"
    number, text = int(found[1]), found[2].strip()
    lines = script.split("\n")
    if text.startswith(_NEAR) and number <= len(lines):
        return f"bash: -c: line {number}: {text}\nbash: -c: line {number}: `{lines[number - 1]}'\n"
    if text.startswith("unexpected EOF while looking for"):
        last = len(lines) + 1
        return f"bash: -c: line {number}: {text}\nbash: -c: line {last}: syntax error: unexpected end of file\n"
    return f"bash: -c: line {number}: {text}\n"

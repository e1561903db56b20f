"""The interpreter's own wording turned into that of GNU bash."""

from __future__ import annotations

import re

_NOT_FOUND = re.compile(r"(: command not found)\. [^\n]*")
_LIMIT = re.compile(r"^(?:bash: line \d+: )?resource limit exceeded: [^\n]*\n", re.M)

_TIMEOUT = re.compile(
    r"^(?:\w+: execution timed out|TimeoutError: time limit exceeded|(?:\S+: line \d+: )?(?:resource limit exceeded: )?"
    r"execution timeout)[^\n]*\n?",
    re.M,
)


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

"""Loops that feed a pipe, as in `while true; do kubectl get pods; sleep 5; done | head -3`.

The interpreter runs the stages of a pipe one after another and forgets what the first one printed when a limit ends
it. So such a loop is made to ask at each turn whether it may go on, and to leave by itself when it may not.
"""

from __future__ import annotations

import re

TICK = "__tick"
"""The command that a turn of the loop calls: it fails when the loop has to end."""

_FEEDS = re.compile(r"(?:\bdone\b|\}|\))[^;\n#&|]*\|(?!\|)")
_LOOP = re.compile(r"\b(?:while|until|for)\b")
_DO = re.compile(r"([;\n)]\s*)do(?=\s)")
_QUOTED = re.compile(r"'[^']*'|\"(?:[^\"\\]|\\.)*\"|#[^\n]*")
_ENOUGH = re.compile(r"(?:\bdone\b|\}|\))[^;\n#&|]*\|\s*(?:head\b|grep\s+-\w*[qm])")


def make_patient(script: str) -> str:
    """The script with its loops asking `TICK`, or "" when no loop of it feeds a pipe.

    >>> make_patient("while true; do echo x; done | head -3")
    'while true; do __tick || exit 124; echo x; done | head -3'
    >>> make_patient("for i in 1 2; do echo $i; done; ls | wc -l")
    ''
    """
    if "|" not in script or _LOOP.search(script) is None or _FEEDS.search(script) is None or "<<" in script:
        return ""
    if len(_DO.findall(script)) != len(_DO.findall(_QUOTED.sub("''", script))):
        return ""
    return _DO.sub(rf"\1do {TICK} || exit 124;", script)


def stops_reading(script: str) -> bool:
    """Whether what the loop feeds stops reading by itself, so that the loop would have ended before its limit.

    >>> stops_reading("while true; do echo x; done | head -3")
    True
    """
    return _ENOUGH.search(script) is not None

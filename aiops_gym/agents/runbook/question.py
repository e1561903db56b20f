"""What the prompt asks for."""

from __future__ import annotations

import re
from dataclasses import dataclass

_ASKS = {
    "incident": r"^no_incident\(",
    "detection": r"^submit\(has_anomaly\b|submit\(\"Yes\"\)",
    "localization": r"^The components are: ",
    "analysis": r"system_level",
}
"""Task -> what only its prompt has in it; the fourth one asks for a repair."""

_NAMESPACE = re.compile(r"^Namespace: (\S+)$", re.MULTILINE)
_COMPONENTS = re.compile(r"^The components are: (.+?)\.?$", re.MULTILINE)


@dataclass(frozen=True)
class Question:
    """One question.

    Attributes:
        task: `detection`, `localization`, `analysis`, `mitigation` or `incident`.
        components: that an answer may name; empty where none is asked for.
    """

    task: str
    namespace: str
    components: tuple[str, ...]


def read(prompt: str) -> Question | None:
    r"""The question of a prompt; None when it is not about an application in a namespace.

    >>> read("Namespace: shop\nThe components are: cart, web.\n")
    Question(task='localization', namespace='shop', components=('cart', 'web'))
    """
    namespace = _NAMESPACE.search(prompt)
    if namespace is None:
        return None
    task = next((task for task, sign in _ASKS.items() if re.search(sign, prompt, re.MULTILINE)), "mitigation")
    named = _COMPONENTS.search(prompt)
    return Question(task, namespace[1], tuple(named[1].split(", ")) if named else ())

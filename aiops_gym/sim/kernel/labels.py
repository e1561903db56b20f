"""LabelSelectors as objects hold them (apimachinery `LabelSelectorAsSelector`)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def matches(selector: Mapping[str, Any] | None, labels: Mapping[str, str]) -> bool:
    """Whether a LabelSelector selects these labels; an empty selector selects all, None nothing.

    >>> matches({"matchLabels": {"app": "web"}}, {"app": "web", "tier": "back"})
    True
    >>> matches({"matchExpressions": [{"key": "app", "operator": "NotIn", "values": ["web"]}]}, {"app": "web"})
    False
    """
    if selector is None:
        return False
    for key, value in (selector.get("matchLabels") or {}).items():
        if labels.get(key) != value:
            return False
    expressions = selector.get("matchExpressions")
    return not expressions or all(_expression(e, labels) for e in expressions)


def _expression(expression: Mapping[str, Any], labels: Mapping[str, str]) -> bool:
    key, operator, values = expression["key"], expression["operator"], expression.get("values") or ()
    if operator == "In":
        return key in labels and labels[key] in values
    if operator == "NotIn":
        return labels.get(key) not in values
    return bool((key in labels) == (operator == "Exists"))

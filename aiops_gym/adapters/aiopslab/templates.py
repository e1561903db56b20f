"""Prompts to be filled in, under the names and with the gaps that agents of AIOpsLab know; the words are our own.

What fills the gaps is what `init_problem` returns: the task, and manuals of APIs as `stringify_apis` joins them. Braces
are gaps here, so examples of calls stand in the instructions.
"""

from __future__ import annotations

from collections.abc import Mapping

_SHELL = """\
You have an API that runs commands in a shell:

{shell_api}

When you are done, submit your answer with this API:

{submit_api}
"""

DOCS = f"""\
{{prob_desc}}

You have APIs that collect what the system has recorded of itself:

{{telemetry_apis}}

{_SHELL}
In each turn write what you think, and then one call of an API in a fenced block:

Thought: <why this is the next thing to do>
Action: <one call in a fenced block>
"""
"""All APIs: `prob_desc`, `telemetry_apis`, `shell_api`, `submit_api`."""

DOCS_SHELL_ONLY = f"""\
{{prob_desc}}

{_SHELL}
In each turn write one call of an API in a fenced block, and wait for what it prints:

Action: <one call in a fenced block>
"""
"""The shell alone: `prob_desc`, `shell_api`, `submit_api`."""

OPENRCA_PROMPT = """\
{prob_desc}

## Available APIs:

{telemetry_apis}

## Submit API:

{submit_api}

## POSSIBLE ROOT CAUSE COMPONENTS:

{candidate_components}

## POSSIBLE ROOT CAUSE REASONS:

{candidate_reasons}

Component and reason must be taken from these two lists, to the letter.
"""
"""Recorded incidents: `prob_desc`, `telemetry_apis`, `submit_api`, `candidate_components`, `candidate_reasons`."""

OPENRCA_INSTRUCTIONS = """\
Find the root cause in the telemetry with the APIs. Every call stands in a fenced block of its own, one a turn. When
you know what is asked for, submit it:

```
submit({
    "root cause occurrence datetime": "YYYY-MM-DD HH:MM:SS",
    "root cause component": "<component>",
    "root cause reason": "<reason>"
})
```

Times are in UTC+8. Leave out what is not asked.
"""
"""How to call and to submit, for recorded incidents; it has no gaps."""


def stringify_apis(apis: Mapping[str, str]) -> str:
    """The manuals of APIs as one text."""
    return "\n\n".join(f"{name}\n{manual}" for name, manual in apis.items())

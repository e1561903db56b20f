"""What can go wrong, and whose it is.

    AiopsGymError
    ├── ToolError       the agent's mistake: becomes an observation
    ├── CatalogError    a problem, app or fault that does not exist or is not well made
    │   └── ArgumentError   whoever asked for it by name made a mistake
    ├── AgentError      an agent cannot go on: its episode ends there, and is kept
    ├── SnapshotError   bytes that this version cannot continue from
    └── BackendError    the world broke, or cannot do what was asked of it

Everything else that is raised is a bug of ours and ends the run.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable

LISTED = 12
"""Names that an error lists."""


class AiopsGymError(Exception):
    """Base of everything this package raises on purpose; made from one string, so that it survives process borders."""


class ToolError(AiopsGymError):
    """The agent's mistake: what was wrong, and what would be right.

    Attributes:
        code: one of `parse`, `unknown_api`, `arguments`, `blocked`, `timeout`, `submission`; shown as `info["error"]`,
            where `wall_clock` and nothing are possible too.
    """

    def __init__(self, message: str, code: str = "arguments") -> None:
        super().__init__(message)
        self.code = code


class CatalogError(AiopsGymError):
    """A name that the catalogue does not have, or an entry that breaks the catalogue's rules."""


class ArgumentError(CatalogError):
    """An argument that names what there is not, or two that do not fit: the mistake of whoever asks."""


class AgentError(AiopsGymError):
    """An agent cannot go on, and says why in one line; what it did until then counts and is kept.

    Attributes:
        frames: where it happened, as a traceback shows it; "" where the agent gave up on purpose.
    """

    def __init__(self, message: str, frames: str = "") -> None:
        super().__init__(message)
        self.frames = frames


class SnapshotError(AiopsGymError):
    """Bytes that are no snapshot, or one of another version."""


class BackendError(AiopsGymError):
    """The world broke, or cannot express what was asked of it: never the agent's fault."""


def describe_error(error: BaseException) -> str:
    """An error in one line: those of this package speak for themselves.

    >>> [describe_error(each) for each in (ValueError("no\\nnumber"), SystemExit(), BackendError("no cluster"))]
    ['ValueError: no number', 'SystemExit', 'no cluster']
    """
    return " ".join(str(error).split()) if isinstance(error, AiopsGymError) else describe_typed_error(error)


def describe_typed_error(error: BaseException) -> str:
    """Any error in one line, its type first."""
    try:
        text = " ".join(str(error).split())
    except Exception:  # noqa: BLE001  # Anybody's error may break while it is told, and is one nevertheless.
        text = "(its text cannot be told)"
    return f"{type(error).__name__}: {text}".removesuffix(": ")


def ask_did_you_mean(name: object, known: Iterable[str]) -> str:
    """The question that helps who mistyped a name, "" where nothing is near.

    >>> ask_did_you_mean("runbok", ["random", "runbook"]), ask_did_you_mean("x", ["runbook"])
    ('did you mean runbook?', '')
    """
    by_lower = {each.lower(): each for each in known}
    near = [by_lower[each] for each in difflib.get_close_matches(str(name).lower(), by_lower, n=3, cutoff=0.6)]
    return f"did you mean {' or '.join(near)}?" if near else ""


def make_hint(name: object, known: Iterable[str], more: str = "") -> str:
    """What helps whoever gave a name that there is not: names that are near, or else those that there are.

    Args:
        known: names that there are.
        more: how to find the others, where there are too many to list.

    >>> make_hint("runbok", ["random", "runbook"]), make_hint("x", ["noop", "chat"]), make_hint("x", [])
    ('did you mean runbook?', 'there are: chat, noop', 'there are none')
    """
    names = sorted(known)
    rest = f" and {len(names) - LISTED:,} more{more}" if len(names) > LISTED else ""
    there = f"there are: {', '.join(names[:LISTED])}{rest}" if names else "there are none"
    return ask_did_you_mean(name, names) or there


def unknown(what: str, name: object, known: Iterable[str], more: str = "") -> ArgumentError:
    """What to raise for a name that there is not, see `make_hint`.

    >>> str(unknown("agent", "runbok", ["random", "runbook"]))
    "no agent 'runbok': did you mean runbook?"
    """
    return ArgumentError(f"no {what} {name!r}: {make_hint(name, known, more)}")

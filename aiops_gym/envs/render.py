"""One turn of an episode, for a person at a terminal. With the command line the only code that prints."""

from __future__ import annotations

import re
import sys
import textwrap
from collections.abc import Mapping
from typing import Any

_PLAIN, _BOLD, _DIM = "\x1b[0m", "\x1b[1m", "\x1b[2m"
_RED, _GREEN, _YELLOW, _CYAN = "\x1b[31m", "\x1b[32m", "\x1b[33m", "\x1b[36m"

_COLOUR = re.compile(r"\x1b\[\d+m")

# What a program printed must not move the cursor of whoever reads the transcript.
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


def render_turn(action: str | None, observation: str, reward: float, over: bool, info: Mapping[str, Any]) -> str:
    """The turn in colour: what was done, what was printed, and, at the end, what it was worth.

    Args:
        action: None for the first turn, whose observation is the prompt.
    """
    if action is None:
        return f"{_BOLD}{info['problem']}{_PLAIN} {_DIM}seed {info['episode_seed']}{_PLAIN}\n{_safe(observation)}\n"
    colour = _RED if info["error"] else _PLAIN
    lines = [
        f"{_DIM}[{info['step']}] {info['time']:.1f} s{_PLAIN}",
        f"{_CYAN}{_safe(action.strip())}{_PLAIN}",
        f"{colour}{_safe(observation.rstrip())}{_PLAIN}",
    ]
    if over:
        lines.append(render_verdict(reward, info))
    return "\n".join(lines) + "\n"


def render_verdict(reward: float, info: Mapping[str, Any]) -> str:
    """The last line of an episode."""
    if info["infra_error"]:
        return f"{_YELLOW}{_BOLD}the environment broke; this episode does not count{_PLAIN}"
    if not info["results"]:
        return f"{_YELLOW}{_BOLD}the episode is over{_PLAIN}"
    colour, word = (_GREEN, "solved") if info["is_success"] else (_RED, "not solved")
    submitted, expected = (_told(info["results"].get(name)) for name in ("submitted", "expected"))
    details = f"submitted {submitted}, expected {expected}"
    return f"{colour}{_BOLD}{word}, reward {reward:.2f}{_PLAIN} {_DIM}({_safe(details)}){_PLAIN}"


def _told(answer: Any) -> str:
    """An answer as the results have it, in JSON, for a person.

    >>> _told("null"), _told('"a healthy system"'), _told('["geo"]')
    ('nothing', 'a healthy system', '["geo"]')
    """
    text = "" if answer is None else str(answer)
    return text.strip('"') if text not in ("", "null") else "nothing"


def wrap_lines(text: str, width: int) -> str:
    """Lines no longer than a terminal is wide, broken at blanks only; 0 leaves them as they are.

    >>> print(wrap_lines("- one two-three four\\n    five six", 12))
    - one
      two-three
      four
        five six
    """
    if width <= 0:
        return text
    return "\n".join(_folded(line, width) for line in text.splitlines())


def _folded(line: str, width: int) -> str:
    margin = " " * (len(line) - len(line.lstrip(" -")))
    return textwrap.fill(
        line,
        max(width, 2 * len(margin)),
        subsequent_indent=margin,
        break_long_words=False,
        break_on_hyphens=False,
    )


def strip_colours(text: str) -> str:
    """Without the colours."""
    return _COLOUR.sub("", text)


def show(text: str) -> None:
    """Print for the mode "human"."""
    sys.stdout.write(text.encode("utf-8", "replace").decode("utf-8") + "\n")
    sys.stdout.flush()


def _safe(text: str) -> str:
    return _CONTROL.sub(lambda found: f"\\x{ord(found[0]):02x}", text)

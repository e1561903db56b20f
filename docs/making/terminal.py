"""An episode as a terminal that plays itself: one SVG file, animated without a script, the same for the same episode.

Where nothing moves (a printed page, a viewer that does not animate), the last moment is seen.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from itertools import accumulate

from aiops_gym.runs import Episode
from aiops_gym.runs.view.story import Turn, tell

COLUMNS, ROWS = 124, 19
WIDE, HIGH = 7.4, 18
"""Pixels of a character and of a line."""

LEFT, TOP, FOOT = 18, 62, 44
WIDTH, HEIGHT = round(2 * LEFT + COLUMNS * WIDE), TOP + ROWS * HIGH + FOOT

TYPING, PAUSE, READING, ENDING = 0.03, 0.4, 0.22, 5.0
"""Seconds: a character, between command and output, a line of output, the verdict."""

SHORTEST, LONGEST = 1.6, 4.2
"""Seconds that an output stays."""

PAGE, BAR, TEXT, SOFT, TYPED, WELL, WRONG = "#0d1117", "#161b22", "#e6edf3", "#8b949e", "#79c0ff", "#3fb950", "#ff7b72"

TROUBLE = re.compile(r"\b0/[1-9]\b|CrashLoopBackOff|\bError\b|panic|no reachable|\bPNC\b")


@dataclass(frozen=True)
class Scene:
    """What is on the screen from one command to the next.

    Attributes:
        typed: lines of the command; none before the first one.
        shown: lines and their colours.
        clock: seconds of the world.
        users: share of their requests that succeeds.
    """

    typed: Sequence[str]
    shown: Sequence[tuple[str, str]]
    clock: float
    users: float

    @property
    def before(self) -> float:
        """Seconds until the output is there."""
        return sum(map(len, self.typed)) * TYPING + PAUSE if self.typed else 0.0


def svg(episode: Episode) -> str:
    """The episode as the text of a file."""
    scenes = list(_scenes(episode))
    lasts = [each.before + min(LONGEST, max(SHORTEST, READING * len(each.shown))) for each in scenes]
    lasts[-1] = scenes[-1].before + ENDING
    whole, parts = sum(lasts), list[str]()
    ends = [*accumulate(lasts)]
    for scene, end, last in zip(scenes, ends, lasts, strict=True):
        parts.append(_drawn(scene, end - last, end, whole))
    shown = [end - last + scene.before for scene, end, last in zip(scenes, ends, lasts, strict=True)]
    parts += [_foot(*each, whole) for each in zip(scenes, shown, [*shown[1:], whole], strict=True)]
    title = escape(f"{episode.env}   problem={episode.problem_id}   seed={episode.seed}")
    dots = "".join(
        f'<circle cx="{22 + 18 * i}" cy="20" r="5.5" fill="{colour}"/>'
        for i, colour in enumerate(("#ff5f57", "#febc2e", "#28c840"))
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}" '
        f'font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, DejaVu Sans Mono, monospace" font-size="12.3">\n'
        f"<title>{escape(f'An agent solves {episode.problem_id}')}</title>\n"
        f'<rect width="{WIDTH}" height="{HEIGHT}" rx="10" fill="{PAGE}"/>\n'
        f'<path d="M0 40V10a10 10 0 0 1 10-10h{WIDTH - 20}a10 10 0 0 1 10 10v30z" fill="{BAR}"/>\n'
        f"{dots}{_text(title, 92, 24, SOFT, raw=True)}\n" + "\n".join(parts) + "\n</svg>\n"
    )


def _scenes(episode: Episode) -> Iterator[Scene]:
    turns, system = tell(episode)
    shares = [(state.users.ok or 0.0) for state in system.states] if system else [0.0]
    task, _, _ = episode.prompt.partition("\n\nService Details:")
    ask = episode.prompt.partition("Supported Operations:")[2].partition("\n\n")[2].partition("\n\n")[0]
    yield Scene(
        (),
        [(line, TEXT) for line in _wrapped(task)] + [("", TEXT)] + [(s, TEXT) for s in _wrapped(ask)],
        0.0,
        shares[0],
    )
    for turn in turns:
        yield Scene(_typed(turn), list(_output(episode, turn, turn is turns[-1])), turn.end, shares[turn.state])


def _typed(turn: Turn) -> list[str]:
    shell = turn.kind == "shell"
    return textwrap.wrap(
        ("$ " if shell else "> ") + turn.headline, COLUMNS, subsequent_indent="    ", break_on_hyphens=False
    )


def _output(episode: Episode, turn: Turn, last: bool) -> Iterator[tuple[str, str]]:
    if last:
        colour = WELL if episode.success else WRONG
        yield f"{'solved' if episode.success else 'not solved'}, reward {episode.reward:.2f}", colour
        for name, part in episode.reward_components.items():
            yield f"  {name:15}{part:g}", SOFT
        return
    lines = [line.expandtabs(8) for line in turn.output.rstrip().splitlines()]
    room = ROWS - len(_typed(turn)) - 1
    if len(lines) > room:
        head = room - 1
        lines = [*lines[:head], f"... ({len(lines) - head} more lines)"]
    for line in lines:
        yield line if len(line) <= COLUMNS else f"{line[: COLUMNS - 1]}…", WRONG if TROUBLE.search(line) else TEXT


def _wrapped(text: str) -> list[str]:
    return [line for part in text.splitlines() for line in textwrap.wrap(part, COLUMNS)]


def _drawn(scene: Scene, begin: float, end: float, whole: float) -> str:
    """A scene with its own time: nothing of it is seen before and after."""
    typed = "".join(_typing(i, line, scene, begin, whole) for i, line in enumerate(scene.typed))
    top = TOP + HIGH * len(scene.typed)
    shown = "".join(_text(line, LEFT, top + HIGH * i, colour) for i, (line, colour) in enumerate(scene.shown) if line)
    output = _timed(shown, begin + scene.before, end, whole)
    return _timed(typed, begin, end, whole) + output if typed else output


def _typing(row: int, line: str, scene: Scene, begin: float, whole: float) -> str:
    """A line of a command, behind a window that grows a character at a time."""
    start = begin + sum(map(len, scene.typed[:row])) * TYPING
    name = f"w{round(1000 * start)}"
    moments = [0.0, *((start + TYPING * i) / whole for i in range(1, len(line) + 1))]
    widths = [0.0, *(WIDE * i for i in range(1, len(line) + 1))]
    y = TOP + HIGH * row
    grow = _animated("width", widths, moments, whole)
    window = (
        f'<clipPath id="{name}"><rect x="{LEFT}" y="{y - 14}" width="{WIDTH}" height="{HIGH}">{grow}</rect></clipPath>'
    )
    return f'{window}<g clip-path="url(#{name})">{_text(line, LEFT, y, TYPED)}</g>'


def _foot(scene: Scene, begin: float, end: float, whole: float) -> str:
    """How users fare at the end of a scene, and the world's time; until the next output is there."""
    y, room = HEIGHT - 18, 220.0
    colour = WELL if scene.users > 0.99 else WRONG
    label = f"requests of users that succeed: {scene.users:4.0%}"
    bar = LEFT + WIDE * (len(label) + 2)
    drawn = (
        f'<rect x="0" y="{HEIGHT - FOOT + 4}" width="{WIDTH}" height="1" fill="#30363d"/>'
        f"{_text(label, LEFT, y, colour)}"
        f'<rect x="{bar:.1f}" y="{y - 9}" width="{room:g}" height="10" rx="3" fill="#30363d"/>'
        f'<rect x="{bar:.1f}" y="{y - 9}" width="{room * scene.users:.1f}" height="10" rx="3" fill="{colour}"/>'
        f"{_text(f'virtual time {scene.clock:5.1f} s', WIDTH - LEFT - 21 * WIDE, y, SOFT)}"
    )
    return _timed(drawn, begin, end, whole)


def _timed(drawn: str, begin: float, end: float, whole: float) -> str:
    """Something that is seen from one moment to another; what is seen at the end is also seen where nothing moves."""
    last = end > whole - 1e-6
    moments, values = [0.0, begin / whole, end / whole], [0.0, 1.0, 0.0]
    first, beyond = (1 if begin == 0 else 0), (2 if last else 3)
    moving = _animated("opacity", values[first:beyond], [0.0, *moments[first + 1 : beyond]], whole)
    return f'<g opacity="{int(last)}">{moving}{drawn}</g>'


def _animated(name: str, values: Sequence[float], moments: Sequence[float], whole: float) -> str:
    shown = ";".join(f"{value:g}" for value in values)
    times = ";".join(f"{moment:.5f}".rstrip("0").rstrip(".") or "0" for moment in moments)
    return (
        f'<animate attributeName="{name}" dur="{whole:.2f}s" repeatCount="indefinite" calcMode="discrete" '
        f'values="{shown}" keyTimes="{times}"/>'
    )


def _text(line: str, x: float, y: float, colour: str, raw: bool = False) -> str:
    """A line whose columns stay where they are in any font."""
    blank = len(line) - len(line.lstrip())
    body = "".join(letter if letter.isprintable() else "\N{REPLACEMENT CHARACTER}" for letter in line.strip())
    size = f' textLength="{WIDE * len(body):.1f}" lengthAdjust="spacingAndGlyphs"' if len(body) > 1 and not raw else ""
    shown = body if raw else escape(body, quote=False)
    return f'<text xml:space="preserve" x="{x + WIDE * blank:.1f}" y="{y:g}" fill="{colour}"{size}>{shown}</text>'

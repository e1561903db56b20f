"""In which colour and with which words a picture says how something does."""

from __future__ import annotations

import math

WELL, HURT, DOWN, IDLE = "well", "hurt", "down", "idle"

RIGHT = 0.985
"""Share of success from which nothing hurts: a packet in a hundred may be lost on any day."""

SLOW = 2.0
"""Multiple of the usual time from which it hurts."""


def choose_level(share: float | None) -> str:
    """How a share of success is shown; None, nothing is asked."""
    if share is None:
        return IDLE
    return WELL if share >= RIGHT else HURT if share >= 0.5 else DOWN


def choose_component_level(ok: float | None, slow: float | None, ready: int, wanted: int) -> str:
    """How a component is shown: requests first, then pods.

    >>> states = [(1.0, 1.0, 1, 1), (1.0, 1.0, 0, 1), (None, None, 0, 1)]
    >>> tuple(choose_component_level(*state) for state in states)
    ('well', 'hurt', 'down')
    """
    found = choose_level(ok)
    if found == IDLE:
        return DOWN if ready == 0 < wanted else HURT if ready < wanted else IDLE
    trouble = ready < wanted or (slow or 1.0) >= SLOW
    return HURT if found == WELL and trouble else found


def format_percent(share: float | None) -> str:
    """A share in a few characters; never 100 % where something fails, and never 0 % where something succeeds.

    >>> format_percent(1.0), format_percent(0.9999), format_percent(0.001), format_percent(0.4), format_percent(None)
    ('100 %', '>99 %', '<1 %', '40 %', '-')
    """
    if share is None:
        return "-"
    if 0.995 <= share < 1.0:
        return ">99 %"
    return "<1 %" if 0.0 < share < 0.005 else f"{100 * share:.0f} %"


def format_number(value: float) -> str:
    """At most three digits that count, no exponents.

    >>> [format_number(value) for value in (0.0, 0.00803, 0.977, 8.58, 302.0, 12_000.0)]
    ['0', '0.008', '0.98', '8.6', '302', '12,000']
    """
    if value == 0 or abs(value) >= 100:
        return f"{value:,.0f}"
    if abs(value) >= 1:
        return f"{value:.1f}".removesuffix(".0")
    return (f"{value:.2f}" if abs(value) >= 0.1 else f"{value:.3f}").rstrip("0").rstrip(".")


def read_points(text: str) -> list[float | None]:
    """The numbers of a series as it is kept; None for what is not known, or is no number.

    >>> read_points("0.5 - 12")
    [0.5, None, 12.0]
    """
    return [_number(each) for each in text.split()]


def _number(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return value if math.isfinite(value) else None


def describe_component(ok: float | None, slow: float | None, ready: int, wanted: int) -> str:
    """What is written under a component's name.

    >>> describe_component(0.0, None, 0, 1), describe_component(1.0, 12.0, 1, 1), describe_component(None, None, 1, 1)
    ('0 %, 0/1 pods', '100 %, 12x slower', '1/1 pods')
    """
    if ok is None:
        return f"{ready}/{wanted} pods"
    found = [format_percent(ok)]
    if slow is not None and slow >= SLOW:
        found.append(f"{slow:.0f}x slower")
    if ready != wanted or wanted == 0:
        found.append(f"{ready}/{wanted} pods")
    return ", ".join(found)


def lines_of(name: str, width: int) -> list[str]:
    """A component's name on at most two lines, broken at a hyphen where it is too wide.

    >>> lines_of("mongodb-recommendation", 14), lines_of("geo", 14)
    (['mongodb-', 'recommendation'], ['geo'])
    """
    if len(name) <= width:
        return [name]
    places = [i + 1 for i, character in enumerate(name) if character in "-_." and 0 < i < width]
    if not places:
        return [name[: width - 1] + "…"]
    at = max(places) if len(name) - max(places) <= width else places[0]
    rest = name[at:]
    return [name[:at], rest if len(rest) <= width else rest[: width - 1] + "…"]

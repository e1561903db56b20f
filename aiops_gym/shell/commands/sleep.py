"""`sleep`: time passes on the cluster's clock."""

from __future__ import annotations

from aiops_gym.clients.context import Context
from aiops_gym.types import Output

UNITS = {"s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}


def run(context: Context, argv: list[str]) -> Output:
    """Wait for the sum of the arguments, each a number with an optional s, m, h or d."""
    if len(argv) < 2:
        return Output("", "sleep: missing operand\nTry 'sleep --help' for more information.\n", 1)
    total = 0.0
    for text in argv[1:]:
        seconds = parse_duration(text)
        if seconds is None:
            wrong = f"sleep: invalid time interval ‘{text}’\nTry 'sleep --help' for more information.\n"
            return Output("", wrong, 1)
        total += seconds
    return Output() if context.cluster.wait(total) else Output("", "", 124)


def parse_duration(text: str) -> float | None:
    """Seconds of a GNU interval as `2.5`, `10s`, `3m` or `infinity`; None when it is none.

    >>> parse_duration("1.5m")
    90.0
    """
    unit = UNITS.get(text[-1:], 0.0)
    number = text[:-1] if unit else text
    if number in ("inf", "infinity"):
        return 1e12
    if not number.replace(".", "", 1).isascii() or not number.replace(".", "", 1).isdigit():
        return None
    return float(number) * (unit or 1.0)

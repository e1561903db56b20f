"""Amounts of CPU, memory and storage, as Kubernetes writes them (apimachinery `resource.Quantity`).

>>> canonical("0.1"), canonical("1024Mi"), canonical("1000m"), canonical("1.5Gi"), canonical("1e3")
('100m', '1Gi', '1', '1536Mi', '1e3')
"""

from __future__ import annotations

import re
from decimal import ROUND_CEILING, ROUND_UP, Decimal

from aiops_gym import caches

_SYNTAX = re.compile(r"([+-]?)([0-9]+(?:\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]{1,4}|[KMGTPE]i|[numkMGTPE]?)")
DECIMAL = {"n": -9, "u": -6, "m": -3, "": 0, "k": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18}
BINARY = {"Ki": 10, "Mi": 20, "Gi": 30, "Ti": 40, "Pi": 50, "Ei": 60}
NANO = Decimal(1).scaleb(-9)
LARGEST = Decimal((1 << 63) - 1)

PATTERN = "^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$"
WRONG = f"quantities must match the regular expression '{PATTERN}'"


def _split(text: str) -> tuple[Decimal, str]:
    match = _SYNTAX.fullmatch(text)
    if not match:
        raise ValueError(WRONG if not re.fullmatch(PATTERN, text) else SUFFIX)
    sign, digits, suffix = match.groups()
    number = Decimal(digits or "0")
    if suffix in BINARY:
        number *= 1 << BINARY[suffix]
    elif suffix in DECIMAL:
        number = number.scaleb(DECIMAL[suffix])
    else:
        number = number.scaleb(max(-400, min(400, int(suffix[1:]))))
    # Nothing below a billionth is kept, nothing above the largest whole number either.
    number = min(number.quantize(NANO, rounding=ROUND_UP), LARGEST) if number < LARGEST else LARGEST
    return (-number if sign == "-" else number), suffix


SUFFIX = "unable to parse quantity's suffix"


@caches.function(4096, "parsing a quantity")
def parse(text: str) -> Decimal:
    """The number that a quantity stands for. Raises ValueError with the server's text.

    >>> parse("250m"), parse("1Ki")
    (Decimal('0.250000000'), Decimal('1024.000000000'))
    """
    return _split(text)[0]


def milli(text: str) -> int:
    """Thousandths, rounded up: how CPU is counted."""
    return int((parse(text) * 1000).to_integral_value(rounding=ROUND_CEILING))


def whole(text: str) -> int:
    """A whole number, rounded up: how bytes are counted."""
    return int(parse(text).to_integral_value(rounding=ROUND_CEILING))


@caches.function(4096, "writing a quantity as the server keeps it")
def canonical(text: str) -> str:
    """The form in which the server keeps it: no fraction, the largest suffix that allows that. Raises ValueError.

    What needs no other suffix stays as it was written, even with a fraction.

    >>> canonical("1.250"), canonical("0.250")
    ('1.250', '250m')
    """
    number, suffix = _split(text)
    return text if _stays(text.removesuffix(suffix).lstrip("+-"), suffix) else write(number, suffix)


def _stays(digits: str, suffix: str) -> bool:
    """Whether a decimal number is taken as it is: in whole thousandths of its suffix, and no multiple of a thousand."""
    if suffix in BINARY:
        return False
    whole_part, _, fraction = digits.partition(".")
    exponent = DECIMAL[suffix] if suffix in DECIMAL else int(suffix[1:])
    scale = exponent - len(fraction)
    few = len(digits) <= 18 and scale >= -9 and scale % 3 == 0
    return few and int(whole_part or "0") != 0 and int(whole_part + fraction) % 1000 != 0


def write(number: Decimal, like: str = "") -> str:
    """A number in the notation of a suffix: binary (`Mi`), decimal (`m`) or an exponent (`e3`).

    >>> write(Decimal("0.25")), write(Decimal(1 << 31), "Ki"), write(Decimal(1500), "e3")
    ('250m', '2Gi', '1500')
    """
    if number == 0:
        return "0"
    if like in BINARY and abs(number) >= 1024 and number == number.to_integral_value():
        return _binary(int(number))
    billionths, exponent = int(number.scaleb(9)), 18  # nothing smaller is kept, see `_split`
    while billionths % 10 ** (exponent + 9):
        exponent -= 3
    digits = str(billionths // 10 ** (exponent + 9))
    if like[:1] in ("e", "E") and like not in DECIMAL and like not in BINARY:
        return f"{digits}e{exponent}" if exponent else digits
    return digits + next(s for s, e in DECIMAL.items() if e == exponent)


def _binary(number: int) -> str:
    for suffix, power in reversed(BINARY.items()):
        if number % (1 << power) == 0:
            return f"{number >> power}{suffix}"
    return str(number)

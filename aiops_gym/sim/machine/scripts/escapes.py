"""Backslashes in the words of `echo` and `printf`. Reference: Bash manual, 4.2; POSIX, `printf`."""

from __future__ import annotations

import re

ESCAPE = re.compile(
    r"\\(?:(c)|0?([0-7]{1,3})|(?:x([0-9a-fA-F]{1,2})|u([0-9a-fA-F]{1,4})|U([0-9a-fA-F]{1,8}))|([abefnrtv\\0\"']))",
    re.DOTALL,
)
SHORT_OCTAL = re.compile(r"(?<!\\)((?:\\\\)*)\\(?=[1-7])")
ESCAPES = dict(zip("abefnrtv\\0\"'", "\a\b\033\f\n\r\t\v\\\0\"'", strict=True))


SURROGATE = 0xDC00
"""What is added to a byte that is no text, as Python does for names of files."""


def unescape(text: str, binary: bool = False) -> tuple[str, bool]:
    """Backslashes as `echo` of dash and `printf` read them; and whether `\\c` ends all that is printed.

    Numbers of bytes that are no signs by themselves become lone surrogates where `binary` texts are kept.
    """
    found, at = "", 0
    for match in ESCAPE.finditer(text):
        found, at = found + text[at : match.start()], match.end()
        if match[1]:
            return found, True
        octal, sixteen = match[2], match[4] or match[5]
        if octal or match[3]:
            byte = int(octal, 8) & 255 if octal else int(match[3], 16)
            found += chr(SURROGATE + byte if binary and byte > 127 else byte)
        else:
            found += _char(sixteen) if sixteen else ESCAPES[match[6]]
    return found + text[at:], False


def _char(sixteen: str) -> str:
    number = int(sixteen, 16)
    return "\ufffd" if number > 0x10FFFF or 0xD800 <= number < 0xE000 else chr(number)

"""The command line of `curl`, and what its `-w` can print."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from urllib.parse import quote

import yaml

LONG = {
    "--request": "X", "--data": "d", "--header": "H", "--output": "o", "--max-time": "m", "--write-out": "w",
    "--user": "u", "--user-agent": "A", "--referer": "e", "--cookie": "b", "--cookie-jar": "c", "--form": "F",
    "--proxy": "x", "--upload-file": "T", "--range": "r", "--cert": "E", "--url": "url", "--json": "json",
    "--data-raw": "d", "--data-ascii": "d", "--data-binary": "d", "--data-urlencode": "encode", "--retry": "retry",
    "--connect-timeout": "connect", "--retry-delay": "retry-delay", "--retry-max-time": "retry-max", "--key": "key",
    "--cacert": "cacert", "--resolve": "resolve", "--noproxy": "noproxy", "--max-redirs": "redirs", "--interface": "if",
    "--limit-rate": "rate", "--output-dir": "dir", "--unix-socket": "socket", "--connect-to": "to", "--trace-ascii": "",
    "--keepalive-time": "keepalive", "--max-filesize": "size", "--proto": "proto", "--ciphers": "ciphers",
}  # fmt: skip
"""Options with a value, and the name under which it is kept."""

FLAGS = {
    "--silent": "s", "--show-error": "S", "--fail": "f", "--include": "i", "--head": "I", "--location": "L",
    "--insecure": "k", "--verbose": "v", "--remote-name": "O", "--get": "G", "--version": "V", "--help": "h",
    "--compressed": "", "--no-progress-meter": "", "--progress-bar": "#", "--globoff": "g", "--ipv4": "4",
    "--fail-with-body": "fail-body", "--no-buffer": "N", "--http1.1": "", "--http1.0": "0", "--http2": "",
    "--http2-prior-knowledge": "h2", "--tcp-nodelay": "", "--retry-connrefused": "", "--retry-all-errors": "",
    "--location-trusted": "L", "--no-keepalive": "", "--path-as-is": "", "--raw": "", "--parallel": "Z", "--ipv6": "6",
    "--create-dirs": "", "--next": "", "--no-sessionid": "", "--disable": "q", "--remote-header-name": "J",
    "--tlsv1.2": "", "--tlsv1.3": "", "--anyauth": "", "--basic": "", "--fail-early": "", "--styled-output": "",
}  # fmt: skip
VALUED = "XdHomwuAebcFxTrEUCKPQYyztD"
KNOWN = VALUED + "sSfiIkLvOGVhgN#Z46q0123aBjJlMnRp:"
OUT = re.compile(r"%\{(\w+)\}|%%|\\([nrt])")
ESCAPES = {"n": "\n", "r": "\r", "t": "\t"}


@cache
def read_texts() -> Mapping[str, str]:
    """What it says of itself: its `version`, and `help`."""
    found: Mapping[str, str] = yaml.safe_load((Path(__file__).parent / "curl.yaml").read_text())
    return found


@dataclass(slots=True)
class Asked:
    """What a command line says: `wrong` is the message about what it cannot say."""

    flags: set[str] = field(default_factory=set)
    values: dict[str, str] = field(default_factory=dict)
    headers: list[str] = field(default_factory=list)
    data: list[str] = field(default_factory=list)
    urls: list[str] = field(default_factory=list)
    wrong: str = ""

    def seconds(self, name: str) -> float | None:
        """A value as seconds; 0 means no limit."""
        text = self.values.get(name, "")
        return float(text) or None if re.fullmatch(r"\d+(\.\d+)?", text) else None

    def take(self, name: str, value: str) -> None:
        """Note an option with a value."""
        if name == "H":
            self.headers.append(value)
        elif name == "encode":
            self.data.append(_encoded(value))
        elif name in ("d", "json", "F"):
            self.data.append(value)
            self.headers += ["Content-Type: application/json", "Accept: application/json"] if name == "json" else []
        elif name == "url":
            self.urls.append(value)
        else:
            self.values[name] = value


def _encoded(text: str) -> str:
    """What `--data-urlencode` makes of `content`, `=content` or `name=content`.

    >>> _encoded("query=up == 0"), _encoded("=a b"), _encoded("a b")
    ('query=up%20%3D%3D%200', 'a%20b', 'a%20b')
    """
    name, equals, content = text.partition("=")
    if not equals:
        name, content = "", name
    return f"{name}={quote(content, safe='-._~')}" if name else quote(content, safe="-._~")


def parse(words: Sequence[str]) -> Asked:
    """Read a command line without its first word."""
    asked, rest = Asked(), list(words)
    while rest and not asked.wrong:
        word = rest.pop(0)
        if word.startswith("--") and len(word) > 2:
            _long(asked, word, rest)
        elif word.startswith("-") and len(word) > 1:
            _letters(asked, word[1:], rest)
        elif word != "--":
            asked.urls.append(word)
    return asked


def _long(asked: Asked, word: str, rest: list[str]) -> None:
    if word in LONG:
        if not rest:
            asked.wrong = f"option {word}: requires parameter"
            return
        asked.take(LONG[word], rest.pop(0))
        return
    name = "--" + word[5:] if word.startswith("--no-") and "--" + word[5:] in FLAGS else word
    if name not in FLAGS:
        asked.wrong = f"option {word}: is unknown"
    elif name == word:
        asked.flags.add(FLAGS[word])


def _letters(asked: Asked, letters: str, rest: list[str]) -> None:
    for index, letter in enumerate(letters):
        if letter not in KNOWN:
            asked.wrong = f"option -{letters}: is unknown"
            return
        if letter in VALUED:
            after = letters[index + 1 :]
            if not after and not rest:
                asked.wrong = f"option -{letter}: requires parameter"
                return
            asked.take(letter, after or rest.pop(0))
            return
        asked.flags.add(letter)


def format_write_out(template: str, facts: Mapping[str, str]) -> str:
    """What `-w` prints.

    >>> format_write_out("%{http_code} 100%%\\\\n", {"http_code": "200"})
    '200 100%\\n'
    """

    def one(found: re.Match[str]) -> str:
        if found[2]:
            return ESCAPES[found[2]]
        return facts.get(found[1], "") if found[1] else "%"

    return OUT.sub(one, template)

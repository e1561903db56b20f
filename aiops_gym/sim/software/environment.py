"""What programs are told at their start: options, and addresses in environment variables with users beside them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from aiops_gym.sim.kernel.digits import is_natural

PORTS = {"postgres": 5432, "http": 80, "https": 443}
"""Where a scheme's servers listen unless somebody says otherwise."""


class Address(NamedTuple):
    """A host and a port, and the user that is given with them."""

    host: str
    port: int
    user: str = ""
    password: str = ""


def read_address(text: str, usual: int = 0) -> Address:
    """The address in a variable: `host:port`, a URL, or the pairs of a connection string.

    Args:
        text: the variable.
        usual: the port where it says none.

    >>> read_address("http://quote:8080")
    Address(host='quote', port=8080, user='', password='')
    >>> read_address("postgres://otelu:otelp@postgresql/otel?sslmode=disable")
    Address(host='postgresql', port=5432, user='otelu', password='otelp')
    >>> read_address("Host=postgresql;Username=otelu;Password=otelp;Database=otel", 5432)
    Address(host='postgresql', port=5432, user='otelu', password='otelp')
    """
    if "=" in text and "://" not in text:
        pairs = dict(part.partition("=")[::2] for part in re.split(r"[;\s]+", text) if "=" in part)
        told = {key.strip().lower(): value.strip() for key, value in pairs.items()}
        user = told.get("username") or told.get("user", "")
        return Address(told.get("host", ""), _port(told.get("port", ""), usual), user, told.get("password", ""))
    scheme, _, rest = text.rpartition("://")
    login, _, place = rest.partition("/")[0].rpartition("@")
    host, colon, port = place.rpartition(":")
    user, _, password = login.partition(":")
    return Address(
        host if colon else place, _port(port if colon else "", usual or PORTS.get(scheme, 0)), user, password
    )


def _port(text: str, usual: int) -> int:
    return int(text) if is_natural(text) and len(text) < 6 else usual


def read_option(argv: Sequence[str], name: str) -> str:
    """The value of an option, "" where it is not given.

    >>> read_option(["node", "--hub", "link:9092"], "--hub"), read_option(["node", "--hub=link"], "--hub")
    ('link:9092', 'link')
    >>> read_option(["node", "--hub"], "--hub")
    ''
    """
    for number, word in enumerate(argv):
        if word == name and number + 1 < len(argv):
            return argv[number + 1]
        if word.startswith(f"{name}="):
            return word.partition("=")[2]
    return ""

"""Who may come in: requests that are meant for this server, and not what a page in somebody's browser has it send.

A browser is the one client that acts for strangers. A page of any site can make it ask an address of this machine, and
a name of the page's own domain can be made to lead here (DNS rebinding). So the name that was called must be one of
ours, and a request that a page sent must come from a page of this very address. Clients such as kubectl send no
`Origin`.
"""

from __future__ import annotations

from ipaddress import ip_address

from starlette.datastructures import Headers

LOOPBACK = "127.0.0.1"
OWN = frozenset([LOOPBACK, "localhost", "::1"])
EVERYWHERE = frozenset(["0.0.0.0", "::", ""])
"""Addresses to listen on that mean all of the machine's."""

PRIVATE = (".internal", ".local", ".localhost")
"""Ends of names that no public name server knows: nobody else can have them lead here."""

FROM_ELSEWHERE = frozenset(["cross-site", "same-site"])
"""What a browser says in `Sec-Fetch-Site` of a page of another address, another port of this machine included."""


def is_welcome(headers: Headers, listening: str) -> bool:
    """Whether a request is meant for this server.

    Args:
        headers: of the request.
        listening: the address that the server listens on.

    >>> called = {"host": "127.0.0.1:6443"}
    >>> is_welcome(Headers(called), LOOPBACK), is_welcome(Headers({"host": "evil.example:6443"}), LOOPBACK)
    (True, False)
    >>> [is_welcome(Headers({**called, "origin": f"http://{o}"}), LOOPBACK) for o in ("127.0.0.1:6443", "127.0.0.1:9")]
    [True, False]
    """
    called = headers.getlist("host")
    if len(called) != 1 or not is_ours(find_name(called[0]), listening):
        return False
    origins = headers.getlist("origin")
    if origins and origins != [f"http://{called[0]}"]:
        return False
    return headers.get("sec-fetch-site", "none") not in FROM_ELSEWHERE


def is_ours(name: str, listening: str) -> bool:
    """Whether a server that listens there may be called by a name.

    One that listens on all addresses may be called by any of them, and by names that public name servers cannot know.

    >>> [is_ours(name, "0.0.0.0") for name in ("10.1.2.3", "::1", "host.docker.internal", "server", "evil.example", "")]
    [True, True, True, True, False, False]
    """
    if name in OWN or name == listening.lower():
        return bool(name)
    if listening not in EVERYWHERE:
        return False
    return _is_address(name) or (bool(name) and ("." not in name or name.endswith(PRIVATE)))


def find_name(host: str) -> str:
    """A host without its port.

    >>> find_name("127.0.0.1:6443"), find_name("[::1]:80"), find_name("Localhost")
    ('127.0.0.1', '::1', 'localhost')
    """
    if host.startswith("["):
        return host[1:].partition("]")[0].lower()
    return host.partition(":")[0].lower()


def _is_address(name: str) -> bool:
    try:
        ip_address(name)
    except ValueError:
        return False
    return True
